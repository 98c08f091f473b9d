"""Providers for coursefetch in Python: the protocol of docs/protocol.md, and HTTP that keeps credentials to their host.

A provider is a class with the methods that its plugin.yaml names; `run` serves standard input until it closes:

    from coursefetch_provider import Provider, ProviderError, run, url

    class Example(Provider):
        def resolve(self, request):
            base = request.parameter("endpoint")
            answer = request.get(url(base, "api", "videos", request.video.id)).json()
            return {"url": answer["file"], "size": answer.get("size"), "expires_at": request.now + timedelta(hours=1)}

    run(Example(), concurrency=8)

It takes nothing but Python 3.9's standard library; copy it into the plugin's folder. Answers are mappings with the keys of
the protocol. Keys whose value is None are left out, and datetimes become RFC 3339. Methods run in threads, as many at once
as `concurrency`: a provider that keeps something between requests guards it with a lock.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime
import email.utils
import functools
import http.client
import json
import math
import os
import re
import signal
import socket
import ssl
import sys
import threading
import time
import traceback
import urllib.parse
import urllib.request
import xml.etree.ElementTree
import zlib
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from xml.parsers import expat

__all__ = ["Provider", "ProviderError", "Request", "Response", "Item", "run", "url", "log", "parse_time", "format_time"]
__version__ = "1.0.0"

LONGEST_LINE = 1 << 20
KINDS = frozenset((
    "auth_required", "forbidden", "geo_blocked", "not_found", "gone", "drm", "not_ready", "rate_limited", "unavailable",
    "invalid_parameters"))


class ProviderError(Exception):
    """Why a request has no answer. The user reads `message`; it must not contain a secret.

    `kind` is one of the protocol's, or None for a fault of the plugin itself. `retry_after` is in seconds, `parameter` the
    catalog's parameter at fault, and `credentials` replace the stored ones although the request failed. `server` is the
    address of the server that it is about; without it that is the server of the parameter `endpoint`.
    """

    def __init__(
        self, kind: str | None, message: str, *, retry_after: float | None = None,
        parameter: str | None = None, credentials: Any = None, server: str | None = None,
    ) -> None:
        if kind is not None and kind not in KINDS:
            raise ValueError(f"{kind!r} isn't a kind of error of the protocol")
        super().__init__(message)
        self.kind, self.message, self.retry_after = kind, message, retry_after
        self.parameter, self.credentials, self.server = parameter, credentials, server


class _Unsupported(Exception):
    """The provider doesn't have the method."""


class Provider:
    """What a plugin can do. Override `resolve`, and `list` and `login` if the manifest has them."""

    def resolve(self, request: Request) -> Mapping[str, Any]:
        """The current URL of `request.video`, as a resolution."""
        raise _Unsupported

    def list(self, request: Request) -> Mapping[str, Any]:
        """The videos of `request.course`, or a page of them."""
        raise _Unsupported

    def login(self, request: Request) -> Mapping[str, Any]:
        """Credentials made of `request.secrets`."""
        raise _Unsupported


@dataclasses.dataclass(frozen=True)
class Item:
    """A video, a chapter or a course, as the catalog has it."""

    id: str
    title: str | None = None
    parameters: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @classmethod
    def _of(cls, value: Any) -> Item | None:
        if not isinstance(value, dict):
            return None
        return cls(str(value.get("id", "")), value.get("title"), value.get("parameters") or {})


