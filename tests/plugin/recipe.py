"""Runs a how-to as a reader would: its files, its bash blocks, its CI workflows, in a benchmark that `membench init` wrote.

What a block is for stands in a comment above it:

| `<!-- test: ... -->` | the block                                                                              |
|----------------------|----------------------------------------------------------------------------------------|
| `run`                | bash: every line is run and has to succeed                                             |
| `shows`              | text: each of its lines was printed by what ran so far                                 |
| `file NAME`          | the content of a file                                                                  |
| `github`, `gitlab`   | a workflow: parsed, its steps run in order in fresh check-outs                         |
| `after NAME.md`      | no block: the recipe NAME is followed first                                            |

`pytest` and `membench` run in this process. Workers are left out, the model's address is that of the stand-in
on loopback, and packages that a workflow installs are looked up instead.
"""

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from pytest_membench import scaffold
from pytest_membench.cli import main

HOWTO = Path(__file__).parents[2] / "docs/how-to"
COMMITTED = ("benchmarks", "cassettes", "designs", "prices.json", "pytest.ini")
PACKAGES = {"pytest-membench", "pytest-split"}
ACTION = re.compile(r"actions/(checkout|setup-python|upload-artifact|download-artifact)@v\d+")
_BLOCK = re.compile(r"<!-- test: (.+?) -->\n(?:```\w+\n(.*?)```)?", re.DOTALL)
_SMALL = "membench_grid = 3x25\nmembench_seeds = 1\n"


