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

For what hosts really say: `Provider.judge` sees each response before its status counts; `Provider.pace` holds requests back;
`Request.renew` renews a login once, however many requests ask for it; `Request.pages` follows `Link` headers; `clean_title`,
`as_list`, `as_number` and `Response.jsonp` read what isn't quite what it should be. `Provider.cookies` sends a browser's session
where it belongs.
"""

from __future__ import annotations

import base64
import copy
import dataclasses
import datetime
import email.utils
import functools
import hashlib
import html
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
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any
from xml.parsers import expat

__all__ = [
    "Provider", "ProviderError", "Request", "Response", "Item", "Pace", "CookieJar", "run", "url", "log", "parse_time",
    "format_time", "clean_title", "as_list", "as_number"]
__version__ = "1.2.0"

LONGEST_LINE = 1 << 20
KINDS = frozenset((
    "auth_required", "forbidden", "geo_blocked", "not_found", "gone", "drm", "not_ready", "rate_limited", "unavailable",
    "invalid_parameters", "renewal_needed"))


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
    """What a plugin can do. Override `resolve`, and `list`, `courses`, `recognise` and `login` if the manifest has them."""

    #: How many requests a server gets, such as `Pace(200, 10)`; None for as many as there are.
    pace: Pace | None = None
    #: The names in the manifest's `cookies`: each request of `get`, `post` and `http` gets those cookies of them that are for
    #: its address. A `login` that makes credentials keeps the text under the same name in them.
    cookies: Collection[str] = ()

    def judge(self, request: Request, response: Response) -> bool | None:
        """Sees each response, after redirects, before its status counts. Override it for a host that means something else by
        a status, or says 200 and an error in the body: raise the ProviderError that suits it, return True to take the
        response whatever its status, or nothing to let the status decide. An error that names no server is about the one
        that was asked, and waits as its `Retry-After` says.
        """
        return None

    def resolve(self, request: Request) -> Mapping[str, Any]:
        """The current URL of `request.video`, as a resolution."""
        raise _Unsupported

    def list(self, request: Request) -> Mapping[str, Any]:
        """The videos of `request.course`, or a page of them."""
        raise _Unsupported

    def courses(self, request: Request) -> Mapping[str, Any]:
        """The courses of the user, or a page of them: `{"courses": [{"id": …, "title": …, "parameters": {…}}]}`."""
        raise _Unsupported

    def recognise(self, request: Request) -> Mapping[str, Any] | None:
        """What is at `request.address`: `{"course": {"parameters": {…}}}`, `{"video": {"id": …}}`, or None if it isn't this
        provider's."""
        raise _Unsupported

    def login(self, request: Request) -> Mapping[str, Any]:
        """Credentials made of `request.secrets`, or the next step of the login: `ask`, `open`, `show`, `wait`, `redirect`, `state`."""
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
    method doesn't have them, and so are `previous`, `cursor` and `known`. `secrets` is what the user typed, for `login`; `state`
    is what the last step of that login has answered as such, and `redirect` how the browser came back: its `uri` and `query`.
    """

    def __init__(self, method: str, params: Mapping[str, Any], provider: Provider | None = None) -> None:
        self.method = method
        self._provider = provider or Provider()
        self._renews = False
        self._may_renew = params.get("renew") is not False
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
        #: Of `recognise`: what the user gave, usually a URL.
        self.address: str = params.get("address") or ""
        self.secrets: Mapping[str, str] = params.get("secrets") or {}
        self.state: Any = params.get("state")
        self.redirect: Mapping[str, Any] | None = params.get("redirect")
        item = self.video or self.course
        #: The video's parameters, with those of its course; of `list` the course's, of `courses` and `login` what the user has set.
        self.parameters: Mapping[str, Any] = item.parameters if item else params.get("parameters") or {}

    def parameter(self, name: str, default: Any = None, kind: type = str) -> Any:
        """A parameter of the catalog. Without it, and without a default, or of another type: `invalid_parameters`."""
        value = self.parameters.get(name, default)
        if value is None:
            raise ProviderError("invalid_parameters", f"{name} is missing", parameter=name)
        if not isinstance(value, kind):
            raise ProviderError("invalid_parameters", f"{name} has to be a {kind.__name__}", parameter=name)
        return value

    @property
    def cookies(self) -> CookieJar:
        """The browser's session: of `secrets` in a `login`, otherwise of `credentials`, by the names in `Provider.cookies`."""
        held = self.secrets if self.method == "login" else self.credentials
        texts = [held.get(name) for name in self._provider.cookies] if isinstance(held, Mapping) else []
        return CookieJar("\n".join(text for text in texts if isinstance(text, str)), self.now)

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
        redirects: int = 10, judge: Callable[[Request, Response], bool | None] | None = None,
    ) -> Response:
        """Sends a request with the settings' proxy, CA file and user agent, and follows redirects.

        `auth` is a name and a password for basic authentication. `timeout` is in seconds, for all of it; keep it below the
        manifest's. `limit` is the most bytes of a body. A redirect to another origin gets none of `headers` but Accept ones,
        no `auth` and no body. The cookies of `Provider.cookies` go along where they belong, unless `headers` has a `Cookie` for
        this origin; those that a server sets are not kept. A status of 300 or more raises the ProviderError that suits it, unless it's in `accept`, or
        `judge` (by default the provider's) says otherwise.
        """
        asked = address
        sent = {name.title(): value for name, value in (headers or {}).items()}
        if auth:
            sent["Authorization"] = "Basic " + base64.b64encode(":".join(auth).encode()).decode()
        if json is not None:
            data, sent["Content-Type"] = _json(json), "application/json"
        elif form is not None:
            data = urllib.parse.urlencode(form, doseq=True).encode()
            sent["Content-Type"] = "application/x-www-form-urlencoded"
        exchange, signs_on = _Exchange(self, timeout, limit), False
        for _ in range(redirects + 1):
            field = None if "Cookie" in sent else self.cookies.field(address)
            fields = {**sent, "Cookie": field.encode()} if field else sent
            response = exchange.send(method, address, fields, data)
            target = response.headers.get("location")
            if response.status not in (301, 302, 303, 307, 308) or response.status in accept or not target:
                response = dataclasses.replace(response, asked=asked, signs_on=signs_on)
                return self._judged(response, accept, judge or self._provider.judge)
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
            address, signs_on = target, signs_on or _signs_on(target)
        raise ProviderError("unavailable", f"{_shown(address)} redirects more than {redirects} times")

    def _judged(
        self, response: Response, accept: Collection[int], judge: Callable[[Request, Response], bool | None]
    ) -> Response:
        wait = _retry_after(response.headers.get("retry-after"), self.now)
        try:
            return response if judge(self, response) else response._checked(accept, wait, "renew" if self._renews else self.method)
        except ProviderError as error:
            if error.kind in ("auth_required", "rate_limited", "unavailable"):
                error.server = error.server or _server(response.asked)
            if error.kind in ("not_ready", "rate_limited", "unavailable") and error.retry_after is None:
                error.retry_after = wait
            raise

    def pages(self, address: str, **how: Any) -> Iterator[Response]:
        """The page at `address` and those that follow by `Link: <…>; rel="next"`, each with GET as `get` does it.

        A next page at another origin gets none of `headers` but Accept ones, and no `auth`. More than 10,000 pages, and a
        page that came before, raise `unavailable`.
        """
        first, seen = address, set()
        while True:
            seen.add(address)
            response = self.get(address, **how)
            yield response
            if response.next is None:
                return
            if response.next in seen or len(seen) == 10_000:
                raise ProviderError("unavailable", f"the pages of {_shown(first)} don't end", server=_server(first))
            address = response.next
            if _origin(address) != _origin(first):
                kept = {name: value for name, value in (how.get("headers") or {}).items() if name.title().startswith("Accept")}
                how = {**how, "headers": kept, "auth": None}

    def renew(self, make: Callable[[Any], Any], server: str | None = None) -> Any:
        """New credentials, made by `make(credentials)` of the newest there are; also `self.credentials` from here on.

        `make` runs once, however many requests find that the old ones are refused: the others of this server wait, and get
        what it returned, or the error that it raised. The host learns of them with every answer from here on, errors
        included, until its requests have them. If another process of the user has to renew them, this raises
        `renewal_needed`: let it pass. `server` is an address; without it, it's that of the parameter `endpoint`.
        """
        def made(old: Any) -> Any:
            self._renews = True
            try:
                return make(old)
            finally:
                self._renews = False

        place = _server(server or str(self.parameters.get("endpoint") or "")) or server or ""
        self.credentials = _renewals(self.user).renew(self.credentials, place, made, self._may_renew)
        _learn(self.credentials)
        return self.credentials


