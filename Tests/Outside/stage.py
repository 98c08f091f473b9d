"""A stage for one case: a folder of its own, plugins in Python, catalogs, and the built program."""

import json
import os
import pathlib
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

PROGRAM = os.environ.get("COURSEFETCH_PROGRAM") or str(
    pathlib.Path(__file__).resolve().parents[2] / ".build/debug/coursefetch")

PLUGIN = '''#!{python} -SE
import json, os, sys, time

class Refusal(Exception):
    """An error answer: its kind, and what else is in `data`."""
    def __init__(self, kind, **data): self.data = dict(data, kind=kind)

{body}

for line in sys.stdin:
    request = json.loads(line)
    with open("asked", "a") as log: log.write(line)
    if request.get("method") != "resolve":
        reply = {{"error": {{"code": -32601, "message": "unknown method"}}}}
    else:
        try:
            reply = {{"result": answer(request["params"])}}
        except Refusal as refusal:
            reply = {{"error": {{"code": -32000, "message": "refused", "data": refusal.data}}}}
    print(json.dumps(dict(reply, id=request["id"])), flush=True)
'''


class Run:
    """How a run ended, and what it said."""

    def __init__(self, exit, out, err):
        self.exit, self.out, self.err = exit, out, err
        self.events = []
        for line in out.splitlines():
            if line.startswith("{"):
                self.events.append(json.loads(line))

    def of(self, event):
        return [e for e in self.events if e["event"] == event]

    def __repr__(self):
        return f"exit {self.exit}\n{self.out[-3000:]}\n{self.err[-3000:]}"


class Running:
    """A run that isn't over. Its events are read as they come."""

    def __init__(self, process):
        self.process, self.lines, self.errors = process, [], []
        self.readers = [
            threading.Thread(target=self.read, args=(pipe, into), daemon=True)
            for pipe, into in ((process.stdout, self.lines), (process.stderr, self.errors))]
        for reader in self.readers:
            reader.start()

    @staticmethod
    def read(pipe, into):
        for line in pipe:
            into.append(line)

    @property
    def events(self):
        return [json.loads(line) for line in list(self.lines) if line.startswith("{")]

    def wait_for(self, what, seconds=30):
        """Waits until `what`, a function of the events so far, is true."""
        wait_until(lambda: what(self.events) or self.process.poll() is not None, seconds, lambda: repr(self.events[-8:]))
        assert what(self.events), f"it ended before: {self.process.poll()} {self.events[-8:]} {self.errors[-8:]}"

    def send(self, number):
        if self.process.poll() is None:
            self.process.send_signal(number)

    def end(self, seconds=60):
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"still running after {seconds} s: {self.events[-8:]} {self.errors[-8:]}") from None
        for reader in self.readers:
            reader.join(5)
        return Run(self.process.returncode, "".join(self.lines), "".join(self.errors))

    def stop(self, number=signal.SIGTERM, seconds=60):
        self.send(number)
        return self.end(seconds)


def wait_until(what, seconds=30, shown=lambda: ""):
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, f"it doesn't come within {seconds} s {shown()}"
        time.sleep(0.02)


def descendants(pid):
    """The processes below this one, with their command lines."""
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
                parents[int(entry.name)] = (int(fields[1]), fields[0])
            except (OSError, IndexError):
                continue
    found, todo = [], [pid]
    while todo:
        parent = todo.pop()
        for child, (of, state) in parents.items():
            if of == parent:
                todo.append(child)
                if state != "Z":
                    found.append(child)
    return found


