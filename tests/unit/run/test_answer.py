"""Answering: what stands in the prompt, how tools are served, and which replies are no answers."""

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench import Person, Reply, Snippet, Tool, Turn, Usage, search_chat
from pytest_membench.errors import CallFailed
from pytest_membench.run.answer import TOOL_ROUNDS, Answer, answer, memory_block, system_prompt

CALL = json.dumps({"tool": "search_chat", "arguments": {"query": "ferry"}})


def ask(
    person: Person,
    llm: Any,
    snippets: Sequence[Snippet] = (),
    recent: Sequence[Turn] = (),
    pending: Sequence[Turn] = (),
    tools: Sequence[Tool] = (search_chat,),
) -> Answer:
    """Ask the person's first probe."""
    question = person.probes[0].q
    return answer(person, question, snippets=snippets, recent=recent, pending=pending, tools=tools, llm=llm)


def test_a_reply_in_the_protocol_is_the_answer(person: Person, scripted: Any) -> None:
    """The text of `answer` counts, without space around it, and is not plain."""
    made = ask(person, scripted('{"answer": " On Saturday. "}'), [Snippet("a note", (5,))])
    assert (made.text, made.plain, made.calls, made.searches) == ("On Saturday.", False, (), 0)
    assert made.snippets == (Snippet("a note", (5,)),)


@pytest.mark.parametrize(
    "text", ["On Saturday.", '{"reply": "Saturday"}', '["answer"]', '{"answer": 6}', '```\n{"answer": "x"}\n```', "7"]
)
def test_a_reply_outside_the_protocol_is_taken_as_it_is_and_counted(person: Person, scripted: Any, text: str) -> None:
    """A model that cannot keep to the protocol still answers; the report counts it as plain."""
    made = ask(person, scripted(f" {text}\n"))
    assert (made.text, made.plain) == (text, True)


def test_arguments_may_be_null(person: Person, scripted: Any) -> None:
    """A call without arguments is one with none."""
    made = ask(person, scripted('{"tool": "search_chat", "arguments": null}', '{"answer": "x"}'))
    assert made.calls == (("search_chat", {}),)


def test_without_tools_there_is_no_protocol(person: Person, scripted: Any) -> None:
    """No JSON is asked for, and a plain reply is the normal one."""
    llm = scripted(" On Saturday. ")
    made = ask(person, llm, tools=())
    assert (made.text, made.plain, llm.formats) == ("On Saturday.", False, [None])
    assert "JSON" not in llm.prompts[0][0]["content"]


def test_a_tool_is_run_and_its_result_shown(person: Person, scripted: Any) -> None:
    """The model calls search_chat, reads dated lines, and answers; the call is kept."""
    llm = scripted(CALL, '{"answer": "Saturday"}')
    made = ask(person, llm)
    assert (made.text, made.calls, made.searches) == ("Saturday", (("search_chat", {"query": "ferry"}),), 1)
    system, _user, call, result = llm.prompts[1]
    assert (system["role"], call) == ("system", {"role": "assistant", "content": CALL})
    assert result["content"].startswith("# Result of search_chat\n[2026-08-03 09:00] Nora: The ferry to Bergen")
    assert "[2026-08-04 08:00] Nora: The ferry was moved to Saturday." in result["content"]
    assert llm.formats == [{"type": "json_object"}] * 2


def test_all_that_stood_before_the_model_is_kept(person: Person, scripted: Any) -> None:
    """The block of memory and recent turns, then what each tool returned, without the harness's own words."""
    llm = scripted(*[CALL] * 4, '{"answer": "x"}')
    made = ask(person, llm, [Snippet("a note")], person.turns[7:])
    block, *results = made.shown
    assert block == f"# Memory\na note\n\n# Recent messages\n{person.turns[7]}"
    assert len(results) == 4
    assert all(f"# Result of search_chat\n{text}" in llm.sent for text in results)
    assert "No more tools" not in "".join(made.shown)


