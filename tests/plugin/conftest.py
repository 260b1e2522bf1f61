"""The fixtures of the plugin's tests."""

import pytest
from bench_folder import WAYS, Folder


@pytest.fixture
def folder(pytester: pytest.Pytester) -> Folder:
    """A small benchmark with four golds: two correct, one partial, one wrong."""
    return Folder(pytester)


@pytest.fixture(params=list(WAYS))
def way(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """Each of the four ways to run pytest: plain, -n0, -n2 and without xdist."""
    return WAYS[request.param]
