"""The design tiered_compaction: days into weeks into months, and no day lost on the way."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pytest_membench import Batched, Reply, Snippet, Usage
from pytest_membench.data import moment


def date_of(day: int) -> str:
    """The date of a day of the chat."""
    return f"{moment(day, '00:00'):%Y-%m-%d}"


def tiers(state: Any) -> list[tuple[str, str]]:
    """The tier and start of each note."""
    return [(note["tier"], note["start"]) for note in state["notes"]]


def test_it_is_written_on_the_schedule_of_agent_memory_bench(load: Any) -> None:
    """8 turns, 4 of them the person's, 3 hours; 14 recent turns."""
    design = load("tiered_compaction")
    assert (design.schedule, design.recent) == (Batched(turns=8, from_person=4, hours=3), 14)


def test_a_day_stands_whole_until_it_is_over(load: Any, talk: Any, write: Any, recall: Any, scripted: Any) -> None:
    """Turns of the current day are shown as they are, and no model is asked."""
    design, batch, llm = load("tiered_compaction"), talk(1, "The ferry leaves on Friday.", "Noted."), scripted()
    state = write(design, design.start(), llm, batch)
    assert recall(design, state) == [Snippet(str(turn), (turn.i,)) for turn in batch]
    assert llm.prompts == []


def test_a_day_that_is_over_becomes_a_note(load: Any, talk: Any, write: Any, recall: Any, scripted: Any) -> None:
    """The day's turns go to the model, the note takes their place, and the new day stands after it."""
    design, first, second = load("tiered_compaction(day_words=33)"), talk(1, "ferry", "ok"), talk(2, "tent", first=2)
    llm = scripted(" The ferry leaves on Friday. \n")
    state = write(design, design.start(), llm, first, second)
    (prompt,) = llm.prompts
    assert "note on the day, in at most 33 words" in prompt[0]["content"]
    assert prompt[1]["content"] == f"# The day\n{first}"
    assert recall(design, state) == [
        Snippet("## Day of 2026-08-03\nThe ferry leaves on Friday."),
        Snippet(str(second.turns[0]), (2,)),
    ]


def test_each_tier_is_asked_for_fewer_words_a_day_than_the_one_before(load: Any) -> None:
    """Notes shrink as they age."""
    design = load("tiered_compaction")
    assert design.day_words > design.week_words / 7 > design.month_words / 28


def test_days_become_a_week_and_weeks_a_month(load: Any, talk: Any, write: Any, scripted: Any) -> None:
    """A week is rewritten 7 days after its end; August, whose last Monday is the 31st, 3 weeks after its last week."""
    design, llm = load("tiered_compaction"), scripted(*(f"note {n}" for n in range(200)))
    state = design.start()
    for day in range(1, 15):
        state = write(design, state, llm, talk(day, f"day {day}", first=day))
    assert tiers(state)[:2] == [("day", date_of(1)), ("day", date_of(2))]
    state = write(design, state, llm, talk(15, "day 15", first=15))
    assert tiers(state) == [("week", date_of(1)), *(("day", date_of(n)) for n in range(8, 15)), ("turn", date_of(15))]
    for day in range(16, 57):
        state = write(design, state, llm, talk(day, f"day {day}", first=day))
    assert [t for t in tiers(state) if t[0] == "week"] == [("week", date_of(d)) for d in (1, 8, 15, 22, 29, 36)]
    state = write(design, state, llm, talk(57, "day 57", first=57))
    assert tiers(state)[:3] == [("month", "2026-08-01"), ("week", date_of(36)), ("week", date_of(43))]


def test_a_coarser_note_is_written_from_the_finer_ones(load: Any, talk: Any, write: Any, scripted: Any) -> None:
    """The week's prompt holds the notes of its days under their dates, and none of the raw turns."""
    design, llm = load("tiered_compaction(keep_days=0)"), scripted("on the first", "on the third", "the week")
    state = write(design, design.start(), llm, talk(1, "raw"), talk(3, "raw", first=1), talk(8, "new", first=2))
    assert llm.prompts[-1][1]["content"] == (
        "# The week\n## Day of 2026-08-03\non the first\n## Day of 2026-08-05\non the third"
    )
    assert tiers(state) == [("week", "2026-08-03"), ("turn", "2026-08-10")]


def test_an_unreadable_reply_leaves_the_finer_notes(
    load: Any, talk: Any, write: Any, recall: Any, scripted: Any
) -> None:
    """Empty or cut off: the turns stay, shown whole, the failure is counted, and the next write tries again."""
    design, first, second = load("tiered_compaction"), talk(1, "ferry", "ok"), talk(2, "tent", first=2)
    for reply in ("", " \n", Reply("The ferry lea", Usage(), finish_reason="length")):
        state = write(design, design.start(), scripted(reply), first, second)
        assert recall(design, state) == [Snippet(str(turn), (turn.i,)) for turn in [*first, *second]]
        assert state["failed"] == 1
        state = write(design, state, scripted("a note"), talk(2, "later", first=3))
        assert (state["failed"], tiers(state)[0]) == (1, ("day", "2026-08-03"))
        assert len(state["notes"]) == 3


def test_one_failure_ends_the_write(load: Any, talk: Any, write: Any, scripted: Any) -> None:
    """A model that is down for good costs one call a write, not one for each day that waits."""
    design = load("tiered_compaction")
    llm = scripted("", "", "", "")
    state = write(design, design.start(), llm, *(talk(day, "x", first=day) for day in range(1, 6)))
    assert (len(llm.prompts), state["failed"], len(state["notes"])) == (4, 4, 5)


class Echo:
    """A model whose notes hold every mark of what it is given; it says nothing while a fault lasts."""

    def __init__(self, faults: list[bool]) -> None:
        self.faults = faults

    def chat(self, messages: Sequence[Mapping[str, str]], *, response_format: object = None) -> Reply:
        """Give the marks of the last message."""
        fault = self.faults.pop() if self.faults else False
        return Reply("" if fault else " ".join(re.findall(r"mark\d+", messages[-1]["content"])), Usage())


@given(
    days=st.lists(st.integers(1, 130), min_size=1, max_size=30).map(sorted),
    faults=st.lists(st.booleans(), max_size=60),
    keep=st.tuples(st.integers(0, 9), st.integers(0, 5)),
)
def test_nothing_is_lost_before_it_is_compacted(
    load: Any, talk: Any, write: Any, recall: Any, days: list[int], faults: list[bool], keep: tuple[int, int]
) -> None:
    """Whatever days are written and whichever replies fail, each turn stands in one note, in order."""
    design, llm = load(f"tiered_compaction(keep_days={keep[0]}, keep_weeks={keep[1]})"), Echo(faults)
    state = design.start()
    for n, day in enumerate(days):
        state = write(design, state, llm, talk(day, f"mark{n}", first=n))
        shown = " ".join(snippet.text for snippet in recall(design, state))
        assert re.findall(r"mark\d+", shown) == [f"mark{k}" for k in range(n + 1)]
        assert state["notes"][-1]["turns"] == [n]
