"""A fault at every call: the n-th call of a command that changes the file system, SQLite's included, fails, or is its last.

After each: no wrong byte, a documented exit code; then one clean sync, at most a second, makes it all right, leaves nothing
over, and fetches nothing that was there. The shim is `fault.c`. `--soak` tries each call, `--soak N` every N-th,
otherwise three of them, others in each run.
COURSEFETCH_FAULT_CALLS='35 52' tries these calls only; COURSEFETCH_FAULT_REPORT=FILE appends counts and findings to a file.
"""

import json
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import unittest

import media
import tracks
from host import File, Host
from samples import SOAK, once
from stage import PLUGIN, Stage

CALLS = [int(n) for n in os.environ.get("COURSEFETCH_FAULT_CALLS", "").split()]
DOCUMENTED = {0, 1, 66, 69, 73, 75}
MEDIA = (".mp4", ".m4a", ".ts", ".vtt", ".pdf", ".jpg")
VTT = b"WEBVTT\n\n00:00.000 --> 00:01.000\nhello\n"
PDF = b"%PDF-1.4\n" + b"slides " * 90 + b"\n%%EOF\n"
JPG = bytes.fromhex("ffd8ffe000104a46494600010100000100010000") + bytes(500) + bytes.fromhex("ffd9")


def shim():
    """The path of the built library."""
    compiler = shutil.which("cc") or shutil.which("clang")
    if not sys.platform.startswith("linux") or not compiler:
        raise unittest.SkipTest("faults at calls need Linux and a C compiler")
    source = pathlib.Path(__file__).with_name("fault.c")
    return once(str(source), lambda path: subprocess.run(
        [compiler, "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-o", path, source, "-ldl"], check=True))


