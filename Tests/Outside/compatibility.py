"""What was written for an earlier version works unchanged: states, catalogs and plugins of before tracks, streams and tokens."""

import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import unittest

import stage
import version_15
from host import File, Host
from version_15 import LARGE, OPTIONS, ORIGIN, Lectures, content

CHECK_JSON = pathlib.Path(__file__).resolve().parents[2] / "contrib/check-json"
STATES = {
    "big": "suspended", "halted": "paused", "dropped": "cancelled", "lost": "failed", "missing": "failed", "late": "waiting",
    "stream-half": "suspended"}


def beside(name):
    """Whether it is one of the files that are made from the facts about a course, and change with them."""
    return name.endswith((".nfo", ".info.json", ".m3u8", ".html"))


class EarlierState:
    """A state and a library of an earlier `version`."""

    def setUp(self):
        self.scene, self.host = stage.Stage(), Lectures(version_15.streams(self.version))
        self.addCleanup(self.scene.close)
        self.addCleanup(self.host.close)
        self.scene.variables.update(self.host.variables())
        version_15.lay_out(self.scene, self.version)

    def sync(self, *arguments, exit=1):
        self.host.forget()
        return self.scene.sync(*OPTIONS, *arguments, exit=exit)

    def states(self):
        return {video: entry["state"] for (_, video), entry in self.scene.status().items()}

    def dump(self):
        database = sqlite3.connect(f"file:{next(self.scene.state.rglob('state.sqlite'))}?mode=ro", uri=True)
        try:
            return [*database.iterdump(), database.execute("PRAGMA user_version").fetchone()]
        finally:
            database.close()

    def again(self, exit=1):
        """Another sync asks for nothing and changes no file."""
        files = self.scene.files()
        run = self.sync(exit=exit)
        self.assertEqual((self.host.paths(), self.scene.files()), ([], files), run)
        self.assertEqual(run.of("warning"), [])

    def warnings(self, run):
        """All but the one of what the host doesn't have."""
        return [e for e in run.of("warning") if "attachment Lost notes" not in e["message"]]

    def media(self):
        return {name: data for name, data in self.scene.files().items() if not beside(name)}

    def test_nothing_is_fetched_again_moved_or_forgotten(self):
        before = self.media()
        partials = {p.name: p.read_bytes() for p in self.scene.partials()}
        run = self.sync()
        self.assertEqual(self.warnings(run) + run.of("download_moved") + run.of("download_removed"), [])
        self.assertEqual({e["video"] for e in run.of("download_finished")}, {"big", "stream-half"})
        after = self.media()
        self.assertEqual({name: after.get(name) for name in before}, before)
        self.assertEqual(sorted(set(after) - set(before)), [
            "Classical Mechanics/03 Unfinished/01 big.mp4", "Classical Mechanics/04 Streams/02 Half of a stream.mp4"])
        # Of the half files only the other half is asked for.
        self.assertEqual([(r.path, r.range_start) for r in self.host.asked() if "big" in r.path],
                         [(f"{ORIGIN}/media/big.mp4", LARGE // 2)])
        self.assertEqual(after["Classical Mechanics/03 Unfinished/01 big.mp4"], content("big"))
        asked = self.host.paths()
        self.assertEqual([path for path in asked if re.search(r"/(de|en\.mp4|en-[012]\.m4s|sub)", path)], [])
        self.assertEqual(len([path for path in asked if re.search(r"/en-\d\.m4s", path)]), 6)
        # What failed is tried again, as a day has passed.
        self.assertEqual({path.split("/")[2] for path in asked}, {"big.mp4", "stream-half", "missing.mp4", "lost-notes.pdf"})
        self.assertEqual({p.name for p in self.scene.partials()}, {"7.part"})
        self.assertEqual((self.scene.library / ".coursefetch/partials/7.part").read_bytes(), partials["7.part"])
        states = {**STATES, "big": "finished", "stream-half": "finished"}
        self.assertEqual(self.states(), {video: states.get(video, "finished") for video in self.states()})
        self.assertEqual(self.scene.command("verify").exit, 0)
        # What is beside a video goes by its new title, and what was written then is taken for the program's own.
        names = [name for name in self.scene.files() if beside(name)]
        self.assertEqual([name for name in names if "Speed" in name], [])
        self.assertIn("Classical Mechanics/02 Kinematics/04 Velocity (2026-10-12).nfo", names)
        self.again()


class EarlierState16(EarlierState, unittest.TestCase):
    version = 16


class EarlierState15(EarlierState, unittest.TestCase):
    """The steps from here to now are those from 16, and one more."""

    version = 15

    def test_it_is_left_alone_until_a_sync(self):
        before, files = self.dump(), self.scene.files()
        for command in ("status", "verify", "path"):
            run = self.scene.command(command, *(["phys101"] if command == "path" else []))
            self.assertEqual(run.exit, 73, run)
            self.assertIn("the next sync updates it", run.err)
        self.assertEqual(self.sync("--dry-run", exit=73).of("would_download"), [])
        self.assertEqual((self.dump(), self.scene.files()), (before, files))
        self.sync("--only", "everything", exit=0)
        self.assertNotEqual(self.scene.status(), {})

    def test_what_waits_goes_on_when_it_is_asked_to(self):
        self.sync()
        for command, video in (("resume", "halted"), ("retry", "dropped"), ("retry", "missing")):
            self.assertEqual(self.scene.command(command, f"phys101/*/{video}").exit, 0)
        self.host.forget()
        run = self.sync()
        self.assertEqual({e["video"] for e in run.of("download_finished")}, {"halted", "dropped"})
        self.assertEqual({e["video"] for e in run.of("download_failed")}, {"missing"})
        self.assertEqual({(r.path.rsplit("/", 1)[-1], r.range_start) for r in self.host.asked() if "/api/" not in r.path},
                         {("halted.mp4", LARGE // 2), ("dropped.mp4", None), ("missing.mp4", None)})
        self.assertEqual(self.media()["Classical Mechanics/03 Unfinished/02 halted.mp4"], content("halted"))
        self.assertEqual(self.scene.partials(), [])
        self.assertEqual(self.scene.command("verify").exit, 0)
        self.again()

    def test_files_are_removed_with_what_is_beside_them(self):
        self.sync()
        before = self.scene.files()
        for video in ("velocity", "stream-whole"):
            self.assertEqual(self.scene.command("remove", "--yes", f"phys101/*/{video}").exit, 0)
        lost = {name for name in set(before) - set(self.scene.files()) if not beside(name)}
        self.assertEqual(lost, {name for name in before if ("04 Velocity" in name or "01 Whole stream" in name)
                                and not beside(name)})
        self.assertGreaterEqual(len(lost), 6)
        self.sync()
        self.assertEqual([name for name in self.scene.files() if re.search("04 Velocity|01 Whole stream", name)], [])
        self.assertEqual(self.scene.command("verify").exit, 0)
        self.again()
        self.assertEqual(self.scene.command("retry", "phys101/*/stream-whole").exit, 0)
        self.sync()
        self.assertEqual(self.states()["stream-whole"], "finished")
        self.assertEqual({n: d for n, d in before.items() if "01 Whole stream." in n and n.endswith("vtt")},
                         {n: d for n, d in self.scene.files().items() if "01 Whole stream." in n and n.endswith("vtt")})

    def test_a_damaged_file_is_found_and_repaired(self):
        self.sync()
        path = self.scene.library / "Classical Mechanics/01 welcome.mp4"
        modified = path.stat().st_mtime_ns
        path.write_bytes(content("other"))
        # As a disk damages it.
        os.utime(path, ns=(modified, modified))
        self.assertEqual(self.scene.command("verify").exit, 1)
        self.assertEqual(self.scene.command("retry", "phys101/*/welcome").exit, 0)
        self.sync()
        self.assertEqual(self.host.paths(), ["/media/welcome.mp4"])
        self.assertEqual((path.read_bytes(), self.scene.command("verify").exit), (content("welcome"), 0))

    def test_what_is_gone_is_removed_once_all_others_are_done(self):
        # The last attachment comes, too.
        self.host.missing.discard("lost-notes.pdf")
        self.sync()
        for video in ("halted", "lost", "missing", "late"):
            self.assertEqual(self.scene.command("cancel", f"phys101/*/{video}").exit, 0)
        before = self.media()
        run = self.sync("--prune", "--max-delete", "1", exit=0)
        self.assertEqual([e["video"] for e in run.of("download_removed")], ["gone"])
        self.assertEqual(set(before) - set(self.media()), {"The Show/Season 01/The Show S01E1001 Lecture of a guest.mp4"})
        self.assertEqual([name for name in self.scene.files() if "of a guest" in name], [])
        self.assertEqual((self.scene.partials(), self.scene.command("verify").exit), ([], 0))
        self.again(exit=0)

    def test_what_a_listing_and_a_login_have_left_is_used(self):
        self.host.more = [{"id": "l7", "title": "Lecture 7", "episode": 7, "published_at": "2026-11-01T08:00:00Z"}]
        run = self.sync("--no-discover")
        self.assertEqual(self.warnings(run) + run.of("download_gone"), [])
        self.assertEqual([r.path for r in self.host.asked() if "/api/courses" in r.path], [])
        # A new lecture comes with the login of then, and a provider gets the `known` of then.
        run = self.sync("-vv")
        self.assertEqual([e["video"] for e in run.of("download_finished")], ["l7"])
        self.assertEqual(run.of("download_moved"), [])
        self.assertIn('"known":"edition-1"', run.err)
        self.assertIn("The Show/Season 01/The Show S01E07 Lecture 7.mp4", self.media())
        self.again()


class EarlierCatalog(unittest.TestCase):
    def setUp(self):
        self.scene = stage.Stage()
        self.addCleanup(self.scene.close)
        version_15.put_catalog(self.scene)
        version_15.put_plugins(self.scene)

    def test_it_has_no_mistakes(self):
        run = self.scene.command("check", self.scene.catalog)
        self.assertEqual((run.exit, run.out.strip(), run.err), (0, "16 videos in 4 courses in 2 files, no mistakes", ""))

    def test_it_fits_the_schema_for_editors(self):
        import yaml

        schema = self.scene.folder / "catalog.schema.json"
        schema.write_bytes(subprocess.check_output([stage.PROGRAM, "check", "--schema"]))
        for name in ("catalog.yaml", "more.yaml"):
            # Of a date an editor sees the text.
            line = json.dumps(yaml.safe_load((self.scene.folder / name).read_text()), default=str)
            check = subprocess.run([CHECK_JSON, schema], input=line + "\n", capture_output=True, text=True)
            self.assertEqual((check.returncode, check.stdout + check.stderr), (0, ""))


class EarlierPlugins(unittest.TestCase):
    """One with the module of Python as it was then, and one of lines of JSON, by the page of then."""

    def setUp(self):
        self.scene, self.host = stage.Stage(), Lectures({})
        self.addCleanup(self.scene.close)
        self.addCleanup(self.host.close)
        self.scene.variables.update(self.host.variables())
        version_15.put_plugins(self.scene)

    def log_in(self, provider, secrets, exit=0):
        self.scene.replace(self.scene.folder / "secrets", secrets)
        run = self.scene.command("login", "--provider", provider, "--set", f"endpoint={ORIGIN}", "--secrets-from",
                                 self.scene.folder / "secrets")
        self.assertEqual(run.exit, exit, run)

    def test_they_list_log_in_and_resolve(self):
        self.scene.write([
            {"id": "show", "provider": "shelf", "discover": True, "parameters": {"endpoint": ORIGIN}},
            {"id": "all", "provider": "lines", "discover": True, "parameters": {"endpoint": ORIGIN}},
            {"id": "c", "provider": "lines", "parameters": {"endpoint": ORIGIN}, "videos": ["velocity", "lost", "late"],
             "subtitles": ["en"]}])
        run = self.scene.sync(exit=77)
        self.assertEqual({e["course"] for e in run.of("download_finished")}, {"all", "c"})
        self.assertEqual({e["video"]: e["error"]["kind"] for e in run.of("download_failed")}, {"lost": "not_found"})
        self.assertEqual(self.scene.status()["c", "late"]["state"], "waiting")
        self.assertEqual({r.headers.get("authorization") for r in self.host.asked() if r.path.endswith("velocity.mp4")},
                         {"Bearer of-the-media"})
        self.log_in("lines", "{username: anna, password: wrong}", exit=77)
        self.log_in("lines", "{username: anna, password: right}")
        self.log_in("shelf", "anything")
        run = self.scene.sync(exit=1)
        self.assertEqual({e["video"] for e in run.of("download_finished")},
                         {"l2", "l3", "l4", "l5", "l6", "r1", "t1", "other"})
        self.assertEqual(run.of("download_moved"), [])
        self.assertIn("c/01 velocity.en.vtt", self.scene.files())
        run = self.scene.command("list", self.scene.catalog, "all", "--plugins", self.scene.plugins)
        self.assertEqual(run.exit, 0, run)
        self.assertIn("Renamed", run.out)
        run = self.scene.command("doctor")
        self.assertNotIn("unknown and ignored", run.out)

    def test_they_pass_the_check(self):
        for name in ("lines", "shelf"):
            with self.subTest(name):
                check = subprocess.run(
                    [stage.PROGRAM, "plugins", "check", self.scene.plugins / name, "--parameter",
                     f"endpoint={self.host.url('')}", "--json"],
                    capture_output=True, text=True, timeout=110, stdin=subprocess.DEVNULL, env=self.scene.environment())
                lines = [json.loads(line) for line in check.stdout.splitlines()]
                self.assertEqual([line for line in lines if line.get("result") == "failed"], [])
                self.assertEqual((check.returncode, lines[-1]["warnings"]), (0, []), check.stdout + check.stderr)


LATER = '''#!{python} -SE
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    with open("asked", "a") as log: log.write(line)
    params, later = request["params"], {{"later": [{{"a": None}}, 1.5, "b"]}}
    print(json.dumps({{"method": "later", "params": later}}), flush=True)
    if request["method"] == "list":
        reply = {{"result": dict(later, videos=[dict(later, id="l1"), "l2"], chapters=[dict(later, id="k", videos=["l3"])])}}
    elif request["method"] == "login":
        reply = {{"result": dict(later, credentials={{"token": "x"}})}}
    elif params["video"]["id"] == "lost":
        reply = {{"error": dict(later, code=-32000, message="gone away", data=dict(later, kind="not_found"))}}
    elif params["video"]["id"] == "odd":
        reply = {{"error": {{"code": -32000, "message": "not today", "data": {{"kind": "strike"}}}}}}
    else:
        url = {base!r} + params["video"]["id"]
        reply = {{"result": dict(later, url=url, token=dict(later, value="secret", **{{"in": "header"}}, name="X-Token"),
            subtitles=[dict(later, lang="en", url=url + ".vtt"), {{"lang": "de", "later": "a form without url or text"}}],
            attachments=[dict(later, title="Sheet", url=url + ".pdf"), {{"title": "Notes", "later": 1}}],
            streams=[dict(later, role="a-word-of-then", url=url + "-2")])}}
    print(json.dumps(dict(reply, id=request["id"], jsonrpc="2.0", later=1)), flush=True)
'''


class LaterPlugins(unittest.TestCase):
    """What a later version may add is ignored: keys everywhere, methods, notifications, kinds of errors, forms of sidecars."""

    def test_what_a_later_version_adds_is_ignored(self):
        scene, host = stage.Stage(), Host()
        self.addCleanup(scene.close)
        self.addCleanup(host.close)
        host.fallback = lambda x: File(content(x.request.path[1:], 5000), kind="application/octet-stream")(x)
        folder = scene.plugins / "later"
        folder.mkdir(mode=0o755)
        scene.replace(folder / "plugin.yaml", """name: later
protocol: 1
run: [./provider]
methods: [resolve, list, login, foresee]
credentials: [password]
sessions: {cookies: [NAME]}
parameters: {type: object, properties: {}}
""")
        scene.replace(folder / "provider", LATER.format(python=sys.executable, base=host.url("/")), 0o755)
        scene.write([{"id": "c", "videos": ["a", "lost", "odd"], "subtitles": "all", "streams": "all"},
                     {"id": "d", "discover": True}], provider="later")
        scene.replace(scene.folder / "secrets", "anything")
        self.assertEqual(scene.command("login", "--provider", "later", "--secrets-from", scene.folder / "secrets").exit, 0)
        run = scene.sync(exit=(1, 69))
        self.assertIn("the key 'sessions' is unknown and ignored", run.err)
        self.assertEqual({e["video"] for e in run.of("download_finished")}, {"a", "l1", "l2", "l3"}, run)
        self.assertEqual({e["video"]: e["error"]["kind"] for e in run.of("download_failed")},
                         {"lost": "not_found", "odd": "provider_failed"})
        self.assertEqual({name for name in scene.files() if name.startswith("c/")}, {
            "c/01 a.mp4", "c/01 a.en.vtt", "c/01 a - Sheet.pdf", "c/01 a (a-word-of-then).mp4"})
