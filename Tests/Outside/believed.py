"""Courses that list themselves: what is believed of a listing, what a dry run knows, and which id the provider gets."""

import functools
import http.server
import json
import os
import shutil
import sys
import threading
import unicodedata
import unittest

import media
from host import File, Host
from stage import Stage

LISTER = '''#!{python} -SE
import json, sys, time
for line in sys.stdin:
    request = json.loads(line)
    params = request["params"]
    with open("asked", "a") as log: log.write(line)
    with open("listings.json") as file: courses = json.load(file)
    if request["method"] == "list":
        course = courses[params["course"]["id"]]
        time.sleep(course.get("delay", 0))
        reply = {{"result": {{"videos": course["videos"]}}}}
    else:
        reply = {{"result": {{"url": courses["base"] + params["video"]["id"]}}}}
    print(json.dumps(dict(reply, id=request["id"])), flush=True)
'''


class Listed(unittest.TestCase):
    """A provider that lists what it is told to, and a host that has every file."""

    def setUp(self):
        self.host, self.stage = Host(), Stage()
        self.addCleanup(self.stage.close)
        self.addCleanup(self.host.close)
        self.folder = self.stage.plugins / "lister"
        self.folder.mkdir(mode=0o755)
        (self.folder / "plugin.yaml").write_text("name: lister\nprotocol: 1\nrun: [./provider]\nmethods: [resolve, list]\n")
        self.stage.replace(self.folder / "provider", LISTER.format(python=sys.executable), 0o755)

    def list(self, courses, delays={}):
        for videos in courses.values():
            for video in videos:
                self.host.at(f"/{video}", File(media.mp4(hash(video) & 0xFFFF, 4000)))
        told = {c: {"videos": v, "delay": delays.get(c, 0)} for c, v in courses.items()}
        self.stage.replace(self.folder / "listings.json", json.dumps({"base": self.host.url("/"), **told}))

    def write(self, courses):
        self.stage.write([{"id": c, "discover": d} for c, d in courses.items()], provider="lister")

    def listed(self):
        lines = (self.folder / "asked").read_text().splitlines()
        return sum(json.loads(line)["method"] == "list" for line in lines)

    def warnings(self, run):
        return " ".join(e["message"] for e in run.of("warning"))

    def test_as_many_other_videos_are_no_substitute_for_those_that_a_listing_lacks(self):
        self.write({"c": True})
        self.list({"c": [f"a{n}" for n in range(10)]})
        self.stage.sync(exit=0)
        self.list({"c": [f"b{n}" for n in range(10)]})
        for _ in range(2):
            night = self.stage.sync("--prune", "--max-delete", "100%", exit=75)
            self.assertEqual(night.of("download_gone") + night.of("download_removed"), [])
            self.assertIn("lacks 10 of 10 videos", self.warnings(night))
        self.assertEqual(len(self.stage.files()), 10)
        self.assertEqual(len(self.stage.sync("--accept-listing", exit=0).of("download_finished")), 10)

    def test_what_newest_would_drop_without_newer_videos_is_guarded(self):
        def dated(days):
            return [{"id": f"d{day}", "published_at": f"2026-09-{day:02}T08:00:00Z"} for day in days]

        self.write({"c": {"newest": 3}})
        for days in (range(1, 8), range(1, 11)):
            for day in days:
                self.host.at(f"/d{day}", File(media.mp4(1, 4000)))
            self.stage.replace(self.folder / "listings.json", json.dumps(
                {"base": self.host.url("/"), "c": {"videos": dated(days)}}))
            self.stage.sync(exit=0)
        self.stage.replace(self.folder / "listings.json", json.dumps(
            {"base": self.host.url("/"), "c": {"videos": dated(range(1, 5))}}))
        self.assertIn("lacks 3 of 3 videos", self.warnings(self.stage.sync(exit=75)))

    def test_a_missing_disk_is_noticed_though_each_course_is_listed_at_another_time(self):
        courses = {f"c{n}": [f"v{n}"] for n in range(4)}
        self.write({c: True for c in courses})
        self.list(courses)
        self.stage.sync(exit=0)
        for folder in self.stage.library.iterdir():
            if not folder.name.startswith("."):
                shutil.rmtree(folder)
        self.list(courses, {f"c{n}": 1.2 + n * 0.4 if n else 0 for n in range(4)})
        self.host.forget()
        night = self.stage.sync(exit=73)
        self.assertEqual(sorted(e["course"] for e in night.of("course_held")), sorted(courses))
        self.assertEqual((self.stage.files(), self.host.asked()), ({}, []))

    def test_a_dry_run_says_what_it_can_not_know_and_asks_with_list(self):
        self.write({"c": True})
        self.list({"c": ["a"]})
        self.stage.sync(exit=0)
        self.list({"c": ["a", "b"]})
        asked = self.listed()
        plain = self.stage.command("sync", self.stage.catalog, "--dry-run")
        self.assertEqual(plain.exit, 0)
        self.assertIn("nothing to do, as far as is known", plain.out)
        self.assertIn("not asked: what the providers of c list now", plain.out)
        self.assertEqual(self.stage.sync("--dry-run", exit=0).of("sync_finished")[0]["courses_unasked"], 1)
        self.assertEqual(self.listed(), asked)
        rehearsal = self.stage.sync("--dry-run", "--list", exit=0)
        self.assertEqual([e["video"] for e in rehearsal.of("would_download")], ["b"])
        self.assertNotIn("courses_unasked", rehearsal.of("sync_finished")[0])
        # It has recorded nothing.
        self.assertEqual(self.stage.sync("--dry-run", exit=0).of("would_download"), [])
        self.list({"c": []})
        doubted = self.stage.sync("--dry-run", "--list", exit=75)
        self.assertIn("lacks", self.warnings(doubted))
        self.assertEqual(doubted.of("would_remove"), [])
        self.assertEqual(self.stage.command("sync", self.stage.catalog, "--list").exit, 64)