def tried(calls, apart=1):
    """At which calls of a command there is a fault: at every N-th with --soak N, otherwise at three at most that are so far apart."""
    if SOAK:
        return range(random.randint(1, min(SOAK, calls)), calls + 1, SOAK)
    step = max(apart, -(-calls // 3))
    return range(random.randint(1, min(step, calls)), calls + 1, step)


class FaultStage(Stage):
    """A stage whose next command meets a fault."""

    fault = {}

    def environment(self):
        return {**super().environment(), **self.fault}

    def places(self, command, arguments):
        words = super().places(command, arguments)
        return words[: words.index("--library")] if command.startswith("plugins") else words

    def lists(self, listings, name, wait=0):
        """A plugin that lists courses from a table, after `wait` seconds, and resolves each id to its URL."""
        self.plugin(name, f'''
LISTINGS = {listings!r}
def answer(params): return {{"url": params["video"]["parameters"]["url"]}}
''', methods=["resolve", "list"])
        text = (self.plugins / name / "provider").read_text().replace(
            '    if request.get("method") != "resolve":',
            f'    if request.get("method") == "list":\n        time.sleep({wait})\n'
            '        reply = {"result": {"videos": LISTINGS[request["params"]["course"]["id"]]}}\n'
            '    elif request.get("method") != "resolve":')
        self.replace(self.plugins / name / "provider", text, 0o755)


class Faults:
    """What all cases share: a scene to begin with, a command under fault, and what must be true after it."""

    def setUp(self):
        self.shim = shim()
        self.host, self.stage = Host(), FaultStage()
        self.addCleanup(self.stage.close)
        self.addCleanup(self.host.close)
        self.record = self.stage.folder.with_name(self.stage.folder.name + ".record")
        self.before = self.stage.folder.with_name(self.stage.folder.name + ".before")
        self.addCleanup(lambda: self.record.unlink(missing_ok=True))
        self.addCleanup(shutil.rmtree, self.before, True)
        self.bodies, self.named = {}, {}

    # What a scene says.

    def prepare(self):
        """Makes what is there before the command."""

    def act(self):
        """The command under fault; by default the sync that brings all."""
        return self.synced()

    def mend(self):
        """What a person does next, without a fault: a sync, as at a terminal."""
        return self.synced("--retry-failed")

    def synced(self, *more):
        return self.stage.command("sync", self.stage.catalog, "--json", *self.options, *more)

    options = ("--max-wait", "1s", "--ffmpeg", "none")
    documented = DOCUMENTED
    # Whether exit 0 says that all media are there.
    brings_all = True
    # Bodies that a command is asked to remove.
    unwanted = ()

    def video(self, id, size=9_000):
        """A video of these bytes; returns its URL."""
        self.bodies[id] = media.mp4(id, size)
        return self.host.at(f"/{id}", File(self.bodies[id], etag=f'"{id}"'))

    # What the machine does.

    def met(self, number, kind):
        """The command with a fault at its n-th call; returns its run, how many calls it made, and which was hit."""
        self.record.write_bytes(bytes(4096))
        self.stage.fault = {"LD_PRELOAD": str(self.shim), "FAULT_AT": str(number), "FAULT_WITH": kind,
                            "FAULT_RECORD": str(self.record)}
        try:
            run, died = self.act(), False
        except AssertionError as ended:
            if kind != "KILL" or "killed by signal 9" not in str(ended):
                hit = self.record.read_bytes()[8:].split(b"\0")[0].decode(errors="replace")
                raise AssertionError(f"at {hit}: {ended}") from None
            run, died = None, True
        finally:
            self.stage.fault = {}
        data = self.record.read_bytes()
        return run, died, struct.unpack("q", data[:8])[0], data[8:].split(b"\0")[0].decode(errors="replace")

    def save(self):
        subprocess.run(["cp", "-a", self.stage.folder, self.before], check=True)

    def restore(self):
        shutil.rmtree(self.stage.folder)
        subprocess.run(["cp", "-a", self.before, self.stage.folder], check=True)
        self.host.forget()

    def everywhere(self, kind):
        self.prepare()
        self.save()
        self.restore()
        run, _, calls, _ = self.met(0, kind)
        self.assertIn(run.exit, (0,), run)
        self.assertGreater(calls, 2, "the shim sees no calls")
        run = self.mend()
        self.assertEqual(run.exit, 0, run)
        self.reference, self.names = self.media(), self.everything()
        hits, wrong = 0, []
        for number in CALLS or tried(calls, apart=17):
            self.restore()
            hit = "?"
            try:
                run, died, _, hit = self.met(number, kind)
                hits += bool(hit)
                self.look(run, died, hit)
            except AssertionError as error:
                wrong.append(f"{kind} at call {number} of {calls}, {hit.replace(str(self.stage.folder), '')}: {error}")
        self.assertGreater(hits, 0)
        report = os.environ.get("COURSEFETCH_FAULT_REPORT")
        if report:
            with open(report, "a") as file:
                file.write(f"{type(self).__name__} {kind}: {calls} calls, {hits} faults, {len(wrong)} wrong\n")
                for text in wrong:
                    file.write(f"  {text}\n\n")
        self.assertEqual(len(wrong), 0, f"{len(wrong)} of {hits} faults end wrong:\n\n" + "\n\n".join(wrong[:6]))

    def media(self):
        return {p: d for p, d in self.stage.files().items() if p.endswith(MEDIA)}

    def everything(self):
        """All names in library and state, but for what differs from run to run."""
        folders = [self.stage.library, self.stage.state]
        return {str(p.relative_to(self.stage.folder)) for folder in folders for p in folder.rglob("*")
                if not p.name.endswith(("-wal", "-shm"))}

    def there(self):
        """The videos whose bytes have a name in the library, or are on their way from one to another."""
        found = [p.read_bytes() for p in self.stage.library.rglob("*")
                 if p.is_file() and p.parent.name != "partials"] if self.stage.library.exists() else []
        return {id for id, body in self.bodies.items() if body in found}

    @staticmethod
    def told(run):
        """What a run said that bears on its end."""
        if run is None:
            return "killed"
        lines = [json.dumps({k: v for k, v in e.items() if k not in ("time", "schema")}) for e in run.events
                 if e["event"] in ("warning", "download_failed", "download_suspended", "sync_finished")]
        return "\n    ".join([f"exit {run.exit}", *lines, *run.err.strip().splitlines()])

    def look(self, run, died, hit):
        known = set(self.bodies.values()) | {VTT, PDF, JPG}
        for path, data in self.media().items():
            self.assertTrue(data in known, f"{path} has bytes of nobody: {len(data)}; {self.told(run)}")
        held = self.there()
        if not died:
            self.assertIn(run.exit, self.documented, self.told(run))
            if run.exit == 0 and hit and self.brings_all:
                now = {p: d for p, d in self.media().items() if p.endswith((".mp4", ".ts"))}
                then = {p: d for p, d in self.reference.items() if p.endswith((".mp4", ".ts"))}
                self.assertEqual(sorted(now), sorted(then), f"it says that all is well: {self.told(run)}")
        self.host.forget()
        again = self.mend()
        if again.exit != 0:
            first, again = again, self.mend()
            self.assertEqual(again.exit, 0, f"two clean runs don't mend it\nthe fault's: {self.told(run)}\nfirst: {self.told(first)}\nsecond: {self.told(again)}")
        self.assertEqual(sorted(self.media()), sorted(self.reference), f"after a clean run; the fault's: {self.told(run)}\nthe clean one: {self.told(again)}")
        for path, data in self.media().items():
            self.assertTrue(data == self.reference[path], f"{path} has other bytes after a clean run; {self.told(run)}")
        fetched = {r.path.strip("/").split("/")[0] for r in self.host.asked()} & held
        self.assertEqual(fetched, set(), f"what was there is fetched again; the fault's: {self.told(run)}")
        left = self.everything() - self.names
        self.assertEqual(left, set(), f"left over; the fault's: {self.told(run)}")

    # Every scene meets every kind.

    def test_eio(self):
        self.everywhere("EIO")

    def test_enospc(self):
        self.everywhere("ENOSPC")

    def test_emfile(self):
        self.everywhere("EMFILE")

    def test_kill(self):
        self.everywhere("KILL")

    for case in (test_eio, test_enospc, test_emfile, test_kill):
        case.seconds = 1200 if SOAK else 600


class FirstSync(Faults, unittest.TestCase):
    options = (*Faults.options, "--write-nfo", "--write-info-json", "--write-playlist", "--write-index")

    def prepare(self):
        segments = [media.ts(i, i * 4, 30) for i in range(3)]
        for i, segment in enumerate(segments):
            self.host.at(f"/stream/{i}.ts", File(segment, kind="video/mp2t"))
        self.bodies["stream"] = b"".join(segments)
        url = self.host.at("/stream/p.m3u8", File(
            media.playlist([f"{i}.ts" for i in range(3)]), kind="application/vnd.apple.mpegurl"))
        table = {"a": {
            "url": self.video("a"), "cover": self.host.at("/cover", File(JPG, kind="image/jpeg")),
            "subtitles": [{"lang": "en", "url": self.host.at("/vtt", File(VTT, kind="text/vtt"))}],
            "attachments": [{"title": "Slides", "url": self.host.at("/pdf", File(PDF, kind="application/pdf"))}]},
            "b": self.video("b", 300_000), "stream": {"url": url, "kind": "hls"}}
        self.stage.urls(table)
        self.stage.write([{"id": "c", "subtitles": "all", "videos": ["a"], "chapters": [
            {"id": "k", "videos": ["b", "stream"]}]}])


class SeveralFiles(Faults, unittest.TestCase):
    """A video with sound in a file of its own, and with another view."""

    def prepare(self):
        self.stage.urls({"v": {
            "url": self.video("v"), "role": "both", "tracks": [{"kind": "audio", "lang": "de", "url": self.video("sound", 5_000)}],
            "streams": [{"role": "slides", "url": self.video("slides", 30_000)}]}})
        self.stage.write([{"id": "c", "streams": "all", "videos": ["v"]}])


class AnotherView(Faults, unittest.TestCase):
    """A finished video, of which the catalog now wants another view, too."""

    def prepare(self):
        self.stage.urls({"v": {
            "url": self.video("v"), "role": "both", "streams": [
                {"role": "slides", "url": self.video("slides", 30_000)}, {"role": "board", "url": self.video("board", 7_000)}]}})
        for streams in (["both", "board"], "all"):
            self.stage.write([{"id": "c", "streams": streams, "videos": ["v"]}])
            if streams != "all":
                self.stage.sync(*self.options, exit=0)


class JoinedLater(Faults, unittest.TestCase):
    """Picture and sound that came without ffmpeg, and a sync that has it."""

    options = ("--max-wait", "1s")

    def prepare(self):
        self.bodies = {"v": tracks.picture(), "sound": tracks.sound()}
        url = {id: self.host.at(f"/{id}", File(body, etag=f'"{id}"')) for id, body in self.bodies.items()}
        self.stage.urls({"v": {"url": url["v"], "tracks": [{"kind": "audio", "lang": "de", "url": url["sound"]}]}})
        self.stage.write([{"id": "c", "audio": "de", "videos": ["v"]}])
        self.stage.sync(*self.options, "--ffmpeg", "none", exit=0)
        # What ffmpeg makes of them.
        self.save()
        self.stage.sync(*self.options, exit=0)
        self.bodies["joined"] = next(iter(self.media().values()))
        self.restore()
        shutil.rmtree(self.before)

    def look(self, run, died, hit):
        # A run that has no room for it leaves the files beside each other, and is well.
        if run is not None and run.exit == 0 and len(self.media()) == 2:
            run.exit = 75
        super().look(run, died, hit)


class Recorded(Faults, unittest.TestCase):
    """A stream that is recorded while it is live: its playlist has its end mark from the third time on."""

    def prepare(self):
        segments = [media.ts(i, i, 30) for i in range(5)]
        for i, segment in enumerate(segments):
            self.host.at(f"/lecture/{i}.ts", File(segment, kind="video/mp2t"))
        self.bodies["lecture"] = b"".join(segments)

        def told(x):
            count = min(5, 2 + x.earlier)
            text = media.playlist([f"{i}.ts" for i in range(count)], end=count == 5, seconds=1)
            File(text, kind="application/vnd.apple.mpegurl")(x)

        self.stage.urls({"v": {"url": self.host.at("/lecture/p.m3u8", told), "kind": "hls"}})
        self.stage.write([{"id": "c", "live": "record", "videos": ["v"]}])


class Resume(Faults, unittest.TestCase):
    def prepare(self):
        files = {id: File(media.mp4(id, 60_000), etag=f'"{id}"') for id in "ab"}
        self.bodies = {id: file.body for id, file in files.items()}

        def first(file):
            def handler(x):
                x.head(200, content_length=len(file.body), content_type=file.kind, accept_ranges="bytes", **file.validators())
                x.send(file.body[:20_000])
                x.stall()
                return False
            return handler
        self.stage.urls({id: self.host.at(f"/{id}", first(file)) for id, file in files.items()})
        self.stage.write({"c": ["a", "b"]})
        self.stage.partial(lambda: len(self.host.asked()) == 2, *self.options, least=40_000)
        for id, file in files.items():
            self.host.at(f"/{id}", file)


class Renamed(Faults):
    """Finished videos, whose titles change: `turns` maps titles before to those after."""

    turns = {}

    def prepare(self):
        self.stage.urls({id: self.video(id) for id in self.turns})
        self.titled(dict(zip(self.turns, self.turns)))
        self.stage.sync(*self.options, exit=0)
        self.titled(self.turns)

    def titled(self, titles):
        self.stage.write([{"id": "c", "layout": "{course}/{title}.{ext}", "videos": [
            {"id": id, "title": title} for id, title in titles.items()]}])


class Swap(Renamed, unittest.TestCase):
    turns = {"a": "b", "b": "a"}


class Cycle(Renamed, unittest.TestCase):
    turns = {"a": "b", "b": "c", "c": "a", "d": "e"}


class AnotherLayout(Renamed, unittest.TestCase):
    options = (*Faults.options, "--write-nfo")
    turns = {"a": "a", "b": "b", "c": "c"}

    def titled(self, titles):
        layout = "{course}/{title}.{ext}" if not self.stage.library.exists() else "{course}/New/{number:02} {title}.{ext}"
        self.stage.write([{"id": "c", "layout": layout, "videos": list(titles)}])


class TwoLateArrivals(Faults, unittest.TestCase):
    """Two courses that list themselves, later than the pass begins, with other titles than before."""

    def prepare(self):
        for id in ("a", "b", "x", "y"):
            self.video(id)
        self.listed(["one", "two"], wait=0)
        self.stage.write([
            {"id": course, "provider": f"host{course}", "discover": True, "layout": "{course}/{title}.{ext}", "videos": []}
            for course in ("c", "d")])
        self.stage.sync(*self.options, exit=0)
        self.listed(["two", "one"], wait=1.2)

    def listed(self, titles, wait):
        for course, ids in (("c", "ab"), ("d", "xy")):
            videos = [{"id": id, "title": title, "parameters": {"url": self.host.url(f"/{id}")}}
                      for id, title in zip(ids, titles)]
            self.stage.lists({course: videos}, f"host{course}", wait=wait + (0.3 if wait and course == "d" else 0))


class DividedVideos(Faults, unittest.TestCase):
    """A shard that divides videos, with new titles, a new video and a longer listing, which its register gets."""

    options = (*Faults.options, "--shard", "1/1", "--shard-by", "video", "--write-playlist", "--write-nfo")

    def prepare(self):
        for id in "abcxy":
            self.video(id)
        self.written("ab", "x", "A")
        self.stage.sync(*self.options, exit=0)
        self.written("abc", "xy", "B")

    def written(self, ids, listed, title):
        def video(id):
            return {"id": id, "title": f"{title} {id}", "parameters": {"url": self.host.url(f"/{id}")}}

        self.stage.lists({"d": [video(id) for id in listed]}, "host")
        self.stage.write([{"id": "c", "videos": [video(id) for id in ids]}, {"id": "d", "discover": True}], provider="host")


class Prune(Faults, unittest.TestCase):
    options = (*Faults.options, "--prune", "--max-delete", "100%", "--write-nfo")

    def prepare(self):
        self.stage.urls({id: self.video(id) for id in "abcd"})
        self.stage.write({"one": ["a", "b"], "two": ["c", "d"]})
        self.stage.sync(*self.options, exit=0)
        self.stage.write({"one": ["a"]})


class Logout(Faults, unittest.TestCase):
    documented = DOCUMENTED - {1, 66, 69}

    def prepare(self):
        self.stage.urls({id: self.video(id) for id in "ab"}, credentials=["password"])
        self.stage.write({"c": ["a", "b"]})
        secrets = self.stage.folder / "secrets"
        secrets.write_text("password: hunter2hunter2\n")
        run = self.stage.command("login", "--provider", "lectures", "--secrets-from", secrets)
        self.assertEqual(run.exit, 0, run)
        self.stage.sync(*self.options, exit=0)

    def act(self):
        return self.stage.command("logout", "--plugins", self.stage.plugins)

    def mend(self):
        run = self.stage.command("logout", "--plugins", self.stage.plugins)
        self.assertEqual(run.exit, 0, run)
        stored = [p for p in self.stage.state.rglob("*") if p.is_file() and b"hunter2hunter2" in p.read_bytes()]
        self.assertEqual(stored, [], "a secret is left after a logout")
        self.assertEqual(self.stage.command("login").exit, 0)
        return self.synced("--retry-failed")


class Migrate(Faults):
    """A folder of another downloader's finished files; its list is wget's."""

    arguments = ()

    def prepare(self):
        self.source = self.stage.folder / "old"
        self.source.mkdir()
        table = {id: self.video(id) for id in "abc"}
        for id in table:
            (self.source / f"{id}.mp4").write_bytes(self.bodies[id])
        (self.source / "list.csv").write_text(
            "id,path,size\n" + "".join(f"{id},{id}.mp4,{len(body)}\n" for id, body in self.bodies.items()))
        self.stage.urls(table)
        self.stage.write({"c": ["a", "b", "c"]})

    def migrate(self):
        return self.stage.command(
            "migrate manifest", self.source / "list.csv", "--catalog", self.stage.catalog,
            "--plugins", self.stage.plugins, *self.arguments)

    act = migrate

    def mend(self):
        run = self.migrate()
        if run.exit != 0 and not (self.source / "list.csv").exists():
            run = None
        return run if run and run.exit else self.synced("--retry-failed")


class MigrateLink(Migrate, unittest.TestCase):
    arguments = ("--link",)


class MigrateAway(Migrate, unittest.TestCase):
    arguments = ("--move", "--remove-source")


class AdoptRebuild(Faults, unittest.TestCase):
    def prepare(self):
        self.stage.urls({id: self.video(id) for id in "abc"})
        self.stage.write({"c": ["a", "b"], "d": ["c"]})
        self.stage.sync(*self.options, exit=0)
        shutil.rmtree(self.stage.state)

    def act(self):
        return self.stage.command("library adopt", "--rebuild")

    def mend(self):
        run = self.stage.command("library adopt", "--rebuild")
        return run if run.exit else self.synced("--retry-failed")


class PluginsInstall(Faults, unittest.TestCase):
    """A plugin in the place of an older one."""

    def prepare(self):
        self.installed = self.stage.folder / "home/.local/share/coursefetch/plugins"
        self.source = self.stage.folder / "source/lectures"
        self.source.mkdir(parents=True)
        self.version("1.0.0")
        run = self.stage.command("plugins install", self.source, "--no-check")
        self.assertEqual(run.exit, 0, run)
        self.version("1.1.0")

    def version(self, number):
        (self.source / "plugin.yaml").write_text(f"name: lectures\nversion: {number}\nprotocol: 1\nrun: [./provider]\n")
        (self.source / "provider").write_text(PLUGIN.format(python=sys.executable, body=f"# {number}\n"))
        (self.source / "provider").chmod(0o755)

    def act(self):
        return self.stage.command("plugins install", self.source, "--no-check")

    def mend(self):
        return self.stage.command("plugins install", self.source, "--no-check", "--force")

    def everything(self):
        return {str(p.relative_to(self.installed)) for p in self.installed.rglob("*")}

    def look(self, run, died, hit):
        folder = self.installed / "lectures"
        both = [(folder / name).read_text() for name in ("plugin.yaml", "provider")]
        whole = {number for number in ("1.0.0", "1.1.0") if all(number in text for text in both)}
        self.assertEqual(len(whole), 1, f"it is neither the old one nor the new one: {both}; {run}")
        if not died:
            self.assertIn(run.exit, self.documented, run)
            self.assertTrue(run.exit or whole == {"1.1.0"}, run)
        again = self.mend()
        self.assertEqual(again.exit, 0, again)
        self.assertEqual(self.everything(), self.names, "left over")
