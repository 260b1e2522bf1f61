"""The tree of errors: who is caught as what, and what results say about each."""

import inspect

import pytest

from pytest_membench import errors


@pytest.mark.parametrize("name", ["SuiteError", "DesignError", "PriceError", "StoreError"])
def test_wrong_input_is_an_input_error_and_not_an_outage(name: str) -> None:
    """What the user gave is wrong is never taken for an item that could not run."""
    error = getattr(errors, name)
    assert issubclass(error, errors.InputError)
    assert not issubclass(error, errors.NotRun)


@pytest.mark.parametrize(
    ("name", "outcome", "cause"),
    [
        ("NotRun", "not_run", "call_failed"),
        ("CallFailed", "not_run", "call_failed"),
        ("NotRecorded", "not_run", "not_recorded"),
        ("OverBudget", "not_run", "budget"),
        ("ContextOverflow", "not_run", "context_overflow"),
        ("NotJudged", "not_judged", "not_judged"),
    ],
)
def test_an_outage_says_what_results_show_and_is_no_wrong_answer(name: str, outcome: str, cause: str) -> None:
    """Each outage has an outcome beside correct, partial and wrong, and a cause that tells it apart."""
    error = getattr(errors, name)("why")
    assert isinstance(error, errors.NotRun)
    assert (error.outcome, error.cause, str(error)) == (outcome, cause, "why")


def test_a_missing_recording_can_be_told_from_an_outage_but_counts_as_a_failed_call() -> None:
    """A design that catches CallFailed catches a strict replay's miss too."""
    with pytest.raises(errors.CallFailed):
        raise errors.NotRecorded("no cassette holds it")


def test_a_failed_build_carries_the_cause_of_what_broke_it() -> None:
    """The items of a memory that could not be built give the build's own cause, each by itself."""
    first, second = errors.BuildFailed("no memory", "not_recorded"), errors.BuildFailed("no memory", "design_error")
    assert (first.cause, second.cause) == ("not_recorded", "design_error")
    assert first.outcome == "not_run"


def test_the_drawn_tree_is_the_tree() -> None:
    """The module's docstring draws every error at the depth at which it stands, and no other."""
    drawn = {}
    for line in inspect.getdoc(errors).splitlines():  # type: ignore[union-attr]  # the module has a docstring
        before, _, after = line.partition("── ")
        if after:
            drawn[after.split()[0]] = (len(before) - 1) // 4 + 1
    classes = {n: c for n, c in vars(errors).items() if inspect.isclass(c) and c is not errors.MembenchError}
    assert drawn == {name: cls.__mro__.index(errors.MembenchError) for name, cls in classes.items()}
