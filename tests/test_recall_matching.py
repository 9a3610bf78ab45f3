"""Which memories a task gets: patterns decide, then meaning, and the importance says how strong a match has to be."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rawko.values.errors import InvalidTask
from recalled import keep, only, reasons, set_up, titles
from samples import data

if TYPE_CHECKING:
    from rawko.library import Library

SEEDS = Path(__file__).parent / "data" / "seeds"


@pytest.fixture
def library() -> Library:
    """An empty library that knows words and no vectors."""
    return set_up()


# ---------------------------------------------------------------- patterns


@pytest.mark.parametrize(
    ("pattern", "task"),
    [
        ("auth|login|security", "add login page"),
        ("implement.*auth", "implement authentication"),
        ("When implementing security", "security features task"),
    ],
)
def test_the_table_of_the_seeds_matches(library: Library, pattern: str, task: str) -> None:
    """D13, D12, K5: the three tasks that the seeds' table says match get the memory."""
    keep(library, "Known", pattern, importance="high")
    assert titles(library.inject(task)) == ["Known"]


@pytest.mark.parametrize(
    ("pattern", "task"),
    [
        ("auth|login|security", "add user page"),
        ("implement.*auth", "auth module"),
        ("When implementing security", "database task"),
    ],
)
def test_the_table_of_the_seeds_does_not_match(library: Library, pattern: str, task: str) -> None:
    """D13, D2: the three tasks that the seeds' table says do not match get nothing."""
    keep(library, "Known", pattern, importance="high")
    assert titles(library.inject(task)) == []


def test_the_second_example_of_the_seeds_injects_nothing(library: Library) -> None:
    """F1, G5: memories that are all about authentication have nothing to say about email."""
    keep(library, "Project uses JWT authentication", ["auth|login|jwt", "When touching authentication"])
    keep(library, "OAuth2 integration was considered too broad", "oauth|social.*auth", tags=["auth", "failures"])
    keep(library, "Express middleware pattern", ["middleware|interceptor", "writing Express handlers"])
    assert titles(library.inject("Add email notifications", agent="developer")) == []


def test_the_memories_of_the_seeds_have_nothing_to_say_about_email() -> None:
    """F1, G5: nor have the seeds' own example files."""
    library = set_up(texts={path.name: path.read_bytes() for path in SEEDS.glob("*.md")})
    assert titles(library.inject("Add email notifications", agent="developer")) == []


def test_the_first_example_of_the_seeds_finds_the_failure(library: Library) -> None:
    """D2, A29: who wants to add OAuth is told that it was too broad, and not about the database."""
    keep(library, "Project uses JWT authentication", ["auth|login|jwt"], importance="high")
    keep(library, "OAuth2 integration was considered too broad", "oauth|social.*auth", importance="high")
    keep(library, "Database schema version 2.1", "schema|migration", importance="medium")
    found = titles(library.inject("Add OAuth integration to existing auth system", agent="developer"))
    assert found == ["OAuth2 integration was considered too broad", "Project uses JWT authentication"]


@pytest.mark.parametrize("when_to_use", ["login", ["nothing", "login"], ["login", "nothing"]])
def test_any_pattern_of_a_list_suffices(library: Library, when_to_use: str | list[str]) -> None:
    """D3: a text is a list of one, and one match is enough."""
    keep(library, "Known", when_to_use)
    assert titles(library.inject("Add a login page")) == ["Known"]


@pytest.mark.parametrize("pattern", ["  LOGIN ", "Login", "log IN|login"])
def test_patterns_are_trimmed_and_know_no_case(library: Library, pattern: str) -> None:
    """D5: spaces around a pattern and the case of its letters mean nothing."""
    keep(library, "Known", pattern)
    assert titles(library.inject("Add a lOgIn page")) == ["Known"]