@dataclasses.dataclass(frozen=True)
class Response:
    """An answer: its status, headers (names in any case), body, and the URL that it is of, after redirects."""

    status: int
    reason: str
    headers: http.client.HTTPMessage
    body: bytes = dataclasses.field(repr=False)
    url: str = dataclasses.field(repr=False)
    #: The URL that was asked for, before redirects.
    asked: str = dataclasses.field(default="", repr=False)
    #: Whether a redirect on the way was the request of a single sign-on.
    signs_on: bool = dataclasses.field(default=False, repr=False)

    @property
    def next(self) -> str | None:
        """The URL of the next page, if a `Link` header has one."""
        for line in self.headers.get_all("link") or []:
            for target, rest in re.findall(r"<([^>]*)>([^<]*)", line):
                if re.search(r";\s*rel\s*=\s*(\"[^\"]*\bnext\b[^\"]*\"|next\b)", rest, re.IGNORECASE):
                    try:
                        return urllib.parse.urljoin(self.url, target)
                    except ValueError:
                        raise ProviderError("unavailable", f"{_shown(self.url)} names no usable address of the next page") from None
        return None

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
        """The body as JSON. A page to log in at, where JSON was due, is `auth_required`."""
        return self._json(self.body)

    def jsonp(self) -> Any:
        """The body as JSON, also if it is the argument of a function, `name({…});`."""
        called = re.fullmatch(rb"(?:\xef\xbb\xbf|\s|/\*.*?\*/)*[\w$.\[\]]+\s*\((.*)\)[\s;]*", self.body, re.DOTALL)
        return self._json(called.group(1) if called else self.body)

    def _json(self, body: bytes) -> Any:
        try:
            return json.loads(body)
        except UnicodeDecodeError as error:
            raise self._undecodable(f"JSON: byte {error.start} isn't UTF-8") from None
        except json.JSONDecodeError as error:
            raise self._undecodable(f"JSON: see line {error.lineno}, column {error.colno}") from None
        except (ValueError, RecursionError):
            raise self._undecodable("JSON that can be read") from None

    def xml(self) -> xml.etree.ElementTree.Element:
        """The body as XML. One whose DOCTYPE has declarations of its own is refused."""
        try:
            root = _xml(self.body)
            if root.tag.lower().rpartition("}")[2] == "html" and self._wants_login:
                raise self._undecodable("XML for programs")
            return root
        except expat.ExpatError as error:
            raise self._undecodable(f"XML: see line {error.lineno}, column {error.offset + 1}") from None
        except (ValueError, LookupError) as error:
            raise self._undecodable(f"XML that can be read: {error}") from None

    def _undecodable(self, what: str) -> ProviderError:
        if re.match(rb"\s*(<!--.*?-->\s*|<\?xml[^>]*>\s*)*<(!doctype\s+)?html", self.body[:2000], re.IGNORECASE | re.DOTALL):
            if self._wants_login:
                # The login is that of the server that was asked, wherever its page is.
                server = self.asked or self.url
                words = f"{_shown(server)} answers with a page to log in at"
                return ProviderError("auth_required", words, server=_server(server))
            what += ", and looks like a page for people"
        return ProviderError("unavailable", f"the answer of {_shown(self.url)} isn't {what}", server=_server(self.url))

    @property
    def _wants_login(self) -> bool:
        """Whether a page asks for a password, begins a single sign-on, or lies where redirects lead those who aren't logged in.

        Who keeps no cookies gets to no form of some identity servers.
        """
        field = rb"<input\b[^>]*\b(type\s*=\s*[\"']?password|name\s*=\s*[\"']?SAMLRequest)\b"
        if self.signs_on or re.search(field, self.body, re.IGNORECASE):
            return True
        if not self.asked or self.asked == self.url:
            return False
        parts = urllib.parse.urlsplit(self.url)
        words = re.split(r"[^a-z0-9]+", (parts.path + "/" + (parts.hostname or "").partition(".")[0]).lower())
        return not _LOGIN_WORDS.isdisjoint(words)

    def _checked(self, accept: Collection[int], wait: float | None, method: str) -> Response:
        if self.status < 300 or self.status in accept:
            return self
        kind = _STATUS_KINDS.get(self.status, "unavailable" if self.status >= 400 else None)
        if self.status in (400, 401) and self._refuses_grant:
            kind = "auth_required"
        elif self.status == 400 and method == "renew":
            # Some servers have no word for a refresh token that was used or taken back.
            kind = "auth_required"
        elif method in ("login", "renew") and kind in ("not_found", "gone", "geo_blocked"):
            # There is no video that it could be about.
            kind = "unavailable"
        wait = wait if kind in ("rate_limited", "unavailable") else None
        reason = re.sub(r"[^ -~]", "?", self.reason)[:60]
        message = f"{_shown(self.url)} answers {self.status} {reason}".strip()
        raise ProviderError(kind, message, retry_after=wait, server=_server(self.url))

    @property
    def _refuses_grant(self) -> bool:
        """Whether it is OAuth's word for a wrong password or a used refresh token, RFC 6749 section 5.2."""
        try:
            answer = json.loads(self.body)
        except (ValueError, RecursionError):
            return False
        return isinstance(answer, dict) and answer.get("error") == "invalid_grant"


