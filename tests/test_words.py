"""Text as the terms that it is found by, in any script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rawko.values.document import joined
from rawko.values.everyday import chance
from rawko.values.queries import query_terms, spelled, time_words
from rawko.values.stems import stem
from rawko.values.words import LONGEST, STOP_WORDS, asked, terms, words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("Add a login page.", ["add", "a", "login", "page"]),
        ("snake_case", ["snake", "case", "snakecase"]),
        ("camelCase", ["camel", "case", "camelcase"]),
        ("HTTPServer2", ["http", "server", "2", "httpserver2"]),
        ("GitHub", ["git", "hub", "github"]),
        ("src/auth/jwt.py", ["src", "auth", "jwt", "py", "srcauthjwtpy"]),
        ("v1.2.3", ["v", "1", "2", "3", "v123"]),
        ("well-known", ["well", "known"]),
        ("don't", ["don", "t"]),
        ("OAuth", ["oauth"]),
        ("a--b", ["a", "b"]),
        ("x;DROP TABLE y", ["x", "drop", "table", "y"]),
    ],
)
def test_words_of_english_and_of_code(text: str, found: list[str]) -> None:
    """An identifier, a path or a version is its parts and itself; a hyphenated word is its parts."""
    assert list(words(text)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "Fixed userId in auth/jwt.py: HTTPServer2 re-reads v1.2 as well-known",
            "fix user id userid in auth jwt py authjwtpi http server 2 httpserver2 re read v 1 2 v12 as well know",
        ),
        (
            "for (c = 0; c < n; c++) total += x.net * f(#c) // see foo#bar, ASP.NET and a.c++;",
            "for c 0 c n c total x net xnet f c see foo bar asp net aspnet and a c ac",
        ),
        ("5 \u00b5s — “naïve” café…", "5 μs naiv cafe"),
    ],
)
def test_text_of_english_and_code_keeps_its_terms(text: str, found: str) -> None:
    """The ranking is tuned on these; what other scripts and other names need changes none of them."""
    assert " ".join(terms(text)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("C++ and C#", ["cpp", "and", "csharp"]),
        ("F# on .NET", ["fsharp", "on", "dotnet"]),
        ("(c++, c#)", ["cpp", "csharp"]),
        ("C++17", ["cpp", "17", "cpp17"]),
        (
            "Go modules, in R, the C API",
            ["go", "golang", "modules", "in", "r", "rlanguage", "the", "c", "clanguage", "api"],
        ),
        ("Go home in C-3PO, R&D, vitamin C", ["go", "home", "in", "c", "3", "po", "c3po", "r", "d", "vitamin", "c"]),
        ("a .net app", ["a", "dotnet", "app"]),
    ],
)
def test_a_name_that_ends_in_signs_is_a_word(text: str, found: list[str]) -> None:
    """B8: what is said of C++ is not said of C."""
    assert list(words(text)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("数据库", ["数据", "据库"]),
        ("库", ["库"]),
        ("データ", ["デー", "ータ"]),
        ("데이터", ["데이", "이터"]),
        ("ฐานข้อมูล", ["ฐา", "าน", "นข้", "ข้อ", "อมู", "มูล"]),
        ("ភាសាខ្មែរ។", ["ភាសា", "សាខ្", "ខ្មែ", "មែរ"]),
        ("မြန်မာစာ", ["မြန်", "န်မာ", "မာစာ"]),
        ("ພາສາລາວ", ["ພາ", "າສ", "ສາ", "າລ", "ລາ", "າວ"]),
        ("用Redis缓存", ["用", "redis", "缓存"]),
        ("база данных", ["база", "данных"]),
        ("βάση", ["βαση"]),
        ("قاعدة", ["قاعدة"]),
    ],
)
def test_words_of_other_scripts(text: str, found: list[str]) -> None:
    """DESIGN 4: where words have no spaces between them, pairs of letters stand for them, each with its marks."""
    assert list(words(text)) == found


@pytest.mark.parametrize(
    "text", ["हिन्दी में लिखें", "தமிழில் எழுது", "বাংলা ভাষা", "తెలుగు భాష", "བོད་ཡིག", "ދިވެހި ބަސް", "Größe", "məlumat", "MƏLUMAT"]
)
def test_a_word_of_any_script_is_whole(text: str) -> None:
    """A7: a vowel that is a mark belongs to its letter, and an odd letter to its word."""
    assert list(words(text)) == text.replace("་", " ").replace("Größe", "grosse").lower().split()


def test_words_of_another_script_have_nothing_in_common() -> None:
    """A7: two texts in Hindi share words, not consonants."""
    assert not set(terms("हिन्दी में लिखें")) & set(terms("लेख की मात्रा हटाएँ"))


def test_words_with_a_common_ending_have_nothing_in_common() -> None:
    """A7: who searches for a size does not find every street."""
    assert not set(terms("Größe")) & set(terms("Jede Straße"))


def test_a_word_in_two_scripts_is_its_parts() -> None:
    """An identifier may be in two scripts, and an accent does not keep its parts together."""
    assert list(words("getПользователь")) == ["get", "пользователь", "getпользователь"]
    assert list(words("GrößeÄndern")) == ["grosse", "andern", "grosseandern"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ｆｕｌｌｗｉｄｔｈ", "fullwidth"),
        ("caf\u00e9", "cafe\u0301"),
        ("caf\u00e9", "cafe"),
        ("Straße", "STRASSE"),
        ("błąd", "blad"),
        ("مُحَمَّد", "محمد"),
        ("שָׁלוֹם", "שלום"),
        ("می\u200cخواهم", "میخواهم"),
        ("soft\u00adware", "software"),
        ("\ufb01le", "file"),
        ("が", "か\u3099"),
        ("LOGIN", "login"),
        ("logins", "login"),
        ("rotating", "rotation"),
        ("indices", "indices"),
    ],
)
def test_two_spellings_of_a_word_are_one_term(one: str, other: str) -> None:
    """Widths, accents, ligatures, cases and endings do not keep a text from being found."""
    assert terms(one) == terms(other)


def test_marks_that_make_another_letter_stay() -> None:
    """In Japanese a mark is not an accent: か and が are two letters."""
    assert terms("か") != terms("が")


def test_a_term_is_never_longer_than_a_word_can_be() -> None:
    """What is longer is data, and is cut."""
    assert max(map(len, terms("a" * 10_000 + " " + "ab12" * 5_000))) == LONGEST


def test_a_task_is_about_its_telling_words() -> None:
    """Little words and single letters do not count; the whole of an identifier counts beside its parts."""
    parts, wholes = asked("Rename the user_id in a table x")
    assert (parts, wholes) == ({"renam", "user", "id", "tabl"}, {"userid"})


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\x00", "a\x00b", "\u202e", "\U0010ffff", "\U000e0041"])
def test_odd_characters_are_no_words_and_no_error(text: str) -> None:
    """Half a surrogate pair, a NUL, an invisible character: nothing breaks."""
    assert all(term.isalnum() for term in terms(text))


@given(st.text())
def test_any_text_has_terms_that_can_be_kept(text: str) -> None:
    """S13: no term has a space, a quote or anything else that means something where it is kept or asked for."""
    found = terms(text)
    assert [term for term in found if not term or not all(letter.isalnum() or letter > "\x7f" for letter in term)] == []
    assert joined(found).split() == found
    assert "".join(found).encode().decode() == "".join(found)


@given(st.text(alphabet=st.characters(codec="utf-8")))
def test_what_a_task_asks_for_is_what_a_text_has(text: str) -> None:
    """A task that is a memory's own text asks for nothing that the memory does not have."""
    parts, wholes = asked(text)
    assert parts | wholes <= set(terms(text))