@pytest.mark.parametrize(
    ("pattern", "task"),
    [
        ("navigate|find.*file", "find the right file for it"),
        ("implement.*auth", "implementauth now"),
        ("*.toml", "edit pyproject.toml"),
        ("colou?r", "pick a color"),
        ("colou?r", "pick a colour"),
        ("file?.txt", "open file1.txt"),
        ("auth.{0,5}token", "check auth my token"),
        ("err(or)? 50[0-9]", "why is there an err 502"),
        ("[*", "what does [* mean"),
        ("expect(", "replace expect( by assert"),
        ("auth", "set up OAuth for us"),
        ("login|", "the login"),
    ],
)
def test_a_pattern_that_hits_is_enough(library: Library, pattern: str, task: str) -> None:
    """D2, D6 to D11, K1 to K4: every kind of pattern brings its memory in, though title and text share no word."""
    keep(library, "Known", pattern, importance="low")
    chosen = only(library.inject(task))
    assert chosen.match.strength == "exact"


@pytest.mark.parametrize("count", [1, 6, 60])
def test_a_pattern_that_many_memories_have_still_hits(library: Library, count: int) -> None:
    """D2, E9: that a word is common in a library does not make it mean less."""
    for number in range(count):
        keep(library, f"Zorp {number}", "login", importance="high")
    assert len(library.inject("Add a login page").memories) == min(count, 5)


@pytest.mark.parametrize("pattern", ["login|", "|", "| | login"])
def test_an_empty_alternative_matches_nothing(library: Library, pattern: str) -> None:
    """D15, K7: what is between two bars and is nothing, is nothing."""
    keep(library, "Known", pattern, importance="critical")
    assert titles(library.inject("Write the docs")) == []


@pytest.mark.parametrize("task", ["Write the docs", "", "数据库"])
def test_a_star_alone_is_always_meant(library: Library, task: str) -> None:
    """D15, K7: `*` goes in whatever the task is."""
    keep(library, "Known", "*", importance="low")
    assert titles(library.inject(task)) == ["Known"]


def test_an_empty_task_gets_nothing(library: Library) -> None:
    """K17: no words are no match."""
    keep(library, "Known", "login", importance="critical")
    assert titles(library.inject("")) == []


@pytest.mark.parametrize(
    ("pattern", "task"),
    [
        ("When working on auth", "Fix the authentication flow"),
        ("When touching the db", "Migrate the database"),
        ("If the task mentions rate limits", "limit the rate of the api"),
        ("When implementing security features", "secure the feature of security"),
    ],
)
def test_a_phrase_is_read_by_its_meaning(library: Library, pattern: str, task: str) -> None:
    """D12, K5: what a phrase is about brings its memory in, in other forms and short forms of its words too."""
    keep(library, "Known", pattern, importance="high")
    assert titles(library.inject(task)) == ["Known"]


def test_what_a_memory_says_counts_as_well(library: Library) -> None:
    """K10, D12: a memory that speaks of the task is found though no pattern of it does."""
    text = "Nightly backups of the warehouse run at two; a failed backup of the warehouse is repeated at four."
    library.remember("Warehouse backups", text, ["zzz"], importance="high")
    assert titles(library.inject("Move the nightly warehouse backups")) == ["Warehouse backups"]


def test_tags_alone_bring_nothing_in(library: Library) -> None:
    """K10: a tag that the task names is no match."""
    keep(library, "Known", "zzz", tags=["warehouse", "backups"], importance="critical")
    assert titles(library.inject("Move the warehouse backups")) == []


# ---------------------------------------------------------------- the agent, the plan, the history


def test_a_pattern_may_name_the_agent(library: Library) -> None:
    """D4, K8: the name of an agent is a word that a pattern can be."""
    keep(library, "Known", "tester", importance="low")
    chosen = only(library.inject("Write the docs", agent="tester"))
    assert chosen.match.matched == "pattern: tester as the agent"


@pytest.mark.parametrize(("pattern", "agent"), [("test", "tester"), ("plan", "planner"), ("review", "reviewer")])
def test_a_part_of_a_name_is_no_name(library: Library, pattern: str, agent: str) -> None:
    """K8: a pattern does not match every task of an agent whose name it begins."""
    keep(library, "Known", pattern, importance="critical")
    assert titles(library.inject("Write the docs", agent=agent)) == []


@pytest.mark.parametrize("where", ["plan", "history"])
def test_what_is_critical_may_be_called_by_what_surrounds_the_task(library: Library, where: str) -> None:
    """K9, D14: a plan or a history is slight evidence, and slight is enough for what is critical."""
    keep(library, "Known", "deployment", importance="critical")
    assert titles(library.inject("Write the docs", **{where: "then the deployment"})) == ["Known"]