#: The other ones from 400 on are `unavailable`. 400, 414, 422: the server can't make sense of this address, which holds the id.
_STATUS_KINDS = {
    400: "not_found", 401: "auth_required", 402: "forbidden", 403: "forbidden", 404: "not_found", 410: "gone",
    414: "not_found", 422: "not_found", 429: "rate_limited", 451: "geo_blocked"}
_LOGIN_WORDS = frozenset((
    "login", "logon", "signin", "auth", "authn", "authorize", "authenticate", "oauth", "oauth2", "sso", "saml", "saml2", "cas",
    "idp", "shibboleth", "account", "accounts"))


def _signs_on(address: str) -> bool:
    """Whether an address is the request of a single sign-on: SAML's HTTP Redirect Binding, or RFC 6749 section 4.1.1."""
    try:
        names = {name for name, _ in urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query, True)}
    except ValueError:
        return False
    return "SAMLRequest" in names or {"client_id", "response_type"} <= names


class _Exchange:
    """Requests and redirects that share one time limit."""

    def __init__(self, request: Request, timeout: float, limit: int) -> None:
        self.settings, self.limit, self.timeout = request.settings, limit, timeout
        self.pace = request._provider.pace
        self.deadline, self.passed = time.monotonic() + timeout, threading.Event()
        self.socket: socket.socket | None = None

    def send(self, method: str, address: str, headers: Mapping[str, str | bytes], data: bytes | None) -> Response:
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
        if self.pace:
            # A request that has waited needs time for its answer, too.
            self.pace.wait(_server(address) or "", (self.deadline - time.monotonic()) / 2)
        connection, target, extra = self._connection(parts, port, target)
        sent: dict[str, Any] = {"User-Agent": self.settings.get("user_agent") or f"coursefetch-provider/{__version__}",
                "Accept-Encoding": "gzip", "Connection": "close", **extra, **headers}
        clock = threading.Timer(max(0.01, self.deadline - time.monotonic()), self._stop)
        clock.daemon = True
        clock.start()
        begin, outcome = time.monotonic(), "no answer"
        try:
            connection.connect()
            # The connection forgets it as soon as a response says that it is the last.
            self.socket = connection.sock
            connection.request(method, target, body=data, headers=sent)
            answer = connection.getresponse()
            with answer:
                outcome = f"{answer.status}, broken off"
                body = self._body(answer)
                outcome = f"{answer.status}, {len(body)} bytes"
                return Response(answer.status, answer.reason, answer.headers, body, address)
        except (OSError, http.client.HTTPException, zlib.error, ValueError) as error:
            raise ProviderError("unavailable", self._trouble(_shown(address), error), server=_server(address)) from None
        finally:
            clock.cancel()
            self.socket = None
            connection.close()
            if _output >= 0:
                log("debug", f"{method} {_shown(address)}: {outcome}, {time.monotonic() - begin:.3f} s")

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


