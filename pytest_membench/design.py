"""What a memory design is: how it starts, writes and reads."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from pytest_membench.data import Batch, Reply, Snippet, Tool
from pytest_membench.schedule import EveryTurn, Schedule
from pytest_membench.tools import search_chat

State = TypeVar("State")


class LLM(Protocol):
    """The model as a design sees it: every call is metered and recorded by the harness."""

    def chat(self, messages: Sequence[Mapping[str, str]], *, response_format: Mapping[str, Any] | None = None) -> Reply:
        """Send `messages` ({"role", "content"} each); return the reply. Raises CallFailed."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector for each text, in their order. Raises CallFailed."""


class Design(Generic[State]):
    """A memory design: subclass it as a frozen dataclass whose fields are its parameters.

    The state is plain data that round-trips through JSON. All methods are synchronous and see
    neither gold answers nor evidence nor probe ids. Set the four class attributes without an
    annotation, or they would become parameters.
    """

    label: ClassVar[str] = ""
    """What reports call the design; its name where empty."""
    schedule: ClassVar[Schedule] = EveryTurn()
    """When pending turns are written."""
    recent: ClassVar[int] = 14
    """How many of the newest turns stand verbatim beside the memory."""
    show_pending: ClassVar[bool] = False
    """Whether turns that wait to be written stand verbatim after the memory."""

    def start(self) -> State:
        """Return the state before the first turn."""
        raise NotImplementedError(f"{type(self).__name__}.start() is missing: return the empty state")

    def ingest(self, state: State, batch: Batch, llm: LLM) -> State:
        """Fold a batch in and return the new state."""
        raise NotImplementedError(f"{type(self).__name__}.ingest() is missing: return the new state")

    def recall(self, state: State, question: str, llm: LLM) -> list[Snippet]:
        """Return what is to be put before the model for `question`; must not change `state`."""
        raise NotImplementedError(f"{type(self).__name__}.recall() is missing: return a list of Snippet")

    def tools(self, state: State) -> list[Tool]:
        """Return the tools that the answering model may call: search_chat unless overridden."""
        return [search_chat]
