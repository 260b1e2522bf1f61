"""Unite the results folders of one session that was split over several machines into one folder.

| what two parts both hold | what is kept                                                                |
|--------------------------|-----------------------------------------------------------------------------|
| an item                  | the one with a verdict; two that differ in their verdict are refused        |
| a memory                 | one that was built to its end, with its tokens and USD once                 |
| lines of the ledger      | all: what was paid twice stands there twice, each line with its session     |

Which folder is named first changes nothing, and neither does merging in steps.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pytest_membench.data import known_sum
from pytest_membench.errors import StoreError
from pytest_membench.report import folder
from pytest_membench.report.folder import Row, Session
from pytest_membench.store import (
    Results,
    append_line,
    item_key,
    read_json,
    read_lines,
    to_json,
    write_bytes,
    write_json,
)

VERDICTS = ("correct", "partial", "wrong", "measured", "cut_short")
_NESTED = {"settings": "setting", "designs": "design", "yardstick": "the yardstick of"}
"""Fields whose entries have to agree where several parts have them, and how a message names an entry."""
_MERGED = {"session", "parts", "record", "items", "elsewhere", "options", "design_names", *_NESTED}
"""Fields of a manifest that parts may have different; all others must be equal, or null in one."""


class Merged(NamedTuple):
    """The session in the new folder, and what the reader should know about how it came to be."""

    session: Session
    notes: list[str]


class _Kept(NamedTuple):
    """One part's result of an item: its row and the files beside it, by the path they get in the new folder."""

    outcome: str
    files: Mapping[str, Any]
    raw: Mapping[str, bytes]
    session: str

    @property
    def order(self) -> tuple[int, bytes, str]:
        """A verdict goes first, then an answer without one; equal results are told apart by nothing that matters."""
        rank = 0 if self.outcome in VERDICTS else 1 if self.outcome == "not_judged" else 2
        return rank, to_json(dict(self.files)) + b"".join(self.raw[name] for name in sorted(self.raw)), self.session


def merge(out: Path, roots: Sequence[Path]) -> Merged:
    """Write into `out` the session that the results folders `roots` are the parts of, and return it.

    An item that was split off to a group of pytest-split that no part ran was not run. Raises
    StoreError where `out` holds something, a session is given twice, the parts are not of one
    session (another suite, judge, design, options: what differs is named), or two verdicts contradict.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise StoreError(f"{out}: exists already; name a new folder for the merged session")
    parts = [folder.read(root) for root in roots]
    _require_each_once(parts)
    manifest = _manifest(parts)
    kept = {key: min(found, key=lambda one: one.order) for key, found in _found(parts).items()}
    for one in kept.values():
        _write_item(out, one, manifest["session"])
    notes = _write_memories(out, parts)
    notes += _write_ledger(out, parts)
    write_json(Results(out).manifest, manifest)  # last: a folder without it is no results folder
    session = folder.read(out)
    return Merged(session, [*notes, *_missing(session)])


def seconds(roots: Sequence[Path]) -> float | None:
    """Return the machine time of the parts together; None where one left no diag.json."""
    paths = [root / "diag.json" for root in roots]
    known = known_sum([read_json(path)["seconds"] if path.exists() else None for path in paths])
    return None if known is None else round(known, 2)


def ledger(root: Path, memories: Sequence[Row]) -> dict[str, Any]:
    """Return what writing the memories cost: as the summary counts it, and as the ledger has it.

    `built_by_several` names the builds that several parts paid for.
    """
    lines = [line for line in read_lines(Results(root).spend) if line["item"].endswith("-build") and not line["error"]]
    sessions: dict[str, set[str]] = defaultdict(set)
    for line in lines:
        sessions[line["item"]].add(line["session"])
    tokens = [m["tokens"]["ingest"]["input"] for m in memories if m.get("tokens")]
    usd = [m["usd"]["ingest"] for m in memories if m.get("usd")]
    return {
        "counted": {"input": known_sum(tokens), "usd": _money(usd)},
        "ledger": {
            "input": known_sum([line["input"] for line in lines]),
            "usd": _money([line["usd"] for line in lines]),
        },
        "built_by_several": sorted(item for item, own in sessions.items() if len(own) > 1),
    }


def _money(values: Sequence[float | None]) -> float | None:
    total = known_sum(values)
    return None if total is None else round(total, 6)


def _parts(session: Session) -> list[str]:
    """Return the ids of the sessions that a results folder stands for."""
    return list(session.manifest.get("parts") or [session.manifest["session"]])


def _require_each_once(parts: Sequence[Session]) -> None:
    seen: dict[str, Session] = {}
    for part in parts:
        for name in _parts(part):
            twin = seen.setdefault(name, part)
            if twin is not part:
                raise StoreError(f"{twin.root} and {part.root} hold the same session; give each part once")


def _manifest(parts: Sequence[Session]) -> dict[str, Any]:
    """Return the manifest of the whole; the order of items is that of their names, whoever came first."""
    manifests = [part.manifest for part in parts]
    merged: dict[str, Any] = {}
    for name in sorted({name for manifest in manifests for name in manifest} - _MERGED):
        merged[name] = _one(parts, name, _of(name))
    for name, word in _NESTED.items():
        keys = sorted({key for manifest in manifests for key in manifest.get(name, {})})
        merged[name] = {key: _one(parts, f"{word} {key}", _of(name, key)) for key in keys}
    sessions = sorted(name for part in parts for name in _parts(part))
    names = sorted({name for manifest in manifests for name in manifest.get("design_names", [])})
    return {
        **merged,
        "session": hashlib.sha256("\n".join(sessions).encode()).hexdigest()[:32],
        "parts": sessions,
        "record": ",".join(sorted({mode for m in manifests for mode in m["record"].split(",")})),
        "design_names": names,
        "options": [*([f"--design={','.join(names)}"] if names else []), *_options(parts)],
        "items": _items(manifests),
    }


def _items(manifests: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Return every item once, by name; what is a reference in one part and chosen in another is chosen."""
    items: dict[tuple[Any, ...], Row] = {}
    for item in (item for m in manifests for item in [*m.get("elsewhere", []), *m["items"]]):
        key = item_key(item)
        items[key] = min(items.get(key, item), item, key=lambda one: "reference" in one)
    return [items[key] for key in sorted(items)]


