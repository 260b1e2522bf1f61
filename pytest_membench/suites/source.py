"""Where a suite comes from: a folder, or a user's copy of a published file, with what was asked of it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pytest_membench.data import Suite
from pytest_membench.errors import SuiteError
from pytest_membench.suites.files import PUBLISHED, locate
from pytest_membench.suites.files import load as load_folder
from pytest_membench.suites.locomo_audit import MODES


@dataclass(frozen=True)
class Source:
    """A suite's name, and for LoCoMo and LongMemEval the file with the choices that its reading took.

    A session's manifest keeps it, so that the same suite can be read again later.
    """

    suite: str
    locomo: str | None = None
    chats: str = "subset"
    category5: bool = False
    audit: str | None = None
    audit_mode: str = "flag"
    longmemeval: str | None = None

    @classmethod
    def of(cls, manifest: Mapping[str, Any]) -> "Source":
        """Return the source that a session's manifest names."""
        return cls(manifest["suite_path"], **manifest.get("suite_source") or {})

    def as_dict(self) -> dict[str, Any] | None:
        """Return the choices beside the name, or None for a suite that is a folder."""
        if self.suite not in PUBLISHED:
            return None
        return {name: value for name, value in asdict(self).items() if name != "suite"}


def load(source: Source, root: Path) -> Suite:
    """Return the suite; paths are relative to `root`. Raises SuiteError."""
    if source.suite == "locomo" and source.locomo:
        from pytest_membench.suites import locomo

        mode = next((mode for mode in MODES if mode == source.audit_mode), None)
        if mode is None:
            raise SuiteError(f"--membench-locomo-audit-mode={source.audit_mode}: {', '.join(MODES)} are allowed")
        return locomo.load(
            root / source.locomo,
            chats=source.chats,
            category5=source.category5,
            audit=root / source.audit if source.audit else None,
            mode=mode,
        )
    if source.suite == "longmemeval" and source.longmemeval:
        from pytest_membench.suites import longmemeval

        return longmemeval.load(root / source.longmemeval)
    return load_folder(locate(source.suite, root))
