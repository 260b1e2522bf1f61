"""Dialogues: what holds for every turn, what a model may reply, and what the cache keeps."""

import hashlib
import json
import re
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_membench import tokens
from pytest_membench.data import Batch, Reply, Turn, Usage
from pytest_membench.errors import CallFailed, MembenchError, StoreError, SuiteError
from pytest_membench.schedule import Batched, EveryDay, Schedule, TokenThreshold
from pytest_membench.suites import dialogue_phrases as phrases
from pytest_membench.suites.dialogue_talk import Bounds, Talk, Text, Who, lengthen, name_of
from pytest_membench.suites.dialogues import CHUNK, built_in, cache_path, dialogue, fit, from_model, trim

LENGTHS = (25, 50, 100, 200, 400)
MONTH = "|".join(phrases.MONTHS)
Scripted = Callable[..., Any]


def texts(turns: Sequence[Turn]) -> list[str]:
    """Return what was said."""
    return [turn.text for turn in turns]


def chunk(*said: str, count: int = CHUNK) -> str:
    """Return a model's reply of `count` turns, the given ones first."""
    rest = [f"On {i} May I met Ada about the boat, which costs {i}0 euros." for i in range(count)]
    return json.dumps({"turns": [*said, *rest][:count]})


def writes(schedule: Schedule, turns: Sequence[Turn]) -> list[Batch]:
    """Return the batches that a schedule makes of the turns."""
    made: list[Batch] = []
    pending: list[Turn] = []
    for turn in turns:
        pending.append(turn)
        due = schedule.due(pending, made[-1].now if made else None)
        if due:
            made.append(Batch("x", tuple(pending[:due])))
            del pending[:due]
    return made


@pytest.mark.parametrize("seed", [0, 1, 7, -3])
@pytest.mark.parametrize("length", [*LENGTHS, 33, 317])
def test_every_turn_has_its_length(length: int, seed: int) -> None:
    """Each turn lies within 15% of L, their mean within 5%, and no two turns are identical."""
    said = texts(built_in(200, length, seed))
    counts = [tokens.count(text) for text in said]
    assert 85 * length <= 100 * min(counts)
    assert 100 * max(counts) <= 115 * length
    assert sum(counts) / len(counts) == pytest.approx(length, rel=0.05)
    assert len(set(said)) == len(said)


@pytest.mark.parametrize(
    ("length", "bounds"), [(25, (22, 28)), (50, (43, 57)), (100, (85, 115)), (200, (170, 230)), (400, (340, 460))]
)
def test_the_bounds_are_whole_numbers_within_the_tolerance(length: int, bounds: tuple[int, int]) -> None:
    """The bounds of L are 0.85 L rounded up and 1.15 L rounded down."""
    assert Bounds.of(length) == bounds


@pytest.mark.parametrize("length", [25, 400])
def test_the_longest_dialogues_repeat_no_turn(length: int) -> None:
    """Even 2,000 turns differ from each other, and a shorter dialogue is the beginning of them."""
    long = built_in(2000, length, 5)
    assert len(set(texts(long))) == len(long) == 2000
    for n in (1, 2, 15, 401):
        assert built_in(n, length, 5) == long[:n]


def test_the_same_key_gives_the_same_bytes() -> None:
    """A dialogue depends on (N, L, seed) alone: these digests hold on every machine and Python."""
    assert {
        (length, seed): hashlib.sha256("\n".join(map(str, built_in(60, length, seed))).encode()).hexdigest()[:12]
        for length, seed in ((25, 1), (100, 1), (100, 2))
    } == DIGESTS


def test_length_and_seed_change_what_is_said() -> None:
    """Other seeds and other lengths are other conversations; the name follows the seed."""
    assert len({tuple(texts(built_in(10, length, seed))) for length in LENGTHS for seed in range(3)}) == 15
    assert len({name_of(seed) for seed in range(8)}) > 4
    assert {turn.name for turn in built_in(4, 50, 3)} == {name_of(3), "Assistant"}
    assert name_of(3) in built_in(1, 50, 3)[0].text


def test_speakers_alternate_and_times_ascend() -> None:
    """The person begins, turns are numbered from 0, and each comes later than the one before."""
    turns = built_in(600, 25, 2)
    assert [turn.i for turn in turns] == list(range(600))
    assert [turn.who for turn in turns] == ["u", "a"] * 300
    assert all(earlier.when < later.when for earlier, later in pairwise(turns))
    assert turns[0].day in {1, 2}
    assert 50 <= turns[-1].day <= 80


