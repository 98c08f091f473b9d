"""The pages of a library that play it without a network: one of each course, and one of all."""

import base64
import hashlib
import html.parser
import json
import re
import unittest

from host import File, Host
from media import mp4
from stage import Stage

HOSTILE = "<\u0338/script><\u0338img src=x onerror=alert(1)></script><script>alert(1)</script>\"\u0301 onload='x"


class Elements(html.parser.HTMLParser):
    """The elements of a page, the text of its scripts, and its policy."""

    def __init__(self, page):
        super().__init__()
        self.names, self.handlers, self.scripts, self.policies, self.inside = [], [], [], [], None
        self.feed(page)
        self.close()

    def handle_starttag(self, name, attributes):
        fields = dict(attributes)
        self.names.append(name)
        self.handlers += [key for key in fields if key.startswith("on")]
        self.inside = None
        if name == "script":
            self.inside = (fields.get("type"), "")
        if fields.get("http-equiv") == "Content-Security-Policy":
            self.policies.append(fields["content"])

    def handle_data(self, data):
        if self.inside:
            self.inside = (self.inside[0], self.inside[1] + data)

    def handle_endtag(self, name):
        if name == "script":
            self.scripts.append(self.inside)
            self.inside = None


class Offline(unittest.TestCase):
    def setUp(self):
        self.host, self.stage = Host(), Stage()
        self.addCleanup(self.host.close)
        self.addCleanup(self.stage.close)
        names = ("one", "two", "three", "four")
        self.stage.urls({name: self.host.at(f"/{name}", File(mp4(name, 3000))) for name in names})

    def write(self, **courses):
        """Courses by their ids: a title, and titles of videos by their ids."""
        self.stage.write([{"id": id, "title": title, "videos": [{"id": v, "title": t, "description": t} for v, t in videos.items()]}
                          for id, (title, videos) in courses.items()])

    def pages(self):
        return {path: data.decode() for path, data in self.stage.files().items() if path.endswith("index.html")}

    def titles(self):
        """The data of the page of all courses."""
        return json.loads(next(text for kind, text in Elements(self.pages()["index.html"]).scripts if kind))

    def sync(self, *arguments, exit=0):
        return self.stage.sync("--write-index", *arguments, exit=exit)

    def test_one_page_has_all_courses_and_follows_them(self):
        self.write(a=("Optics", {"one": "Lenses"}), b=("Algebra", {"two": "Groups", "three": "Rings"}))
        self.sync()
        page = self.pages()["index.html"]
        self.assertEqual(re.findall(r'<a href="([^"]*)"><bdi>([^<]*)', page),
                         [("Algebra/index.html", "Algebra"), ("Optics/index.html", "Optics")])
        self.assertIn("<span>2 courses</span><span>3 videos</span>", page)
        self.assertEqual(self.titles(), [[["Groups", 1], ["Rings", 2]], [["Lenses", 1]]])
        inodes = {path: (self.stage.library / path).stat().st_ino for path in self.pages()}
        self.assertEqual(self.sync().of("warning"), [])
        self.assertEqual({path: (self.stage.library / path).stat().st_ino for path in self.pages()}, inodes)
        # A new title, a new video, and a course less.
        self.write(b=("Algebra II", {"two": "Groups", "three": "Fields", "four": "Rings"}))
        self.sync("--prune", "--max-delete", "100%")
        page = self.pages()["index.html"]
        self.assertEqual(re.findall(r'<a href="([^"]*)"><bdi>([^<]*)', page), [("Algebra%20II/index.html", "Algebra II")])
        self.assertEqual(self.titles(), [[["Groups", 1], ["Fields", 2], ["Rings", 3]]])
        # A page that is lost comes back; without the setting all are gone.
        (self.stage.library / "index.html").unlink()
        self.sync()
        self.assertEqual(self.pages()["index.html"], page)
        self.stage.sync(exit=0)
        self.assertEqual(self.pages(), {})

    def test_a_page_of_somebody_else_stays(self):
        self.write(a=("Optics", {"one": "Lenses"}))
        self.stage.sync(exit=0)
        (self.stage.library / "index.html").write_text("my own")
        (warning,) = self.sync().of("warning")
        self.assertIn("index.html isn't as coursefetch wrote it", warning["message"])
        self.sync()
        self.assertEqual(self.pages()["index.html"], "my own")
        (self.stage.library / "index.html").unlink()
        self.assertEqual(self.sync().of("warning"), [])
        self.assertIn("Optics/index.html", self.pages()["index.html"])

    def test_courses_of_other_catalogs_stay_on_the_page(self):
        self.write(a=("Optics", {"one": "Lenses"}))
        self.sync()
        other = self.stage.folder / "other.yaml"
        other.write_text(json.dumps({"version": 1, "defaults": {"provider": "lectures"},
                                     "courses": [{"id": "b", "title": "Algebra", "videos": ["two"]}]}))
        self.assertEqual(self.stage.command("sync", str(other), "--write-index", "--json").exit, 0)
        self.assertEqual(self.titles(), [[["two", 1]], [["Lenses", 1]]])

    def test_what_has_left_the_course_comes_last_and_is_marked(self):
        self.write(a=("Optics", {"one": "Lenses", "two": "Prisms"}))
        self.sync()
        self.assertNotIn("No longer in the course", self.pages()["Optics/index.html"])
        self.write(a=("Optics", {"two": "Prisms"}))
        self.sync()
        page = self.pages()["Optics/index.html"]
        self.assertEqual(re.findall(r'<bdi class="title">([^<]*)', page), ["Prisms", "Lenses"])
        self.assertEqual(page.count("No longer in the course; kept here"), 1)
        self.assertGreater(page.index("kept here"), page.index("Lenses"))

    def test_no_title_is_run_and_the_policy_names_the_one_script(self):
        self.write(a=(HOSTILE, {"one": HOSTILE, "two": "plain"}))
        self.sync()
        pages = self.pages()
        self.assertEqual(len(pages), 2)
        for path, page in pages.items():
            elements = Elements(page)
            self.assertEqual(elements.handlers, [])
            kinds = ["application/json", None] if path == "index.html" else [None]
            self.assertEqual([kind for kind, _ in elements.scripts], kinds)
            digest = base64.b64encode(hashlib.sha256(elements.scripts[-1][1].encode()).digest()).decode()
            (policy,) = elements.policies
            self.assertTrue(policy.startswith(f"script-src 'sha256-{digest}'; "), policy)
            self.assertLessEqual(elements.names.count("img"), 1)
        self.assertEqual(self.titles(), [[[HOSTILE, 1], ["plain", 2]]])

    def test_shards_of_courses_have_no_page_of_all_and_no_link_to_it(self):
        self.write(a=("Optics", {"one": "Lenses"}), b=("Algebra", {"two": "Groups"}))
        for shard in ("1/2", "2/2"):
            self.stage.sync("--write-index", "--shard", shard, "--local-state", str(self.stage.folder / "local"), exit=0)
        pages = self.pages()
        self.assertEqual(set(pages), {"Optics/index.html", "Algebra/index.html"})
        self.assertNotIn("../index.html", "".join(pages.values()))