class Request:
    """One request of the host: what it says, and HTTP with the host's settings.

    `now` is the host's clock as an aware datetime, which signatures use. `video`, `course` and `chapter` are None where the
    method doesn't have them, and so are `previous`, `cursor` and `known`. `secrets` is what the user typed, for `login`.
    """

    def __init__(self, method: str, params: Mapping[str, Any]) -> None:
        self.method = method
        self.user: str = params.get("user") or ""
        self.now = parse_time(params["now"]) if "now" in params else datetime.datetime.now(datetime.timezone.utc)
        self.credentials: Any = params.get("credentials")
        self.settings: Mapping[str, Any] = params.get("settings") or {}
        folder = params.get("data_folder")
        self.data_folder = Path(folder) if folder else None
        self.video, self.course, self.chapter = (Item._of(params.get(key)) for key in ("video", "course", "chapter"))
        self.quality: list[str] = params.get("quality") or []
        self.previous: Mapping[str, Any] | None = params.get("previous")
        self.cursor: Any = params.get("cursor")
        self.known: str | None = params.get("known")
        self.secrets: Mapping[str, str] = params.get("secrets") or {}
        item = self.video or self.course
        #: The video's parameters, with those of its course; of `list` the course's, of `login` those of `--set`.
        self.parameters: Mapping[str, Any] = item.parameters if item else params.get("parameters") or {}

    def parameter(self, name: str, default: Any = None, kind: type = str) -> Any:
        """A parameter of the catalog. Without it, and without a default, or of another type: `invalid_parameters`."""
        value = self.parameters.get(name, default)
        if value is None:
            raise ProviderError("invalid_parameters", f"{name} is missing", parameter=name)
        if not isinstance(value, kind):
            raise ProviderError("invalid_parameters", f"{name} has to be a {kind.__name__}", parameter=name)
        return value

    def conceal(self, text: str) -> None:
        """Takes a secret that isn't among the credentials out of messages and the log, as those are, in this request's thread."""
        _secrets.known = [*_forms([text] if len(text) >= 4 else []), *getattr(_secrets, "known", ())]

    def get(self, address: str, **how: Any) -> Response:
        """`http` with GET."""
        return self.http("GET", address, **how)

    def post(self, address: str, **how: Any) -> Response:
        """`http` with POST, of `json=`, `form=` or `data=`."""
        return self.http("POST", address, **how)

    def http(
        self, method: str, address: str, *, headers: Mapping[str, str] | None = None,
        auth: tuple[str, str] | None = None, json: Any = None, form: Mapping[str, Any] | None = None,
        data: bytes | None = None, accept: Collection[int] = (), timeout: float = 25, limit: int = 16 << 20,
        redirects: int = 10,
    ) -> Response:
        """Sends a request with the settings' proxy, CA file and user agent, and follows redirects.

        `auth` is a name and a password for basic authentication. `timeout` is in seconds, for all of it; keep it below the
        manifest's. `limit` is the most bytes of a body. A redirect to another origin gets none of `headers` but Accept ones,
        no `auth` and no body. A status of 300 or more raises the ProviderError that suits it, unless it's in `accept`.
        """
        sent = {name.title(): value for name, value in (headers or {}).items()}
        if auth:
            sent["Authorization"] = "Basic " + base64.b64encode(":".join(auth).encode()).decode()
        if json is not None:
            data, sent["Content-Type"] = _json(json), "application/json"
        elif form is not None:
            data = urllib.parse.urlencode(form, doseq=True).encode()
            sent["Content-Type"] = "application/x-www-form-urlencoded"
        exchange = _Exchange(self, timeout, limit)
        for _ in range(redirects + 1):
            response = exchange.send(method, address, sent, data)
            target = response.headers.get("location")
            if response.status not in (301, 302, 303, 307, 308) or response.status in accept or not target:
                return response._checked(accept, self.now)
            try:
                target = urllib.parse.urljoin(address, target)
            except ValueError:
                raise ProviderError("unavailable", f"{_shown(address)} redirects to an invalid URL") from None
            if response.status == 303 and method != "HEAD" or response.status in (301, 302) and method == "POST":
                method, data = "GET", None
                sent.pop("Content-Type", None)
            if _origin(target) != _origin(address):
                if data is not None:
                    raise ProviderError("unavailable", f"{_shown(address)} wants the data at another host")
                sent = {name: value for name, value in sent.items() if name.startswith("Accept")}
            address = target
        raise ProviderError("unavailable", f"{_shown(address)} redirects more than {redirects} times")


