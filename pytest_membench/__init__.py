"""Judge designs of agent memory with pytest: do they still answer right, and what does a turn cost?"""

from pytest_membench.data import Batch, Person, Probe, Reply, Snippet, Suite, Tool, Turn, Usage
from pytest_membench.design import LLM, Design
from pytest_membench.schedule import Batched, EveryDay, EveryTurn, EveryTurns, TokenThreshold
from pytest_membench.tokens import count as count_tokens
from pytest_membench.tools import bm25, read_json, search_chat

__all__ = [
    "LLM",
    "Batch",
    "Batched",
    "Design",
    "EveryDay",
    "EveryTurn",
    "EveryTurns",
    "Person",
    "Probe",
    "Reply",
    "Snippet",
    "Suite",
    "TokenThreshold",
    "Tool",
    "Turn",
    "Usage",
    "bm25",
    "count_tokens",
    "read_json",
    "search_chat",
]
