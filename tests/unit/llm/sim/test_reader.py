"""The reader: the forms of questions, the tool protocol, and what never came up."""

from typing import Any

import orjson
import pytest

from pytest_membench.llm.sim.prompt import Question
from pytest_membench.llm.sim.request import respond
from pytest_membench.llm.sim.words import entry

Ask = Any


def test_the_newest_value_counts(ask: Ask, chat: list[str]) -> None:
    """Of three dates said at different times, the answer leads with the last."""
    assert ask("when is the roof inspection now?", chat).startswith("23 September")


def test_the_newest_value_counts_without_a_date_asked(ask: Ask) -> None:
    """A question with 'now' takes the newest line of the same topic."""
    lines = [
        "[2026-08-03 09:00] Dora: The boiler code is 4411.",
        "[2026-08-09 09:00] Dora: New boiler code, 7720, since the service.",
    ]
    reply = ask("what's the boiler code now?", lines)
    assert "7720" in reply
    assert "4411" not in reply


def test_a_fact_is_quoted_with_its_date(ask: Ask) -> None:
    """A plain question gets the line's words and the day it was said."""
    lines = ["[2026-08-03 09:00] Dora: Uncle Bertil plays the tuba in Lund."]
    assert ask("which instrument does Bertil play, in Lund?", lines) == (
        '"Uncle Bertil plays the tuba in Lund." (2026-08-03)'
    )


def test_a_question_of_the_past_is_answered_by_the_next_turn(ask: Ask, chat: list[str]) -> None:
    """Where the best line asks, the reply to it is told too."""
    assert "450 litres" in ask("how many litres did we say the rain barrel needs?", chat)


def test_a_date_that_yesterday_means(ask: Ask, chat: list[str]) -> None:
    """'Yesterday', said on the 12th, is told as the 11th."""
    assert ask("what date did the plumber unblock the sink?", chat).startswith("11 August 2026")


def test_a_date_that_last_weekday_means(ask: Ask) -> None:
    """'Last Saturday', said on a Wednesday, is the Saturday before."""
    lines = ["[2026-08-12 09:00] Dora: Ida moved in with Nils last Saturday."]
    assert ask("what date did Ida move in with Nils?", lines).startswith("8 August 2026")


def test_an_undated_fact_tells_its_own_date(ask: Ask) -> None:
    """A line without a date of its own gives the date it says."""
    assert ask("when did Ida move in with Nils?", ["Ida moved in with Nils on 8 August."]).startswith("8 August")


def test_days_between_two_sides(ask: Ask) -> None:
    """'Between this and that' finds the best line for each and counts the days."""
    lines = [
        "[2026-08-03 09:00] Dora: Poured the cellar floor.",
        "[2026-08-05 09:00] Dora: Rain all day.",
        "[2026-08-17 09:00] Dora: Poured the terrace floor too.",
    ]
    reply = ask("how many days were there between pouring the cellar floor and pouring the terrace floor?", lines)
    assert reply.startswith("14 days")


def test_days_without_sides(ask: Ask) -> None:
    """Without two sides, the first and the last line of the topic are counted."""
    lines = [
        "[2026-08-03 09:00] Dora: Ordered the wool coat.",
        "[2026-08-10 09:00] Dora: The wool coat is here at last.",
    ]
    assert ask("how many days did the wool coat take to turn up?", lines).startswith("7 days")


def test_days_with_one_line_only(ask: Ask) -> None:
    """One line gives no span: it is quoted instead."""
    lines = ["[2026-08-03 09:00] Dora: Ordered the wool coat."]
    assert ask("how long did the wool coat take to turn up?", lines).startswith('"Ordered the wool coat."')


def test_order_of_names(ask: Ask) -> None:
    """Names are told in the order in which they came, plans and cancelled dates aside."""
    lines = [
        "[2026-08-03 09:00] Dora: Next week I meet Bea, but Ada cancelled tomorrow.",
        "[2026-08-05 09:00] Dora: Met Cleo at the fair.",
        "[2026-08-07 09:00] Dora: Met Ada at the fair.",
        "[2026-08-09 09:00] Dora: Met Bea at the fair.",
    ]
    assert ask("in what order did I meet Ada, Bea and Cleo?", lines) == "Cleo, then Ada, then Bea."


def test_order_without_names_quotes(ask: Ask) -> None:
    """Nothing to put in order: the best line is quoted."""
    lines = ["[2026-08-05 09:00] Dora: the paint order arrived, walls before doors."]
    assert "walls before doors" in ask("in what order do we paint walls?", lines)