@dataclasses.dataclass(frozen=True)
class Response:
    """An answer: its status, headers (names in any case), body, and the URL that it is of, after redirects."""

    status: int
    reason: str
    headers: http.client.HTTPMessage
    body: bytes = dataclasses.field(repr=False)
    url: str = dataclasses.field(repr=False)

    @property
    def text(self) -> str:
        """The body as text, in the charset of the Content-Type or UTF-8."""
        charset = self.headers.get_content_charset() or "utf-8"
        try:
            return self.body.decode(charset)
        except LookupError:
            raise self._undecodable(f"text: the character set {charset[:40]} is unknown") from None
        except UnicodeDecodeError as error:
            raise self._undecodable(f"{charset} text: see byte {error.start}") from None

    def json(self) -> Any:
        """The body as JSON."""
        try:
            return json.loads(self.body)
        except UnicodeDecodeError as error:
            raise self._undecodable(f"JSON: byte {error.start} isn't UTF-8") from None
        except json.JSONDecodeError as error:
            raise self._undecodable(f"JSON: see line {error.lineno}, column {error.colno}") from None
        except (ValueError, RecursionError):
            raise self._undecodable("JSON that can be read") from None

    def xml(self) -> xml.etree.ElementTree.Element:
        """The body as XML. One whose DOCTYPE has declarations of its own is refused."""
        try:
            return _xml(self.body)
        except expat.ExpatError as error:
            raise self._undecodable(f"XML: see line {error.lineno}, column {error.offset + 1}") from None
        except (ValueError, LookupError) as error:
            raise self._undecodable(f"XML that can be read: {error}") from None

    def _undecodable(self, what: str) -> ProviderError:
        if re.match(rb"\s*<(!doctype\s+)?html", self.body[:500], re.IGNORECASE):
            what += ", and looks like a page for people"
        return ProviderError("unavailable", f"the answer of {_shown(self.url)} isn't {what}")

    def _checked(self, accept: Collection[int], now: datetime.datetime) -> Response:
        if self.status < 300 or self.status in accept:
            return self
        kind = {401: "auth_required", 403: "forbidden", 404: "not_found", 410: "gone", 429: "rate_limited",
                451: "geo_blocked", 408: "unavailable", 425: "unavailable"}.get(self.status)
        if self.status >= 500:
            kind = "unavailable"
        wait = _retry_after(self.headers.get("retry-after"), now) if kind in ("rate_limited", "unavailable") else None
        reason = re.sub(r"[^ -~]", "?", self.reason)[:60]
        message = f"{_shown(self.url)} answers {self.status} {reason}".strip()
        raise ProviderError(kind, message, retry_after=wait, server=_server(self.url))


class _Exchange:
    """Requests and redirects that share one time limit."""

    def __init__(self, request: Request, timeout: float, limit: int) -> None:
        self.settings, self.limit, self.timeout = request.settings, limit, timeout
        self.deadline, self.passed = time.monotonic() + timeout, threading.Event()
        self.socket: socket.socket | None = None

    def send(self, method: str, address: str, headers: Mapping[str, str], data: bytes | None) -> Response:
        try:
            parts = urllib.parse.urlsplit(address)
            port = parts.port
        except ValueError:
            raise ProviderError("invalid_parameters", "the URL of a request is invalid") from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ProviderError("invalid_parameters", "the URL of a request isn't an http or https URL with a host")
        if parts.username is not None:
            raise ProviderError("invalid_parameters", "a URL may not contain a user name or a password")
        target = _path(parts.path) or "/"
        if parts.query:
            target += "?" + _query(parts.query)
        connection, target, extra = self._connection(parts, port, target)
        sent = {"User-Agent": self.settings.get("user_agent") or f"coursefetch-provider/{__version__}",
                "Accept-Encoding": "gzip", "Connection": "close", **extra, **headers}
        clock = threading.Timer(max(0.01, self.deadline - time.monotonic()), self._stop)
        clock.daemon = True
        clock.start()
        try:
            connection.connect()
            # The connection forgets it as soon as a response says that it is the last.
            self.socket = connection.sock
            connection.request(method, target, body=data, headers=sent)
            answer = connection.getresponse()
            with answer:
                return Response(answer.status, answer.reason, answer.headers, self._body(answer), address)
        except (OSError, http.client.HTTPException, zlib.error, ValueError) as error:
            raise ProviderError("unavailable", self._trouble(_shown(address), error), server=_server(address)) from None
        finally:
            clock.cancel()
            self.socket = None
            connection.close()

    def _connection(
        self, parts: urllib.parse.SplitResult, port: int | None, target: str
    ) -> tuple[http.client.HTTPConnection, str, dict[str, str]]:
        proxy = self.settings.get("proxy") or urllib.request.getproxies_environment().get(parts.scheme)
        host, headers, secure = parts.hostname or "", {}, parts.scheme == "https"
        if not proxy or urllib.request.proxy_bypass_environment(  # type: ignore[attr-defined]
                f"{host}:{port}" if port else host):
            proxy = None
        if proxy:
            through = urllib.parse.urlsplit(proxy if "://" in proxy else "http://" + proxy)
            if through.scheme != "http" or not through.hostname:
                raise ProviderError("unavailable", "this provider can use http proxies only")
            if through.username is not None:
                words = urllib.parse.unquote(f"{through.username}:{through.password or ''}")
                headers["Proxy-Authorization"] = "Basic " + base64.b64encode(words.encode()).decode()
            place: tuple[Any, Any] = (through.hostname, through.port or 80)
        else:
            place = (host, port)
        connection: http.client.HTTPConnection
        if secure:
            connection = http.client.HTTPSConnection(
                *place, timeout=self.timeout, context=_trust(self.settings.get("ca_file")))
            if proxy:
                connection.set_tunnel(host, port, headers)
                headers = {}
        else:
            connection = http.client.HTTPConnection(*place, timeout=self.timeout)
            if proxy:
                headers["Host"] = parts.netloc
                target = f"http://{parts.netloc}{target}"
        return connection, target, headers

    def _stop(self) -> None:
        self.passed.set()
        try:
            if self.socket:
                self.socket.shutdown(socket.SHUT_RDWR)
        except (OSError, AttributeError):
            # It was closed at the same instant.
            pass

    def _body(self, answer: http.client.HTTPResponse) -> bytes:
        body, unpack = bytearray(), None
        if answer.headers.get("content-encoding", "").lower() in ("gzip", "x-gzip"):
            unpack = zlib.decompressobj(31)
        # None if it is chunked or ends with the connection. Older versions of http.client don't count it down.
        missing = answer.length
        while len(body) <= self.limit and missing != 0:
            part = answer.read1(1 << 16)
            if not part:
                break
            missing = None if missing is None else missing - len(part)
            body += unpack.decompress(part, self.limit + 1 - len(body)) if unpack else part
        if len(body) > self.limit:
            raise ValueError(f"sends more than {self.limit >> 20} MiB")
        if missing or self.passed.is_set() or unpack and not unpack.eof and body:
            raise http.client.IncompleteRead(bytes(body))
        return bytes(body)

    def _trouble(self, place: str, error: Exception) -> str:
        if self.passed.is_set() or isinstance(error, socket.timeout):
            return f"{place} takes longer than {self.timeout:g} s"
        if isinstance(error, socket.gaierror):
            return f"the host of {place} can't be found"
        if isinstance(error, ssl.SSLCertVerificationError):
            return f"the certificate of {place} isn't trusted: {error.verify_message}"
        if isinstance(error, ssl.SSLError):
            return f"there is no secure connection to {place}: {error.reason}"
        if isinstance(error, http.client.RemoteDisconnected):
            return f"{place} closes the connection without an answer"
        if isinstance(error, (http.client.IncompleteRead, ConnectionResetError)):
            return f"{place} breaks its answer off"
        if isinstance(error, OSError):
            return f"there is no connection to {place}: {error.strerror or type(error).__name__}"
        return f"{place} {error}" if type(error) is ValueError else f"the answer of {place} isn't valid HTTP"


