"""vcrpy cassettes with an index: a replayed call costs O(1), a recorded one is safe at once."""

import hashlib
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai
import orjson
from vcr.cassette import Cassette
from vcr.record_mode import RecordMode
from vcr.request import Request

from pytest_membench.data import Record
from pytest_membench.errors import NotRecorded, StoreError
from pytest_membench.llm import secrets
from pytest_membench.llm.budget import GOING_LIVE
from pytest_membench.llm.network import no_network
from pytest_membench.store import append_line, read_lines, write_json

_MODES = {
    "none": RecordMode.NONE,
    "new": RecordMode.NEW_EPISODES,
    "all": RecordMode.ALL,
    "plan": RecordMode.NEW_EPISODES,
}

VERSION = 1
PREVIEW = 80
"""Characters kept of either end of a message, to show where a prompt changed."""
# Outages and rate limits, and refusals of the account: another key or a paid bill must help.
_NOT_STORED = {401, 402, 403, 408, 409, 429}
_KEPT_HEADERS = {"content-type"}
_OTHER_CLIENTS = ("httplib", "requests", "boto3", "urllib3", "httplib2", "tornado", "aiohttp", "httpx")

Key = tuple[str, str, str]
"""Method, path and digest of the body: what a request is found by."""


class Miss(NotRecorded, openai.OpenAIError):
    """A request that no cassette holds; an OpenAIError, so that the client neither wraps nor retries it."""


class Unwritten(StoreError, openai.OpenAIError):
    """A call that cannot be stored; an OpenAIError, so that the client neither wraps it nor pays again."""


