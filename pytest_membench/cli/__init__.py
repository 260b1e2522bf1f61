"""The `membench` command: what to do before and after a run, without asking a model."""

import click

from pytest_membench.cli import costs, flaky, gate, judging, locomo, merge, power, preflight, sessions, start, suites
from pytest_membench.cli.group import Group


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pytest-membench")
def main() -> None:
    """Judge designs of agent memory: what to do before and after `pytest benchmarks --design=...`."""


for _command in (
    sessions.report,
    sessions.compare,
    gate.gate,
    sessions.pool,
    sessions.rescore,
    sessions.html,
    sessions.prune,
    flaky.flaky,
    merge.merge,
    merge.merge_cassettes,
    judging.judge_check,
    judging.agree,
    costs.plan,
    costs.predict,
    power.power,
    preflight.preflight,
    suites.audit,
    suites.people,
    locomo.locomo,
    start.init,
):
    main.add_command(_command)