@functools.lru_cache(maxsize=8)
def _trust(ca_file: str | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca_file)
    except (OSError, ssl.SSLError):
        raise ProviderError("unavailable", f"the CA file {ca_file} can't be read") from None


def _xml(body: bytes) -> xml.etree.ElementTree.Element:
    builder = xml.etree.ElementTree.TreeBuilder()
    parser = expat.ParserCreate(namespace_separator="}")
    depth = 0

    def name(text: str) -> str:
        return "{" + text if "}" in text else text

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > 1000:
            raise ValueError("it is nested more than 1000 deep")
        builder.start(name(tag), {name(key): value for key, value in attributes.items()})

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(name(tag))

    def begin_doctype(name: str, system: str | None, public: str | None, has_subset: int) -> None:
        if has_subset:
            raise ValueError("its DOCTYPE has declarations of its own")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = builder.data
    # Entities made of entities, and default attributes, would grow to gigabytes. A DTD elsewhere isn't read.
    parser.StartDoctypeDeclHandler = begin_doctype
    parser.buffer_text = True
    parser.Parse(body, True)
    return builder.close()


def url(base: str, *segments: str, **query: Any) -> str:
    """`base` with segments added to its path and arguments to its query, percent-encoded as far as it takes.

    A segment may contain anything (`/` becomes %2F); an empty last one makes a slash at the end. Arguments that are None are
    left out; a list is an argument for each of its values. Refuses a base that isn't an http or https URL, and the segments
    `.` and `..`, which servers would take for steps.
    """
    try:
        parts = urllib.parse.urlsplit(base)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        valid = False
    if not valid:
        raise ProviderError("invalid_parameters", f"'{_clean(base)}' isn't an http or https URL")
    if "." in segments or ".." in segments:
        raise ProviderError("invalid_parameters", "'.' and '..' can't be parts of a URL")
    words: list[tuple[str, Any]] = []
    for key, value in query.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is not None:
                words.append((key, str(one).lower() if isinstance(one, bool) else one))
    try:
        path = _path(parts.path)
        for segment in segments:
            path = path.rstrip("/") + "/" + urllib.parse.quote(segment, safe="~")
        text = "&".join(filter(None, [_query(parts.query), urllib.parse.urlencode(words, quote_via=urllib.parse.quote)]))
    except UnicodeEncodeError:
        raise ProviderError("invalid_parameters", "an id isn't valid Unicode") from None
    return urllib.parse.urlunsplit((parts.scheme, parts.netloc, path, text, ""))


