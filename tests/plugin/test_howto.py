"""Every how-to does what it says, as far as a machine without network can."""

import re
from collections.abc import Iterator

import pytest
from recipe import HOWTO, Recipe

from pytest_membench.llm.sim.server import SimServer

MARKED = sorted(path.name for path in HOWTO.glob("*.md") if "<!-- test: " in path.read_text(encoding="utf-8"))


@pytest.fixture
def recipe(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Iterator[Recipe]:
    """A reader with a benchmark that `membench init` wrote, and a stand-in for every model on the network."""
    with SimServer() as server:
        found = Recipe(pytester, monkeypatch, server.base_url)
        found.start()
        yield found


@pytest.mark.parametrize("name", MARKED)
def test_a_howto_can_be_followed(recipe: Recipe, name: str) -> None:
    """Its commands succeed in their order, its workflows run, and what it shows is printed."""
    recipe.follow(name)


def test_the_workflow_of_init_runs(recipe: Recipe) -> None:
    """After a first recording the workflow that `membench init` wrote replays it."""
    import yaml

    recipe.bash("pytest benchmarks --design=mine")
    path = recipe.pytester.path / ".github/workflows/membench.yml"
    recipe.github(yaml.safe_load(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", sorted(HOWTO.glob("[!R]*.md")), ids=lambda path: path.name)
def test_all_howtos_have_one_form(path: str) -> None:
    """Each begins with what you get, is short, and ends with what can go wrong; the index names it."""
    text = (HOWTO / path).read_text(encoding="utf-8")
    assert re.match(r"# [A-Z].+\n\n\*\*What you get\.\*\*", text)
    assert "**What can go wrong.**" in text
    assert f"({(HOWTO / path).name})" in (HOWTO / "README.md").read_text(encoding="utf-8")