def test_turns_come_in_sittings() -> None:
    """Within a sitting turns are minutes apart, sittings are hours apart, and a day has one to three."""
    turns = built_in(600, 25, 2)
    gaps = [later.when - earlier.when for earlier, later in pairwise(turns)]
    near = [gap for gap in gaps if gap < timedelta(minutes=10)]
    far = [gap for gap in gaps if gap >= timedelta(hours=3)]
    assert len(near) + len(far) == len(gaps)
    assert len(near) > 2 * len(far)
    sittings: dict[int, int] = {}
    for turn, gap in zip(turns[1:], gaps, strict=True):
        sittings[turn.day] = sittings.get(turn.day, 0) + (gap >= timedelta(hours=3))
    assert set(sittings.values()) <= {0, 1, 2, 3}


def test_schedules_make_sense_of_the_times() -> None:
    """Batched, EveryDay and TokenThreshold each write often, and never a single turn's worth only."""
    turns = built_in(400, 50, 1)
    batched = writes(Batched(turns=8, from_person=4, hours=3), turns)
    daily = writes(EveryDay(), turns)
    threshold = writes(TokenThreshold(3000), turns)
    assert 15 <= len(batched) <= 50
    assert len(daily) == len({turn.day for turn in turns}) - 1
    assert 5 <= len(threshold) <= 12


@pytest.mark.parametrize("length", LENGTHS)
def test_turns_carry_facts(length: int) -> None:
    """Most turns hold a number, most a name, most a date or a price; none is a template."""
    said = texts(built_in(300, length, 4))
    names = re.compile(rf"\b({'|'.join(phrases.NAMES)})\b")
    dates = re.compile(rf"\b\d+ ({MONTH})\b|£\d|\b\d\d:\d\d\b")
    for pattern, least in ((re.compile(r"\d"), 0.85), (names, 0.5), (dates, 0.75)):
        assert sum(bool(pattern.search(text)) for text in said) / len(said) >= least
    assert not [text for text in said if re.search(r"[<>{}|\n]|  ", text)]
    assert all(text[0].isupper() or text[0].isdigit() or text[0] == "£" for text in said)
    assert all(text[-1] in ".?!" for text in said)


def test_facts_change_now_and_then() -> None:
    """A tenth of the exchanges, or more, replace a fact; where one does, the reply names it too."""
    turns = built_in(600, 25, 6)
    moved = [(u, a) for u, a in zip(turns[::2], turns[1::2], strict=True) if " moves from " in u.text]
    assert len(moved) >= 5
    for u, a in moved:
        old = re.search(rf"moves from (\d+ \w+) to \w+, (\d+ (?:{MONTH}))", u.text)
        assert old is not None
        assert old[1] in a.text
        assert old[2] in a.text
    assert sum("instead of" in t.text or "not " in t.text or "no longer" in t.text for t in turns[::2]) >= 30


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_is_said_of_a_plan_agrees_with_the_last_change(seed: int) -> None:
    """A date that was told stays the date, for both speakers, until it moves or the plan is over."""
    date = rf"(\d+ (?:{MONTH}))"
    begins = re.compile(rf"half marathon on {date}|with them on {date}")
    holds = re.compile(
        rf"[Hh]alf marathon(?:: still| stands: \w+,| on| stays on| is next on| moves from| moved from) {date}"
    )
    moves = re.compile(rf"half marathon moves from .* to \w+, {date}|half marathon is on {date}, not", re.IGNORECASE)
    current, checked, moved = "", 0, 0
    for turn in built_in(1500, 100, seed):
        for sentence in re.split(r"(?<=[.?!]) ", turn.text):
            if opened := begins.search(sentence) if "signed up" in sentence or "talked me" in sentence else None:
                current = opened[1] or opened[2]
            elif current and (told := holds.search(sentence)) and (turn.who == "u" or "moved" not in sentence):
                assert told[1] == current, turn
                checked += 1
            if turned := moves.search(sentence):
                current, moved = turned[1] or turned[2], moved + 1
    assert checked > 60
    assert moved >= 2