def _path(text: str) -> str:
    return urllib.parse.quote(text, safe="/%:@!$&'()*+,;=~")


def _query(text: str) -> str:
    return urllib.parse.quote(text, safe="/%:@!$&'()*+,;=~?")


def _origin(address: str) -> tuple[str, str | None, int | None]:
    try:
        parts = urllib.parse.urlsplit(address)
        return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return "", None, None


def _server(address: str) -> str | None:
    """Scheme, host and port, as an error names its server."""
    scheme, host, port = _origin(address)
    if not host:
        return None
    name = f"[{host}]" if ":" in host else host
    return f"{scheme}://{name}" if port == {"http": 80, "https": 443}.get(scheme) else f"{scheme}://{name}:{port}"


def _shown(address: str) -> str:
    """A URL as messages have it: no user, no query, no fragment, and not long."""
    parts = urllib.parse.urlsplit(address)
    shown = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    return shown if len(shown) <= 200 else shown[:197] + "…"


def parse_time(text: str) -> datetime.datetime:
    """A time of RFC 3339 as an aware datetime. Raises ValueError if it isn't one."""
    match = re.fullmatch(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))", text)
    if not match:
        raise ValueError("this isn't a time of RFC 3339")
    date, clock, fraction, sign, hours, minutes = match.groups()
    # A leap second counts as the one before.
    clock = re.sub(r":60$", ":59", clock)
    value = datetime.datetime.strptime(f"{date} {clock}", "%Y-%m-%d %H:%M:%S")
    offset = datetime.timedelta(hours=int(hours or 0), minutes=int(minutes or 0)) * (-1 if sign == "-" else 1)
    value = value.replace(microsecond=int((fraction or "0")[:6].ljust(6, "0")))
    return value.replace(tzinfo=datetime.timezone.utc) - offset


def format_time(value: datetime.datetime | float) -> str:
    """A datetime (UTC, if it is naive), or seconds since 1970, as RFC 3339 in UTC with whole seconds."""
    if not isinstance(value, datetime.datetime):
        value = datetime.datetime.fromtimestamp(value, datetime.timezone.utc)
    elif value.tzinfo is None:
        value = value.replace(tzinfo=datetime.timezone.utc)
    return value.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _retry_after(text: str | None, now: datetime.datetime) -> float | None:
    text = (text or "").strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        return float(text)
    try:
        then = email.utils.parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError):
        return None
    if then.tzinfo is None:
        then = then.replace(tzinfo=datetime.timezone.utc)
    return max(0.0, (then - now).total_seconds())


# What goes out. Standard output is the protocol's alone, and each line goes out in one piece.
_turn = threading.Lock()
_output = -1
_secrets = threading.local()


def log(level: str, message: str) -> None:
    """Writes a line to the host's log: `debug`, `info`, `warning` or `error`. The request's secrets are taken out."""
    text = _clean(message, 4000)
    if _output < 0:
        print(f"{level}: {text}", file=sys.stderr)
    else:
        _write(_json({"jsonrpc": "2.0", "method": "log", "params": {"level": level, "message": text}}))


def _write(line: bytes) -> None:
    rest = memoryview(line + b"\n")
    with _turn:
        while rest:
            try:
                rest = rest[os.write(_output, rest):]
            except OSError:
                # The host has gone.
                os._exit(0)


def _json(value: Any) -> bytes:
    def encode(other: Any) -> Any:
        if isinstance(other, datetime.datetime):
            return format_time(other)
        raise TypeError(f"{type(other).__name__} can't be sent")

    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=encode).encode()