def _options(parts: Sequence[Session]) -> list[str]:
    """Return the options of all parts but --design; each may have recorded into cassettes of its own."""
    own = "--design=", "--membench-cassettes="
    cassettes = [{o for o in part.manifest.get("options", []) if o.startswith(own[1])} for part in parts]
    options = _one(
        parts, "options", lambda m: [o for o in m["options"] if not o.startswith(own)] if "options" in m else None
    )
    return [*(options or []), *sorted(set.intersection(*cassettes))]


def _one(parts: Sequence[Session], what: str, value: Callable[[Mapping[str, Any]], Any]) -> Any:
    """Return the value that all parts agree on; a part that leaves it out agrees with any."""
    known = [(part.root, found) for part in parts if (found := value(part.manifest)) is not None]
    for root, found in known:
        if found != known[0][1]:
            raise StoreError(
                f"{known[0][0]} and {root} are not of one session: they differ in {what} "
                f"({_difference(known[0][1], found)}); run one of them again as the other was run"
            )
    return known[0][1] if known else None


def _of(*names: str) -> Callable[[Mapping[str, Any]], Any]:
    """Return what reads a field of a manifest, or a field of that; None where it is not there or empty."""

    def value(manifest: Mapping[str, Any]) -> Any:
        found: Any = manifest
        for name in names:
            found = (found or {}).get(name)
        return None if found in ([], {}) else found

    return value