def test_no_template_lacks_a_slot() -> None:
    """Every sentence of every topic can be said by both: no slot is unknown, no assistant says "my"."""
    talk = Talk(50, 1)
    whos: tuple[Who, ...] = ("u", "a")
    for who in whos:
        sentences = talk.further(who, 1)
        said = [next(sentences) for _ in range(600)]
        assert len(set(said)) > 60
        assert not [text for text in said if re.search(r"[<>{}|]", text)]
        assert who == "u" or not [text for text in said if re.search(r"\b[Mm]y\b", text)]


@pytest.mark.parametrize("n", [0, -1])
def test_a_dialogue_has_a_turn(n: int) -> None:
    """N below 1 is refused, whoever would write."""
    with pytest.raises(SuiteError, match=rf"N={n} turns: N must be 1 or more"):
        built_in(n, 50, 1)
    with pytest.raises(SuiteError, match="N must be 1 or more"):
        dialogue(n, 50, 1, None)


@pytest.mark.parametrize("length", [0, 24, 401])
def test_a_turn_has_25_to_400_tokens(length: int, scripted: Scripted) -> None:
    """L out of range is refused before a model is asked."""
    with pytest.raises(SuiteError, match=rf"L={length} tokens per turn: L must be 25 to 400"):
        built_in(2, length, 1)
    with pytest.raises(SuiteError, match="L must be 25 to 400"):
        from_model(2, length, 1, scripted())


LINES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=600).filter(
    lambda text: bool(text.split())
)
WORDY = st.lists(
    st.sampled_from(["Ada", "boat,", "on", "May 4.", "it's", "costs", "£1,200", "why?", "—", "x" * 90]), min_size=1
).map(" ".join)


@given(line=LINES | WORDY, length=st.integers(25, 400), who=st.sampled_from("ua"))
@example(line="a" * 5000, length=25, who="u")
@example(line="\u6f22" * 900, length=25, who="a")
@example(line="\U0001f469\u200d\U0001f680" * 400, length=25, who="a")
@example(line="word " * 900, length=400, who="u")
@example(line="-", length=400, who="u")
def test_any_text_is_brought_to_its_length(line: str, length: int, who: Any) -> None:
    """Whatever a model wrote, the turn has its length, on one line, and begins as the model began."""
    bounds = Bounds.of(length)
    text = fit(line, bounds, SPARE[length % 2].further(who, 1), phrases.FILLERS[who])
    assert bounds.low <= tokens.count(text) <= bounds.high
    assert text == " ".join(text.split())
    assert text[0] == line.split(maxsplit=1)[0][0]


SPARE = (Talk(50, 1), Talk(400, 2))


def test_a_text_within_its_bounds_stays_as_it_is() -> None:
    """A turn that has its length is not touched, but for white space."""
    line = built_in(1, 50, 1)[0].text
    assert fit(line, Bounds.of(50), [], []) == line
    assert fit(f"\n{line.replace(' ', '  ')}\n", Bounds.of(50), [], []) == line