def test_a_model_that_never_stops_searching_has_to_answer_after_four_rounds(person: Person, scripted: Any) -> None:
    """The fourth result says so; a fifth call is not run, and its text is the answer, plainly."""
    llm = scripted(*[CALL] * (TOOL_ROUNDS + 1))
    made = ask(person, llm)
    assert TOOL_ROUNDS == 4
    assert made.searches == 4
    assert (made.text, made.plain) == (CALL, True)
    results = [prompt[-1]["content"] for prompt in llm.prompts]
    assert [("No more tools" in text) for text in results] == [False, False, False, False, True]


def test_an_answer_after_the_fourth_round_counts(person: Person, scripted: Any) -> None:
    """Four searches and then a reply are within the limit."""
    made = ask(person, scripted(*[CALL] * 4, '{"answer": "Saturday"}'))
    assert (made.text, made.plain, made.searches) == ("Saturday", False, 4)


def test_an_unknown_tool_is_answered_with_the_tools_there_are(person: Person, scripted: Any) -> None:
    """A model that invents a tool is told, and can go on."""
    llm = scripted('{"tool": "browse", "arguments": {}}', '{"answer": "x"}')
    made = ask(person, llm)
    assert "There is no tool 'browse'; the tools are search_chat." in llm.prompts[1][-1]["content"]
    assert (made.calls, made.searches) == ((("browse", {}),), 0)


def test_a_tool_of_the_design_gets_its_arguments(person: Person, scripted: Any) -> None:
    """A design's own tool runs with what the model gave; a call may leave the arguments out."""
    seen: list[Any] = []

    def look(arguments: Any) -> str:
        seen.append(dict(arguments))
        return "a kayak"

    tool = Tool("look", "looks", {"type": "object"}, look)
    llm = scripted('{"tool": "look", "arguments": {"at": 3}}', '{"tool": "look"}', '{"answer": "x"}')
    ask(person, llm, tools=[tool])
    assert seen == [{"at": 3}, {}]
    assert llm.prompts[1][-1]["content"] == "# Result of look\na kayak"
    assert "- look: looks Arguments: " in llm.prompts[0][0]["content"]


@pytest.mark.parametrize("text", ['{"tool": 5}', '{"tool": "search_chat", "arguments": "ferry"}', '{"tool": null}'])
def test_a_call_that_is_none_is_taken_as_a_reply(person: Person, scripted: Any, text: str) -> None:
    """Without a name and an object of arguments there is nothing to run."""
    made = ask(person, scripted(text))
    assert (made.text, made.plain, made.calls) == (text, True, ())


@pytest.mark.parametrize("text", ["", " \n"])
@pytest.mark.parametrize("finish", ["stop", "length", None])
def test_an_empty_reply_is_a_failed_call_and_no_wrong_answer(
    person: Person, scripted: Any, text: str, finish: str | None
) -> None:
    """A reasoning model that spent its budget has not answered."""
    with pytest.raises(CallFailed, match=r"empty|cut off"):
        ask(person, scripted(Reply(text, Usage(), finish_reason=finish)))


def test_a_reply_that_was_cut_off_is_a_failed_call(person: Person, scripted: Any) -> None:
    """Half an answer is not judged; the message says what to raise."""
    reply = Reply('{"answer": "On Sat', Usage(), finish_reason="length")
    with pytest.raises(CallFailed, match=r"cut off at its token limit: .*On Sat.*; raise --membench-max-tokens"):
        ask(person, scripted(reply))
    with pytest.raises(CallFailed, match="cut off"):
        ask(person, scripted(CALL, reply))


def test_a_reply_of_endless_brackets_is_an_answer_and_no_crash(person: Person, scripted: Any) -> None:
    """A model that repeats itself has given a plain, bad answer."""
    made = ask(person, scripted("[" * 100_000))
    assert made.plain is True


def test_a_call_that_fails_is_not_swallowed(person: Person, scripted: Any) -> None:
    """An outage stays one, at the first call or after a tool."""
    for replies in ([CallFailed("402")], [CALL, CallFailed("402")]):
        with pytest.raises(CallFailed, match="402"):
            ask(person, scripted(*replies))