def _difference(a: Any, b: Any) -> str:
    """Return the two values; of two objects only the fields that differ."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        names = sorted(name for name in {*a, *b} if a.get(name) != b.get(name))
        return "; ".join(f"{name}: {a.get(name)!r} and {b.get(name)!r}" for name in names)
    return f"{a!r} and {b!r}"


def _found(parts: Sequence[Session]) -> dict[tuple[Any, ...], list[_Kept]]:
    """Return what the parts hold of each item. Raises StoreError for verdicts that contradict each other."""
    found: dict[tuple[Any, ...], list[tuple[Path, _Kept]]] = defaultdict(list)
    for part in parts:
        for row in part.rows:
            found[item_key(row)].append((part.root, _kept(part.root, row)))
    for key, both in found.items():
        judged = {one.outcome: root for root, one in reversed(both) if one.outcome in VERDICTS}
        if len(judged) > 1:
            said = " and ".join(f"{outcome} in {root}" for outcome, root in sorted(judged.items()))
            setting, design, person, probe, repeat = key
            again = f" (repeat {repeat})" if repeat > 1 else ""
            raise StoreError(
                f"{design}, {person} {probe}{again} at {setting}: {said}; an item of one session has one verdict: leave one "
                "of the folders out, or pool them as two sessions with `membench pool`"
            )
    return {key: [one for _, one in both] for key, both in found.items()}


def _kept(root: Path, row: Row) -> _Kept:
    """Return a row and the files that its session wrote beside it."""
    results, key = Results(root), item_key(row)
    files: dict[str, Any] = {_name(root, results.row(*key)): _unsigned(row)}
    raw: dict[str, bytes] = {}
    conversation = (row["setting"], row["design"], row["person"], row["probe"])
    paths = (
        [results.cost(*conversation)]
        if row["kind"] == "cost"
        else [results.probe(stage, *key) for stage in ("ans", "judge", "judge2")]
    )
    for path in paths:
        value = read_json(path) if path.exists() else {}
        if value.get("session") == row["session"]:
            files[_name(root, path)] = _unsigned(value)
    replies = results.replies(*conversation)
    if row["kind"] == "cost" and len(files) > 1 and replies.exists():
        raw[_name(root, replies)] = replies.read_bytes()
    return _Kept(row["outcome"], files, raw, row["session"])


def _name(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix()


def _unsigned(value: Mapping[str, Any]) -> dict[str, Any]:
    return {name: part for name, part in value.items() if name != "session"}


def _write_item(out: Path, one: _Kept, session: str) -> None:
    for name, value in one.files.items():
        write_json(out / name, {**value, "session": session})
    for name, content in one.raw.items():
        write_bytes(out / name, content)


def _write_memories(out: Path, parts: Sequence[Session]) -> list[str]:
    """Write each memory once, one that is finished where there is one; say which were built differently."""
    found: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for part in parts:
        for memory in part.memories:
            found[tuple(memory[name] for name in ("setting", "design", "person", "repeat"))].append(memory)
    differ = []
    for key in sorted(found):
        chosen = min(found[key], key=_memory_order)
        write_json(Results(out).memory(*key), chosen, sort=False)  # the order of a state's keys is the design's own
        done = [m for m in found[key] if m.get("status") == "done"]
        if len({to_json(m.get("state")) for m in done}) > 1:
            differ.append(f"{key[1]} of {key[2]}")
    if not differ:
        return []
    apart = "Their answers stand on the memory of the part that gave them; the folder keeps one."
    return [f"built with different results by several parts: {', '.join(differ)}. {apart}"]


def _memory_order(memory: Row) -> tuple[bool, bytes, str]:
    return memory.get("status", "done") != "done", to_json(_unsigned(memory)), str(memory.get("session"))


def _write_ledger(out: Path, parts: Sequence[Session]) -> list[str]:
    """Write every line of every part, under the session that paid for it; say where builds were paid for twice."""
    lines = [
        {"session": part.manifest["session"], **line} for part in parts for line in read_lines(Results(part.root).spend)
    ]
    for line in sorted(lines, key=lambda line: str(line["session"])):
        append_line(Results(out).spend, line)
    items = [item for part in parts for item in part.manifest["items"]]
    built = folder.memories(Results(out), {"items": items})
    paid = ledger(out, built)
    if not paid["built_by_several"]:
        return []
    counted, billed = paid["counted"], paid["ledger"]
    sums = f"The table counts each once ({_amount(counted)} for writing); the ledger has all ({_amount(billed)})."
    return [f"{len(paid['built_by_several'])} of {len(built)} memories were built by more than one part. {sums}"]


def _amount(sums: Mapping[str, Any]) -> str:
    tokens = "unknown" if sums["input"] is None else f"{sums['input']:,}"
    money = "" if sums["usd"] is None else f", {sums['usd']:.4f} USD"
    return f"{tokens} input tokens{money}"


def _missing(session: Session) -> list[str]:
    """Return a line that says how many items no part has a result of."""
    asked = len(session.manifest["items"])
    gone = asked - len(session.rows)
    if not gone:
        return []
    why = "a group is missing, or was killed, or pytest-randomly shuffled before the split (-p no:randomly)"
    return [f"{gone} of {asked} items have no result in any part: {why}"]
