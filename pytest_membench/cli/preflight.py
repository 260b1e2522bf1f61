"""The command that tests an endpoint with a few real prompts before a paid run."""

import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pytest_membench.cli.group import INCOMPLETE, show

if TYPE_CHECKING:
    from pytest_membench.llm.client import Endpoint
    from pytest_membench.llm.meter import Meter


@click.command(short_help="Test a model's endpoint before a run is paid for.")
@click.option("--design", "names", required=True, help="The designs of the run, as for pytest.")
@click.option("--suite", default="mini", show_default=True, help="The suite of the run.")
@click.option("--locomo", type=click.Path(), help="Your copy of LoCoMo, for --suite=locomo.")
@click.option("--longmemeval", type=click.Path(), help="Your copy of LongMemEval, for --suite=longmemeval.")
@click.option("--model", default="sim", show_default=True, help="The model to test; 'sim' is local and free.")
@click.option("--effort", help="Reasoning effort to ask for.")
@click.option("--provider", help="Provider to pin, with fallbacks off.")
@click.option("--base-url", help="The endpoint (default: OPENAI_BASE_URL; the key is OPENAI_API_KEY).")
@click.option("--max-tokens", type=click.IntRange(1), help="Most tokens of one reply (default: the endpoint's).")
@click.option("--timeout", type=click.FloatRange(0, min_open=True), default=300.0, show_default=True, help="Seconds.")
@click.option("--prices", "price_file", type=click.Path(path_type=Path), help="Prices before the built-in table.")
def preflight(
    names: str,
    suite: str,
    locomo: str | None,
    longmemeval: str | None,
    model: str,
    effort: str | None,
    provider: str | None,
    base_url: str | None,
    max_tokens: int | None,
    timeout: float,
    price_file: Path | None,
) -> None:
    """Test a model's endpoint at the longest prompt that a run would send, before the run is paid for.

    Does it answer, report its usage and its provider, give JSON when asked to, follow the tool protocol
    and keep to max_tokens? About five calls are made and paid for; nothing is recorded. Exit code 6
    where a check failed.
    """
    from pytest_membench import prices
    from pytest_membench.data import Setting
    from pytest_membench.llm.client import Model
    from pytest_membench.llm.meter import Meter
    from pytest_membench.run import preflight as testing
    from pytest_membench.run.find import find_all
    from pytest_membench.suites.source import Source, load

    setting = Setting(model, effort, provider)
    table = (*(prices.load(price_file) if price_file else ()), *prices.TABLE)
    designs = [found.design for found in find_all(names, Path.cwd())]
    meter = Meter("preflight")
    with ExitStack() as stack:
        endpoint = _endpoint(stack, model, base_url, timeout)
        longest = testing.dry_run(designs, load(Source(suite, locomo=locomo, longmemeval=longmemeval), Path.cwd()))
        price = prices.find(table, setting)
        tested = Model(endpoint, setting, max_tokens=max_tokens, price=price, table=table)
        made = testing.checks(longest, tested, meter)
    show([f"{setting.key}: longest prompt of {names} on {suite}: {longest.tokens:,} tokens ({longest.stage})", ""])
    width = max(len(one.name) for one in made)
    show(f"{one.status:<7}  {one.name:<{width}}  {one.said}" for one in made)
    show(["", _spent(meter), "Nothing was recorded."])
    sys.exit(INCOMPLETE if any(one.status == "failed" for one in made) else 0)


def _endpoint(stack: ExitStack, model: str, base_url: str | None, timeout_s: float) -> "Endpoint":
    from pytest_membench.llm import secrets
    from pytest_membench.llm.client import Endpoint

    if model == "sim" and base_url is None:
        from pytest_membench.llm.sim.server import SimServer

        endpoint = Endpoint(stack.enter_context(SimServer()).base_url, "sim", trust_env=False)
    else:
        key = os.environ.get("OPENAI_API_KEY")
        url = base_url or os.environ.get("OPENAI_BASE_URL") or "https://api.openai.com/v1"
        if not key:
            raise click.UsageError(
                f"testing {model} at {secrets.hide(url)} needs a key: set OPENAI_API_KEY (any text where the endpoint wants none)"
            )
        endpoint = Endpoint(url, key, timeout_s=timeout_s)
    stack.callback(endpoint.close)
    return endpoint


def _spent(meter: "Meter") -> str:
    """Return a line with all that the calls used; unknown where the endpoint does not say, or no price is known."""
    from pytest_membench.data import known_sum

    answered = [call for call in meter.calls if call.status is None]
    parts = [known_sum([getattr(call.usage, name) for call in answered]) for name in ("input", "output")]
    shown = ["unknown" if part is None else f"{part:,}" for part in parts]
    usd = known_sum([call.usd for call in answered])
    money = "USD unknown" if usd is None else f"{usd:.6f} USD"
    return f"spent: {len(meter.calls)} calls, {shown[0]} tokens in, {shown[1]} out, {money}"