def _present(value: Any) -> Any:
    """Without the keys that are None; credentials and parameters are the provider's own."""
    if isinstance(value, Mapping):
        return {key: one if key in ("credentials", "parameters") else _present(one)
                for key, one in value.items() if one is not None}
    return [_present(one) for one in value] if isinstance(value, (list, tuple)) else value


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for one in value.values() for text in _texts(one)]
    if isinstance(value, list):
        return [text for one in value for text in _texts(one)]
    return [value] if isinstance(value, str) and len(value) >= 4 else []


def _clean(text: str, longest: int = 1000) -> str:
    """`text` without the secrets of the request that this thread serves, and URLs in it without user, query and fragment."""
    for secret in getattr(_secrets, "known", ()):
        text = text.replace(secret, "***")
    text = re.sub(r"\b(\w+://)[^\s/?#@'\"]*@", r"\1", text)
    text = re.sub(r"\b(\w+://[^\s?#'\"<>]*)[?#][^\s'\"<>]*", r"\1", text)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _know(params: Mapping[str, Any]) -> None:
    _secrets.known = _forms(_texts(params.get("credentials")) + _texts(params.get("secrets")))


def _forms(texts: list[str]) -> list[str]:
    plain, encoded = set(texts), (urllib.parse.quote, urllib.parse.quote_plus)
    forms = plain | {repr(text)[1:-1] for text in plain} | {f(text, "", errors="replace") for text in plain for f in encoded}
    return sorted(forms, key=len, reverse=True)


def _answer(provider: Provider, method: Any, params: Any) -> dict[str, Any]:
    functions = {"resolve": provider.resolve, "list": provider.list, "login": provider.login}
    try:
        if not isinstance(method, str) or method not in functions:
            raise _Unsupported
        if not isinstance(params, dict):
            return {"error": {"code": -32602, "message": f"{method} has no params"}}
        try:
            request = Request(method, params)
        except (ValueError, TypeError, AttributeError):
            return {"error": {"code": -32602, "message": f"the params of {method} can't be read"}}
        result = functions[method](request)
        if not isinstance(result, Mapping):
            raise TypeError(f"{method} returned {type(result).__name__}, not a mapping")
        return {"result": _present(result)}
    except _Unsupported:
        return {"error": {"code": -32601, "message": "unknown method"}}
    except ProviderError as error:
        data: dict[str, Any] = {"kind": error.kind, "parameter": error.parameter, "credentials": error.credentials}
        if error.retry_after is not None:
            data["retry_after"] = max(0, math.ceil(error.retry_after))
        if error.server is not None:
            data["server"] = error.server
        data = {key: value for key, value in data.items() if value is not None}
        return {"error": {"code": -32000 if error.kind else -32603, "message": _clean(error.message), "data": data}}


def _serve(provider: Provider, id: int, method: Any, params: Any) -> None:
    _know(params if isinstance(params, dict) else {})
    try:
        line = _json({"jsonrpc": "2.0", "id": id, **_answer(provider, method, params)})
        if len(line) >= LONGEST_LINE:
            raise ValueError(f"the answer has {len(line)} bytes, more than a line may have: answer in pages, with next")
    except (Exception, SystemExit) as error:  # One request's fault must not end the others.
        print(_clean(traceback.format_exc(), 16000), file=sys.stderr)
        message = f"{type(error).__name__}: {_clean(str(error), 300)}"
        message = message.encode(errors="replace").decode()
        line = _json({"jsonrpc": "2.0", "id": id, "error": {"code": -32603, "message": message}})
    _write(line)
    _secrets.known = ()


def run(provider: Provider, concurrency: int = 8) -> None:
    """Serves requests from standard input until it closes, and returns when those are answered.

    `concurrency` is how many run at once, as in plugin.yaml. Whatever else writes to standard output, programs that this one
    starts included, writes to standard error instead. TERM ends the process at once.
    """
    global _output
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _output, source = os.dup(1), os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    sys.stdout = sys.stderr
    with ThreadPoolExecutor(max(1, concurrency)) as threads:
        number = 0
        while True:
            line = source.readline(LONGEST_LINE + 1)
            if not line:
                break
            number += 1
            if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
                while line and not line.endswith(b"\n"):
                    line = source.readline(LONGEST_LINE)
                log("error", f"line {number} of the host is longer than 1 MiB")
                continue
            try:
                message = json.loads(line.decode("utf-8"))
            except (ValueError, RecursionError):
                log("error", f"line {number} of the host isn't JSON")
                continue
            if not isinstance(message, dict):
                log("error", f"line {number} of the host isn't an object")
            elif type(message.get("id")) is int:
                threads.submit(_serve, provider, message["id"], message.get("method"), message.get("params"))
