"""Several settings side by side in one session."""

import pytest
from bench_folder import Folder

from pytest_membench.data import Setting


def test_models_and_efforts_make_settings(folder: Folder) -> None:
    """Two models at two efforts are four settings, each with its own items, memories and scores."""
    result = folder.run("--membench-model=a,b", "--membench-effort=low,medium", "--membench-record=new")
    assert result.ret == 0
    assert folder.summary()["settings"].keys() == {"a/low", "a/medium", "b/low", "b/medium"}
    assert {row["window"]["n"] for row in folder.summary()["scores"].values()} == {4}
    assert (folder.root / f"out/{_slug('b/medium')}/mem/window/ada.json").exists()


def test_ids_name_the_setting_where_there_are_several(folder: Folder) -> None:
    """One setting keeps the short id; several put theirs before it."""
    text = folder.run("--membench-model=a,b", "--collect-only", "-q").stdout.str()
    assert "test_probe[a-window-ada-recall-01]" in text
    assert "test_probe[b-window-ada-recall-01]" in text
    assert "test_probe[window-ada-recall-01]" in folder.run("--collect-only", "-q").stdout.str()


def test_each_setting_has_its_own_cassettes_and_price(folder: Folder) -> None:
    """Recordings lie under the setting's name; a price of one model does not price the other."""
    folder.write("prices.json", '[{"model": "a", "input": 1.0, "output": 10.0}]')
    folder.run("--membench-model=a,b", "--membench-record=new", "--membench-prices=prices.json")
    assert (folder.root / "cassettes/a/tiny/window/ada/recall-01.json").exists()
    assert (folder.root / "cassettes/b/tiny/window/ada/recall-01.json").exists()
    scores = folder.summary()["scores"]
    assert scores["a"]["window"]["usd"] == pytest.approx(0.0008)
    assert scores["b"]["window"]["usd"] is None


def test_the_judge_is_the_same_for_all(folder: Folder) -> None:
    """Without --membench-judge the first setting judges all answers."""
    folder.run("--membench-model=a,b", "--membench-record=new")
    assert folder.summary()["judge"] == "a"
    assert folder.read("b/judge/window/ada/recall-01.json")["judge"] == "a"


def test_sim_runs_alone(folder: Folder) -> None:
    """The stand-in has an endpoint of its own, so a mixture is refused before anything runs."""
    result = folder.run("--membench-model=sim,a")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "sim runs alone" in result.stdout.str()


def _slug(key: str) -> str:
    from pytest_membench.data import slug

    model, effort = key.split("/")
    return slug(Setting(model, effort).key)
