"""Predictions by dry runs: the design's own code on replies that other cells recorded."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from pytest_membench import LLM, Batch, Design, EveryTurns, Snippet, tokens
from pytest_membench.data import Cell, Reply, Stage, Usage
from pytest_membench.errors import CallFailed
from pytest_membench.run import mechanism, replies
from pytest_membench.run.cost import serve
from pytest_membench.run.dry import DryRun
from pytest_membench.run.find import find
from pytest_membench.run.mechanism import Measured, leave_one_cell_out, predict
from pytest_membench.run.replies import Keeper, Kept, Replies
from pytest_membench.run.talks import Talks
from pytest_membench.suites.dialogues import built_in

ROOT = Path(__file__).parents[3]
CELLS = (Cell(8, 25), Cell(8, 50), Cell(12, 40))
POISON = "poison " * 500


@dataclass(frozen=True)
class Notes(Design[str]):
    """Has each four turns summed up, which replaces what was noted before."""

    schedule = EveryTurns(4)
    recent = 2

    def start(self) -> str:
        return ""

    def ingest(self, state: str, batch: Batch, llm: LLM) -> str:
        return llm.chat([{"role": "system", "content": "note"}, {"role": "user", "content": f"{state}\n{batch}"}]).text

    def recall(self, state: str, question: str, llm: LLM) -> list[Snippet]:
        return [Snippet(state)] if state else []


class Backend:
    """A model whose note is an eighth of its prompt, billed `rate` tokens for each that is counted here."""

    def __init__(self, rate: float | None = 1.0) -> None:
        self.rate, self.billed = rate, 0.0

    def chat(self, messages: Sequence[Any], *, response_format: Any = None) -> Reply:
        size = tokens.count_messages([message["content"] for message in messages])
        billed = None if self.rate is None else round(size * self.rate)
        self.billed += billed or 0
        return Reply("word " * (size // 8), Usage(input=billed, output=size // 8), finish_reason="stop")

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0] for _ in texts]


def served(design: Design[Any], cell: Cell, seed: int = 1, rate: float | None = 1.0) -> Measured:
    """Serve a conversation as a cost item does, and return what it billed and what was replied."""
    kept: list[Kept] = []
    costs: list[int | None] = []
    done, backend = 0.0, Backend(rate)

    def after_turn(_: int) -> None:
        nonlocal done
        costs.append(None if rate is None else round(backend.billed - done))
        done = backend.billed

    turns = [replace(turn, dated=False) for turn in built_in(cell.turns, cell.length, seed)]
    serve(design, turns, lambda stage, new: Keeper(backend, stage, new, kept), after_turn)
    return Measured(cell, seed, tuple(costs), tuple(kept))


def kept(
    counted: int,
    text: str = "text",
    stage: str = "ingest",
    task: str = "",
    billed: int | None = None,
    new: int | None = None,
) -> Kept:
    """Return one kept reply."""
    return Kept(stage, task, counted, billed, 1, text, new)


@pytest.mark.parametrize(("counted", "text"), [(0, "a"), (10, "a"), (14, "a"), (15, "a"), (16, "b"), (99, "b")])
def test_the_reply_nearest_in_prompt_length_is_given_and_of_two_the_earlier(counted: int, text: str) -> None:
    """A tie goes to the reply that was kept first, whichever of them has the shorter prompt."""
    assert Replies([kept(10, "a"), kept(20, "b"), kept(10, "later")]).nearest("ingest", "", counted).text == text
    swapped = Replies([kept(20, "b"), kept(10, "a")]).nearest("ingest", "", 15)
    assert swapped.text == "b"


def test_nearest_agrees_with_looking_at_every_reply() -> None:
    """The search by bisection gives what a plain minimum over all replies gives."""
    dice = random.Random(1)
    for _ in range(50):
        given = [kept(dice.randrange(20), f"{n}") for n in range(dice.randrange(1, 15))]
        for counted in range(-2, 23):
            expected = min(given, key=lambda one: abs(one.counted - counted))
            assert Replies(given).nearest("ingest", "", counted) is expected


def test_replies_of_the_same_task_come_before_nearer_ones_of_the_same_stage() -> None:
    """A stage that makes two kinds of calls does not mix up their replies, as long as there are both."""
    replies = Replies([kept(10, "extract", task="x"), kept(90, "decide", task="d")])
    assert replies.nearest("ingest", "d", 11).text == "decide"
    assert replies.nearest("ingest", "new", 11).text == "extract"
    with pytest.raises(CallFailed, match="no retrieval reply was recorded: measure a cell"):
        replies.nearest("retrieval", "x", 11)


def test_prompts_are_tallied_by_stage_and_the_answer_needs_no_reply() -> None:
    """Answers are thrown away when a conversation is served, so none is kept and none is wanted."""
    run = DryRun(Replies([kept(1, "noted")]))
    prompt = [{"role": "user", "content": "Good morning."}]
    size = tokens.count_messages(["Good morning."])
    for stage in ("answer", "answer", "ingest"):
        reply = run.at(stage, ()).chat(prompt)
    assert (reply.text, reply.usage.input, run.tally) == ("noted", size, {"answer": 2 * size, "ingest": size})


def test_dry_vectors_are_near_for_texts_that_share_words() -> None:
    """Designs that search by vectors find the same kind of thing as with a real model, each time the same."""
    one, near, far = DryRun(Replies([])).at("retrieval", ()).embed(["the red boat", "a red boat", "no idea at all"])
    assert sum(a * b for a, b in zip(one, near, strict=True)) > sum(a * b for a, b in zip(one, far, strict=True))
    assert sum(a * a for a in one) == pytest.approx(1)


def test_kept_replies_survive_their_file_and_no_file_has_none(tmp_path: Path) -> None:
    """What was written is read back, also text of several lines; answers are kept without their text."""
    run = served(Notes(), Cell(8, 25))
    path = tmp_path / "cost" / "8x25-s1.replies.jsonl"
    replies.write(path, run.replies)
    assert tuple(replies.read(path)) == run.replies
    assert {one.stage: one.text is None for one in run.replies} == {"answer": True, "ingest": False}
    assert replies.read(tmp_path / "missing") == []


def test_a_design_without_model_calls_is_predicted_exactly() -> None:
    """What the whole transcript costs depends on the conversation alone, which the dry run has."""
    design = find("full_context", ROOT)[0].design
    runs = [served(design, cell, seed) for cell in CELLS for seed in (1, 2)]
    held_out = leave_one_cell_out(design, runs)
    assert held_out.mape == 0
    assert predict(design, Talks().turns(CELLS[0], 1), Replies(runs[-1].replies)) == runs[0].tokens


def test_replies_that_depend_on_the_prompt_are_borrowed_from_prompts_of_like_length() -> None:
    """A memory whose notes grow with what it reads is predicted within a few percent at an unseen cell."""
    held_out = leave_one_cell_out(Notes(), [served(Notes(), cell, seed) for cell in CELLS for seed in (1, 2)])
    assert held_out.mape is not None
    assert 0 < held_out.mape < 0.1
    assert [fold.cell for fold in held_out.folds] == sorted(CELLS)


def test_a_cell_is_never_predicted_from_its_own_replies() -> None:
    """Poisoned replies of one cell change the predictions of the others and not of that cell."""
    runs = [served(Notes(), cell) for cell in CELLS]
    own = tuple(one._replace(text=POISON) if one.stage == "ingest" else one for one in runs[2].replies)
    poisoned = [*runs[:2], runs[2]._replace(replies=own)]
    before, after = leave_one_cell_out(Notes(), runs).folds, leave_one_cell_out(Notes(), poisoned).folds
    assert after[2] == before[2]
    assert after[:2] != before[:2]


def test_a_conversation_with_the_same_beginning_is_held_out_too() -> None:
    """A shorter conversation of the same length and seed begins the longer one: its replies are the cell's own."""
    short, long, other = (served(Notes(), cell) for cell in (Cell(8, 25), Cell(12, 25), Cell(8, 50)))
    poison = tuple(one._replace(text=POISON) if one.stage == "ingest" else one for one in long.replies)
    folds = [leave_one_cell_out(Notes(), [short, one, other]).folds[0] for one in (long, long._replace(replies=poison))]
    assert folds[0] == folds[1]