@pytest.mark.parametrize(
    ("word", "plain"),
    [
        ("caresses", "caress"), ("ponies", "poni"), ("cats", "cat"), ("agreed", "agre"), ("plastered", "plaster"),
        ("motoring", "motor"), ("conflated", "conflat"), ("sized", "size"), ("hopping", "hop"), ("falling", "fall"),
        ("filing", "file"), ("happy", "happi"), ("sky", "sky"), ("relational", "relat"), ("digitizer", "digit"),
        ("operator", "oper"), ("hopefulness", "hope"), ("formaliti", "formal"), ("electrical", "electr"),
        ("revival", "reviv"), ("allowance", "allow"), ("adjustment", "adjust"), ("adoption", "adopt"),
        ("probate", "probat"), ("controll", "control"), ("roll", "roll"), ("children", "child"), ("wrote", "write"),
        ("deploy", "deploi"), ("deployments", "deploi"), ("importer", "import"), ("important", "important"),
        ("customs", "custom"), ("customers", "customer"), ("authors", "author"), ("authorizes", "authoriz"),
    ],
)  # fmt: skip
def test_a_word_has_its_plain_form(word: str, plain: str) -> None:
    """D12, K5: Porter's rules, and the irregular forms of common words."""
    assert stem(word) == plain


@pytest.mark.parametrize("word", ["", "a", "is", "naïve", "数据", "a1b2", "x-y"])
def test_what_is_no_plain_word_is_left_alone(word: str) -> None:
    """Short words, other scripts and identifiers have no endings."""
    assert stem(word) == word


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", max_size=20))
def test_any_word_has_a_plain_form(word: str) -> None:
    """Nothing is lost altogether, and nothing grows by more than the e that a verb had."""
    assert bool(stem(word)) == bool(word)
    assert len(stem(word)) <= max(len(word), 6)


@pytest.mark.parametrize("word", ["the", "of", "when", "would", "please"])
def test_little_words_say_nothing(word: str) -> None:
    """They are on one list."""
    assert word in STOP_WORDS


def test_an_everyday_word_is_likelier_than_a_rare_one() -> None:
    """A small library need not learn what is common."""
    assert 1 >= chance("the") > chance("school") > chance("shrink") > chance("kubernet") > 0


# ---------------------------------------------------------------- queries


def test_a_query_weighs_what_it_asks_for() -> None:
    """Little words, and words that only ask, count less and are not lost."""
    assert query_terms("tell me about the Redis cluster") == {
        "tell": 0.3, "me": 0.3, "about": 0.3, "the": 0.3, "redi": 1.0, "cluster": 1.0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("on 2023-05-08 at", "on  8 may 2023  at"),
        ("2023-05", "  may 2023 "),
        ("2023-13-01", "2023-13-01"),
        ("2023-05-08T10:30:00Z", " 8 may 2023 "),
        ("1.2023-05", "1.  may 2023 "),
        ("12023-05-08", "12023-05-08"),
    ],
)
def test_dates_are_spelled_out(text: str, found: str) -> None:
    """What was said on 8 May is found by its date."""
    assert spelled(text) == found


def test_a_time_is_searched_without_its_clock() -> None:
    """The hour of a conversation is not what it was about."""
    assert time_words("1:56 pm on 2023-05-08").split() == ["on", "8", "may", "2023"]
