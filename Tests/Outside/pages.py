"""A web server of a case: a page for each path, and what it was asked for."""

import http.server
import socket
import ssl
import threading


class Pages(http.server.ThreadingHTTPServer):
    """Serves `pages`: path to bytes or text, to (status, headers, body), or to a function of the handler that answers or
    returns one of these. A path that isn't there is looked up without its query."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, pages=None, certificate=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages, self.asked, self.scheme = dict(pages or {}), [], "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)
            self.scheme = "https"
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def origin(self):
        return f"{self.scheme}://127.0.0.1:{self.server_address[1]}"

    def paths(self):
        return [asked.path for asked in self.asked]

    def handle_error(self, request, client_address):
        pass

    def stop(self):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self):
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.asked.append(self)
        page = self.server.pages.get(self.path, self.server.pages.get(self.path.partition("?")[0]))
        if callable(page):
            page = page(self)
            if page is None:
                return
        if page is None:
            page = 404, {}, "nothing here"
        status, headers, body = page if isinstance(page, tuple) else (200, {}, page)
        body = body.encode() if isinstance(body, str) else body
        headers = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(body)), **headers}
        wanted = self.headers.get("Range", "")
        if status == 200 and wanted.startswith("bytes=") and "," not in wanted:
            first, _, last = wanted[6:].partition("-")
            last = min(int(last or len(body) - 1), len(body) - 1)
            headers["Content-Range"] = f"bytes {first}-{last}/{len(body)}"
            status, body = 206, body[int(first):last + 1]
            headers["Content-Length"] = str(len(body))
        self.send_response(status)
        for name, value in headers.items():
            if value is not None:
                self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_HEAD = do_POST = do_PROPFIND = answer

    def raw(self, *parts, until=None):
        """Sends parts of a response as they are; waits for `until` after each."""
        for part in parts:
            self.wfile.write(part)
            self.wfile.flush()
            if until:
                until()
        self.close_connection = True

    def log_message(self, *_):
        pass


def closed_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]
