"""`courses_of`: the courses that a user has at a provider, and what is believed of their list."""

import json
import signal
import subprocess
import sys
import time
import unittest

import stage
from host import File, Host
from media import mp4
from pages import Pages

CAMPUS = '''#!{python} -SE
import json, os, sys, time
for line in sys.stdin:
    request = json.loads(line)
    params = request["params"]
    with open("asked", "a") as log: log.write(line)
    with open("campus.json") as file: campus = json.load(file)
    time.sleep(campus.get("slow", {{}}).get(request["method"], 0))
    if request["method"] == "courses":
        reply = campus.get("answer") or {{"result": {{"courses": campus["courses"]}}}}
        pages = campus.get("pages")
        if pages:
            at = int(params["cursor"] or 0)
            reply = {{"result": {{"courses": pages[at], "next": str(at + 1) if at + 1 < len(pages) else None}}}}
    elif request["method"] == "list":
        number = params["course"]["parameters"]["course"]
        reply = {{"result": {{"videos": campus["videos"].get(number, [])}}}}
    else:
        reply = {{"result": {{"url": campus["base"] + params["video"]["id"]}}}}
    print(json.dumps(dict(reply, id=request["id"])), flush=True)
'''
MANIFEST = """name: campus
protocol: 1
run: [./provider]
methods: [resolve, list, courses]
parameters:
  type: object
  required: [endpoint, course]
  properties:
    endpoint: {type: string}
    course: {type: string, pattern: "^[0-9]+$"}
  additionalProperties: false
"""
AT = {"endpoint": "https://campus.example.org"}


def course(number, title=None, **more):
    return {"id": f"c{number}", "title": title or f"Course {number}", "parameters": {"course": str(number)}, **more}