@dataclass
class Recipe:
    """A how-to being followed in the current folder."""

    pytester: pytest.Pytester
    monkeypatch: pytest.MonkeyPatch
    endpoint: str
    printed: list[str] = field(default_factory=list)

    def start(self) -> None:
        """Write the benchmark that a reader has, with cost runs as small as they get."""
        scaffold.write(self.pytester.path)
        ini = self.pytester.path / "pytest.ini"
        ini.write_text(ini.read_text(encoding="utf-8") + _SMALL, encoding="utf-8")
        subprocess.run(["git", "init", "-q"], cwd=self.pytester.path, check=True)

    def follow(self, name: str) -> None:
        """Do all that a how-to says."""
        for what, block in _BLOCK.findall((HOWTO / name).read_text(encoding="utf-8")):
            kind, _, argument = what.partition(" ")
            if kind == "run":
                self.bash(block)
            elif kind == "shows":
                self.shows(block)
            elif kind == "file":
                Path(argument).write_text(block, encoding="utf-8")
            elif kind == "after":
                self.follow(argument)
            elif kind == "github":
                self.github(yaml.safe_load(block))
            else:
                assert kind == "gitlab", f"{name}: unknown marker {what!r}"
                self.gitlab(yaml.safe_load(block))

    def shows(self, text: str) -> None:
        """Each line was printed, at the start of a line."""
        lines = "\n".join(self.printed).splitlines()
        for wanted in filter(None, text.splitlines()):
            assert any(line.startswith(wanted) for line in lines), f"nothing printed begins with {wanted!r}"

    def bash(self, text: str) -> None:
        """Run the lines of a block."""
        for line in text.replace("\\\n", " ").splitlines():
            words = [found for word in shlex.split(line, comments=True) for found in self._expanded(word)]
            if words:
                self._command(words)

    def _expanded(self, word: str) -> list[str]:
        return [str(path) for path in sorted(Path().glob(word))] or [word] if "*" in word else [word]

    def _command(self, words: list[str]) -> None:
        match words:
            case ["export", setting]:
                name, _, value = setting.partition("=")
                self.set(name, value)
            case ["unset", *names]:
                for name in names:
                    self.monkeypatch.delenv(name)
            case ["pip", "install", *names]:
                assert set(names) <= PACKAGES
                assert all(version(name) for name in names)
            case ["pytest", *options]:
                result = self.pytester.runpytest_inprocess(*_without_workers(options), "-p", "no:randomly")
                self.printed.append(result.stdout.str())
                assert result.ret == 0, f"{shlex.join(words)} ends with {result.ret}"
            case ["membench", *arguments]:
                done = CliRunner().invoke(main, arguments, catch_exceptions=False)
                self.printed.append(done.output)
                assert done.exit_code == 0, f"{shlex.join(words)} ends with {done.exit_code}: {done.output}"
            case _:
                subprocess.run(words, check=True)

    def set(self, name: str, value: str) -> None:
        """Set a variable; the address of a model on the network becomes that of the stand-in."""
        self.monkeypatch.setenv(name, self.endpoint if name == "OPENAI_BASE_URL" else value)

    def github(self, workflow: Mapping[Any, Any]) -> None:
        """Run the jobs of a GitHub workflow in their order, each in a fresh check-out."""
        assert workflow[True], "no trigger"  # YAML 1.1 reads `on` as true
        checked_out, artifacts = Path.cwd(), self.pytester.mkdir("artifacts")
        done: set[str] = set()
        for name, job in workflow["jobs"].items():
            assert {*([job["needs"]] if "needs" in job else [])} <= done
            for number, values in enumerate(_matrix(job)):
                with self.monkeypatch.context() as context:
                    context.chdir(_check_out(checked_out, artifacts.with_name(f"job-{name}-{number}")))
                    self._environment(context, job.get("env", {}))
                    for step in job["steps"]:
                        self._step(step, values, artifacts)
            done.add(name)

    def _environment(self, context: pytest.MonkeyPatch, env: Mapping[str, str]) -> None:
        for name, value in env.items():
            shown = self.endpoint if name == "OPENAI_BASE_URL" else re.sub(r"\$\{\{ secrets\.\w+ \}\}", "secret", value)
            context.setenv(name, shown)

    def _step(self, step: Mapping[str, Any], values: Mapping[str, Any], artifacts: Path) -> None:
        def filled(text: str) -> str:
            text = re.sub(r"\$\{\{ matrix\.(\w+) \}\}", lambda match: str(values[match[1]]), text)
            assert "${{" not in text, f"unknown expression in {text!r}"
            return text

        if "run" in step:
            self.bash(filled(step["run"]))
            return
        assert ACTION.fullmatch(step["uses"]), f"{step['uses']} is no action of a pinned version"
        if "upload" in step["uses"]:
            into = artifacts / filled(step["with"]["name"])
            paths = [Path(line) for line in filled(step["with"]["path"]).split()]
            for path in paths:
                assert path.exists(), f"{path} is uploaded, but nothing wrote it"
                assert not path.name.startswith("."), f"{path} is hidden, and uploads leave hidden files out"
                copy = into if len(paths) == 1 else into / path.name
                shutil.copytree(path, copy) if path.is_dir() else shutil.copy(path, copy)
        elif "download" in step["uses"]:
            for path in artifacts.glob(step["with"]["pattern"]):
                shutil.copytree(path, Path(step["with"]["path"]) / path.name)

    def gitlab(self, workflow: Mapping[str, Any]) -> None:
        """Run the scripts of a GitLab pipeline, each in a fresh check-out; its artifacts have to be there."""
        for name, job in workflow.items():
            with self.monkeypatch.context() as context:
                context.chdir(_check_out(Path.cwd(), self.pytester.path / f"job-{name}"))
                assert re.fullmatch(r"python:3\.\d+-slim", job["image"])
                for line in job["script"]:
                    self.bash(line)
                for path in [*job["artifacts"]["paths"], *job["artifacts"]["reports"].values()]:
                    assert Path(path).exists(), f"{path} is an artifact, but nothing wrote it"


def _matrix(job: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    matrix = job.get("strategy", {}).get("matrix", {})
    for values in product(*matrix.values()):
        yield dict(zip(matrix, values, strict=True))


def _check_out(source: Path, folder: Path) -> Path:
    """Return a new folder that holds what is committed, and nothing else."""
    folder.mkdir()
    for path in (source / name for name in COMMITTED):
        if path.is_dir():
            shutil.copytree(path, folder / path.name)
        elif path.exists():
            shutil.copy(path, folder)
    return folder


def _without_workers(options: list[str]) -> list[str]:
    return [option for before, option in zip(["", *options], options, strict=False) if "-n" not in (before, option)]