def test_a_sum_over_days(ask: Ask, chat: list[str]) -> None:
    """Money said on three days for one thing is added, with its parts."""
    assert ask("how much have I spent on the garden so far, all in?", chat) == "£67 in all: 12 + 30 + 25."


def test_a_sum_of_amounts(ask: Ask) -> None:
    """Kilos are added as money is, in the unit of the lines."""
    lines = [
        "[2026-08-03 09:00] Dora: Picked 4 kg of plums.",
        "[2026-08-09 09:00] Dora: Another 6 kg of plums today.",
    ]
    assert ask("how many kg of plums did we pick in all?", lines).startswith("10 kg in all")


def test_a_sum_without_amounts_quotes(ask: Ask) -> None:
    """Where no line gives an amount, nothing is made up."""
    lines = ["[2026-08-03 09:00] Dora: Bought plums at the market."]
    assert ask("how much have I spent on plums at the market?", lines).startswith('"Bought plums')


def test_a_count_over_days(ask: Ask) -> None:
    """Occasions on different days are counted; one that did not happen is not."""
    lines = [
        "[2026-08-03 09:00] Dora: Went swimming in the lake.",
        "[2026-08-05 09:00] Dora: Swimming again, lake like glass.",
        "[2026-08-06 09:00] Dora: Swimming in the lake cancelled, storm.",
        "[2026-08-09 09:00] Dora: Third swim in the lake.",
    ]
    assert ask("how many times have I been swimming in the lake?", lines).startswith("3: ")


def test_a_count_of_one_line_quotes(ask: Ask) -> None:
    """One line is no count: it is quoted."""
    lines = ["[2026-08-03 09:00] Dora: We have 17 ducks on the pond."]
    assert "17 ducks" in ask("how many ducks have we on the pond?", lines)


def test_a_promise_kept(ask: Ask, chat: list[str]) -> None:
    """A line that says it was done makes it a yes."""
    assert ask("did I ever send Lotta the recipe?", chat).startswith("Yes")


def test_a_promise_open(ask: Ask, chat: list[str]) -> None:
    """A later line that says "still" makes it a no."""
    reply = ask("did I ever give Martin the drawings?", chat)
    assert reply.startswith("No, not as far as the chat shows")
    assert "still in my bag" in reply


def test_a_promise_only_made(ask: Ask) -> None:
    """Where the newest word is the promise, the answer says so."""
    lines = ["[2026-08-05 18:00] Dora: I promised Martin the drawings by Friday."]
    assert "you only said you would" in ask("did I send Martin the drawings?", lines)


def test_a_promise_kept_in_part(ask: Ask) -> None:
    """'Only half' is told as a part."""
    lines = ["[2026-08-05 18:00] Dora: Painted only half of the fence for Martin."]
    assert ask("did I paint the fence for Martin?", lines).startswith("Only partly")


def test_a_promise_taken_over(ask: Ask) -> None:
    """Somebody else did it: not you."""
    lines = ["[2026-08-05 18:00] Dora: Martin had done it himself, the fence, all painted."]
    assert ask("did I paint the fence for Martin?", lines).startswith("Not you")


def test_what_never_came_up(ask: Ask, chat: list[str]) -> None:
    """A name and a topic that no line has together never came up; the near miss is told."""
    reply = ask("when is Martin's holiday?", chat)
    assert reply.startswith("That never came up; the nearest is")


def test_nothing_at_all(ask: Ask) -> None:
    """Over no lines, nothing came up and nothing is near."""
    assert ask("when is Martin's holiday?", []) == "That never came up."


def test_a_name_beside_a_role_is_its_alias(ask: Ask) -> None:
    """'Pavel the plumber' makes later lines about Pavel lines about the plumber."""
    lines = [
        "[2026-08-03 09:00] Dora: Pavel the plumber came by.",
        "[2026-08-04 09:00] Dora: I paid Pavel £40.",
        "[2026-08-08 09:00] Dora: Paid Pavel another £60.",
    ]
    assert ask("what have I paid the plumber altogether?", lines).startswith("£100 in all")


def test_a_search_where_memory_does_not_answer(ask: Ask) -> None:
    """With the protocol and nothing in memory, the reply calls search_chat with the question's words."""
    call = orjson.loads(ask("when is Lotta's holiday?", ["[2026-08-03 09:00] Dora: Rain."], tools=True))
    assert call == {"tool": "search_chat", "arguments": {"query": "Lotta holiday"}}


