"""Every probe of the suite, asked of every design: one item each."""

from pytest_membench.plugin.fixtures import ProbeItem


def test_probe(membench_probe: ProbeItem) -> None:
    """Build the memory (once), ask the probe, judge the answer."""
    membench_probe.run()