class CoursesOf(unittest.TestCase):
    def setUp(self):
        self.host, self.stage = Host(), stage.Stage()
        self.addCleanup(self.stage.close)
        self.addCleanup(self.host.close)
        self.folder = self.stage.plugins / "campus"
        self.folder.mkdir(mode=0o755)
        (self.folder / "plugin.yaml").write_text(MANIFEST)
        self.stage.replace(self.folder / "provider", CAMPUS.format(python=sys.executable), 0o755)
        self.list([1, 2, 3])
        self.write({"provider": "campus", "parameters": AT})

    def list(self, numbers, **more):
        courses = [n if isinstance(n, dict) else course(n) for n in numbers]
        videos = {c["parameters"].get("course", ""): [f"v{c['id']}"] for c in courses if "parameters" in c}
        for names in videos.values():
            for name in names:
                self.host.at(f"/{name}", File(mp4(hash(name) & 0xFFFF, 4000)))
        told = {"base": self.host.url("/"), "courses": courses, "videos": videos, **more}
        self.stage.replace(self.folder / "campus.json", json.dumps(told))

    def write(self, source, **more):
        self.stage.catalog.write_text(json.dumps({"version": 1, "courses_of": source, **more}))

    def asked(self, method):
        path = self.folder / "asked"
        lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        return [line["params"] for line in lines if line["method"] == method]

    def ended(self, exit, *words):
        run = self.stage.command(*words)
        self.assertEqual(run.exit, exit, run)
        return run

    def warnings(self, run):
        return " ".join(e["message"] for e in run.of("warning"))

    def files(self):
        return sorted(str(path) for path in self.stage.files())

    def run_program(self, *words, exit=0):
        run = subprocess.run(
            [stage.PROGRAM, *map(str, words), "--plugins", self.stage.plugins,
             *([] if words[0] == "check" else ["--state", self.stage.state])],
            capture_output=True, text=True, timeout=120, env=self.stage.environment(), cwd=self.stage.folder)
        self.assertEqual(run.returncode, exit, run)
        return run

    def test_all_courses_come_and_tomorrow_a_new_one_and_what_is_gone_stays(self):
        first = self.stage.sync(exit=0)
        self.assertEqual([(e["provider"], e["courses"], e["was"], e["added"], e["removed"]) for e in first.of("courses_listed")],
                         [("campus", 3, None, 3, 0)])
        self.assertEqual(len(self.files()), 3, self.files())
        self.assertIn("Course 1", self.files()[0])
        question = self.asked("courses")[0]
        self.assertEqual((question["parameters"], question["cursor"]), (AT, None))
        # The provider gets the listed id, and the parameters of both.
        self.assertEqual(self.asked("list")[0]["course"]["parameters"]["endpoint"], AT["endpoint"])
        second = self.stage.sync(exit=0)
        self.assertEqual(second.of("courses_listed") + second.of("download_finished"), [])
        self.list([1, 2, 4])
        third = self.stage.sync(exit=0)
        self.assertEqual([(e["courses"], e["was"], e["added"], e["removed"]) for e in third.of("courses_listed")], [(3, 3, 1, 1)])
        self.assertEqual([e["course"] for e in third.of("download_finished")], ["c4"])
        self.assertEqual([e["course"] for e in third.of("download_gone")], ["c3"])
        self.assertEqual(len(self.files()), 4)
        self.stage.sync("--prune", "--max-delete", "100%", exit=0)
        self.assertEqual(len(self.files()), 3)

    def test_a_list_that_shrinks_is_not_believed_at_once(self):
        self.list(range(10))
        self.stage.sync(exit=0)
        for left in ([], range(3)):
            self.list(left)
            night = self.stage.sync("--prune", "--max-delete", "10%", exit=75)
            self.assertEqual(night.of("download_gone") + night.of("download_removed"), [])
            self.assertIn(f"the list of provider 'campus' lacks {10 - len(left)} of 10 courses", self.warnings(night))
        accepted = self.stage.sync("--accept-listing", exit=0)
        self.assertEqual(len(accepted.of("download_gone")), 7)

    def test_a_provider_that_can_not_be_asked_costs_nothing(self):
        self.stage.sync(exit=0)
        self.list([], answer={"error": {"code": -32000, "message": "the campus sleeps", "data": {"kind": "auth_required"}}})
        night = self.stage.sync("--prune", "--max-delete", "100%", exit=77)
        self.assertEqual(night.of("download_gone") + night.of("download_removed"), [])
        self.assertIn("provider 'campus' couldn't list its courses: the campus sleeps; its last list is used", self.warnings(night))
        # With other parameters it is another list, which nobody knows: nothing counts as gone.
        self.write({"provider": "campus", "parameters": {"endpoint": "https://other.example.org"}})
        night = self.stage.sync("--prune", "--max-delete", "100%", exit=77)
        self.assertEqual(night.of("download_gone") + night.of("download_removed"), [])
        self.assertIn("there is no earlier list to use", self.warnings(night))
        # A selector may choose what isn't known.
        self.stage.sync("--only", "c9", exit=77)
        self.assertEqual(len(self.files()), 3)
        # Once it is known, the same courses are the same courses.
        self.list([1, 2, 3])
        self.assertEqual(self.stage.sync(exit=0).of("download_gone"), [])

    def test_without_discover_the_last_list_counts_and_nobody_is_asked(self):
        night = self.stage.sync("--no-discover", exit=0)
        self.assertIn("provider 'campus' was never asked for its courses", self.warnings(night))
        self.assertEqual(self.asked("courses"), [])
        self.stage.sync(exit=0)
        self.list([1])
        again = self.stage.sync("--no-discover", exit=0)
        self.assertEqual((again.of("download_gone"), self.warnings(again)), ([], ""))
        self.assertEqual(len(self.asked("courses")), 1)

    def test_which_courses_and_what_of_each(self):
        courses = [course(n, f"{'Seminar' if n % 2 else 'Lecture'} {n}", begins=f"2026-{n:02}-01T00:00:00Z") for n in range(1, 9)]
        self.list(courses)
        self.write({"provider": "campus", "parameters": AT, "include": ["Lecture *"], "exclude": "* 2", "newest": 2,
                    "discover": {"exclude": ["v*"]}})
        run = self.stage.sync(exit=0)
        self.assertEqual([e["courses"] for e in run.of("courses_listed")], [2])
        self.assertEqual(sorted(p["course"]["id"] for p in self.asked("list")), ["c6", "c8"])
        self.assertEqual(run.of("download_finished"), [])

    def test_ids_that_others_have(self):
        self.list([1, 2])
        self.write([{"provider": "campus", "parameters": AT}, {"provider": "campus", "parameters": {"endpoint": "https://b.example"}}],
                   courses=[{"id": "c2", "title": "Mine", "provider": "direct", "parameters": {"url": self.host.url("/{id}")},
                             "videos": ["vc2"]}])
        run = self.stage.sync(exit=0)
        self.assertIn("has 1 course with an id that another course has (c2)", self.warnings(run))
        self.assertIn("has 2 courses with an id that another course has (c2, c1)".replace("(c2, c1)", "(c1, c2)"), self.warnings(run))
        self.assertEqual(len(self.files()), 2, self.files())
        self.write([{"provider": "campus", "parameters": AT, "prefix": "a-"},
                    {"provider": "campus", "parameters": {"endpoint": "https://b.example"}, "prefix": "b-"}])
        run = self.stage.sync(exit=0)
        self.assertEqual(sorted({e["course"] for e in run.of("download_finished")}), ["a-c1", "a-c2", "b-c1", "b-c2"])
        self.assertEqual({p["course"]["id"] for p in self.asked("list")}, {"c1", "c2"})

    def test_a_course_of_another_catalog_stays_there(self):
        other = self.stage.folder / "other.yaml"
        self.list([1, 2, 5])
        other.write_text(json.dumps({"version": 1, "courses": [
            {"id": "c5", "title": "Mine", "provider": "campus", "parameters": {**AT, "course": "5"}, "videos": ["vc5"]}]}))
        self.ended(0, "sync", other)
        before = self.files()
        for _ in range(2):
            night = self.stage.sync(exit=0)
            self.assertIn("1 course with an id that another course has (c5)", self.warnings(night))
        self.assertEqual(self.run_program("check", self.stage.catalog).returncode, 0)
        self.assertEqual(len(self.files()), len(before) + 2)
        self.stage.sync("--prune", "--max-delete", "100%", exit=0)
        self.ended(0, "sync", other)
        self.assertEqual(len(self.files()), len(before) + 2)
        # Its catalog is gone, so it is this one's.
        other.unlink()
        self.assertIn("the course 'c5' now belongs to ", self.warnings(self.stage.sync(exit=0)))

    def test_a_time_that_is_over_while_a_provider_is_asked_leaves_work(self):
        for method in ("courses", "list"):
            self.list([1, 2], slow={method: 6})
            run = self.stage.sync("--max-duration", "2s", exit=75)
            self.assertEqual(run.of("sync_finished")[0]["stop_reason"], "window", run)

    def test_a_quiet_sync_says_what_is_wrong_with_a_list(self):
        self.list(range(10))
        self.assertEqual(self.ended(0, "sync", self.stage.catalog, "--quiet").err, "")
        self.list([])
        self.assertIn("lacks 10 of 10 courses", self.ended(75, "sync", self.stage.catalog, "--quiet").err)
        self.list(range(10), answer={"error": {"code": -32000, "message": "closed today", "data": {"kind": "forbidden"}}})
        self.assertIn("closed today", self.ended(1, "sync", self.stage.catalog, "--quiet").err)

    def test_what_is_written_wins(self):
        self.list([1, 2])
        self.write({"provider": "campus", "parameters": AT},
                   courses=[{"id": "c1", "title": "Own title", "provider": "campus", "discover": {"exclude": ["*"]},
                             "parameters": {**AT, "course": "1"}}])
        run = self.stage.sync(exit=0)
        self.assertEqual(self.warnings(run), "")
        self.assertEqual([e["course"] for e in run.of("download_finished")], ["c2"])

    def test_courses_that_the_provider_does_not_take_itself(self):
        self.list([1, {"id": "odd", "parameters": {"course": "x"}}, {"id": "bare"}])
        run = self.stage.sync(exit=0)
        self.assertEqual([e["course"] for e in run.of("download_finished")], ["c1"])
        self.assertIn("has 2 courses with parameters that it doesn't take (odd: 'course' must match ^[0-9]+$)", self.warnings(run))

    def test_a_course_that_the_provider_does_not_take_any_more_is_not_gone(self):
        self.stage.sync(exit=0)
        self.list([1, 2, {"id": "c3", "parameters": {"course": "three"}}])
        night = self.stage.sync("--prune", "--max-delete", "100%", exit=0)
        self.assertEqual(night.of("download_gone") + night.of("download_removed"), [])
        self.assertIn("has 1 course with parameters that it doesn't take (c3:", self.warnings(night))
        self.assertEqual(len(self.files()), 3)

    def test_the_state_does_not_have_the_parameters_of_the_question(self):
        self.write({"provider": "campus", "parameters": {"endpoint": "https://campus.example.org/?token=pr1vate-address"}})
        self.stage.sync(exit=0)
        stored = b"".join(path.read_bytes() for path in self.stage.state.rglob("*") if path.is_file())
        self.assertNotIn(b"pr1vate-address", stored)

    def test_killed_at_any_time_the_next_run_has_all_of_it_once(self):
        self.list(range(6))
        for delay in (0.02, 0.05, 0.1, 0.2, 0.4):
            run = self.stage.start_sync()
            time.sleep(delay)
            run.stop(signal.SIGKILL)
            self.list(range(6))
        run = self.stage.sync(exit=0)
        self.assertEqual((len(self.files()), run.of("download_gone")), (6, []))
        self.assertEqual(self.stage.sync(exit=0).of("download_finished"), [])

    def test_two_sources_one_of_which_can_not_be_asked(self):
        other = {"provider": "campus", "parameters": {"endpoint": "https://b.example"}, "prefix": "b-"}
        self.write([{"provider": "campus", "parameters": AT}, other])
        self.stage.sync(exit=0)
        self.assertEqual(len(self.files()), 6)
        # The second list is one that nobody knows, the first one has lost a course meanwhile.
        self.list([1, 2])
        self.write([{"provider": "campus", "parameters": AT}, {**other, "parameters": {"endpoint": "https://silent.example"}}])
        self.stage.replace(self.folder / "provider", CAMPUS.format(python=sys.executable).replace(
            'if request["method"] == "courses":',
            'if request["method"] == "courses" and "silent" in params["parameters"]["endpoint"]:\n'
            '        reply = {"error": {"code": -32000, "message": "asleep", "data": {"kind": "auth_required"}}}\n'
            '    elif request["method"] == "courses":'), 0o755)
        night = self.stage.sync("--prune", "--max-delete", "100%", exit=77)
        self.assertEqual(night.of("download_gone") + night.of("download_removed"), [])
        self.assertEqual(len(self.files()), 6)

    def test_pages_and_ids_that_come_twice(self):
        self.list([1, 2, 3], pages=[[course(1), course(2)], [course(2), course(3)]])
        run = self.stage.sync(exit=0)
        self.assertEqual(len(run.of("download_finished")), 3)
        self.assertIn("the list of provider 'campus' has 1 course twice", self.warnings(run))

    def test_every_and_only(self):
        self.write({"provider": "campus", "parameters": AT, "every": "6h"})
        self.stage.sync(exit=0)
        self.list([1, 2, 3, 4])
        self.stage.sync(exit=0)
        self.assertEqual(len(self.asked("courses")), 1)
        self.write({"provider": "campus", "parameters": AT})
        self.stage.sync("--only", "c1", exit=0)
        self.assertEqual(len(self.asked("courses")), 1)
        self.assertEqual([e["course"] for e in self.stage.sync("--only", "c4", exit=0).of("download_finished")], ["c4"])

    def test_mistakes_have_their_place(self):
        for source, words in (
                ({"provider": "direct"}, "'direct' can't list a user's courses"),
                ({"provider": "nobody"}, "there is no provider 'nobody'"),
                ({"parameters": AT}, "no 'provider' is set for these courses"),
                ({"provider": "campus", "parameters": {"server": "x"}}, "takes no parameter 'server'"),
                ({"provider": "campus", "include": ["[a"]}, "isn't a pattern"),
                ({"provider": "campus", "prefix": "x" * 65}, "'prefix' takes at most 64 bytes"),
                ({"provider": "campus", "courses": 1}, "'courses_of' has no key 'courses'"),
                ("campus", "'courses_of' takes a mapping with a 'provider'")):
            self.write(source)
            run = self.stage.sync(exit=65)
            self.assertIn(words, repr(run.of("sync_finished")[0]["errors"]).replace('\\', ''), source)
        self.assertEqual(self.asked("courses"), [])

    def test_commands_know_them(self):
        check = self.run_program("check", self.stage.catalog)
        self.assertIn("0 videos in 0 courses, and the courses of campus, no mistakes", check.stdout)
        plan = self.run_program("sync", "--dry-run", self.stage.catalog, "--library", self.stage.library)
        self.assertIn("was never asked for its courses", plan.stderr)
        plan = self.run_program("sync", "--dry-run", "--list", "--json", self.stage.catalog, "--library", self.stage.library)
        self.assertEqual(plan.stdout.count('"would_download"'), 3, plan)
        self.assertFalse(self.stage.state.exists() and list(self.stage.state.rglob("*.sqlite")), "a dry run keeps nothing")
        self.stage.sync(exit=0)
        listed = self.run_program("list", self.stage.catalog, "c2")
        self.assertIn("vc2", listed.stdout)
        answer = self.run_program("resolve", self.stage.catalog, "c3/vc3")
        self.assertIn("/vc3", answer.stdout)

    def test_a_catalog_of_all_courses(self):
        self.list([course(1, begins="2026-10-01T00:00:00Z"), course(2, "Lenses: an introduction")])
        run = self.run_program("catalog", "from", "campus", "endpoint=" + AT["endpoint"])
        self.assertIn("# begins 2026-10-01", run.stdout)
        made = json.loads(self.run_program("catalog", "from", "campus", "endpoint=" + AT["endpoint"], "--json").stdout)
        self.assertEqual((made["event"], made["courses"], made["videos"]), ("catalog_made", 2, None))
        self.assertEqual(made["text"], run.stdout)
        self.stage.catalog.write_text(run.stdout)
        self.assertEqual(len(self.stage.sync(exit=0).of("download_finished")), 2)
        self.assertIn("Lenses", " ".join(self.files()))
        refused = self.run_program("catalog", "from", "direct", "--courses", exit=64)
        self.assertIn("can't list the courses that you have there", refused.stderr)

    def test_a_secret_in_a_course_is_not_stored(self):
        key = "s3cr3t-key-of-anna"
        (self.folder / "plugin.yaml").write_text(MANIFEST + "credentials: [key]\n")
        login = subprocess.run(
            [stage.PROGRAM, "login", "--provider", "campus", "--secrets-from", "-", "--plugins", self.stage.plugins,
             "--state", self.stage.state], input=f"key: {key}\n", capture_output=True, text=True, timeout=60,
            env=self.stage.environment(), cwd=self.stage.folder)
        self.assertEqual(login.returncode, 0, login)
        self.list([{"id": "c1", "parameters": {"course": "1"}, "title": "x"}, {"id": key}])
        night = self.stage.sync(exit=69)
        self.assertIn("a course in its answer has a secret", self.warnings(night))
        self.assertNotIn(key, night.err)