def clean_title(text: Any, longest: int = 1024) -> str | None:
    """A title of a host as a reader means it: without tags and entities, in one line, of at most `longest` bytes.

    Cuts between characters, with an ellipsis. None if nothing remains, or if it isn't text.
    """
    if not isinstance(text, str):
        return None
    text = re.sub(r"<(script|style)\b[^>]*>.*?</\1\s*>|<!--.*?-->", " ", text, flags=re.IGNORECASE | re.DOTALL)
    # Those that begin a line part words; the others, such as <b>, don't.
    text = re.sub(r"</?(br|p|div|li|ul|ol|tr|td|th|h[1-6]|hr)\b[^<>]*>", " ", text, flags=re.IGNORECASE)
    text = html.unescape(re.sub(r"</?[a-zA-Z][^<>]*>", "", text))
    text = "".join(" " if mark.isspace() or mark < " " or "\x7f" <= mark < "\xa0" else mark for mark in text)
    text = " ".join(text.encode(errors="ignore").decode().split())
    if len(text.encode()) > longest:
        text = text.encode()[: longest - 3].decode(errors="ignore").rstrip() + "…"
    return text or None


def as_list(value: Any) -> list[Any]:
    """What hosts write as an array if there are several, as the thing itself if there is one, and as None or "" without any."""
    if value is None or value == "":
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def as_number(value: Any, default: Any = None) -> Any:
    """A number that may be given as text (`"12"`, `"4955801.0"`): int if it is whole, float otherwise.

    `default` for anything else: text of another kind, a truth value, a number that isn't finite.
    """
    if isinstance(value, str) and re.fullmatch(r"\s*[-+]?[0-9]{1,18}\s*", value):
        return int(value)
    if isinstance(value, str) and re.fullmatch(r"\s*[-+]?[0-9]*\.?[0-9]+(\.|[eE][-+]?[0-9]{1,3})?\s*", value):
        value = float(value)
    if isinstance(value, int):
        return default if isinstance(value, bool) else value
    if not isinstance(value, float) or not math.isfinite(value):
        return default
    return int(value) if value == int(value) else value