@pytest.mark.parametrize("where", ["plan", "history"])
@pytest.mark.parametrize("importance", ["high", "medium", "low"])
def test_what_surrounds_the_task_is_not_enough_for_the_others(library: Library, importance: str, where: str) -> None:
    """K9, D14: a plan or a history alone never brings in what is less than critical."""
    keep(library, "Known", "deployment", importance=importance)
    assert titles(library.inject("Write the docs", **{where: "then the deployment"})) == []


def test_a_plan_may_be_any_value(library: Library) -> None:
    """D1, G2: a plan that is not text is read as JSON, and a history of several texts as lines."""
    keep(library, "Known", "deployment", importance="critical")
    selection = library.inject("Write the docs", plan={"steps": ["deployment"]}, history=["developer: done", "so far"])
    assert titles(selection) == ["Known"]


def test_a_plan_that_cannot_be_written_down_is_refused(library: Library) -> None:
    """D1: what is no text and no JSON either is said so."""
    plan: list[object] = []
    plan.append(plan)
    with pytest.raises(InvalidTask, match="as JSON"):
        library.inject("Write the docs", plan=plan)


@pytest.mark.parametrize(("task", "agent"), [(None, "developer"), (7, "developer"), ("Write", None), (b"Write", "x")])
def test_a_task_and_an_agent_are_texts(library: Library, task: str, agent: str) -> None:
    """D1: what is not a text is refused in words."""
    with pytest.raises(InvalidTask, match="must be texts"):
        library.inject(task, agent=agent)


# ---------------------------------------------------------------- how strong a match has to be


@pytest.mark.parametrize("importance", ["critical", "high", "medium", "low"])
def test_an_exact_match_is_enough_for_any_importance(library: Library, importance: str) -> None:
    """D14, K6: what a pattern spells goes in."""
    keep(library, "Known", "login", importance=importance)
    assert titles(library.inject("Add a login page")) == ["Known"]


@pytest.mark.parametrize("importance", ["critical", "high", "medium"])
def test_a_close_match_is_enough_from_medium_up(library: Library, importance: str) -> None:
    """D14, K6: all words of a phrase, though not as it is spelt."""
    keep(library, "Known", "When rotating certificates", importance=importance)
    assert titles(library.inject("certificate rotation")) == ["Known"]


def test_a_close_match_is_not_enough_for_low(library: Library) -> None:
    """D14, K6: what is of low importance waits for an exact match, and the selection says so."""
    keep(library, "Known", "When rotating certificates", importance="low")
    assert reasons(library.inject("certificate rotation")) == {
        "Known": "close match, and one of low importance needs exact"
    }


def test_thresholds_are_settings() -> None:
    """D14, O9: a library may ask for less, or for more."""
    library = set_up(thresholds=dict.fromkeys(("critical", "high", "medium", "low"), "close"))
    keep(library, "Known", "When rotating certificates", importance="low")
    assert titles(library.inject("certificate rotation")) == ["Known"]


# ---------------------------------------------------------------- strict


@pytest.mark.parametrize(
    ("pattern", "task", "found"),
    [
        ("rotating certificates", "certificate rotation", []),
        ("rotating certificates", "rotating certificates by hand", ["Known"]),
        ("colou?r", "pick a color", ["Known"]),
        ("login", "write docs", []),
        ("*", "write docs", ["Known"]),
    ],
)
def test_strict_keeps_to_what_patterns_spell(pattern: str, task: str, found: list[str]) -> None:
    """D2, U13: with `match: strict` words and meaning bring nothing in."""
    library = set_up(match="strict")
    keep(library, "Known", pattern, importance="critical")
    assert titles(library.inject(task)) == found


def test_strict_knows_no_plan() -> None:
    """K9: what only surrounds the task is not spelt in it."""
    library = set_up(match="strict")
    keep(library, "Known", "deployment", importance="critical")
    assert titles(library.inject("Write the docs", plan="then the deployment")) == []


# ---------------------------------------------------------------- long tasks, other scripts