def test_a_long_text_ends_with_a_sentence_where_it_can() -> None:
    """The cut falls after the last sentence within the bounds, else after a word that gets a full stop."""
    sentence = "We meet Ada on 4 May at the harbour."
    line = " ".join([sentence] * 9)
    assert trim(line, Bounds.of(30)) == " ".join([sentence] * (Bounds.of(30).high // tokens.count(f" {sentence}")))
    words = trim("one, two, " * 80, Bounds.of(30))
    assert re.fullmatch(r"(one, two, )+(one|one, two)\.", words)
    assert tokens.count(words) in range(26, 35)


def test_a_short_text_gets_the_sentences_that_fit() -> None:
    """Padding takes facts while much is missing, leaves out those that are too long, and ends with short ones."""
    padded = fit("Yes", Bounds(30, 34), ["Ada " * 60, "Ada's boat costs £1,200 since 4 May."], phrases.FILLERS["a"])
    assert padded.startswith("Yes. Ada's boat costs £1,200 since 4 May. ")
    assert 30 <= tokens.count(padded) <= 34
    assert "Ada Ada" not in padded


def test_too_few_fillers_are_an_error() -> None:
    """A text that nothing can lengthen is refused instead of left short."""
    with pytest.raises(ValueError, match=r"no filler brings a text of 2 tokens to Bounds\(low=30, high=34\)"):
        lengthen(Text(Bounds(30, 34), 30, ["Yes."], 2), [], ["Noted."] * 0)


def test_a_model_writes_chunks_of_twenty(scripted: Scripted) -> None:
    """Each call asks for 20 turns and shows the last ones so far; what is too much at the end is cut."""
    llm = scripted(chunk("The ferry leaves on 4 May."), chunk("It was moved to 5 May."))
    turns = from_model(30, 25, 1, llm)
    assert len(turns) == 30
    assert len(llm.prompts) == 2
    assert turns[0].text.startswith("The ferry leaves on 4 May.")
    assert turns[20].text.startswith("It was moved to 5 May.")
    assert [turn.who for turn in turns[:2]] == ["u", "a"]
    assert all(22 <= tokens.count(turn.text) <= 28 for turn in turns)
    assert llm.formats == [{"type": "json_object"}] * 2
    first, second = (prompt[-1]["content"] for prompt in llm.prompts)
    assert "(none: the chat begins here)" in first
    assert "exactly 20" in first
    assert "about 25 tokens" in first
    assert f"Assistant: {turns[19].text}\n\n# Task" in second
    assert turns[9].text not in second.split(turns[10].text)[0]


def test_turns_of_a_model_are_dated_as_built_in_ones(scripted: Scripted) -> None:
    """Who speaks when does not depend on who wrote the texts; a shorter dialogue is a beginning."""
    made = from_model(20, 100, 3, scripted(chunk()))
    assert [(t.i, t.day, t.time, t.who, t.name) for t in made] == [
        (t.i, t.day, t.time, t.who, t.name) for t in built_in(20, 100, 3)
    ]
    assert from_model(7, 100, 3, scripted(chunk())) == made[:7]


BAD = {
    "the count": (chunk(count=19), "it holds 19 turns, 20 were wanted"),
    "no JSON": ("Sure! Here you are.", "it is not JSON"),
    "another form": ('{"messages": []}', "it is not of the form"),
    "no texts": (json.dumps({"turns": [1] * CHUNK}), "it is not of the form"),
    "an empty turn": (chunk("Hello.", " \n"), "turn 2 of its turns is empty"),
    "a torn reply": (Reply(chunk(), Usage(), finish_reason="length"), r"it was cut off \(finish_reason length\)"),
}


@pytest.mark.parametrize("fault", sorted(BAD))
def test_a_bad_reply_is_asked_for_again(fault: str, scripted: Scripted) -> None:
    """What was wrong is told to the model, and a good reply after that counts as the first would."""
    bad, problem = BAD[fault]
    llm = scripted(bad, bad, bad, chunk())
    assert from_model(5, 50, 1, llm) == from_model(5, 50, 1, scripted(chunk()))
    assert "could not be used" not in llm.prompts[0][-1]["content"]
    assert re.search(f"could not be used: {problem}", llm.prompts[3][-1]["content"])
    assert [len(prompt) for prompt in llm.prompts] == [2, 2, 2, 2]


@pytest.mark.parametrize("fault", sorted(BAD))
def test_a_model_that_never_delivers_is_an_error(fault: str, scripted: Scripted) -> None:
    """After four bad replies the error says which turns were wanted and what came."""
    bad, problem = BAD[fault]
    llm = scripted(chunk(), bad, bad, bad, bad)
    with pytest.raises(CallFailed, match=rf"turns 20 to 39 of a dialogue: asked 4 times, .*{problem}.*; it began '"):
        from_model(40, 50, 1, llm)
    assert llm.replies == []


def test_a_failed_call_is_not_repeated_here(scripted: Scripted) -> None:
    """Refusals and outages are the client's to repeat; they pass through."""
    llm = scripted(CallFailed("the server is gone"), chunk())
    with pytest.raises(CallFailed, match="the server is gone"):
        from_model(5, 50, 1, llm)
    assert len(llm.prompts) == 1


def test_a_dialogue_is_kept_under_its_key(tmp_path: Path) -> None:
    """The file holds the turns as they are returned, now and the next time, and stands where its key says."""
    turns = dialogue(15, 50, 2, tmp_path)
    assert turns == built_in(15, 50, 2) == dialogue(15, 50, 2, tmp_path) == dialogue(15, 50, 2, None)
    path = tmp_path / "built-in" / "v1-N15-L50-s2.json"
    assert path == cache_path(tmp_path, 15, 50, 2)
    assert json.loads(path.read_bytes())["turns"][0]["text"] == turns[0].text
    assert [p.name for p in path.parent.iterdir() if p.suffix != ".lock"] == [path.name]


def test_what_is_cached_is_not_made_again(tmp_path: Path, scripted: Scripted) -> None:
    """A model is asked once for a dialogue; later it need not even be there."""
    turns = dialogue(5, 50, 1, tmp_path, scripted(chunk()), "some/model")
    assert dialogue(5, 50, 1, tmp_path, scripted(), "some/model") == turns
    assert dialogue(5, 50, 1, tmp_path, model="some/model") == turns
    assert turns != dialogue(5, 50, 1, tmp_path)


def test_workers_that_want_the_same_dialogue_share_one(tmp_path: Path, scripted: Scripted) -> None:
    """Of several that ask at once, one writes; the others wait and read what it wrote."""
    together = threading.Barrier(4)
    llm = scripted(chunk("Ada's boat costs £7."), *[chunk("Ida's boat costs £9.")] * 3)

    def ask(_: int) -> tuple[Turn, ...]:
        together.wait()
        return dialogue(5, 50, 1, tmp_path, llm, "m")

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(ask, range(4)))) == 1
    assert len(llm.prompts) == 1


