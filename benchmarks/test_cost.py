"""Every conversation of the cost grid, served by every design: one item each."""


def test_cost(membench_cost):
    """Serve the conversation turn by turn and write down what each turn billed."""
    membench_cost.run()
