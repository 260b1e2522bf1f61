"""What the tests of `sim` share: a small chat, and a question asked over lines of it."""

from collections.abc import Callable, Sequence
from typing import Any

import orjson
import pytest

from pytest_membench.data import Probe, moment
from pytest_membench.grading.prompts import judge_messages
from pytest_membench.llm.sim.model import complete
from pytest_membench.run.answer import system_prompt
from pytest_membench.tools import search_chat

Body = dict[str, Any]


@pytest.fixture
def chat() -> list[str]:
    """Three weeks of Dora and her assistant, as dated lines."""
    return [
        "[2026-08-03 09:00] Dora: Morning. Please call me Dee, nobody says Dora.",
        "[2026-08-03 09:02] Assistant: Good morning, Dee.",
        "[2026-08-04 10:00] Dora: The roof inspection is on 9 September, says the surveyor.",
        "[2026-08-04 10:01] Assistant: Noted, and the ladder is in the shed.",
        "[2026-08-05 18:00] Dora: I promised Martin the drawings of the barn by Friday.",
        "[2026-08-06 12:00] Dora: Bought seeds for the garden, £12, at the market.",
        "[2026-08-07 08:00] Dora: How many litres does the rain barrel by the barn need to hold?",
        "[2026-08-07 08:01] Assistant: 450 litres, going by the roof area.",
        "[2026-08-10 19:00] Dora: The garden again: a rake and a fork, £30 together, paid in cash.",
        "[2026-08-11 09:00] Dora: Roof inspection slipped to 16 September, the surveyor has flu.",
        "[2026-08-12 09:00] Dora: Pavel the plumber came yesterday and unblocked the sink.",
        "[2026-08-13 20:00] Dora: I sent Lotta the recipe she wanted, the one with plums.",
        "[2026-08-14 20:00] Dora: When I ask for a report: the last section is always headed Costs.",
        "[2026-08-15 20:00] Dora: For the garden I bought a hose for £25 today.",
        "[2026-08-17 09:00] Dora: Walked past Martin, hid behind a tree. The drawings are still in my bag.",
        "[2026-08-18 09:00] Dora: Coriander tastes of soap to me, so nothing I cook has it for dinner.",
        "[2026-08-19 09:00] Dora: Lotta is off on holiday to Crete on 3 October.",
        "[2026-08-20 09:00] Dora: Roof inspection moved once more: 23 September, final.",
    ]


Ask = Callable[..., str]


@pytest.fixture
def ask() -> Ask:
    """Ask a question over lines of memory; the reply's text."""

    def _ask(question: str, lines: Sequence[str], tools: bool = False, results: str | None = None) -> str:
        tool_list = [search_chat] if tools else []
        system = system_prompt("Dora", moment(29, "09:00"), tool_list)
        memory = "\n".join(lines) or "(empty)"
        messages = [
            {"role": "system", "content": system},
            {"role": "user", "content": f"# Memory\n{memory}\n\n# Message from Dora\n{question}"},
        ]
        if results is not None:
            messages += [
                {"role": "assistant", "content": "{}"},
                {"role": "user", "content": f"# Result of search_chat\n{results}"},
            ]
        return str(complete({"model": "sim", "messages": messages})["choices"][0]["message"]["content"])

    return _ask


Judge = Callable[..., Body]


@pytest.fixture
def judge() -> Judge:
    """Grade an answer through the harness's own judge prompt; the verdict as a dict."""

    def _judge(probe: Probe, answer: str, excerpt: Sequence[str] | None = None) -> Body:
        reply = complete({"model": "sim", "messages": judge_messages(probe, answer, excerpt)})
        verdict: Body = orjson.loads(reply["choices"][0]["message"]["content"])
        return verdict

    return _judge


Write = Callable[..., str]


@pytest.fixture
def write() -> Write:
    """Send a system prompt and a task; the text written."""

    def _write(system: str, task: str, **body: Any) -> str:
        messages = [{"role": "system", "content": system}, {"role": "user", "content": task}]
        return str(complete({"model": "sim", "messages": messages, **body})["choices"][0]["message"]["content"])

    return _write
