"""A server on loopback that answers as it is told: well, or with lies, cut, slowly, or not at all."""

import email.utils
import re
import socket
import threading
import time


class Request:
    """One request as it came: method, path with its query, headers by lower-case name, body."""

    def __init__(self, method, path, headers, body=b""):
        self.method, self.path, self.headers, self.body = method, path, headers, body
        self.at = time.monotonic()

    @property
    def range_start(self):
        """Where the asked range begins; None without a range."""
        match = re.fullmatch(r"bytes=(\d+)-\d*", self.headers.get("range", ""))
        return int(match[1]) if match else None

    @property
    def range_end(self):
        """The last byte of the asked range; None where it isn't said."""
        match = re.fullmatch(r"bytes=\d+-(\d+)", self.headers.get("range", ""))
        return int(match[1]) if match else None

    def __repr__(self):
        shown = {k: v for k, v in self.headers.items() if k in ("range", "if-range", "if-none-match")}
        return f"{self.method} {self.path} {shown or ''}".rstrip()


class Exchange:
    """One request and the means to answer it. `earlier` counts the requests for the same path that came before."""

    def __init__(self, host, request, earlier, connection):
        self.host, self.request, self.earlier, self.connection = host, request, earlier, connection

    def send(self, data):
        self.connection.sendall(data)

    def head(self, status, **headers):
        """Sends a status line and headers; `content_type="x"` becomes `Content-Type: x`, a list several lines."""
        lines = [f"HTTP/1.1 {status} Whatever"]
        if "date" not in headers:
            lines.append(f"Date: {email.utils.formatdate(usegmt=True)}")
        for name, values in headers.items():
            for value in values if isinstance(values, list) else [values]:
                if value is not None:
                    lines.append(f"{name.replace('_', '-').title()}: {value}")
        self.send(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))

    def answer(self, status, body=b"", **headers):
        self.head(status, content_length=len(body), **headers)
        if self.request.method != "HEAD":
            self.send(body)

    def chunk(self, data):
        self.send(b"%x\r\n%s\r\n" % (len(data), data))

    def stall(self):
        """Says nothing more until the host is closed, or the other side goes away."""
        self.connection.settimeout(0.1)
        while not self.host.closing.is_set():
            try:
                if not self.connection.recv(4096):
                    return
            except TimeoutError:
                continue
            except OSError:
                return


class File:
    """A well-behaved file: ranges, If-Range, If-None-Match. `size` bytes of it may be told chunked, without a length."""

    def __init__(self, body, etag=None, date=None, kind="video/mp4", chunked=False, ranges=True, rate=None):
        self.body, self.etag, self.date, self.kind = body, etag, date, kind
        self.chunked, self.ranges, self.rate = chunked, ranges, rate

    def validators(self):
        return {"etag": self.etag, "last_modified": self.date}

    def start_for(self, request):
        """The first byte that the request wants, 0 if the whole file has to be sent."""
        start, condition = request.range_start, request.headers.get("if-range")
        strong = self.etag if self.etag and not self.etag.startswith("W/") else None
        if start is None or not self.ranges or (condition and condition not in (strong, self.date)):
            return None
        return start

    def __call__(self, x):
        asked = x.request.headers.get("if-none-match")
        if asked and self.etag and self.etag in [tag.strip() for tag in asked.split(",")]:
            return self.unchanged(x)
        start = self.start_for(x.request)
        if start is not None and start >= len(self.body):
            return x.answer(416, content_range=f"bytes */{len(self.body)}", **self.validators())
        if start is None:
            return self.whole(x)
        return self.part(x, start)

    def unchanged(self, x):
        x.head(304, **self.validators())

    def whole(self, x):
        kind = {"content_type": self.kind, "accept_ranges": "bytes" if self.ranges else None}
        if self.chunked:
            x.head(200, transfer_encoding="chunked", **kind, **self.validators())
            for at in range(0, len(self.body), 16384):
                x.chunk(self.body[at : at + 16384])
            x.send(b"0\r\n\r\n")
        else:
            x.head(200, content_length=len(self.body), **kind, **self.validators())
            self.pour(x, self.body)

    def part(self, x, start):
        total = len(self.body)
        last = min(total - 1, total if x.request.range_end is None else x.request.range_end)
        x.head(
            206, content_length=last + 1 - start, content_range=f"bytes {start}-{last}/{total}",
            content_type=self.kind, **self.validators())
        self.pour(x, self.body[start : last + 1])

    def pour(self, x, data):
        if not self.rate:
            return x.send(data)
        step = max(1, self.rate // 20)
        for at in range(0, len(data), step):
            x.send(data[at : at + step])
            if x.host.closing.wait(0.05):
                return


class Host:
    """A server on a free port of loopback. What is asked for, in which order, is in `requests`."""

    def __init__(self):
        self.handlers, self.requests, self.closing = {}, [], threading.Event()
        self.lock, self.open = threading.Lock(), set()
        self.fallback = None
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def url(self, path, name="127.0.0.1"):
        return f"http://{name}:{self.port}{path}"

    def at(self, path, handler):
        """Lets `handler` (a File, or a function of an Exchange) answer for the path; returns its URL."""
        with self.lock:
            self.handlers[path] = handler
        return self.url(path)

    def asked(self, path=None):
        """The requests so far, of one path or all."""
        with self.lock:
            return [r for r in self.requests if path is None or r.path.split("?")[0] == path]

    def forget(self):
        with self.lock:
            self.requests.clear()

    def accept(self):
        while not self.closing.is_set():
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with self.lock:
                self.open.add(connection)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            reader = connection.makefile("rb")
            while not self.closing.is_set():
                request = self.read(reader)
                if request is None:
                    return
                path = request.path.split("?")[0]
                with self.lock:
                    earlier = sum(1 for r in self.requests if r.path.split("?")[0] == path)
                    self.requests.append(request)
                    handler = self.handlers.get(path, self.fallback)
                exchange = Exchange(self, request, earlier, connection)
                # What returns `False` has spoilt the connection, or means to close it.
                if handler is None:
                    exchange.answer(404, b"nothing here", content_type="text/plain")
                elif handler(exchange) is False:
                    return
        except (OSError, ValueError):
            pass
        finally:
            with self.lock:
                self.open.discard(connection)
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            connection.close()

    @staticmethod
    def read(reader):
        first = reader.readline(65536)
        if not first.strip():
            return None
        method, path, _ = first.decode("latin-1").split(" ", 2)
        headers = {}
        while (line := reader.readline(65536)) not in (b"\r\n", b"\n", b""):
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.strip().lower()] = value.strip()
        return Request(method, path, headers, reader.read(int(headers.get("content-length", 0))))

    def close(self):
        self.closing.set()
        self.listener.close()
        with self.lock:
            remaining = list(self.open)
        for connection in remaining:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
