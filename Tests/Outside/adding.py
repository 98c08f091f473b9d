"""`add` and `init`: what is at an address, and how it gets into a catalog."""

import base64
import os
import struct
import subprocess
import sys
import unittest

import stage
from faults import shim, tried
from media import mp4, playlist
from pages import Pages

FEED = """<?xml version="1.0"?><rss version="2.0"><channel><title>Astronomy &amp; Light</title>
<item><title>One</title><guid>1</guid><enclosure url="{}/phys/a.mp4" length="1" type="video/mp4"/></item></channel></rss>"""
FOLDER = '<html><head><title>Index of /phys/</title></head><body><a href="../">..</a> <a href="a.mp4">a.mp4</a></body></html>'
SHARE = """<?xml version="1.0"?><d:multistatus xmlns:d="DAV:"><d:response><d:href>{0}</d:href><d:propstat><d:prop>
<d:resourcetype><d:collection/></d:resourcetype></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>{1}
</d:multistatus>"""
FILE = """<d:response><d:href>{}a.mp4</d:href><d:propstat><d:prop><d:resourcetype/><d:getcontentlength>9</d:getcontentlength>
</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"""
BUCKET = """<?xml version="1.0"?><ListBucketResult><Name>b</Name><IsTruncated>false</IsTruncated><Contents>
<Key>phys/a.mp4</Key><Size>9</Size><LastModified>2026-11-01T00:00:00Z</LastModified></Contents></ListBucketResult>"""

OWN = """#!{python} -SE
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    reply = {{"error": {{"code": -32601, "message": "unknown method"}}}}
    if request.get("method") == "recognise":
        open("asked", "a").write(request["params"]["address"] + "\\n")
        reply = json.loads(open("reply.json").read())
    print(json.dumps(dict(reply, id=request["id"])), flush=True)
"""