FILLER = """
Please have a look at how the invoices are laid out before you begin, and write down what you find on the way.
Colours come from the style guide; buttons that destroy something are red, and everybody was told so last spring.
The customer in Lisbon would like to see totals by quarter, which nobody has promised to anyone so far.
Take the weekly numbers from the spreadsheet, because those in the mail of Tuesday were wrong by a factor of ten.
Somebody from marketing will join the call, and may ask why the banner is still on the front of the site.
""".strip()
PARAGRAPH = """
Then rotate the gateway certificate, which runs out at the end of the month. The new certificate goes where the old
one was, and the gateway has to be restarted.
""".strip()
CERTIFICATES = "The gateway certificate is rotated by `make rotate`. The gateway reads its certificate at a restart."


def test_a_paragraph_of_a_long_task_gets_its_memory(library: Library) -> None:
    """D2, F11: one paragraph in two thousand words is still what the memory is about."""
    library.remember("Certificates of the gateway", CERTIFICATES, ["certificate"], importance="high")
    keep(library, "Compost", ["compost heap"], importance="high")
    task = "\n\n".join([FILLER] * 10 + [PARAGRAPH] + [FILLER] * 10)
    assert len(task.split()) > 1900
    assert titles(library.inject(task)) == ["Certificates of the gateway"]


def test_a_long_task_without_a_full_stop_gets_its_memory(library: Library) -> None:
    """D2: so it is where a task is one endless line."""
    library.remember("Certificates of the gateway", CERTIFICATES, ["certificate"], importance="high")
    task = " ".join(f"{FILLER}\n{PARAGRAPH}\n{FILLER}".replace(".", "").replace(";", "").split())
    assert titles(library.inject(task)) == ["Certificates of the gateway"]


def test_a_pattern_is_heard_in_a_long_task(library: Library) -> None:
    """D2, D11: what a pattern spells is spelt in a long task too, though the memory says nothing else of it."""
    keep(library, "Known", "gateway certificate", importance="critical")
    assert titles(library.inject(f"{FILLER}\n\n{PARAGRAPH}\n\n{FILLER}")) == ["Known"]


@pytest.mark.parametrize(
    ("pattern", "text", "task"),
    [
        ("データベース", "データベースの移行は夜間に行う。", "データベースを移行する"),
        ("数据库", "数据库的备份每天两点运行。", "修改数据库的结构"),
        ("데이터베이스", "데이터베이스 백업은 매일 두 시에 실행된다.", "데이터베이스를 옮겨 줘"),
        ("база данных", "Резервная копия базы данных делается ночью.", "Где лежит база данных"),
        ("βάση δεδομένων", "Το αντίγραφο γίνεται τη νύχτα.", "Πού είναι η βάση δεδομένων"),
        ("قاعدة البيانات", "النسخة الاحتياطية ليلا.", "أين قاعدة البيانات"),
        ("ฐานข้อมูล", "สำรองข้อมูลทุกคืน", "ย้ายฐานข้อมูลไปที่ใหม่"),
        ("Übersetzung", "Die Übersetzung liegt in locale.", "Die übersetzung prüfen"),
    ],
)
def test_every_script_is_matched(library: Library, pattern: str, text: str, task: str) -> None:
    """D2: patterns and tasks may be in any script."""
    library.remember("Known", text, [pattern], importance="low")
    assert titles(library.inject(task)) == ["Known"]


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("データベースの移行は夜間に行う。", "夜間にデータベースを移行する"),
        ("数据库的备份每天两点运行。", "数据库备份什么时候运行"),
        ("데이터베이스 백업은 매일 두 시에 실행된다.", "데이터베이스 백업 시간을 바꿔 줘"),
        ("Резервная копия базы данных делается ночью.", "Когда делается копия базы данных"),
    ],
)
def test_every_script_is_read_for_its_meaning(library: Library, text: str, task: str) -> None:
    """K10, D12: what a memory says in any script brings it in."""
    library.remember("Known", text, ["zzz"], importance="high")
    assert titles(library.inject(task)) == ["Known"]


# ---------------------------------------------------------------- what says why


def test_a_choice_says_which_alternative_matched(library: Library) -> None:
    """O7, E13: of a pattern with several alternatives, the one that matched is named."""
    keep(library, "Known", "auth|login.*page|security")
    assert only(library.inject("Add a login to the page")).match.matched == "pattern: login.*page by login, page"


