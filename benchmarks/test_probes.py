"""Every probe of the suite, asked of every design: one item each."""


def test_probe(membench_probe):
    """Build the memory (once), ask the probe, judge the answer."""
    membench_probe.run()