def test_tokens_are_scaled_to_what_the_endpoint_bills() -> None:
    """An endpoint with another tokenizer, half as fine again, is predicted in its own tokens."""
    design = find("full_context", ROOT)[0].design
    runs = [served(design, cell, rate=1.5) for cell in CELLS]
    assert leave_one_cell_out(design, runs).mape == pytest.approx(0, abs=0.002)
    assert Replies(runs[0].replies).ratios == {"answer": pytest.approx(1.5, abs=0.01)}
    assert Replies([kept(10, billed=11), kept(10, billed=12), kept(10, billed=90)]).ratios == {"ingest": 1.2}


def test_unknown_tokens_stay_unknown() -> None:
    """Where the endpoint bills no tokens, nothing is predicted, and no error becomes 0."""
    runs = [served(Notes(), cell, rate=None) for cell in CELLS]
    held_out = leave_one_cell_out(Notes(), runs)
    assert held_out.mape is None
    assert held_out.folds[0] == (CELLS[0], None, None, None, "its measured tokens are unknown or none")
    assert set(predict(Notes(), Talks().turns(CELLS[0], 1), Replies(runs[1].replies))) == {None}
    one_unbilled = [runs[0], served(Notes(), CELLS[1])]
    assert leave_one_cell_out(Notes(), one_unbilled).folds[1].why.startswith("no other conversation has known billed")
    assert mechanism.forecast(Notes(), Cell(20, 25), runs).mechanism is None