class PrivateFeed(unittest.TestCase):
    """A feed whose addresses are for one reader."""

    KEY = "canary9a8b7c6d5e4f3g2h1"

    def setUp(self):
        self.host, self.stage = Host(), Stage()
        self.addCleanup(self.stage.close)
        self.addCleanup(self.host.close)
        self.endpoint = self.host.url(f"/feed.xml?token={self.KEY}")

    def publish(self, *numbers):
        items = ""
        for n in numbers:
            url = self.host.at(f"/{self.KEY}/{n}.mp4", File(media.mp4(n, 5000 + n))) + f"?token={self.KEY}"
            items += (f"<item><guid>{url}</guid><title>Episode {n}</title><pubDate>Mon, 0{n} Jun 2026 08:00:00 GMT</pubDate>"
                      f'<enclosure url="{url}" type="video/mp4"/></item>')
        body = f"<rss version='2.0'><channel><title>Talks</title>{items}</channel></rss>".encode()
        self.host.at("/feed.xml", lambda x: x.answer(200, body, content_type="application/rss+xml"))

    def write(self, **course):
        self.stage.write([{"id": "c", "parameters": {"endpoint": self.endpoint}, **course}], provider="feed")

    def kept(self):
        """Whatever is kept, by path."""
        return {path: path.read_bytes() for root in (self.stage.state, self.stage.library)
                for path in root.rglob("*") if path.is_file()}

    def test_no_address_of_a_private_feed_is_kept(self):
        self.publish(1, 2)
        self.write(discover=True)
        beside = ("--write-nfo", "--write-info-json", "--write-index", "--write-playlist")
        self.assertEqual(len(self.stage.sync(*beside, exit=0).of("download_finished")), 2)
        self.assertEqual([str(p) for p, data in self.kept().items() if self.KEY.encode() in data or self.KEY in str(p)], [])
        self.publish(1, 2, 3)
        self.assertEqual(len(self.stage.sync(*beside, exit=0).of("download_finished")), 1)

    def test_a_video_that_is_known_by_an_address_is_not_downloaded_again(self):
        self.publish(1)
        self.write(videos=[{"id": self.host.url(f"/{self.KEY}/1.mp4?token={self.KEY}"), "title": "Episode 1"}])
        self.assertEqual(len(self.stage.sync(exit=0).of("download_finished")), 1)
        self.write(discover=True)
        night = self.stage.sync(exit=0)
        self.assertEqual(night.of("download_finished") + night.of("download_gone"), [])


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Spelled(unittest.TestCase):
    """Names as a Mac writes them, on a server that compares bytes."""

    def setUp(self):
        self.stage = Stage()
        self.addCleanup(self.stage.close)
        self.root = self.stage.folder / "www"
        handler = functools.partial(Quiet, directory=str(self.root))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def test_names_with_decomposed_characters_arrive(self):
        names = ["Übung/Vorführung é.mp4", "naïve 한국.mp4", "plain.mp4"]
        bodies = {}
        for seed, name in enumerate(names):
            path = self.root / "c" / unicodedata.normalize("NFD", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            bodies[name.split("/")[-1][:-4]] = body = media.mp4(seed, 5000 + seed)
            path.write_bytes(body)
        self.stage.write([{"id": "c", "discover": True, "parameters": {
            "endpoint": f"http://127.0.0.1:{self.server.server_port}/c/"}}], provider="index")
        night = self.stage.sync(exit=0)
        self.assertEqual(len(night.of("download_finished")), 3)
        ids = [video for video, in self.stage.rows("video")]
        self.assertEqual(sorted(ids), sorted(unicodedata.normalize("NFC", name) for name in names))
        self.assertEqual(sorted(self.stage.files().values(), key=len), sorted(bodies.values(), key=len))
        again = self.stage.sync(exit=0)
        self.assertEqual(again.of("download_finished") + again.of("course_listed"), [])
        # The server has been copied to a disk that composes names: these are the same videos.
        os.rename(self.root / "c" / unicodedata.normalize("NFD", names[1]), self.root / "c" / names[1])
        third = self.stage.sync(exit=0)
        self.assertEqual(third.of("download_finished") + third.of("download_gone"), [])
