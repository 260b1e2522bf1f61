"""Twenty sessions on a broken endpoint, a full disk and killed workers, each taken up again until it is complete.

What must hold then, and what is tested:

* every answer, verdict and memory is the one of an undisturbed run, and so is the table;
* its tokens are those of the undisturbed run as this endpoint reports them: wrong usage is unknown, never 0;
* the endpoint is asked for nothing that a cassette or its `.part` held when the session began;
* beyond that, a call repeats only where it was in flight when a process was killed, could not be stored
  on the full disk, or came after the client had given up waiting;
* the endpoint has answered nothing that the undisturbed run did not ask.
"""

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from chaos_bench import Sessions, outcome, scores, stored, write_benchmark
from flaky import Run, serving

from pytest_membench.store import read_lines

SEEDS = range(1, 21)
MOST_SESSIONS = 8


@dataclass
class Told:
    """What one run came to."""

    seed: int
    run: Run
    root: Path
    sessions: int = 0
    kills: int = 0
    disk_errors: int = 0
    gave_up: int = 0
    paid_again: list[str] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)
    log: str = ""

    @property
    def repeated(self) -> int:
        """Calls that were answered more than once."""
        return int(self.run.answered.total()) - len(self.run.answered)


def disturb(sessions: Sessions, run: Run, told: Told, dice: random.Random) -> str:
    """Prepare one disturbed session; return its seed of disk errors."""
    fate = dice.choice(("worker", "worker", "all", "disk", "disk and worker"))
    run.rate, run.slow_left = 0.2, 1
    if fate != "disk":
        at, choice = run.answered.total() + dice.randint(1, 14), dice.randint(0, 1)

        def kill(count: int) -> None:
            if count == at:
                told.kills += 1
                sessions.kill("all" if fate == "all" else "worker", choice)

        run.at_reply = kill
    return str(told.seed) if "disk" in fate else ""


def endure(told: Told, url: str) -> None:
    """Run a benchmark to its end: the first sessions disturbed, later ones on an endpoint that only stumbles."""
    write_benchmark(told.root)
    sessions = Sessions(told.root, f"{url}/{told.seed}/v1")
    dice = random.Random(told.seed)
    try:
        for number in range(1, MOST_SESSIONS + 1):
            told.run.at_reply, told.run.rate = (lambda _: None), 0.05
            disk = (
                disturb(sessions, told.run, told, dice) if number == 1 or (number == 2 and dice.random() < 0.3) else ""
            )
            held, before = set(stored(told.root)), Counter(told.run.answered)
            told.codes.append(sessions.run("-n2", "--membench-record=new", disk=disk))
            told.sessions, told.log = number, sessions.log
            told.paid_again += [sha256 for sha256 in told.run.answered - before if sha256 in held]
            if told.codes[-1] == 0:
                break
    finally:
        sessions.close()
    errors = told.root / "disk-errors"
    told.disk_errors = len(errors.read_text()) if errors.exists() else 0
    ledger = read_lines(told.root / "out/spend.jsonl")
    told.gave_up = sum("APITimeoutError" in (line["error"] or "") for line in ledger) - told.run.faults["slow"]


def expected(undisturbed: Told, told: Told) -> Any:
    """Return the undisturbed summary with the tokens that the run's own endpoint reports."""
    summary = scores(undisturbed.root)
    own = summary["scores"]["chaotic"]["chain"]
    for stage in ("ingest", "answer", "judge"):
        own["tokens"][stage] = told.run.tokens(undisturbed.run, stage)
    return summary


def check(undisturbed: Told, told: Told) -> None:
    """Hold one run to what the module promises."""
    assert told.codes[-1] == 0, f"seed {told.seed}: {told.codes}\n{told.log}"
    assert outcome(told.root) == outcome(undisturbed.root), f"seed {told.seed}"
    assert scores(told.root) == expected(undisturbed, told), f"seed {told.seed}"
    assert told.paid_again == [], f"seed {told.seed}"
    assert told.run.answered.keys() == undisturbed.run.answered.keys(), f"seed {told.seed}"
    assert told.repeated <= 2 * told.kills + told.disk_errors + max(0, told.gave_up), f"seed {told.seed}"
    assert sorted(stored(told.root)) == sorted(undisturbed.run.answered), f"seed {told.seed}"
    assert not list((told.root / "cassettes").rglob("*.part")), f"seed {told.seed}"


def figures(runs: list[Told]) -> str:
    """Return the line of figures."""
    faults = sum((told.run.faults for told in runs), Counter[str]())
    named = ", ".join(f"{count} {name}" for name, count in sorted(faults.items()))
    return (
        f"chaos: {len(runs)} runs, {sum(told.sessions for told in runs)} sessions; faults: {named}, "
        f"{sum(told.kills for told in runs)} kills, {sum(told.disk_errors for told in runs)} disk errors; "
        f"{sum(told.run.answered.total() for told in runs)} calls answered, "
        f"{sum(told.repeated for told in runs)} of them repeated, "
        f"{sum(len(told.paid_again) for told in runs)} that had been stored"
    )


def test_chaos_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Twenty seeds, two at a time; every run ends complete and equal to the undisturbed one."""
    runs = {str(seed): Run(seed) for seed in (0, *SEEDS)}
    told = [Told(seed, runs[str(seed)], tmp_path / str(seed)) for seed in (0, *SEEDS)]
    with serving(runs) as url:
        write_benchmark(told[0].root)
        quiet = Sessions(told[0].root, f"{url}/0/v1")
        told[0].codes.append(quiet.run("-n2", "--membench-record=new"))
        told[0].log = quiet.log
        quiet.close()
        assert told[0].codes == [0], told[0].log
        assert set(told[0].run.answered.values()) == {1}
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda one: endure(one, url), told[1:]))
    with capsys.disabled():
        print(f"\n{figures(told[1:])}")
    for one in told[1:]:
        check(told[0], one)
    assert min(Counter(fault for one in told[1:] for fault in one.run.faults).values()) > 0
    assert sum(one.kills for one in told[1:]) > 5
    assert sum(one.disk_errors for one in told[1:]) > 5