def test_one_cell_alone_cannot_be_held_out() -> None:
    """With nothing else to go by there is no fold and no error."""
    assert leave_one_cell_out(Notes(), [served(Notes(), CELLS[0])]) == (None, ())


def test_a_stage_without_replies_is_named() -> None:
    """A design that writes in no other cell is unknown there, rather than predicted without its writes."""
    runs = [served(Notes(), Cell(3, 25)), served(Notes(), Cell(8, 50))]
    held_out = leave_one_cell_out(Notes(), runs)
    assert held_out.mape is None
    assert [fold.why[:31] for fold in held_out.folds] == ["", "no ingest reply was recorded: m"]
    assert mechanism.forecast(Notes(), Cell(8, 25), runs[:1]).why.startswith("no ingest reply was recorded")


def test_a_run_that_ended_early_is_predicted_as_far_as_it_was_measured() -> None:
    """The mean of the first turns is compared with the mean of the same turns."""
    design = find("full_context", ROOT)[0].design
    runs = [served(design, cell) for cell in CELLS]
    cut = [runs[0]._replace(tokens=runs[0].tokens[:3]), *runs[1:]]
    assert leave_one_cell_out(design, cut).mape == 0


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[[Stage], None]:
    """Let the design's ingest fail."""

    def fail(self: Notes, state: str, batch: Batch, llm: LLM) -> str:
        raise KeyError("facts")

    return lambda _: monkeypatch.setattr(Notes, "ingest", fail)


def test_a_design_that_fails_on_borrowed_replies_is_unknown(failing: Callable[[Stage], None]) -> None:
    """Whatever it raises is the reason of its fold, and ends no session."""
    runs = [served(Notes(), cell) for cell in CELLS]
    failing("ingest")
    held_out = leave_one_cell_out(Notes(), runs)
    assert held_out.mape is None
    assert {fold.why for fold in held_out.folds} == {"'facts'"}
