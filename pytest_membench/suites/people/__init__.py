"""Fresh people: chats and probes made up from a seed, so that there is always a suite nobody has tuned to."""

from pytest_membench.suites.people.make import LEAST_DAYS, LEAST_TURNS, MOST_PEOPLE, MOST_TURNS, generate, write

__all__ = ["LEAST_DAYS", "LEAST_TURNS", "MOST_PEOPLE", "MOST_TURNS", "generate", "write"]