def test_no_search_where_memory_answers(ask: Ask, chat: list[str]) -> None:
    """A line that covers the question is enough: the reply is an answer in JSON."""
    answer = orjson.loads(ask("when is the roof inspection?", chat, tools=True))["answer"]
    assert answer.startswith("23 September")


def test_one_search_only(ask: Ask, chat: list[str]) -> None:
    """After a result the reply answers, from the result and the rest."""
    answer = orjson.loads(ask("when is Lotta's holiday?", [], tools=True, results=chat[16]))["answer"]
    assert answer.startswith("3 October")


def test_an_empty_result_and_the_last_round(ask: Ask) -> None:
    """A result that matches nothing, and the note of the last round, are no lines to quote."""
    results = "No message matches.\n\nNo more tools: reply now."
    answer = orjson.loads(ask("when is Lotta's holiday?", [], tools=True, results=results))["answer"]
    assert answer == "That never came up."


def test_a_question_of_stop_words_searches_with_all_of_it(ask: Ask) -> None:
    """Without a topical word, the search query is the question."""
    call = orjson.loads(ask("what was that?", [], tools=True))
    assert call["arguments"]["query"] == "what was that?"


def test_undated_memory_is_read(ask: Ask) -> None:
    """A summary's lines, with a day in front or none, answer as chat lines do."""
    lines = ["2026-08-04: The roof inspection is on 9 September.", "- Lotta likes plums."]
    assert ask("when is the roof inspection?", lines).startswith("9 September")


@pytest.mark.parametrize("question", ["morning", "Good morning!", "hello there"])
def test_greetings_use_the_wished_name(ask: Ask, chat: list[str], question: str) -> None:
    """An opener is answered at once, by the name that was asked for."""
    reply = orjson.loads(ask(question, chat, tools=True))["answer"]
    assert reply.endswith(", Dee.")


def test_greetings_without_a_wish_use_the_name_of_the_prompt(ask: Ask) -> None:
    """Where no wish is shown, the prompt's name is used."""
    assert ask("morning", []) == "Morning, Dora."


def test_wished_words_are_said_back(ask: Ask) -> None:
    """What to say back on 'night' is honoured."""
    lines = ['[2026-08-03 22:00] Dora: When I say night, you say "god natt".']
    assert ask("long day. night", lines) == "God natt, Dora."


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("When I say morning, I'm Dodo.", "Dodo"),
        ("Nobody has called me Dora since school. It's dodo, just dodo.", "dodo"),
        ("It's late and late is late.", "Dora"),
        ("Please call me back.", "Dora"),
        ("It's fine, whatever I am called.", "Dora"),
    ],
)
def test_forms_of_naming(ask: Ask, line: str, name: str) -> None:
    """Several ways to wish for a name are read, and none is read into other words."""
    assert ask("hi", [f"[2026-08-03 22:00] Dora: {line}"]) == f"Hi, {name}."


def test_a_section_that_was_asked_for(ask: Ask, chat: list[str]) -> None:
    """A report ends with the section that reports have to end with."""
    reply = ask("write me a report: the barn gets a new door", chat)
    assert reply.startswith("The barn gets a new door.")
    assert "\n\nCosts\n" in reply


def test_the_section_is_not_known_without_memory(ask: Ask) -> None:
    """The same request over no memory has no such section."""
    assert "Costs" not in ask("write me a report: the barn gets a new door", [])


def test_a_dislike_is_left_out(ask: Ask, chat: list[str]) -> None:
    """Food that was ruled out is named as left out."""
    assert "no coriander" in ask("what shall I cook for dinner?", chat)


def test_three_headings(ask: Ask) -> None:
    """Headings wished for a recap structure it."""
    lines = [
        "[2026-08-03 09:00] Dora: When I ask for a recap: three headings, Done, Stuck, Next.",
        "[2026-08-04 09:00] Dora: The barn door was painted on Tuesday by Martin.",
    ]
    reply = ask("quick recap please", lines)
    assert [part.split("\n")[0] for part in reply.split("\n\n")] == ["Done", "Stuck", "Next"]
    assert "Martin" in reply


def test_a_recap_of_nothing(ask: Ask) -> None:
    """Over no lines a recap says that there is nothing new."""
    assert ask("recap please", []) == "Nothing new."


def test_points_and_a_closing_question(ask: Ask) -> None:
    """'Four points, finish on a question' shapes a talk."""
    lines = ["[2026-08-03 09:00] Dora: Rule for a safety talk: four points, then finish on a question."]
    reply = ask("write a safety talk about ladders", lines).split("\n")
    assert [line[:2] for line in reply[:4]] == ["1.", "2.", "3.", "4."]
    assert reply[4].endswith("?")