@dataclasses.dataclass(frozen=True)
class _Cookie:
    domain: str
    below: bool
    path: str
    secure: bool
    expires: int
    name: str
    value: str = dataclasses.field(repr=False)

    @property
    def may_be_secret(self) -> bool:
        """Not a short word or number, which would take parts out of ordinary texts."""
        return len(self.value) >= 8 or len(self.value) >= 4 and not (self.value.isalpha() or self.value.isdigit())

    def is_of(self, host: str) -> bool:
        """RFC 6265 section 5.1.3. An address has no names below it, and neither has a name of one label."""
        return host == self.domain or (
            self.below and "." in self.domain and host.endswith("." + self.domain) and not _is_address(host))

    def is_at(self, path: str) -> bool:
        """RFC 6265 section 5.1.4."""
        return path == self.path or path.startswith(self.path if self.path.endswith("/") else self.path + "/")


def _is_address(host: str) -> bool:
    return ":" in host or host.rpartition(".")[2].isdigit()


@functools.lru_cache(maxsize=32)
def _cookies(text: str) -> tuple[_Cookie, ...]:
    """The cookies of a text in Netscape's format; of several with the same name, domain and path the last one."""
    found: dict[tuple[str, str, str], _Cookie] = {}
    for line in re.split(r"\r\n|\r|\n", text):
        fields = (line[10:] if line.startswith("#HttpOnly_") else "" if line.startswith("#") else line).split("\t")
        if len(fields) != 7 or not fields[5] or re.search(r"[\x00-\x1f\x7f;]", fields[5] + fields[6]):
            continue
        domain, path = fields[0].lower().removeprefix("."), fields[2] if fields[2].startswith("/") else "/"
        expires = int(fields[4]) if re.fullmatch(r"[0-9]{1,12}", fields[4]) else 0
        cookie = _Cookie(domain, fields[1] == "TRUE", path, fields[3] == "TRUE", expires, fields[5], fields[6])
        found[cookie.name, domain, path] = cookie
    return tuple(found.values())