def test_a_choice_by_meaning_says_which_words_made_it(library: Library) -> None:
    """O7, E13: where no pattern matched, the words are named."""
    library.remember("Warehouse backups", "Nightly.", ["zzz"], importance="high")
    match = only(library.inject("Move the warehouse")).match
    assert (match.strength, match.matched) == ("close", "words: warehouse")


# ---------------------------------------------------------------- files, as people and older tools leave them


def test_a_second_frontmatter_counts_and_is_not_shown() -> None:
    """B9, B10, K14: a file that was appended to as 001 says matches by its later patterns, without raw YAML."""
    later = data("Port 6380 since March.", whenToUse='["cluster"]', importance="critical")
    library = set_up(texts={"tests-need-redis.md": data() + b"\n\n---\n\n" + later})
    selection = library.inject("Resize the cluster")
    assert (only(selection).memory.importance, "whenToUse" in str(selection)) == ("critical", False)
    assert "Port 6380 since March." in str(selection)


def test_an_update_brings_patterns_and_importance() -> None:
    """B9: what an update adds is effective at the next task."""
    library = set_up()
    keep(library, "Known", "login", importance="low")
    before = titles(library.inject("Resize the cluster"))
    library.update("Known", "Also for clusters.", when_to_use=["cluster"], importance="critical")
    chosen = only(library.inject("Resize the cluster"))
    assert (before, chosen.memory.importance, chosen.parts["importance"]) == ([], "critical", 30.0)


# ---------------------------------------------------------------- many memories, long tasks


def test_the_important_one_of_many_is_considered(library: Library) -> None:
    """However many less important memories have the same pattern and the same words."""
    for number in range(250):
        keep(library, f"Zorp {number}", "deploy")
    keep(library, "Zeta", "deploy", importance="critical")
    assert titles(library.inject("Deploy it now"))[0] == "Zeta"


def test_what_no_longer_holds_takes_nobodys_place(library: Library) -> None:
    """Hundreds of retired memories with the words of a task leave the one that holds where it was."""
    for number in range(150):
        keep(library, f"Deploy zorp {number}", "deploy")
        library.deprecate(f"Deploy zorp {number}", "Over.")
    keep(library, "Holds", "deploy")
    assert titles(library.inject("Deploy the zorp")) == ["Holds"]


def test_a_star_is_considered_among_many(library: Library) -> None:
    """D15: `*` means every task, also where hundreds of others share words with it."""
    for number in range(120):
        library.remember(f"Zorp blick {number}", f"Quast {number}.", ["nothing of it"], importance="high")
    keep(library, "Always", "*", importance="critical")
    assert reasons(library.inject("Zorp the blick of the quast"))["Always"] == "only 5 are injected"


def test_a_filter_comes_before_the_cut(library: Library) -> None:
    """A tagged memory is found however many others have the word."""
    for number in range(450):
        library.remember(f"Note {number}", "The deploy is slow, deploy by deploy.", "x")
    library.remember("Rare", "Deployed once. " + "It says a lot of other things as well. " * 50, "x", tags=["rare"])
    assert [found.title for found in library.search("deploy", tag="rare")] == ["Rare"]


def test_what_rawko_writes_around_an_update_is_not_what_a_memory_says(library: Library) -> None:
    """A date over an update, and the word of a status, are not found in a task."""
    keep(library, "Zorp", "quast", importance="critical")
    library.update("Zorp", "Blick.")
    library.deprecate("Zorp", "Over.")
    library.restore("Zorp", "After all.")
    assert not library.inject("Write the changelog entry for 2026-01-23")
    assert not library.inject("List the deprecated endpoints")
    assert not library.search("deprecated")


def test_a_critical_pattern_is_heard_in_an_ordinary_sentence(library: Library) -> None:
    """K6, D14: what is critical goes in although the pattern hits a tenth of the task alone."""
    library.remember("Use the pooler", "Port 6432.", "postgres", importance="critical")
    task = "Export nightly invoices from postgres into parquet files on the analytics bucket"
    assert titles(library.inject(task)) == ["Use the pooler"]


def test_a_text_inside_a_word_is_not_what_a_task_is_about(library: Library) -> None:
    """D11: it matches, but does not stand for a task that says nothing else of the memory."""
    keep(library, "The stemmer", "stem")
    assert not library.inject("Make the ecosystem page prettier")
    assert titles(library.inject("Speed up the stemming")) == ["The stemmer"]