def digest(body: bytes) -> str:
    """Return the sha256 of a JSON body in canonical form, or of the bytes where they are not JSON."""
    with suppress(orjson.JSONDecodeError):
        body = orjson.dumps(orjson.loads(body), option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(body).hexdigest()


def key_of(request: Request) -> Key:
    """Return what a live request is found by; the host does not count."""
    key: Key | None = getattr(request, "membench_key", None)
    if key is None:
        key = (request.method, _path(request.uri), digest(request.body or b""))
        request.membench_key = key
    return key


def _path(uri: str) -> str:
    return urlsplit(uri).path


class IndexedCassette(Cassette):  # type: ignore[misc]  # vcrpy ships no types
    """A cassette that finds a request by its key, and appends what it records to a `.part` file.

    Loaded interactions replay in recorded order, each once; what is recorded now is not replayed.
    """

    def __init__(self, *, rerun: str = "", stores: bool = True, **settings: Any) -> None:
        super().__init__(serializer=None, **settings)
        self.stores = stores
        self.file = Path(self._path)
        self.part = self.file.with_name(self.file.name + ".part")
        self.rerun = rerun
        self.replayed = 0
        self.recorded = 0
        self._rows: list[dict[str, Any]] = []
        self._began = False  # whether the `.part` is there
        self._unfolded = False  # whether it holds what the file does not
        self._index: defaultdict[Key, deque[int]] = defaultdict(deque)
        self._last: list[dict[str, Any]] = []  # message records of the request stored last

    @property
    def unused(self) -> list[int]:
        """Positions of the loaded interactions that nobody has asked for."""
        return sorted(position for positions in self._index.values() for position in positions)

    def _load(self) -> None:
        """Read file and `.part`; a recording anew ("all") starts from nothing and replaces the file.

        What a killed recording left is folded in at once where this one may write.
        """
        if self.record_mode == RecordMode.ALL:
            self.part.unlink(missing_ok=True)  # the old file stands until a call is recorded in its place
        else:
            self._rows = _read(self.file, self.part)
            self._began = self.stores and self.record_mode != RecordMode.NONE and self.part.exists()
            self._unfolded = self._began and bool(self._rows)
            self.fold()
        for position, row in enumerate(self._rows):
            self._index[_stored_key(row)].append(position)
        self._last = [[], *_histories(self._rows)][-1]
        self.rewound = True

    def can_play_response_for(self, request: Request) -> bool:
        """Return whether a loaded interaction is left for this request.

        Raises Miss in strict replay, and OverBudget where the request would go live and may not.
        """
        if self._index.get(key_of(request)):
            return True
        if self.record_mode == RecordMode.NONE:
            raise Miss(self._explain(request))
        self._begin()
        GOING_LIVE.get()()
        return False

    def play_response(self, request: Request) -> dict[str, Any]:
        """Return the next recorded response for this request."""
        self.replayed += 1
        response = self._rows[self._index[key_of(request)].popleft()]["response"]
        return {
            "status": {"code": response["status"], "message": ""},
            "headers": {name: [value] for name, value in response["headers"].items()},
            "body": {"string": _to_bytes(response["body"])},
        }

    def append(self, request: Request, response: Mapping[str, Any]) -> None:
        """Store a live call as a line of the `.part` file; outages, refused accounts and empty replies are not stored."""
        stored = _stored(response)
        if not self.stores or _is_outage(_path(request.uri), stored):
            return
        before = self._last
        row = {"request": self._record_of(request), "response": stored}
        self._begin()
        try:
            self._append(row)
        except Unwritten:
            self._last = before  # the next row shares its prefix with what is stored
            raise
        self._unfolded = True
        self.recorded += 1
        self._rows.append(row)

    def _begin(self) -> None:
        """Begin the `.part` before the first live call, so that a disk that is full costs no call.

        Its first line says how many interactions of the file it follows: so a kill between the writing
        of the file and the end of the `.part` stores nothing twice, and one during "all" mixes nothing.
        """
        if self.stores and not self._began:
            self._append({"after": len(self._rows)})
            self._began = True

    def _append(self, line: Mapping[str, Any]) -> None:
        try:
            append_line(self.part, line)
        except StoreError as error:
            raise Unwritten(str(error)) from error

    def _record_of(self, request: Request) -> dict[str, Any]:
        method, path, sha256 = key_of(request)
        body = _json(request.body)
        messages = describe(body)
        same = _shared(self._last, messages)
        self._last = messages
        return {
            "method": method,
            "path": path,
            "sha256": sha256,
            "bytes": len(request.body or b""),
            "model": body.get("model"),
            "same": same,
            "messages": messages[same:],
        }

    def _save(self, force: bool = False) -> None:
        """Do nothing: vcrpy calls this where an error would leave its patches on; see `fold`."""

    def fold(self) -> None:
        """Write all interactions to the file, whole or not at all, and drop the `.part` file."""
        if self._unfolded:
            write_json(self.file, {"version": VERSION, "interactions": self._rows})
            self._unfolded = False
        if self._began:
            self.part.unlink(missing_ok=True)
            self._began = False

    def _explain(self, request: Request) -> str:
        messages = describe(_json(request.body))
        lines = [f"no recording of {request.method} {_path(request.uri)} in {self.file}"]
        if not self._rows:
            lines.append("the cassette does not exist or is empty")
        elif not messages:
            lines.append(f"its {len(self._rows)} recordings have another body")
        else:
            lines.append(self._first_difference(messages))
        return "; ".join(lines) + (f"\nrecord it with: {self.rerun}" if self.rerun else "")

    def _first_difference(self, messages: Sequence[dict[str, Any]]) -> str:
        """Say which message differs first from the stored request that is nearest."""
        stored = list(_histories(self._rows))
        unplayed = {p for positions in self._index.values() for p in positions}
        nearest = max(range(len(stored)), key=lambda n: (_shared(stored[n], messages), n in unplayed, -n))
        at = _shared(stored[nearest], messages)
        now, then = _at(messages, at), _at(stored[nearest], at)
        if now is None and then is None:
            return "every message is recorded, but with other parameters (model, temperature, max_tokens...) or fewer times"
        return f"the first message that differs is number {at + 1}: recorded {_show(then)}, now {_show(now)}"


def describe(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return role, length, digest and a preview of each message (or each text to embed)."""
    messages = body.get("messages")
    if not isinstance(messages, list):
        given = body.get("input", [])
        messages = [{"role": "input", "content": text} for text in (given if isinstance(given, list) else [given])]
    return [_describe_message(message) for message in messages]


def _describe_message(message: Mapping[str, Any]) -> dict[str, Any]:
    content = message.get("content")
    text = content if isinstance(content, str) else orjson.dumps(content).decode()
    shown = secrets.hide_known(text)
    record = {
        "role": message.get("role"),
        "length": len(text),
        "sha256": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16],
        "head": shown[:PREVIEW],
    }
    return {**record, "tail": shown[-PREVIEW:]} if len(text) > PREVIEW else record


def _shared(before: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]) -> int:
    """Return how many leading messages two requests share."""
    count = 0
    for a, b in zip(before, now, strict=False):
        if (a["role"], a["sha256"], a["length"]) != (b["role"], b["sha256"], b["length"]):
            break
        count += 1
    return count


def _histories(rows: Sequence[Mapping[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield the message records of each row, rebuilt from the prefix it shares with the row before."""
    messages: list[dict[str, Any]] = []
    for row in rows:
        messages = [*messages[: row["request"]["same"]], *row["request"]["messages"]]
        yield messages


def _at(messages: Sequence[dict[str, Any]], position: int) -> dict[str, Any] | None:
    return messages[position] if position < len(messages) else None


def _show(message: Mapping[str, Any] | None) -> str:
    if message is None:
        return "nothing"
    tail = f" ... {message['tail']!r}" if "tail" in message else ""
    return f"{message['role']} of {message['length']} characters {message['head']!r}{tail}"


def _json(body: bytes | None) -> dict[str, Any]:
    try:
        data = orjson.loads(body or b"{}")
    except orjson.JSONDecodeError:
        return {}
    return data if isinstance(data, dict) else {}


def _stored(response: Mapping[str, Any]) -> dict[str, Any]:
    """Return the response as the file keeps it: parsed, unzipped, with allowed headers alone."""
    headers = [(name, value) for name, values in response["headers"].items() for value in values]
    code = response["status"]["code"]
    unpacked = httpx2.Response(code, headers=headers, content=response["body"]["string"])
    kept = {name: value for name, value in unpacked.headers.items() if name in _KEPT_HEADERS}
    # An error may repeat the request; a reply loses what the client hides too, so that both are one text.
    hidden = (secrets.hide if code >= 400 else secrets.hide_known)(unpacked.content.decode("utf-8", "replace"))
    return {"status": code, "headers": kept, "body": _parsed(hidden.encode())}


def _is_outage(path: str, stored: Mapping[str, Any]) -> bool:
    """Whether a response is no answer to the prompt: the next session must ask again, not replay it.

    Some endpoints report upstream errors with a 200, break off in the middle of it, or say nothing.
    """
    code, body = stored["status"], stored["body"]
    if code in _NOT_STORED or code >= 500:
        return True
    if code >= 400:
        return False
    if isinstance(body, str):
        body = _json(body.encode())  # a reply that is nested too deep to be written is kept as text
    if not isinstance(body, dict) or body.get("error"):
        return True
    return path.endswith("/chat/completions") and _is_empty(body)


def _is_empty(body: Mapping[str, Any]) -> bool:
    """Whether a chat's reply holds no word, and was not cut off at its token limit, as it would be again."""
    try:
        choice = body["choices"][0]
        texts = (choice["message"].get("content"), choice["message"].get("refusal"))
        cut = choice.get("finish_reason") == "length"
    except (LookupError, TypeError, AttributeError):
        return True
    return not cut and not any(isinstance(text, str) and text.strip() for text in texts)


def _parsed(content: bytes) -> Any:
    """Return a JSON object or array as such and all else as text, so that `_to_bytes` gives it back."""
    try:
        body = orjson.loads(content)
        orjson.dumps(body)  # what is nested too deep can be read, but not written
    except (orjson.JSONDecodeError, TypeError):
        body = None
    return body if isinstance(body, dict | list) else content.decode("utf-8", "replace")


def _to_bytes(body: Any) -> bytes:
    return body.encode() if isinstance(body, str) else orjson.dumps(body)


def _read(file: Path, part: Path) -> list[dict[str, Any]]:
    """Return the interactions of the file, and those that the `.part` adds to it."""
    try:
        content = file.read_bytes() if file.exists() else b'{"version":%d,"interactions":[]}' % VERSION
        data = orjson.loads(content)
        version, rows = data["version"], data["interactions"]
        if version != VERSION:
            raise StoreError(f"{file}: cassette version {version!r}; this release reads {VERSION}: record it anew")
        keys = list(map(_stored_key, rows))
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{file}: is no cassette ({error!r}); restore it or delete it and record anew") from error
    try:
        begin, *added = read_lines(part) or [{"after": len(keys)}]
        before = rows[: begin["after"]]
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{part}: is damaged ({error!r}); delete it and record anew") from error
    return [*before, *added] if added else list(rows)  # a `.part` that was begun and holds no call says nothing


def _stored_key(row: Mapping[str, Any]) -> Key:
    request = row["request"]
    return request["method"], request["path"], request["sha256"]


def prune(file: Path, positions: Sequence[int]) -> int:
    """Remove the interactions at `positions` from a cassette and return how many; an empty one goes."""
    rows = _read(file, file.with_name(file.name + ".part"))
    kept = [
        ({**row, "request": {**row["request"], "same": 0, "messages": messages}})
        for position, (row, messages) in enumerate(zip(rows, _histories(rows), strict=True))
        if position not in set(positions)
    ]
    before: list[dict[str, Any]] = []
    for row in kept:
        messages = row["request"]["messages"]
        same = _shared(before, messages)
        row["request"].update(same=same, messages=messages[same:])
        before = messages
    if kept:
        write_json(file, {"version": VERSION, "interactions": kept})
    else:
        file.unlink(missing_ok=True)
    file.with_name(file.name + ".part").unlink(missing_ok=True)
    return len(rows) - len(kept)


@contextmanager
def use(file: Path, record: Record, rerun: str = "") -> Iterator[IndexedCassette]:
    """Replay and record the calls made inside, as `record` says.

    In "none" no connection can be opened, and in "plan" nothing is stored.

    What was recorded is folded into `file` at the end, also after an error. `rerun` is the
    command that a Miss tells the user to record with.
    """
    context = IndexedCassette.use(
        path=str(file),
        record_mode=_MODES[record],
        rerun=rerun,
        stores=record != "plan",
        skip_patchers=_OTHER_CLIENTS,
    )
    guard = no_network() if record == "none" else nullcontext()
    with guard, ExitStack() as stack, context as cassette:
        stack.callback(cassette.fold)
        yield cassette