class Stage:
    def __init__(self, base=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="coursefetch-outside-", dir=base))
        self.library, self.state = self.folder / "library", self.folder / "state"
        self.plugins, self.catalog = self.folder / "plugins", self.folder / "catalog.yaml"
        self.plugins.mkdir(mode=0o755)
        (self.folder / "home").mkdir()
        self.running, self.variables = [], {}

    def plugin(self, name, body, **manifest):
        """Writes a plugin whose `answer(params)` is in `body`; a new one takes the place of an old one."""
        folder = self.plugins / name
        folder.mkdir(mode=0o755, exist_ok=True)
        manifest = {"name": name, "protocol": 1, "run": ["./provider"], **manifest}
        (folder / "plugin.yaml").write_text("".join(f"{k}: {json.dumps(v)}\n" for k, v in manifest.items()))
        self.replace(folder / "provider", PLUGIN.format(python=sys.executable, body=body), 0o755)

    def urls(self, table, name="lectures", **manifest):
        """A plugin that answers from a table: by "course/id", or by id. A string is a URL, else it is the result."""
        self.replace(self.plugins / f"{name}.json", json.dumps(table), 0o644)
        self.plugin(name, f'''
TABLE = {str(self.plugins / f"{name}.json")!r}
def answer(params):
    with open(TABLE) as file: table = json.load(file)
    video, course = params["video"]["id"], params["course"]["id"]
    found = table.get(course + "/" + video, table.get(video))
    if found is None: raise Refusal("not_found")
    if "refuse" in found: raise Refusal(**found["refuse"])
    return {{"url": found}} if isinstance(found, str) else found
''', **manifest)

    def asked(self, name="lectures"):
        """The requests that the plugin has got so far."""
        try:
            return [json.loads(line) for line in (self.plugins / name / "asked").read_text().splitlines()]
        except FileNotFoundError:
            return []

    @staticmethod
    def replace(path, text, mode=0o644):
        fresh = path.with_name(path.name + ".new")
        fresh.write_text(text)
        fresh.chmod(mode)
        fresh.rename(path)

    def write(self, courses, provider="lectures", **rest):
        """Writes the catalog: a list of courses, or a mapping of course id to video ids (or mappings)."""
        if isinstance(courses, dict):
            courses = [{"id": course, "videos": videos} for course, videos in courses.items()]
        whole = {"version": 1, "defaults": {"provider": provider}, **rest, "courses": courses}
        self.replace(self.catalog, json.dumps(whole, ensure_ascii=False, indent=1) + "\n")

    def environment(self):
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("COURSEFETCH_", "XDG_"))}
        # Plugins that run `python3` find the packages of the tests.
        path = os.pathsep.join([str(pathlib.Path(sys.prefix) / "bin"), kept.get("PATH", os.defpath)])
        return {**kept, "PATH": path, "HOME": str(self.folder / "home"), "NO_PROXY": "*", "no_proxy": "*", **self.variables}

    def places(self, command, arguments):
        options = ["--library", str(self.library), "--state", str(self.state)] if command != "check" else []
        if command in ("sync", "login", "resolve", "doctor", "check"):
            options += ["--plugins", str(self.plugins)]
        return [PROGRAM, *command.split(), *map(str, arguments), *options]

    def start(self, command, *arguments, limits=(), before=()):
        def prepare():
            # What is ignored here stays so in the program: a write beyond a limit is an error then.
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            for which, value in limits:
                resource.setrlimit(which, (value, value))

        process = subprocess.Popen(
            [*before, *self.places(command, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env=self.environment(), cwd=self.folder, preexec_fn=prepare,
            restore_signals=False)
        running = Running(process)
        self.running.append(running)
        return running

    def command(self, command, *arguments, seconds=60, **how):
        """Runs a command to its end. One that a signal ends, or that calls itself a bug, is a failure of any case."""
        run = self.start(command, *arguments, **how).end(seconds)
        assert run.exit >= 0, f"{command} was killed by signal {-run.exit}\n{run}"
        assert run.exit != 70, f"{command} says that it has a bug\n{run}"
        return run

    def start_sync(self, *arguments, **how):
        return self.start("sync", self.catalog, "--json", *arguments, **how)

    def sync(self, *arguments, exit=None, seconds=60, **how):
        run = self.command("sync", self.catalog, "--json", *arguments, seconds=seconds, **how)
        if exit is not None:
            assert run.exit in (exit if isinstance(exit, tuple) else (exit,)), f"not {exit}, but {run}"
        return run

    def files(self):
        """What is in the library, but for what the program keeps there for itself: path to bytes."""
        return {
            str(path.relative_to(self.library)): path.read_bytes()
            for path in sorted(self.library.rglob("*"))
            if path.is_file() and ".coursefetch" not in path.relative_to(self.library).parts}

    def partials(self):
        return [p for p in self.library.glob(".coursefetch/partials/*") if p.is_file()]

    def status(self, *arguments):
        """What `status` tells of each download, by course and video."""
        run = self.command("status", "--all", "--json", *arguments)
        return {(e["course"], e["video"]): e for e in run.events}

    def rows(self, columns):
        """What the state says of each download, as CONTRIBUTING shows it."""
        path = next(self.state.rglob("state.sqlite"))
        database = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)
        try:
            return database.execute(f"SELECT {columns} FROM downloads ORDER BY course, video").fetchall()
        finally:
            database.close()

    def partial(self, host_has_sent, *arguments, by=signal.SIGTERM, least=1):
        """Syncs until the host has sent what it will, and the state knows of it; then ends the run by a signal."""
        running = self.start_sync(*arguments)
        wait_until(lambda: host_has_sent() or running.process.poll() is not None, 30, lambda: repr(running.events[-5:]))
        assert running.process.poll() is None, f"it ended too early: {running.end()}"
        if by == signal.SIGKILL:
            wait_until(lambda: any((e.get("bytes") or 0) >= least for e in self.status().values()), 30)
        else:
            wait_until(lambda: sum(p.stat().st_size for p in self.partials()) >= least, 30)
        return running.stop(by)

    def close(self):
        for running in self.running:
            if running.process.poll() is None:
                running.process.kill()
                running.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