class CookieJar:
    """A browser's session, of a text in Netscape's format as the host gives it. What has expired at `now` isn't in it."""

    def __init__(self, text: str, now: datetime.datetime) -> None:
        self._cookies = [one for one in _cookies(text) if not one.expires or one.expires > now.timestamp()]
        #: The text that the host gave, for programs that read such files.
        self.text = text

    def __bool__(self) -> bool:
        return bool(self._cookies)

    def field(self, address: str) -> str | None:
        """The value of the `Cookie` field for a request to this URL, the longest path first (RFC 6265 section 5.4)."""
        try:
            parts = urllib.parse.urlsplit(address)
        except ValueError:
            return None
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
        path, secure = _path(parts.path) or "/", parts.scheme == "https"
        found = [one for one in self._cookies if (secure or not one.secure) and one.is_of(host) and one.is_at(path)]
        return "; ".join(f"{one.name}={one.value}" for one in sorted(found, key=lambda one: -len(one.path))) or None

    def tokens(self, *addresses: str) -> list[dict[str, str]]:
        """The cookies for the servers of these URLs as `tokens` of a resolution, so that the host's downloads have the session:
        each goes to its own paths at its own server. At most 64."""
        found = {}
        for address in addresses:
            server = _server(address) or ""
            host = server.partition("://")[2]
            host = host if host.endswith("]") else re.sub(r":\d+$", "", host)
            for path in sorted({one.path.rstrip("/") + "/" for one in self._cookies if one.is_of(host)}):
                field = self.field(server + path)
                if field and re.fullmatch(r"[!$-;=@-\[\]_a-z~]+", path):
                    found[server + path] = {"in": "header", "name": "Cookie", "value": field, "url_prefix": server + path}
        return list(found.values())[:64]


class Pace:
    """At most `requests` to a server in any `seconds`, all threads together. `Provider.pace` is kept by each request."""

    def __init__(self, requests: int, seconds: float) -> None:
        if requests < 1 or seconds <= 0:
            raise ValueError("a pace has at least one request in some time")
        self.requests, self.seconds = requests, seconds
        self._lock = threading.Lock()
        self._turns: dict[str, deque[float]] = {}

    def wait(self, server: str = "", longest: float = 10) -> None:
        """Waits until it's this request's turn. Raises `rate_limited` at once if that is more than `longest` seconds away."""
        with self._lock:
            now = time.monotonic()
            if len(self._turns) > 100:
                self._turns = {name: turns for name, turns in self._turns.items() if turns[-1] > now - self.seconds}
            turns = self._turns.setdefault(server, deque(maxlen=self.requests))
            turn = max(now, turns[0] + self.seconds) if len(turns) == self.requests else now
            if turn - now > longest:
                raise ProviderError(
                    "rate_limited", "more requests than the pace of this provider allows", retry_after=turn - now,
                    server=server or None)
            turns.append(turn)
        if turn > now:
            time.sleep(turn - now)


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
    if not isinstance(value, str) or len(value) < 4:
        return []
    # Of a browser's session each cookie.
    return [value, *(one.value for one in (_cookies(value) if "\t" in value else ()) if one.may_be_secret)]


