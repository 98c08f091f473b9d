"""A bundled provider as a process that is asked in JSON lines, and real servers for it to ask."""

import http.server
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import stage

PROGRAM = str(pathlib.Path(stage.PROGRAM).with_name("coursefetch-providers"))
PLUGINS = pathlib.Path(__file__).resolve().parents[2] / "Plugins"
CANARY = "c4n4ry"
# Names that break whatever puts names into addresses, lines or quotes without thinking.
ODD = ["a b", "100%", "%41", "q?x=1&y", "#1", "it's \"quoted\"", "back\\slash", "plus+plus", "semi;colon", "ünïcödé 日本語",
       "😀", "[brackets]{braces}", "a:b@c", "~tilde", "comma,equals=", "<tag>&amp;", "e\u0301", "tab\there"]


class Refused(Exception):
    """An error answer."""

    def __init__(self, error):
        super().__init__(error)
        self.kind, self.message = error.get("data", {}).get("kind"), error["message"]
        self.data = error.get("data", {})


class Provider:
    """A process of a provider."""

    def __init__(self, name, folder, environment=None):
        self.number = 0
        self.errors = open(os.path.join(folder, "stderr"), "wb+")
        self.process = subprocess.Popen(
            [PROGRAM, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, cwd=folder,
            env={"PATH": os.environ["PATH"], "HOME": folder, **(environment or {})}, start_new_session=True)
        self.log, self.lines = [], []

    def ask(self, method, params, **more):
        self.send(method, params, **more)
        return self.answer()

    def send(self, method, params, **more):
        self.number += 1
        common = {"user": "anna", "now": "2026-11-20T23:00:00Z", "credentials": None, "settings": {}, "data_folder": None}
        request = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": {**common, **params, **more}}
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()

    def answer(self):
        """The answer to what was sent last."""
        while True:
            line = self.process.stdout.readline()
            assert line, f"it ended: {self.process.poll()} {self.said()}"
            assert len(line) <= 1 << 20, f"a line of {len(line)} bytes"
            self.lines.append(line.decode())
            answer = json.loads(line)
            if answer.get("method") == "log":
                self.log.append(answer["params"])
                continue
            assert answer["id"] == self.number, answer
            if "error" in answer and answer["error"]:
                raise Refused(answer["error"])
            return answer["result"]

    def page(self, parameters, **more):
        return self.ask("list", {"course": {"id": "c", "title": "C", "parameters": parameters}, "cursor": None, "known": None},
                        **more)

    def list(self, parameters, **more):
        """All pages as one listing, with `pages`, the videos of all chapters in `all`, and their ids in `ids`."""
        whole, cursor = {"chapters": [], "videos": [], "pages": 0}, None
        while True:
            page = self.page(parameters, cursor=cursor, **({} if cursor else more), **(
                {"credentials": more["credentials"]} if cursor and "credentials" in more else {}))
            whole["pages"] += 1
            for chapter in page.pop("chapters", []):
                if whole["chapters"] and whole["chapters"][-1]["id"] == chapter["id"]:
                    whole["chapters"][-1]["videos"] += chapter["videos"]
                else:
                    whole["chapters"].append(chapter)
            whole["videos"] += page.pop("videos", [])
            cursor = page.pop("next", None)
            whole.update(page)
            if not cursor:
                break
        whole["all"] = whole["videos"] + [v for c in whole["chapters"] for v in c["videos"]]
        whole["ids"] = [v["id"] for v in whole["all"]]
        return whole

    def resolve(self, parameters, video, **more):
        """Of a video of a listing, or of an id."""
        video = {"id": video} if isinstance(video, str) else video
        return self.ask("resolve", {
            "video": {"id": video["id"], "title": "V", "parameters": {**parameters, **video.get("parameters", {})}},
            "course": {"id": "c", "title": "C"}, "chapter": None, "quality": ["best"], "previous": None}, **more)

    def login(self, parameters, secrets, **more):
        return self.ask("login", {"parameters": parameters, "secrets": secrets}, **more)["credentials"]

    def said(self):
        self.errors.seek(0)
        return self.errors.read().decode()

    def end(self):
        """Ends it as the host does; returns the seconds that it took."""
        start = time.monotonic()
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        return time.monotonic() - start


class Case(unittest.TestCase):
    """A case with a folder of its own, whose processes end with it."""

    provider_name = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="providers-")
        self.addCleanup(shutil.rmtree, self.folder, True)
        os.chmod(self.folder, 0o755)
        self.providers = []

    def provider(self, name=None, environment=None):
        provider = Provider(name or self.provider_name, self.folder, environment)
        self.providers.append(provider)
        self.addCleanup(self.check_and_end, provider)
        return provider

    def check_and_end(self, provider):
        provider.end()
        said = provider.said()
        provider.errors.close()
        self.assertNotIn(CANARY, said)
        # What was typed comes back from a login, and goes into the tokens of resolutions; nowhere else.
        for line in provider.lines:
            if '"token":' not in line and '"credentials":' not in line and '"url":' not in line:
                self.assertNotIn(CANARY, line)

    def path(self, *names):
        path = os.path.join(self.folder, *names)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def write(self, content, *names):
        with open(self.path(*names), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return os.path.join(self.folder, *names)

    def refused(self, call, kind=None):
        with self.assertRaises(Refused) as caught:
            call()
        if kind:
            self.assertEqual(caught.exception.kind, kind, caught.exception.message)
        self.assertNotIn(CANARY, caught.exception.message)
        return caught.exception

    def run_server(self, arguments, port, environment=None, name="server"):
        """Starts a server and waits until its port is open."""
        with open(self.path(f"{name}.log"), "wb") as log:
            process = subprocess.Popen(arguments, stdout=log, stderr=log, env={**os.environ, **(environment or {})},
                                       cwd=self.folder)
        self.addCleanup(stop, process)
        stage.wait_until(lambda: is_open(port) or process.poll() is not None, 60,
                         lambda: open(self.path(f"{name}.log")).read()[-2000:])
        assert process.poll() is None, open(self.path(f"{name}.log")).read()[-2000:]
        return process

    def nginx(self, locations, modules=()):
        """nginx with these locations; returns its address."""
        port = self.nginx_port = free_port()
        loads = "".join(f"load_module /usr/lib/nginx/modules/{m}.so;\n" for m in modules)
        for name in ("www", "body"):
            os.makedirs(self.path(name), exist_ok=True)
        self.write(f"""{loads}daemon off; worker_processes 1; pid {self.folder}/nginx.pid; error_log {self.folder}/error.log;
events {{ worker_connections 256; }}
http {{
    access_log {self.folder}/access.log; default_type application/octet-stream;
    types {{ text/html html; application/rss+xml xml; video/mp4 mp4; }}
    client_body_temp_path {self.folder}/body; proxy_temp_path {self.folder}/proxy; fastcgi_temp_path {self.folder}/fcgi;
    uwsgi_temp_path {self.folder}/uwsgi; scgi_temp_path {self.folder}/scgi;
    server {{ listen 127.0.0.1:{port}; root {self.folder}/www; {locations} }}
}}
""", "nginx.conf")
        # As root its workers would be another user, who may not read the folder.
        user = ["-g", "user root;"] if os.geteuid() == 0 else []
        self.run_server([which("nginx"), "-p", self.folder, "-e", self.folder + "/error.log", "-c",
                         self.folder + "/nginx.conf", *user], port, name="nginx")
        return f"http://127.0.0.1:{port}"

    def requests(self):
        """What nginx has answered so far: method, path and status of each request."""
        # Its one worker writes a line after the answer, and this one after all before it.
        mark = f"/mark-{time.monotonic_ns()}"
        with socket.create_connection(("127.0.0.1", self.nginx_port), 10) as connection:
            connection.sendall(f"HEAD {mark} HTTP/1.0\r\n\r\n".encode())
            while connection.recv(4096):
                pass
        stage.wait_until(lambda: mark in open(self.path("access.log")).read(), 10)
        with open(self.path("access.log")) as log:
            return [(line.split('"')[1].split(" ")[0], line.split('"')[1].split(" ")[1], int(line.split('"')[2].split()[0]))
                    for line in log if " /mark-" not in line]

    def password_file(self, username, password):
        digest = subprocess.run(["openssl", "passwd", "-apr1", "-stdin"], input=password.encode(), capture_output=True,
                                check=True).stdout.decode()
        return self.write(f"{username}:{digest}", "passwords")


class Scripted:
    """A server that answers as a function says: `answer(request)` gets the handler and sends the response."""

    def __init__(self, case, answer):
        self.seen = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do(self):
                length = int(self.headers.get("Content-Length") or 0)
                self.body = self.rfile.read(length)
                outer.seen.append((self.command, self.path, dict(self.headers)))
                answer(self)

            do_GET = do_POST = do_PROPFIND = do_HEAD = do

            def reply(self, status, body=b"", length=None, **headers):
                body = body if isinstance(body, bytes) else body.encode()
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.send_header("Content-Length", str(len(body) if length is None else length))
                self.end_headers()
                self.wfile.write(body)
                if length is not None and length != len(body):
                    self.close_connection = True

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        case.addCleanup(self.stop)
        self.host = f"127.0.0.1:{self.server.server_port}"
        self.url = "http://" + self.host

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def altered(site, change):
    """Lets `change` alter the JSON of a stand-in's answers: it gets the request and the value, and returns the new one. Returns
    what ends that."""
    inner = site.answer

    def answer(*arguments):
        found = inner(*arguments)
        try:
            return found._replace(body=json.dumps(change(arguments[-1], json.loads(found.body))).encode())
        except ValueError:
            return found

    site.answer = answer
    return lambda: setattr(site, "answer", inner)


def stop(process):
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def is_open(port):
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def which(name):
    found = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    assert found, f"{name} is missing: contrib/needs test"
    return found