class Folders(unittest.TestCase):
    """Each folder of a folder is a course."""

    def test_folders_of_a_web_server(self):
        pages = Pages()
        self.addCleanup(pages.stop)
        on = stage.Stage()
        self.addCleanup(on.close)
        html = {"Content-Type": "text/html"}
        folder = '<html><head><title>Index of {}</title></head><body><a href="../">..</a> {}</body></html>'
        pages.pages.update({
            "/all/": (200, html, folder.format("/all/", '<a href="phys/">phys/</a> <a href="lin%20alg/">lin alg/</a>')),
            "/all/phys/": (200, html, folder.format("/all/phys/", '<a href="a.mp4">a.mp4</a>')),
            "/all/lin%20alg/": (200, html, folder.format("/all/lin alg/", '<a href="b.mp4">b.mp4</a>')),
            "/all/phys/a.mp4": (200, {"Content-Type": "video/mp4"}, mp4(1, 5000)),
            "/all/lin%20alg/b.mp4": (200, {"Content-Type": "video/mp4"}, mp4(2, 5000))})
        on.catalog.write_text(json.dumps(
            {"version": 1, "courses_of": {"provider": "index", "parameters": {"endpoint": pages.origin + "/all/"}}}))
        run = on.sync(exit=0)
        self.assertEqual(sorted(e["course"] for e in run.of("download_finished")), ["lin alg", "phys"])


if __name__ == "__main__":
    unittest.main()
