"""Every error that membench raises on purpose, drawn as one tree.

MembenchError
├── InputError            what the user gave is wrong: shown as a usage error, exit code 4
│   ├── SuiteError        a chat, spec or audit file
│   ├── DesignError       a memory design: its file, its class or what it returned
│   ├── PriceError        a price table
│   └── StoreError        a results folder or a cassette file
└── NotRun                an item could not be finished: never scored as wrong
    ├── CallFailed        a model call was refused, timed out or gave nothing usable
    │   ├── NotRecorded   strict replay met a request that no cassette holds
    │   ├── OverBudget    the call could have passed --membench-budget-usd and was not made
    │   └── ContextOverflow   the prompt is longer than the endpoint's context
    ├── BuildFailed       the memory that the item needs could not be built
    └── NotJudged         there is an answer, but no verdict that can be trusted

A message names the thing, its value, what was allowed and what to do next.
"""


class MembenchError(Exception):
    """Base of all errors that membench raises on purpose."""


class InputError(MembenchError):
    """Something the user gave is wrong; the message says what and how to mend it."""


class SuiteError(InputError):
    """A chat, spec or audit file is wrong; the message names file, probe and field."""


class DesignError(InputError):
    """A memory design cannot be found or used, or it returned something it may not."""


class PriceError(InputError):
    """A price table is wrong."""


class StoreError(InputError):
    """A results folder or a cassette cannot be read or written."""


class NotRun(MembenchError):
    """An item could not be finished. It has no verdict; the session is incomplete.

    `outcome` and `cause` are what results say about such an item.
    """

    outcome = "not_run"
    cause = "call_failed"


class CallFailed(NotRun):
    """A call to a model failed: refused, timed out, or its reply was empty or cut off.

    `status` is the HTTP status of a refusal, where there was one.
    """

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class NotRecorded(CallFailed):
    """Strict replay met a request that no cassette holds."""

    cause = "not_recorded"


class OverBudget(CallFailed):
    """A call that could have passed the budget of the session; it was not made."""

    cause = "budget"


class ContextOverflow(CallFailed):
    """The endpoint refused a prompt as longer than its context."""

    cause = "context_overflow"


class BuildFailed(NotRun):
    """The memory that an item needs could not be built, for the given cause."""

    def __init__(self, message: str, cause: str) -> None:
        super().__init__(message)
        self.cause = cause


class NotJudged(NotRun):
    """There is an answer but no verdict: the judge failed or its label cannot be read."""

    outcome = "not_judged"
    cause = "not_judged"

    def __init__(self, message: str, cause: str = "not_judged") -> None:
        super().__init__(message)
        self.cause = cause