def test_lines_and_the_need_first(ask: Ask) -> None:
    """Mails whose first line has to hold the need begin with it, and keep to the limit."""
    lines = ["[2026-08-03 09:00] Dora: A mail to Greta always has the need in the first line and three lines at most."]
    reply = ask("draft a mail to Greta: the door is late, it's 300 euros, I need her ok, thanks", lines)
    assert reply.split("\n")[0] == "I need her ok: it's 300 euros."
    assert len(reply.split("\n")) == 3


def test_first_line_without_a_need(ask: Ask) -> None:
    """Where nothing is needed the order stays."""
    lines = ["[2026-08-03 09:00] Dora: A mail to Greta always has the news in the first line."]
    assert ask("draft a mail to Greta: the door is late", lines).startswith("The door is late.")


def test_dates_in_full(ask: Ask) -> None:
    """A bare day becomes the next such date, with its weekday."""
    lines = ["[2026-08-03 09:00] Dora: Anything you write for me has dates in full, every time."]
    assert "on Thursday 10 September 2026" in ask("draft a note: the fitter comes on the 10th", lines)


def test_addressed_and_signed(ask: Ask) -> None:
    """A wished address and signature frame a letter."""
    lines = ["[2026-08-03 09:00] Dora: Every letter to Mrs Holm: never a joke, and sign it Dora Lind."]
    reply = ask("write a letter to Mrs Holm, the hedge is cut", lines)
    assert reply.startswith("Dear Mrs Holm,")
    assert reply.endswith("Dora Lind")


def test_other_wishes_are_echoed(ask: Ask) -> None:
    """A wish that no rule can carry out is at least told."""
    lines = ["[2026-08-03 09:00] Dora: Always write a poem about cats in lower case."]
    assert "As you asked: Always write a poem about cats in lower case." in ask("write a poem about cats", lines)


def test_a_pick_with_its_counter_case(ask: Ask) -> None:
    """An "a or b" gets a pick at once, and the case against where that was wished."""
    lines = ["[2026-08-03 09:00] Dora: When I ask an a-or-b, say your pick, then the case against it."]
    assert ask("tea or coffee with the cake?", lines).startswith("Tea. The best case against it")
    assert ask("tea or coffee with the cake?", []) == "Tea."


def test_a_product_comes_first(ask: Ask) -> None:
    """A sum in the message is worked out, the number first."""
    assert ask("18 trays of eggs at £4.35 a tray, what does that come to?", []).startswith("£78.30")


def test_news_is_noted(ask: Ask, chat: list[str]) -> None:
    """A statement that asks for nothing gets no more than a nod."""
    assert ask("the fitters are confirmed for monday", chat) == "Noted."


def test_a_message_that_holds_a_header_of_ours(ask: Ask) -> None:
    """Only the last "Message from" counts; one inside a chat line does not end the memory."""
    lines = ["[2026-08-03 09:00] Dora: Odd mail today:\n# Message from Dora\nthe lamp costs 40 kroner"]
    assert "40" in ask("how much does the lamp cost?", lines)


def test_of_a_long_line_the_sentences_that_bear_are_quoted(ask: Ask) -> None:
    """A message of many sentences is not dumped: those with the topic and a number are told."""
    chatter = "The weather was kind and the bus came on time for once in its life. " * 3
    line = f"[2026-08-03 09:00] Dora: {chatter}The lamp in the hall costs 40 kroner. {chatter}"
    reply = ask("how much does the lamp in the hall cost?", [line])
    assert "40 kroner" in reply
    assert len(reply) < 200


def test_of_a_long_line_the_bearing_sentences_decide(ask: Ask) -> None:
    """A yes-or-no question over a long line is decided by the sentences that bear on it."""
    chatter = "The weather was kind and the bus never came on time in its life. " * 4
    line = f"[2026-08-03 09:00] Dora: {chatter}I sent Martin the drawings of the barn."
    assert ask("did I send Martin the drawings of the barn?", [line]).startswith("Yes")


def test_dates_need_a_known_day() -> None:
    """Where the prompt tells no date, a bare day stays as it is."""
    wish = entry("[2026-08-03 09:00] Dora: Anything you write for me has dates in full, every time.")
    asked = Question("Dora", "draft a note: the fitter comes on the 10th", [wish], False, False)
    assert "on the 10th" in respond(asked)