def _clean(text: str, longest: int = 1000) -> str:
    """`text` without the secrets of the request that this thread serves, and URLs in it without user, query and fragment."""
    for secret in getattr(_secrets, "known", ()):
        text = text.replace(secret, "***")
    text = re.sub(r"\b(\w+://)[^\s/?#@'\"]*@", r"\1", text)
    text = re.sub(r"\b(\w+://[^\s?#'\"<>]*)[?#][^\s'\"<>]*", r"\1", text)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _learn(value: Any) -> None:
    _secrets.known = sorted({*getattr(_secrets, "known", ()), *_forms(_texts(value))}, key=len, reverse=True)


def _know(params: Mapping[str, Any]) -> None:
    hidden = [params.get(key) for key in ("credentials", "secrets", "state")]
    redirect = params.get("redirect")
    query = redirect.get("query") if isinstance(redirect, dict) else None
    if isinstance(query, dict):
        # Why there is no `code`, RFC 6749 section 4.1.2.1, is for the user to read.
        hidden.append({key: value for key, value in query.items() if key not in ("error", "error_description", "error_uri")})
    _secrets.known = _forms([text for value in hidden for text in _texts(value)])


def _forms(texts: list[str]) -> list[str]:
    plain, encoded = set(texts), (urllib.parse.quote, urllib.parse.quote_plus)
    forms = plain | {repr(text)[1:-1] for text in plain} | {f(text, "", errors="replace") for text in plain for f in encoded}
    return sorted(forms, key=len, reverse=True)


class _Renewals:
    """The credentials of a user in the order in which they came or were made, so that each server's are renewed once."""

    #: So many are known as older ones: more than can be under way.
    KEPT = 512

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.newest: Any = None
        # Whether the host's requests have the newest ones.
        self.is_held = False
        self.places: dict[str, int] = {}
        self.count = 0
        # Counts logins: what belongs to an earlier one is not mixed with the present one's.
        self.login = 0
        # By server: since which place its own are new, and who is renewing them now.
        self.since: dict[str, int] = {}
        self.underway: dict[str, tuple[int, Future[Any]]] = {}

    @staticmethod
    def _name(value: Any) -> str:
        return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode(errors="replace")).hexdigest()

    def _add(self, value: Any) -> int:
        self.count += 1
        self.newest = copy.deepcopy(value)
        name = self._name(value)
        self.places.pop(name, None)
        self.places[name] = self.count
        while len(self.places) > self.KEPT:
            del self.places[next(iter(self.places))]
        return self.count

    def arrived(self, value: Any) -> Any:
        """Notes the credentials of a request, and returns those that it should use."""
        with self.lock:
            if self.count and value == self.newest:
                self.is_held = True
            elif self.count and not self.is_held and (value is None or self._name(value) in self.places):
                # It was sent before the host learned of the newest ones.
                return None if value is None else copy.deepcopy(self.newest)
            else:
                # The first ones, or those of another login.
                self.places.clear()
                self.since.clear()
                self.underway = {}
                self.login += 1
                self._add(value)
                self.is_held = True
            return copy.deepcopy(value)

    def newer(self, value: Any) -> Any:
        """The newest credentials, if the host doesn't have them and they were made of `value`; otherwise None."""
        with self.lock:
            is_known = not self.is_held and value != self.newest and self._name(value) in self.places
            return self.newest if is_known else None

    def renew(self, value: Any, server: str, make: Callable[[Any], Any], may_begin: bool = True) -> Any:
        """Without `may_begin` it only takes part in what another request has begun."""
        with self.lock:
            place = self.places.get(self._name(value))
            if place is None and not self.count:
                place = self._add(value)
            if place is not None:
                if place < self.since.get(server, 0):
                    return copy.deepcopy(self.newest)
                maker, result = self.underway.get(server, (0, None))
                if result is None and not may_begin:
                    raise ProviderError("renewal_needed", "the login has to be renewed")
                if result is None:
                    maker, result = 0, Future()
                    self.underway[server] = threading.get_ident(), result
                base, login = copy.deepcopy(self.newest), self.login
        if place is None and not may_begin:
            raise ProviderError("renewal_needed", "the login has to be renewed")
        if place is None:
            # They belong to an earlier login, of which the host takes nothing any more.
            return make(value)
        if maker == threading.get_ident():
            raise RuntimeError("renew is called while it renews")
        if maker:
            return self._shared(result)
        try:
            made = make(copy.deepcopy(base))
            _json(made)
        except BaseException as error:
            self._finish(server, result)
            result.set_exception(error if isinstance(error, Exception) else RuntimeError("renewing was ended"))
            raise
        with self.lock:
            if login == self.login:
                # Another server's may have been renewed in the same credentials meanwhile.
                self.since[server] = self._add(_merged(base, made, self.newest))
                self.is_held = False
                made = copy.deepcopy(self.newest)
        self._finish(server, result)
        result.set_result(made)
        return copy.deepcopy(made)

    def _finish(self, server: str, result: Future[Any]) -> None:
        with self.lock:
            if self.underway.get(server, (0, None))[1] is result:
                del self.underway[server]

    @staticmethod
    def _shared(result: Future[Any]) -> Any:
        try:
            return copy.deepcopy(result.result())
        except ProviderError as error:
            # One exception in two threads would collect the places of both.
            raise ProviderError(
                error.kind, error.message, retry_after=error.retry_after, parameter=error.parameter,
                credentials=error.credentials, server=error.server) from None