def test_keys_are_separate(tmp_path: Path) -> None:
    """N, L, seed and model each lead to another file, and so does a model that only looks the same."""
    keys: list[tuple[int, int, int, str]] = [
        *[(15, 50, 1, ""), (5, 50, 1, ""), (15, 51, 1, ""), (15, 50, 2, ""), (15, 50, -2, "")],
        *[(15, 50, 1, "a/b"), (15, 50, 1, "a_b"), (15, 50, 1, "..")],
    ]
    paths = [cache_path(tmp_path, *key) for key in keys]
    assert len(set(paths)) == len(keys)
    assert all(path.resolve().parent.parent == tmp_path.resolve() for path in paths)


def test_an_unwritten_dialogue_needs_a_writer(tmp_path: Path, scripted: Scripted) -> None:
    """A model's name without the model, and a model without a name, are refused; nothing is left behind."""
    with pytest.raises(SuiteError, match="by 'm' is cached, and no model is given"):
        dialogue(5, 50, 1, tmp_path, model="m")
    for name in ("", "built-in"):
        with pytest.raises(SuiteError, match="name the model that writes it"):
            dialogue(5, 50, 1, tmp_path, scripted(), name)
    assert not list(tmp_path.rglob("*.json"))


def test_a_dialogue_that_fails_leaves_no_file(tmp_path: Path, scripted: Scripted) -> None:
    """After an error of the model the cache is as it was, and the next try is made from the start."""
    with pytest.raises(CallFailed):
        dialogue(5, 50, 1, tmp_path, scripted("no", "no", "no", "no"), "m")
    assert not list(tmp_path.rglob("*.json"))
    assert len(dialogue(5, 50, 1, tmp_path, scripted(chunk()), "m")) == 5


def _edited(**fields: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda file: {**file, **fields}


DAMAGE: dict[str, Callable[[dict[str, Any]], Any]] = {
    "empty": lambda _: None,
    "a list": lambda file: [file],
    "a turn is missing": lambda file: {**file, "turns": file["turns"][:-1]},
    "another seed": _edited(seed=9),
    "another version": _edited(version=0),
    "no turns": _edited(turns="?"),
    "another speaker": lambda file: {**file, "turns": [{**turn, "who": "x"} for turn in file["turns"]]},
}


@pytest.mark.parametrize("fault", sorted(DAMAGE))
def test_a_damaged_file_is_named(fault: str, tmp_path: Path) -> None:
    """A cache file that does not hold what its name says is an error that names it; it is never replaced unasked."""
    dialogue(5, 50, 1, tmp_path)
    path = cache_path(tmp_path, 5, 50, 1)
    damaged = DAMAGE[fault](json.loads(path.read_bytes()))
    path.write_text("" if damaged is None else json.dumps(damaged), encoding="utf-8")
    before = path.read_bytes()
    with pytest.raises(StoreError, match=re.escape(str(path)) + ".*delete"):
        dialogue(5, 50, 1, tmp_path)
    assert path.read_bytes() == before
    path.unlink()
    assert len(dialogue(5, 50, 1, tmp_path)) == 5
    assert issubclass(StoreError, MembenchError)


DIGESTS = {(25, 1): "5907515799b6", (100, 1): "47f39403b604", (100, 2): "74682e7e3f2a"}
"""Of sixty turns each; a change here needs another VERSION."""
