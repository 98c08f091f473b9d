"""What the benchmarks of the search and of the page have in common: a library that no sync has made, a page that serves it,
and a web server with files for a sync.
"""
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Place:
    """A temporary folder with a library and a state, and commands on both. Everything goes at the end."""

    def __init__(self, program):
        self.program = pathlib.Path(program or ROOT / ".build/release/coursefetch").resolve()
        if not self.program.exists():
            sys.exit(f"{sys.argv[0]}: no {self.program}; run: make build page")
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="coursefetch-bench."))
        # Run by root, nginx reads as another account.
        self.work.chmod(0o755)
        self.library, self.state = self.work / "library", self.work / "state"
        (self.work / "home").mkdir()
        self.pages, self.children, self.nginx = [], [], None

    def __enter__(self):
        # A program that is ended by `timeout` or `kill` removes its folder, too.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        return self

    def __exit__(self, *_):
        for page in self.pages:
            page.close()
        for child in self.children:
            end(child)
        if self.nginx:
            try:
                os.kill(int(self.nginx.read_text()), signal.SIGTERM)
            except (OSError, ValueError):
                pass
        shutil.rmtree(self.work, ignore_errors=True)

    def environment(self):
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("COURSEFETCH_", "XDG_"))}
        return {**kept, "HOME": str(self.work / "home"), "NO_PROXY": "*", "no_proxy": "*"}

    def command(self, *arguments, library=None, state=None):
        return [str(part) for part in (
            self.program, *arguments, "--library", library or self.library, "--state", state or self.state)]

    def start(self, *arguments, **options):
        places = {key: options.pop(key, None) for key in ("library", "state")}
        child = subprocess.Popen(
            self.command(*arguments, **places), stdin=subprocess.DEVNULL, env=self.environment(), cwd=self.work, **options)
        self.children.append(child)
        return child

    def run(self, *arguments, exits=(0,)):
        """Runs a command to its end; returns its output and the seconds that it took."""
        begun = time.monotonic()
        done = subprocess.run(
            self.command(*arguments), stdin=subprocess.DEVNULL, capture_output=True, text=True, env=self.environment(),
            cwd=self.work)
        seconds = time.monotonic() - begun
        if done.returncode not in exits:
            sys.exit(f"{sys.argv[0]}: {' '.join(map(str, arguments))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout, seconds

    def serve(self, **places):
        page = Page(self.start("serve", "--port", "0", stdout=subprocess.PIPE, text=True, **places))
        self.pages.append(page)
        return page

    def plugins(self):
        """The plugin `direct` alone."""
        folder = self.work / "plugins"
        if not folder.exists():
            shutil.copytree(ROOT / "Plugins/direct", folder / "direct")
            for path in (folder, *folder.rglob("*")):
                path.chmod(0o755 if path.is_dir() else 0o644)
        return folder

    def web(self):
        """nginx on a free port, with what is in the folder `www`."""
        (self.work / "www").mkdir()
        for _ in range(5):
            port = free_port()
            (self.work / "nginx.conf").write_text(f"""
worker_processes 1; daemon on; pid {self.work}/nginx.pid; error_log {self.work}/error.log;
events {{ worker_connections 512; }}
http {{
    access_log off; types {{}} default_type video/mp4; sendfile on; keepalive_requests 1000000;
    client_body_temp_path {self.work}/body; proxy_temp_path {self.work}/proxy; fastcgi_temp_path {self.work}/fastcgi;
    uwsgi_temp_path {self.work}/uwsgi; scgi_temp_path {self.work}/scgi;
    server {{ listen 127.0.0.1:{port}; root {self.work}/www; }}
}}""")
            done = subprocess.run(
                ["nginx", "-c", self.work / "nginx.conf", "-p", self.work], stderr=subprocess.PIPE, text=True)
            if done.returncode == 0:
                self.nginx = self.work / "nginx.pid"
                return f"http://127.0.0.1:{port}"
        sys.exit(f"{sys.argv[0]}: nginx doesn't start: {done.stderr}")


class Records:
    """Writes files into a library, and the library's own list of them, from which `library adopt --rebuild` makes a state."""

    def __init__(self, place):
        self.place = place
        (place.library / ".coursefetch").mkdir(parents=True)
        self.list = open(place.library / ".coursefetch/files.jsonl", "w", encoding="utf-8")
        self.line({"list": "coursefetch files", "version": 1})

    def line(self, record):
        self.list.write(json.dumps(record, separators=(",", ":")) + "\n")

    def course(self, course, title):
        (self.place.library / title).mkdir()
        self.line({"catalog": str(self.place.work / "catalog.yaml"), "course": course, "folder": title, "season": 1,
                   "title": title})

    def file(self, path, blocks):
        """Writes a file; returns what the list says about it."""
        descriptor = os.open(self.place.library / path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        try:
            for block in blocks:
                os.write(descriptor, block)
            facts = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        return {"path": path, "size": facts.st_size, "modified": facts.st_mtime_ns}

    def video(self, course, folder, video, title, position, media, subtitles=None):
        """One whose media and subtitles are given as pieces of bytes."""
        stem = f"{folder}/{position:03} {title}"
        record = {"complete": True, "course": course, "index": position, "kind": "file", "number": position,
                  "position": position, "provider": "direct", "source": "0" * 32, "stem": stem, "title": title,
                  "video": video, **self.file(stem + ".mp4", media)}
        if subtitles:
            record["beside"] = [{"kind": "subtitle", "name": "en", **self.file(stem + ".en.vtt", subtitles)}]
        self.line(record)
        return stem + ".mp4"

    def adopt(self, videos):
        """Makes the state of what was written."""
        self.list.close()
        out, seconds = self.place.run("library", "adopt", "--rebuild", "--json")
        said = json.loads(out.splitlines()[0])
        if said["left_out"] or said["finished"] != videos:
            sys.exit(f"{sys.argv[0]}: not all of {videos} videos are adopted: {said}")
        return seconds


class Page:
    """A running `coursefetch serve`, and a client that has its cookie."""

    def __init__(self, process):
        self.process = process
        line = process.stdout.readline()
        if not line:
            sys.exit(f"{sys.argv[0]}: coursefetch serve has ended with {process.wait()}; run: make page")
        address = urllib.parse.urlsplit(line.strip())
        self.port, self.host, self.base = address.port, address.netloc, address.path
        self.cookie = None
        client = self.client()
        self.cookie = self.ask(f"?{address.query}", client, 303)[1]["set-cookie"].split(";")[0]
        client.close()

    def client(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)

    def ask(self, path, client, status=200, **headers):
        """One request over a connection that stays; returns the body and the header."""
        headers = {"Host": self.host, **({"Cookie": self.cookie} if self.cookie else {}), **headers}
        client.request("GET", self.base + path, headers=headers)
        answer = client.getresponse()
        body = answer.read()
        if answer.status != status:
            sys.exit(f"{sys.argv[0]}: {path}: {answer.status} {body[:500]}")
        return body, {key.lower(): value for key, value in answer.getheaders()}

    def peak(self):
        """The most memory that the server has had, in MB; None where there is no /proc."""
        try:
            lines = pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
            return next(int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("VmHWM"))
        except (OSError, StopIteration):
            return None

    def cpu(self):
        """Seconds of processor time so far."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self):
        end(self.process)
        self.process.stdout.close()


def end(child):
    if child.poll() is None:
        child.terminate()
        try:
            child.wait(10)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def mp4(block):
    """An MP4 by its first bytes."""
    head = bytes.fromhex("00000018") + b"ftypmp42" + bytes(4) + b"mp42isom"
    return head + block[len(head):]