class Adding(unittest.TestCase):
    def setUp(self):
        self.stage = stage.Stage()
        self.addCleanup(self.stage.close)
        self.pages = Pages()
        self.addCleanup(self.pages.stop)
        self.origin = self.pages.origin
        root = {"phys/": (200, {"Content-Type": "text/html"}, FOLDER), "phys": (301, {"Location": "/phys/"}, ""),
                "phys/a.mp4": (200, {"Content-Type": "video/mp4"}, mp4(1, 5000)),
                "feed.xml": (200, {"Content-Type": "application/rss+xml"}, FEED.format(self.origin))}
        self.pages.pages.update({"/" + path: page for path, page in root.items()})

    def run_program(self, *words, text=""):
        return subprocess.run(
            [stage.PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=120, input=text,
            env=self.stage.environment(), cwd=self.stage.folder)

    def add(self, address, *words, exit=0):
        run = self.run_program(
            "add", address, "--catalog", self.stage.catalog, "--state", self.stage.state, "--plugins", self.stage.plugins, *words)
        self.assertEqual(run.returncode, exit, run)
        return run

    def catalog(self, text=None):
        if text is not None:
            self.stage.catalog.write_bytes(text.encode())
        return self.stage.catalog.read_bytes().decode()

    def own(self, reply, **manifest):
        """A plugin of one's own that answers this to every address."""
        folder = self.stage.plugins / "own"
        folder.mkdir(exist_ok=True)
        lines = {"name": "own", "protocol": 1, "run": ["./own"], "methods": ["resolve", "recognise"], **manifest}
        (folder / "plugin.yaml").write_text("".join(f"{k}: {stage.json.dumps(v)}\n" for k, v in lines.items()))
        (folder / "reply.json").write_text(stage.json.dumps(reply))
        self.stage.replace(folder / "own", OWN.format(python=sys.executable), 0o755)

    def asked(self):
        path = self.stage.plugins / "own" / "asked"
        return path.read_text().splitlines() if path.exists() else []


class Addresses(Adding):
    """What is known, and by whom."""

    def test_a_folder_with_or_without_its_slash_is_added_once_and_downloaded(self):
        said = self.add(self.origin + "/phys").stdout
        self.assertIn("found by index: phys, 1 video\nadded to ", said)
        self.assertIn("has it already: phys", self.add(self.origin + "/phys/").stdout)
        self.assertIn(f'endpoint: "{self.origin}/phys/"', self.catalog())
        self.assertEqual(self.catalog().count("- id:"), 1)
        self.stage.sync(exit=0)
        self.assertEqual(list(self.stage.files().values()), [mp4(1, 5000)])

    def test_a_feed_gives_its_title_and_isnt_taken_for_a_video(self):
        self.assertIn("found by feed: Astronomy & Light, 1 video", self.add(self.origin + "/feed.xml").stdout)
        self.assertIn("  - id: astronomy-light\n    title: \"Astronomy & Light\"\n    provider: feed\n", self.catalog())

    def test_a_video_gets_a_template_that_others_fit_into(self):
        self.add(self.origin + "/phys/a.mp4", "--title", "Light")
        self.assertIn(f'url: "{self.origin}/phys/{{id}}.mp4"', self.catalog())
        self.assertIn("already", self.add(self.origin + "/phys/a.mp4").stdout)
        self.stage.sync(exit=0)
        self.assertEqual(list(self.stage.files().values()), [mp4(1, 5000)])

    def test_a_playlist_is_one(self):
        self.pages.pages["/live/x.m3u8"] = (200, {"Content-Type": "application/vnd.apple.mpegurl"}, playlist(["1.ts"]))
        self.add(self.origin + "/live/x.m3u8?token=a%20b")
        self.assertIn("kind: hls", self.catalog())
        self.assertIn("/live/{id}.m3u8?token=a%20b", self.catalog())

    def test_a_page_that_is_called_like_a_video_is_none(self):
        self.pages.pages["/wiki/File:a.webm"] = (200, {"Content-Type": "text/html"}, "<html><a href='b.html'>b</a></html>")
        said = self.add(self.origin + "/wiki/File:a.webm", exit=(1 if "yt-dlp:" in self.probe() else 64)).stderr
        self.assertIn("no provider knows what is at", said)
        self.assertFalse(self.stage.catalog.exists())

    def probe(self):
        """What is said of a page with nothing on it."""
        self.pages.pages["/nothing"] = (200, {"Content-Type": "text/html"}, "<html>nothing</html>")
        return self.run_program("add", self.origin + "/nothing", "--catalog", "x.yaml", "--state", self.stage.state).stderr

    def test_a_share_and_a_bucket(self):
        def share(x):
            if x.command != "PROPFIND" or not x.path.startswith("/public.php/webdav"):
                return (404, {}, "")
            depth = FILE.format(x.path) if x.headers["Depth"] == "1" else ""
            return (207, {"Content-Type": "application/xml"}, SHARE.format(x.path, depth))
        self.pages.pages["/public.php/webdav/"] = share
        self.assertIn("found by webdav", self.add(self.origin + "/s/T0ken").stdout)
        self.pages.pages["/lectures"] = self.pages.pages["/lectures/"] = (200, {"Content-Type": "application/xml"}, BUCKET)
        self.assertIn("found by s3: phys, 1 video", self.add(self.origin + "/lectures/phys", "--provider", "s3").stdout)
        self.assertIn("bucket: lectures\n", self.catalog())
        self.assertIn("prefix: phys\n", self.catalog())

    def test_what_wants_a_login_says_how(self):
        def closed(x):
            if x.headers.get("Authorization") == "Basic " + base64.b64encode(b"a:b").decode():
                return (200, {"Content-Type": "text/html"}, FOLDER)
            return (401, {"WWW-Authenticate": "Basic"}, "")
        self.pages.pages["/closed/"] = closed
        said = self.add(self.origin + "/closed/", exit=77).stderr
        self.assertRegex(said, r"asks for a login \(401\); to log in: coursefetch login --provider (index|feed)")
        self.assertFalse(self.stage.catalog.exists())

    def test_what_isnt_there_or_cant_be_reached_costs_nothing(self):
        self.catalog("version: 1\ncourses: []\n")
        for address in (self.origin + "/gone/", "http://127.0.0.1:9/x/"):
            said = self.add(address, exit=1).stderr
            self.assertIn(f"no provider knows what is at {address}", said)
            self.assertRegex(said, "index: .*(404|can't connect)")
        self.assertIn("begins with https://", self.add("lectures", exit=64).stderr)
        self.assertEqual(self.catalog(), "version: 1\ncourses: []\n")

    def test_a_plugin_with_addresses_comes_first_and_is_asked_for_no_other(self):
        self.own({"result": {"video": {"id": "v 1", "title": "Own", "parameters": {}}}}, addresses=["http://127.0.0.1:*/own/*"])
        self.add(self.origin + "/phys/")
        self.assertEqual(self.asked(), [])
        self.assertIn("found by own: Own, 1 video", self.add(self.origin + "/own/1").stdout)
        self.assertEqual(self.asked(), [self.origin + "/own/1"])
        self.assertIn("    videos:\n      - id: \"v 1\"\n", self.catalog().replace("- id: v 1", "- id: \"v 1\""))

    def test_a_plugin_that_answers_wrongly_is_named_and_nothing_is_written(self):
        for answer, words in (
                ({"course": {"parameters": {}}, "video": {"id": "a", "parameters": {}}}, "both a 'course' and a 'video'"),
                ({"course": {"parameters": 3}}, "result.course.parameters"), ({"video": {"id": "", "parameters": {}}}, "is empty")):
            self.own({"result": answer})
            said = self.add(self.origin + "/x", "--provider", "own", exit=1).stderr
            self.assertIn(words, said)
        self.own({"result": {"course": {"parameters": {"a": 1}}}},
                 parameters={"type": "object", "properties": {}, "additionalProperties": False})
        self.assertIn("don't fit provider 'own'", self.add(self.origin + "/x", "--provider", "own", exit=64).stderr)
        self.own({"result": {}}, methods=["resolve"])
        self.assertIn("can't tell what is at an address", self.add("x:y", "--provider", "own", exit=64).stderr)
        self.assertFalse(self.stage.catalog.exists())


class Catalogs(Adding):
    """How a course gets into a file that somebody wrote."""

    def lines(self, before, after, *words):
        """Adds the folder to `before`: `after` is the text that follows, with ENTRY for the new lines."""
        self.catalog(before)
        self.add(self.origin + "/phys/", *words)
        entry = f'- id: phys\n  title: phys\n  provider: index\n  parameters:\n    endpoint: "{self.origin}/phys/"\n  discover: true\n'
        for indent in ("", "  ", "    "):
            after = after.replace(f"ENTRY{len(indent)}\n", "".join(indent + line + "\n" for line in entry.splitlines()))
        self.assertEqual(self.catalog(), after)

    ONE = "- id: a  # first\n  provider: direct\n  parameters: {url: 'http://h/{id}.mp4'}\n  videos: [x]\n"

    def indented(self, text, by):
        return "".join(" " * by + line + "\n" for line in text.splitlines())

    def test_comments_order_and_indentation_stay(self):
        for by in (0, 2, 4):
            head = "# mine\nversion: 1\n\ncourses:   # all\n  # the first\n" + self.indented(self.ONE, by)
            self.lines(head, head + f"ENTRY{by}\n")
            tail = "\n# about the defaults\ndefaults: {quality: best}\n"
            self.lines(head + tail, head + f"ENTRY{by}\n" + tail)

    def test_blank_lines_between_courses_are_kept_up(self):
        other = self.ONE.replace("id: a", "id: b")
        head = "version: 1\ncourses:\n" + self.indented(self.ONE, 2) + "\n" + self.indented(other, 2)
        self.lines(head, head + "\nENTRY2\n")

    def test_an_empty_list_a_missing_one_and_no_line_end(self):
        self.lines("version: 1\ncourses: [] # none\n", "version: 1\ncourses: # none\nENTRY2\n")
        self.stage.folder.joinpath("more.yaml").write_text("version: 1\ncourses:\n" + self.ONE)
        self.lines("version: 1\ninclude: [more.yaml]\n", "version: 1\ninclude: [more.yaml]\ncourses:\nENTRY2\n")
        self.lines("version: 1\ncourses:\n" + self.ONE.rstrip("\n"), "version: 1\ncourses:\n" + self.ONE + "ENTRY0\n")

    def test_crlf_stays_crlf(self):
        self.catalog(("version: 1\ncourses:\n" + self.indented(self.ONE, 2)).replace("\n", "\r\n"))
        self.add(self.origin + "/phys/")
        text = self.catalog()
        self.assertEqual(text.count("\n"), text.count("\r\n"))
        self.assertEqual(self.run_program("check", self.stage.catalog).returncode, 0)

    def test_a_text_that_keeps_its_blank_lines_keeps_them(self):
        text = self.indented(self.ONE, 2).replace("videos: [x]\n", "description: |+\n      text\n\n\n    videos: [x]\n")
        head = "version: 1\ncourses:\n" + text
        self.lines(head, head + "ENTRY2\n")
        last = "version: 1\ncourses:\n" + self.indented("- id: a\n  videos: []\n  description: |+\n    text\n", 2) + "\n\n"
        self.catalog(last)
        said = self.add(self.origin + "/phys/", exit=64).stderr
        self.assertIn("By hand, it is:", said)
        self.assertEqual(self.catalog(), last)

    def test_a_list_in_one_line_is_left_alone_and_the_course_is_shown(self):
        text = "version: 1\ncourses: [{id: a, provider: direct, parameters: {url: 'http://h/{id}'}, videos: [x]}]\n"
        self.catalog(text)
        said = self.add(self.origin + "/phys/", exit=64).stderr
        self.assertIn("nothing was written. By hand, it is:\n  - id: phys\n", said)
        self.assertEqual(self.catalog(), text)

    def test_an_id_that_is_taken(self):
        self.catalog("version: 1\ncourses:\n" + self.ONE.replace("id: a", "id: phys"))
        self.add(self.origin + "/phys/")
        self.assertIn("- id: phys-2\n", self.catalog())
        self.assertIn("choose another: --id", self.add(self.origin + "/feed.xml", "--id", "phys", exit=64).stderr)

    def test_a_catalog_with_mistakes_or_defaults_that_dont_fit_isnt_changed(self):
        for text, words in (
                ("version: 1\ncoarses: []\n", "coarses"),
                ("version: 1\ndefaults: {parameters: {host: h}}\ncourses: []\n", "host")):
            self.catalog(text)
            run = self.run_program("add", self.origin + "/phys/", "--catalog", self.stage.catalog, "--state", self.stage.state)
            self.assertIn(run.returncode, (64, 65), run)
            self.assertIn(words, run.stderr)
            self.assertEqual(self.catalog(), text)
        self.assertEqual([p.name for p in self.stage.folder.glob(".*yaml")], [])

    def test_the_files_link_and_permissions_stay(self):
        place = self.stage.folder / "kept" / "real.yaml"
        place.parent.mkdir()
        place.write_text("version: 1\ncourses: []\n")
        place.chmod(0o640)
        self.stage.catalog.symlink_to(place)
        self.add(self.origin + "/phys/")
        self.assertTrue(self.stage.catalog.is_symlink())
        self.assertIn("- id: phys", place.read_text())
        self.assertEqual(place.stat().st_mode & 0o777, 0o640)

    def test_what_may_not_be_written_isnt_and_other_names_and_owners_stay(self):
        text = "version: 1\ncourses: []\n"
        self.catalog(text)
        second = self.stage.folder / "second.yaml"
        os.link(self.stage.catalog, second)
        self.add(self.origin + "/phys/")
        self.assertIn("- id: phys", second.read_text())
        second.unlink()
        if os.geteuid() == 0:
            os.chown(self.stage.catalog, 1234, 1235)
            self.add(self.origin + "/feed.xml")
            facts = self.stage.catalog.stat()
            self.assertEqual((facts.st_uid, facts.st_gid), (1234, 1235))
        self.assertEqual([p.name for p in self.stage.folder.glob(".catalog*")], [])

    def test_defaults_of_the_catalog_and_chapters_hide_no_course(self):
        self.catalog("version: 1\ndefaults: {parameters: {depth: 3}}\ncourses: []\n")
        self.add(self.origin + "/phys/")
        self.assertIn("has it already: phys", self.add(self.origin + "/phys/").stdout)
        self.catalog(f"version: 1\ncourses:\n- id: x\n  provider: direct\n  parameters: {{url: '{self.origin}/phys/{{id}}.mp4'}}\n"
                     "  chapters:\n  - id: k\n    videos: [a]\n")
        self.assertIn("has it already: x", self.add(self.origin + "/phys/a.mp4").stdout)

    def test_a_large_catalog_takes_no_longer_than_its_check(self):
        courses = "".join(f"  - id: c{n}\n    provider: direct\n    parameters: {{url: 'http://h/{n}/{{id}}'}}\n    videos: [x]\n"
                          for n in range(12_000))
        self.catalog("version: 1\n# about it\ncourses:\n" + courses)
        self.assertGreater(len(self.catalog()), 1 << 20)
        self.add(self.origin + "/phys/")
        self.assertTrue(self.catalog().startswith("version: 1\n# about it\ncourses:\n" + courses + "  - id: phys\n"))

    def test_what_isnt_a_file_cant_be_written(self):
        for name in ("https://example.invalid/c.yaml", "-", ""):
            run = self.run_program("add", self.origin + "/phys/", "--catalog", name)
            self.assertEqual(run.returncode, 64, run)
            self.assertIn("only a catalog in a file", run.stderr)
        self.assertIn("log in with", self.add(self.origin.replace("//", "//anna:s3cret@") + "/phys/", exit=64).stderr)

    def test_a_dry_run_refuses_what_the_command_refuses(self):
        self.catalog("version: 1\ncourses: [{id: a, provider: direct, parameters: {url: 'http://h/{id}'}, videos: [x]}]\n")
        self.assertIn("By hand", self.add(self.origin + "/phys/", "--dry-run", exit=64).stderr)

    def test_an_address_with_braces_is_taken_as_it_is(self):
        self.pages.pages["/d/%7Btitle%7D.mp4"] = (200, {"Content-Type": "video/mp4"}, mp4(2, 3000))
        self.add(self.origin + "/d/%7Btitle%7D.mp4")
        self.stage.sync(exit=0)
        self.assertEqual(list(self.stage.files().values()), [mp4(2, 3000)])

    def test_dry_run_shows_and_writes_nothing(self):
        said = self.add(self.origin + "/phys/", "--dry-run").stdout
        self.assertIn("would add to ", said)
        self.assertIn("  - id: phys\n", said)
        self.assertFalse(self.stage.catalog.exists())

    def test_the_settings_name_the_catalog(self):
        settings = self.stage.folder / "home/.config/coursefetch/config.yaml"
        settings.parent.mkdir(parents=True)
        settings.write_text("catalogs: [mine.yaml]\n")
        settings.with_name("mine.yaml").write_text("version: 1\ncourses: []\n")
        run = self.run_program("add", self.origin + "/phys/", "--json")
        self.assertEqual(run.returncode, 0, run)
        event = stage.json.loads(run.stdout)
        self.assertEqual((event["event"], event["course"], event["videos"], event["result"]), ("course_added", "phys", 1, "added"))
        self.assertIn("- id: phys", settings.with_name("mine.yaml").read_text())
        settings.write_text("catalogs: [mine.yaml, other.yaml]\n")
        settings.with_name("other.yaml").write_text("version: 1\ncourses: []\n")
        run = self.run_program("add", self.origin + "/feed.xml")
        self.assertEqual(run.returncode, 64, run)
        self.assertIn("say which one to write: --catalog", run.stderr)


class Faults(Adding):
    """A fault at calls of `add`, with --soak at each: the catalog is as it was, or has the course; nothing is left, and the next `add` is right."""

    def everywhere(self, kind, prepare):
        record = self.stage.folder / "record"

        def met(number):
            prepare()
            record.write_bytes(bytes(4096))
            self.stage.variables = {"LD_PRELOAD": str(shim()), "FAULT_AT": str(number), "FAULT_WITH": kind,
                                    "FAULT_RECORD": str(record)}
            try:
                return self.run_program("add", self.origin + "/phys/", "--catalog", self.stage.catalog, "--state",
                                        self.stage.state, "--provider", "index")
            finally:
                self.stage.variables = {}

        self.assertEqual(met(0).returncode, 0)
        whole, calls = self.catalog(), struct.unpack("q", record.read_bytes()[:8])[0]
        self.assertGreater(calls, 3)
        for number in tried(calls):
            run = met(number)
            hit = record.read_bytes()[8:].split(b"\0")[0].decode(errors="replace")
            text = self.catalog() if self.stage.catalog.exists() else None
            self.assertIn(text, (whole, self.before), (hit, run))
            if run.returncode == 0:
                self.assertEqual(text, whole, (hit, run))
            # Of a draft that can't be removed, or is left by a kill, there is one name.
            if kind != "KILL" and not hit.startswith("unlink"):
                self.assertEqual(list(self.stage.folder.glob(".catalog*")), [], (hit, run))
            self.add(self.origin + "/phys/", "--provider", "index")
            self.assertEqual(self.catalog(), whole, hit)

    def clean(self):
        for path in [*self.stage.folder.glob(".catalog*"), *self.stage.folder.glob("*.yaml")]:
            path.unlink()
        stage.shutil.rmtree(self.stage.state, ignore_errors=True)

    def plain(self):
        self.clean()
        self.before = "version: 1\ncourses: []\n"
        self.catalog(self.before)

    def linked(self):
        self.plain()
        os.link(self.stage.catalog, self.stage.folder / "second.yaml")

    def missing(self):
        self.clean()
        self.before = None

    def test_a_plain_file(self):
        for kind in ("EIO", "ENOSPC", "EMFILE", "KILL"):
            self.everywhere(kind, self.plain)

    def test_a_file_that_is_overwritten(self):
        for kind in ("EIO", "ENOSPC", "EMFILE", "KILL"):
            self.everywhere(kind, self.linked)

    def test_a_new_file(self):
        for kind in ("EIO", "ENOSPC", "EMFILE", "KILL"):
            self.everywhere(kind, self.missing)

    for case in (test_a_plain_file, test_a_file_that_is_overwritten, test_a_new_file):
        case.seconds = 600


class First(Adding):
    """`init` with an address."""

    def init(self, *words, exit=0):
        run = self.run_program("init", *words)
        self.assertEqual(run.returncode, exit, run)
        return run

    def home(self, name):
        return self.stage.folder / "home/.config/coursefetch" / name

    def test_a_folder_and_a_feed_become_catalogs_that_validate(self):
        for source, title in ((self.origin + "/phys", "phys"), (self.origin + "/feed.xml", "Astronomy & Light")):
            said = self.init("--source", source).stdout
            self.assertIn(f"{title}, with 1 video\n", said)
            self.assertEqual(self.run_program("check").returncode, 0)
            for name in ("catalog.yaml", "config.yaml"):
                self.home(name).unlink()

    def test_what_was_made_can_be_added_to(self):
        self.init("--source", self.origin + "/phys/a.mp4", "--title", "Light")
        self.assertIn("# One line for each further video", self.home("catalog.yaml").read_text())
        self.assertEqual(self.run_program("add", self.origin + "/feed.xml").returncode, 0)
        self.assertEqual(self.run_program("check").stdout, "1 video in 2 courses, no mistakes\n")
        self.assertIn("# One line for each further video", self.home("catalog.yaml").read_text())

    def test_a_video_that_cant_be_asked_for_now_is_taken_at_its_word_and_a_page_isnt(self):
        self.init("--source", "http://127.0.0.1:9/optics/1.mp4", "--title", "Optics")
        self.assertIn("http://127.0.0.1:9/optics/{id}.mp4", self.home("catalog.yaml").read_text())
        self.home("catalog.yaml").unlink()
        self.home("config.yaml").unlink()
        said = self.init("--source", "http://127.0.0.1:9/feed.xml", exit=1).stderr
        self.assertIn("nothing was written", said)
        self.assertFalse(self.home("catalog.yaml").exists())

    def test_a_provider_that_needs_parameters_isnt_enough(self):
        said = self.init("--source", "index", "--title", "T", exit=64).stderr
        self.assertIn("coursefetch catalog from index endpoint=…", said)
        self.assertFalse(self.home("catalog.yaml").exists())


if __name__ == "__main__":
    unittest.main()