def _merged(base: Any, made: Any, newest: Any) -> Any:
    """`newest` with what `made` changes of `base`; `made` itself if these aren't all objects."""
    if base == newest or not all(isinstance(one, Mapping) for one in (base, made, newest)):
        return made
    merged = {key: value for key, value in newest.items() if key in made or key not in base}
    for key, value in made.items():
        if key not in base or value != base[key]:
            merged[key] = _merged(base.get(key), value, newest.get(key))
    return merged


_users: dict[str, _Renewals] = {}
_users_lock = threading.Lock()


def _renewals(user: Any) -> _Renewals:
    with _users_lock:
        return _users.setdefault(str(user or ""), _Renewals())


def _renewed(params: Any) -> Any:
    """The credentials that go back with the answer to a request with these params, or None."""
    if not isinstance(params, dict):
        return None
    return _renewals(params.get("user")).newer(params.get("credentials"))


def _with_renewed(answer: dict[str, Any], params: Any, method: Any) -> dict[str, Any]:
    """The answer with the renewed credentials, unless it has some of its own."""
    fresh = None if method == "login" else _renewed(params)
    if fresh is None:
        return answer
    place = answer["result"] if "result" in answer else answer["error"].setdefault("data", {})
    place.setdefault("credentials", fresh)
    return answer


def _answer(provider: Provider, method: Any, params: Any) -> dict[str, Any]:
    functions = {"resolve": provider.resolve, "list": provider.list, "courses": provider.courses,
                 "recognise": provider.recognise, "login": provider.login}
    try:
        if not isinstance(method, str) or method not in functions:
            raise _Unsupported
        if not isinstance(params, dict):
            return {"error": {"code": -32602, "message": f"{method} has no params"}}
        try:
            request = Request(method, params, provider)
            if method != "login":
                request.credentials = _renewals(request.user).arrived(request.credentials)
                _learn(request.credentials)
        except (ValueError, TypeError, AttributeError):
            return {"error": {"code": -32602, "message": f"the params of {method} can't be read"}}
        result = functions[method](request)
        if result is None and method == "recognise":
            result = {}
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
        line = _json({"jsonrpc": "2.0", "id": id, **_with_renewed(_answer(provider, method, params), params, method)})
        if len(line) >= LONGEST_LINE:
            raise ValueError(f"the answer has {len(line)} bytes, more than a line may have: answer in pages, with next")
    except (Exception, SystemExit) as error:  # One request's fault must not end the others.
        print(_clean(traceback.format_exc(), 16000), file=sys.stderr)
        message = f"{type(error).__name__}: {_clean(str(error), 300)}"
        message = message.encode(errors="replace").decode()
        answer = _with_renewed({"error": {"code": -32603, "message": message}}, params, method)
        line = _json({"jsonrpc": "2.0", "id": id, **answer})
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
