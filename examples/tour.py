"""A tour of rawko on a sample project: what `make demo` runs.

Every line after a `$` is a real command, run in a temporary folder with the `rawko` of this interpreter.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

_REDIS = """\
# Queue tests need Redis

The tests in `tests/queue` talk to a real Redis and hang without one.

## Key Points

- Start it with `make redis` before `pytest tests/queue`.
- It listens on port 6390, not on the usual 6379, so that it does not meet the one of the payment service.

## Constraints

Without Redis the first test waits for 60 seconds and then fails with `ConnectionRefusedError`, which looks like a
bug in the queue. It is not: look at `tests/queue/conftest.py`.
"""

_BY_HAND = """\
---
title: "Payments are retried three times"
whenToUse: ["payment|checkout|retry"]
tags: [api-surface]
importance: medium
source: "src/payments/client.py"
discoveredBy: ada
discoveredAt: 2025-11-03T09:15:00Z
---

# Payments are retried three times

`PaymentClient.charge` retries three times with two seconds in between. Callers must not retry on their own, or a
customer is charged twice. The idempotency key is the order number; it has to stay the same over all attempts, so
never build it from the time or from the number of the attempt.

---

## Update (2025-12-10)

Five times since the move to the new provider; the pause now grows from one second to sixteen.
"""

_BROKEN = _BY_HAND.replace("importance: medium", "importance: urgent").replace("Payments are", "Refunds are")


class Tour:
    """Says what happens next, and lets it happen in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        home = folder.parent / "home"  # the settings of whoever runs this play no part
        home.mkdir()
        (home / "config.yaml").write_text("semantic: false\n")  # so that all see the same, whatever is installed
        self.environment = {**os.environ, "RAWKO_HOME": str(home), "NO_COLOR": "1"}
        self.environment.pop("RAWKO_DIR", None)
        self.steps = 0

    def step(self, heading: str, text: str) -> None:
        """Begin a part of the tour."""
        self.steps += 1
        print(f"\n{self.steps}. {heading}\n{'=' * (len(heading) + 3)}\n{text}")

    def run(self, command: str, *, code: int = 0) -> None:
        """Show a command, run it, show what it prints; the tour ends if it did something else than expected."""
        print(f"\n$ {command}", flush=True)
        typed, _, source = command.replace("\\\n", " ").partition(" < ")
        done = subprocess.run(  # noqa: S603 - the commands are the ones below
            [sys.executable, "-m", *shlex.split(typed)],
            cwd=self.folder,
            env=self.environment,
            input=(self.folder / source).read_text(encoding="utf-8") if source else "",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        print(done.stdout.replace(str(self.folder), "~/shop"), end="", flush=True)
        if done.returncode != code:
            sys.exit(f"the tour expected exit code {code}, and got {done.returncode}")
        if code:
            print(f"(exit code {code})")

    def write(self, name: str, text: str) -> None:
        """Put a file into the project."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def cat(self, name: str) -> None:
        """Show a file as it is."""
        print(f"\n$ cat {name}")
        print((self.folder / name).read_text(encoding="utf-8"), end="")


def begin(tour: Tour) -> None:
    """Make a library, and keep the first memory."""
    tour.step(
        "A library for your project",
        "rawko keeps what agents and people learn about a project in plain files beside the code.",
    )
    tour.run("rawko init")
    tour.step(
        "Keep what was learned",
        "An agent lost an hour to a test that hung. The next one should not: the text goes in with the tasks for\n"
        "which it matters. It is on disk when the command returns.",
    )
    tour.write("notes/redis.md", _REDIS)
    tour.run(
        'rawko remember --title "Queue tests need Redis" \\\n'
        '    --when-to-use "test|pytest" --when-to-use "queue|redis" --importance high --tag constraints \\\n'
        '    --agent developer --task "fix the flaky queue tests" --file notes/redis.md'
    )
    print("\nThat is one Markdown file. You can read it, edit it and commit it:")
    tour.cat(".rawko/memories/queue-tests-need-redis.md")


def grow(tour: Tour) -> None:
    """Add to memories, and never overwrite."""
    tour.step(
        "Memories only grow",
        "Something new is appended with its date and who says it. What turned out wrong is corrected, not erased.",
    )
    tour.run('rawko update "Queue tests need Redis" --agent tester --content "Redis 7 or newer, for the streams."')
    tour.write("notes/port.txt", "The port is 6391 since the move to the new compose file.\n")
    tour.run("rawko correct queue-tests-need-redis --agent reviewer --content - < notes/port.txt")
    print("\nThe file has both at its end, and every byte that was there before is still there:")
    print("\n$ tail -n 16 .rawko/memories/queue-tests-need-redis.md")
    text = (tour.folder / ".rawko/memories/queue-tests-need-redis.md").read_text(encoding="utf-8")
    print("\n".join(text.splitlines()[-16:]))


def recall(tour: Tour) -> None:
    """Put memories into the prompt of the next agent, and say why."""
    tour.step(
        "Files written by hand count as well",
        "Ada wrote payments-are-retried.md in an editor, in November 2025, and added to it in December.",
    )
    tour.write(".rawko/memories/payments-are-retried.md", _BY_HAND)
    tour.run("rawko list")
    tour.step(
        "Tell the next agent",
        "Before a run, rawko chooses what its agent should know, and words it for the prompt. What holds now comes\n"
        "first: look at the port.",
    )
    tour.run('rawko inject "The queue tests time out on my machine, find out why" --agent tester')
    print("\nWhy this one? Every injection leaves a receipt:")
    tour.run("rawko why")
    print("\nA task that has nothing to do with the project gets nothing, and costs no tokens:")
    tour.run('rawko inject "Write a birthday card for my aunt who collects teapots" --explain')
    tour.step("Search", "For people and tools that ask for something: any words, the best first.")
    tour.run('rawko search "idempotency key"')


def look_back(tour: Tour) -> None:
    """Read history, and retire a memory."""
    tour.step("Look back", "What was known on a day can be looked up, because nothing is overwritten.")
    tour.run('rawko show "Payments are retried three times" --as-of 2025-11-30')
    print("\n(The update of December is not there: in November nobody knew.)")
    tour.step(
        "What no longer holds is retired, and stays on file",
        "It goes into no prompt any more. It can be restored, and the log has it all.",
    )
    tour.run('rawko deprecate payments-are-retried --agent ada --reason "The provider retries on its own now."')
    tour.run('rawko inject "Make the pause between two retries at the checkout longer" --explain')
    tour.run("rawko log")


def check(tour: Tour) -> None:
    """Check a library with a broken file in it, and mend it."""
    tour.step("Check it", "`validate` says what could be better; in continuous integration its exit code counts.")
    tour.run("rawko validate")
    print("\nNow somebody saves a file with a mistake in it, and something deletes a file that git needs:")
    tour.write(".rawko/memories/refunds-are-retried.md", _BROKEN)
    (tour.folder / ".rawko/.gitattributes").unlink()
    tour.run("rawko list")
    tour.run("rawko validate refunds-are-retried.md", code=1)
    tour.step("Repair it", "`doctor` looks at the library as a whole, and repairs what needs no decision of yours.")
    tour.run("rawko doctor --fix", code=1)
    print("\nThe mistake is yours to mend: `urgent` becomes `high` in an editor, and all is well.")
    tour.write(".rawko/memories/refunds-are-retried.md", _BROKEN.replace("urgent", "high"))
    tour.run("rawko validate")


def main() -> None:
    """Give the tour in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="rawko-tour-") as temporary:
        folder = Path(temporary).resolve() / "shop"
        folder.mkdir()
        print("A tour of rawko, in a sample project ~/shop. Lines after a $ are commands that really run.")
        tour = Tour(folder)
        for part in (begin, grow, recall, look_back, check):
            part(tour)
    print("""
What next
=========
  cd your-project
  rawko init                 make a library there
  rawko remember             write the first memory in your editor
  rawko inject "the task"    what an agent with this task should know
  rawko --help               everything else; docs/commands.md has it all, with the JSON that `--json` prints

In Python: `import rawko; library = rawko.open(".")`, `library.inject(...)` and `library.remember(...)`.""")


if __name__ == "__main__":
    main()
