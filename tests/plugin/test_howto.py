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
    """After a first recording the workflow that `membench init` wrote replays it and compares with the baseline."""
    import yaml

    recipe.bash("pytest benchmarks --design=mine --membench-update-baseline")
    path = recipe.pytester.path / ".github/workflows/membench.yml"
    recipe.github(yaml.safe_load(path.read_text(encoding="utf-8")))
    recipe.shows("gate: sim mine: OK")


@pytest.mark.parametrize("name", MARKED)
def test_howtos_that_are_followed_have_one_form(name: str) -> None:
    """Each says first what you get, and what can go wrong at its end."""
    text = (HOWTO / name).read_text(encoding="utf-8")
    assert re.match(r"# [A-Z].+\n\n\*\*What you get\.\*\*", text)
    assert "**What can go wrong.**" in text


def test_the_index_names_every_howto() -> None:
    """Whoever writes one adds the question that it answers."""
    index = (HOWTO / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\]\(([\w-]+\.md)\)", index)) >= {p.name for p in HOWTO.glob("*.md")} - {"README.md"}
