"""search_chat: what a search finds, in which order, and what it never falls back to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_membench import Person, Tool, Turn, search_chat
from pytest_membench.tools import HITS, ChatIndex, bind, words


def chat(*texts: str) -> list[Turn]:
    """Return a chat with these texts, a minute apart."""
    return [Turn(i, 1, f"09:{i:02}", "u", text) for i, text in enumerate(texts)]


@given(st.lists(st.lists(st.sampled_from(["red", "blue", "cat", "dog", "the"]), max_size=4), min_size=1, max_size=20))
def test_a_word_of_the_chat_is_always_found(texts: list[list[str]]) -> None:
    """Every hit holds the word, no turn is given twice, and all places are used that there are turns for."""
    turns = chat(*map(" ".join, texts))
    having = [turn.i for turn in turns if "red" in words(turn.text)]
    found = [turn.i for turn in ChatIndex(turns).search("red")]
    assert set(found) <= set(having)
    assert len(found) == len(set(found)) == min(HITS, len(having))


def test_a_word_that_most_turns_hold_is_found_too() -> None:
    """BM25 gives a very common word a negative weight; turns that hold it still come before others."""
    turns = chat(*["fine"] * 6, *["fine, Sam"] * 8)
    assert [turn.i for turn in ChatIndex(turns).search("sam")] == [6, 7, 8, 9, 10]


def test_the_best_match_comes_first_and_ties_go_to_the_older() -> None:
    """A turn with both words beats turns with one; equal turns keep the order of the chat."""
    filler = [f"word{n} other{n}" for n in range(10)]
    turns = chat("tent", "tent", "red tent", *filler)
    assert [turn.i for turn in ChatIndex(turns).search("Red TENT!")] == [2, 0, 1]


@pytest.mark.parametrize("query", ["", "  ", "?!", "zebra"])
def test_nothing_found_is_nothing_and_not_everything(person: Person, query: str) -> None:
    """A query without words, or without a match, finds no turn."""
    assert ChatIndex(person.turns).search(query) == []


def test_an_empty_chat_and_a_chat_without_words_find_nothing() -> None:
    """There is nothing to find, and no error."""
    assert ChatIndex([]).search("tent") == []
    assert ChatIndex(chat("...", "!")).search("tent") == []


def test_a_search_returns_at_most_as_many_turns_as_asked() -> None:
    """The number of hits is a limit."""
    turns = chat(*["tent"] * 9, *["other"] * 30)
    assert len(ChatIndex(turns).search("tent")) == HITS
    assert len(ChatIndex(turns).search("tent", hits=2)) == 2


def test_the_tool_shows_dated_lines_oldest_first(person: Person) -> None:
    """Results carry the dates of their own turns, in the order of the chat."""
    run = bind([search_chat], person.turns)["search_chat"]
    lines = run({"query": "ferry moved Saturday Friday"}).splitlines()
    assert lines[0] == "[2026-08-03 09:00] Nora: The ferry to Bergen leaves on Friday."
    assert "[2026-08-04 08:00] Nora: The ferry was moved to Saturday." in lines
    assert lines == sorted(lines)


@pytest.mark.parametrize("arguments", [{}, {"query": ""}, {"query": None}, {"query": ["zebra"]}, {"text": "ferry"}])
def test_wrong_arguments_find_no_message(person: Person, arguments: dict[str, object]) -> None:
    """Whatever a model sends as arguments, the tool answers with words."""
    assert bind([search_chat], person.turns)["search_chat"](arguments) == "No message matches."


def test_two_chats_do_not_leak_into_each_other() -> None:
    """A search over one person's chat cannot see another's, though both have the same name."""
    one = bind([search_chat], chat("my code is 4711"))["search_chat"]
    other = bind([search_chat], chat("my code is 9042"))["search_chat"]
    assert "4711" in one({"query": "code"})
    assert "4711" not in other({"query": "code 4711"})


def test_a_tool_of_the_design_runs_its_own_function(person: Person) -> None:
    """A tool with `run` is called with the model's arguments, beside search_chat."""
    double = Tool("double", "doubles", {"type": "object"}, lambda arguments: str(2 * arguments["n"]))
    runners = bind([double, search_chat], person.turns)
    assert runners["double"]({"n": 21}) == "42"
    assert list(runners) == ["double", "search_chat"]


@given(st.text())
def test_words_are_lower_case_and_hold_no_space(text: str) -> None:
    """What search compares is free of case, punctuation and white space."""
    for word in words(text):
        assert word == word.lower()
        assert not any(character.isspace() for character in word)


def test_the_tool_describes_its_one_argument() -> None:
    """The model is told the name of the argument that the harness reads."""
    assert search_chat.parameters["required"] == ["query"]
    assert "query" in search_chat.parameters["properties"]
    assert search_chat.run is None