def test_now_is_when_the_person_is_asked(person: Person, scripted: Any) -> None:
    """The current date in the prompt is that of this person, and the instructions name no other."""
    llm = scripted('{"answer": "x"}')
    ask(person, llm)
    system = llm.prompts[0][0]["content"]
    assert "Now it is Wednesday 2 September 2026, 09:00." in system
    assert system.startswith("You are the personal assistant of Nora;")
    other = dataclasses.replace(person, name="Tom", asked=person.turns[0].when)
    assert "Now it is Monday 3 August 2026, 09:00." in system_prompt(other.name, other.asked, [])


def test_the_model_is_not_told_gold_evidence_or_ids(person: Person, scripted: Any) -> None:
    """With memory, recent turns and a search the prompt holds none of what judges the answer."""
    golden = dataclasses.replace(person.probes[0], id="update-77", gold="GOLD", kind="update")
    whole = dataclasses.replace(person, probes=(golden,))
    llm = scripted(CALL, '{"answer": "x"}')
    ask(whole, llm, [Snippet("a note", (5, 6))], person.turns[-2:])
    for hidden in ("GOLD", "update-77", "evidence", "gold", "update-"):
        assert hidden not in llm.sent


def test_the_prompt_ends_with_the_question_after_memory_and_recent_turns(person: Person, scripted: Any) -> None:
    """Memory, then the waiting turns, then the recent ones, then the message."""
    llm = scripted('{"answer": "x"}')
    ask(person, llm, [Snippet("note 1"), Snippet("note 2")], person.turns[6:], person.turns[4:])
    five, six, seven, eight = map(str, person.turns[4:])
    assert llm.prompts[0][1] == {
        "role": "user",
        "content": f"# Memory\nnote 1\nnote 2\n{five}\n{six}\n\n# Recent messages\n{seven}\n{eight}\n\n"
        "# Message from Nora\nWhen does the ferry leave?",
    }


def test_an_empty_memory_says_that_it_is_empty() -> None:
    """Nothing remembered, nothing recent: the block says so, without a heading for recent turns."""
    assert memory_block([], [], []) == "# Memory\n(empty)"


def test_only_recent_turns_leave_the_memory_empty(person: Person) -> None:
    """A snippet that is a recent turn's own line is not shown above it again."""
    line = str(person.turns[7])
    assert memory_block([Snippet(line)], person.turns[7:], ()) == f"# Memory\n(empty)\n\n# Recent messages\n{line}"


@given(st.data())
def test_no_turn_stands_in_the_prompt_twice(data: st.DataObject) -> None:
    """Whatever of the chat a design recalls, waits or is recent, each dated line is there once."""
    turns = [Turn(i, 1, f"09:{i:02}", "u", f"line number {i}.") for i in range(8)]
    waiting, newest = data.draw(st.integers(0, 8)), data.draw(st.integers(0, 8))
    recalled = data.draw(st.lists(st.sampled_from(turns), max_size=8))
    block = memory_block([Snippet(str(turn), (turn.i,)) for turn in recalled], turns[newest:], turns[waiting:])
    shown = [turn.i for turn in turns if str(turn) in block]
    assert shown == sorted({*range(newest, 8), *range(waiting, 8), *(turn.i for turn in recalled)})
    assert all(block.count(str(turn)) == 1 for turn in turns if turn.i in shown)


def test_two_speakers_are_asked_about_by_somebody_else(person: Person, scripted: Any) -> None:
    """The model is nobody's assistant then, and is told what a date before a line means."""
    llm = scripted('{"answer": "x"}')
    ask(dataclasses.replace(person, speakers=("Nora", "Ida")), llm)
    system, user = llm.prompts[0][0]["content"], llm.prompts[0][1]["content"]
    assert system.startswith("You have followed the conversations of Nora and Ida")
    assert 'so that "yesterday" in it is the day before that date' in system
    assert "assistant of" not in system
    assert "# Message from the reader\n" in user
