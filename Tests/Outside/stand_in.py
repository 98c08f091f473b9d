"""What the stand-ins of hosts have in common: media that break off where a test says so, and the connections that send them."""

import http.server


class StandIn:
    """Has `lock`, `half` (bodies end in the middle), and `break_after` and `expire_after`: the end of a path to the bytes after
    which the connection closes once, or to a list of them, one for each request."""

    def breaks(self, answer, path, half=None):
        """How many bytes of the body go out, and whether what allowed it ends then. `path` is that of media, else None."""
        size = len(answer.body)
        for table in (self.expire_after, self.break_after) if path is not None else ():
            with self.lock:
                for end in [e for e in table if path.endswith(e)]:
                    after = table[end][0] if isinstance(table[end], list) and table[end] else table[end]
                    if isinstance(after, int) and after < size:
                        table[end] = table[end][1:] if isinstance(table[end], list) else []
                        return after, table is self.expire_after
        return (size // 2 if (self.half if half is None else half) else size), False


class Connection(http.server.BaseHTTPRequestHandler):
    """One connection. `cut` tells how many bytes of an answer's body go out."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def send(self, answer):
        self.send_response(answer.status)
        for name, values in answer.headers.items():
            for value in values if isinstance(values, list) else [values]:
                self.send_header(name, str(value).replace("\n", " ").encode().decode("latin-1"))
        if answer.status != 304:
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.write(answer.body, self.cut(answer))

    def write(self, body, count):
        try:
            self.wfile.write(body[:count])
        except OSError:
            self.close_connection = True
        if count < len(body):
            self.close_connection = True

    def log_message(self, *_):
        pass
