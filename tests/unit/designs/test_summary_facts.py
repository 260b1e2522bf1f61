"""The design summary_facts: a summary that is rewritten, and facts that are looked up."""

import json
from typing import Any

from pytest_membench import Batched, Reply, Snippet, Usage, search_chat


def facts(*texts: str) -> str:
    """A reply with these facts."""
    return json.dumps({"facts": texts})


FERRY = "2026-08-03 The ferry to Bergen leaves on Friday."
TENT = "2026-08-03 Ida lends Nora her tent."


def test_it_has_what_the_memories_of_its_kind_have(load: Any) -> None:
    """The schedule of agent-memory-bench, 14 recent turns, search."""
    design = load("summary_facts")
    assert (design.schedule, design.recent) == (Batched(turns=8, from_person=4, hours=3), 14)
    assert design.tools(design.start()) == [search_chat]


def test_a_write_asks_for_the_summary_and_for_facts(load: Any, talk: Any, write: Any, scripted: Any) -> None:
    """Two calls: the summary sees the old one and the new messages, the facts the new messages alone."""
    design, batch = load("summary_facts(words=77)"), talk(1, "The ferry leaves on Friday.", "Noted.")
    llm = scripted("first", facts(FERRY), "second", facts())
    state = write(design, design.start(), llm, batch, talk(2, "Hello again", first=2))
    assert "At most 77 words" in llm.prompts[0][0]["content"]
    assert llm.prompts[0][1]["content"] == f"# Summary so far\n(empty)\n\n# New messages\n{batch}"
    assert llm.prompts[1][1]["content"] == f"# New messages\n{batch}"
    assert llm.prompts[2][1]["content"].startswith("# Summary so far\nfirst\n\n# New messages\n")
    assert llm.formats == [None, {"type": "json_object"}] * 2
    assert state == {"summary": "second", "facts": [{"text": FERRY, "turns": [0, 1]}], "waiting": [], "failed": 0}


def test_the_summary_comes_first_and_then_the_facts_that_match(
    load: Any, talk: Any, write: Any, recall: Any, scripted: Any
) -> None:
    """Facts that share a word with the question, oldest first, with the turns of their batch."""
    design = load("summary_facts")
    llm = scripted("plans", facts(FERRY, TENT), "plans", facts("2026-08-04 The ferry was moved to Saturday."))
    state = write(design, design.start(), llm, talk(1, "a", "b"), talk(2, "c", first=2))
    assert recall(design, state, "When does the ferry leave?") == [
        Snippet("plans"),
        Snippet(FERRY, (0, 1)),
        Snippet("2026-08-04 The ferry was moved to Saturday.", (2,)),
    ]
    assert recall(design, state, "zebra") == [Snippet("plans")]


def test_no_more_facts_are_shown_than_k(load: Any, talk: Any, write: Any, recall: Any, scripted: Any) -> None:
    """`k` is a limit, and the best matches are taken."""
    design = load("summary_facts(k=1)")
    llm = scripted("s", facts("2026-08-03 ferry", "2026-08-03 red kayak", "2026-08-03 a kayak or what", "x", "y"))
    state = write(design, design.start(), llm, talk(1, "a"))
    assert [s.text for s in recall(design, state, "the red kayak?")] == ["s", "2026-08-03 red kayak"]


def test_a_fact_is_kept_once_on_one_line_and_dated(load: Any, talk: Any, write: Any, scripted: Any) -> None:
    """Repeats and blank facts are dropped; a fact without a date gets the day of the write."""
    design = load("summary_facts")
    llm = scripted("s", facts(FERRY, FERRY, " ", "the tent\nis blue"), "s", facts(FERRY))
    state = write(design, design.start(), llm, talk(1, "a"), talk(2, "b", first=1))
    assert [fact["text"] for fact in state["facts"]] == [FERRY, "2026-08-03: the tent is blue"]


def test_unreadable_facts_change_nothing_and_lose_nothing(
    load: Any, talk: Any, write: Any, recall: Any, scripted: Any, unreadable: str
) -> None:
    """The old memory stays, the failure is counted, the batch is shown and goes along with the next write."""
    design, first, second = load("summary_facts"), talk(1, "early"), talk(2, "late", first=1)
    kept = write(design, design.start(), scripted("plans", facts(FERRY)), first)
    state = write(design, kept, scripted("lost", unreadable.replace("KEY", "facts")), second)
    line = str(second.turns[0])
    assert state == {**kept, "waiting": [[1, line]], "failed": 1}
    assert recall(design, state) == [Snippet("plans"), Snippet(line, (1,))]
    llm = scripted("new", facts(TENT))
    state = write(design, state, llm, talk(3, "last", first=2))
    assert all(line in prompt[1]["content"] for prompt in llm.prompts)
    assert (state["waiting"], state["failed"], state["facts"][-1]["turns"]) == ([], 1, [1, 2])


def test_an_empty_or_cut_off_summary_ends_the_write(load: Any, talk: Any, write: Any, scripted: Any) -> None:
    """Half a summary must not replace a whole one; the second call is not made."""
    design = load("summary_facts")
    for reply in ("  \n", Reply("half a summ", Usage(), finish_reason="length")):
        llm = scripted(reply)
        state = write(design, {**design.start(), "summary": "old"}, llm, talk(1, "a"))
        assert (state["summary"], state["failed"], len(state["waiting"]), len(llm.prompts)) == ("old", 1, 1, 1)
