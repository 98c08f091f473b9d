"""Courses that are listed while downloads have their turns, beside the commands of another terminal."""

import json
import sys

import media
from host import File
from stage import wait_until
from wrong_file import Case

LISTER = '''#!{python} -SE
import json, os, sys, threading, time

lock = threading.Lock()

def answer(request):
    params = request["params"]
    course = params["course"]["id"]
    if request["method"] == "list":
        while os.path.exists(f"{here}/{{course}}.wait"): time.sleep(0.02)
        with open(f"{here}/{{course}}.json") as file: return {{"videos": json.load(file)}}
    with open(f"{here}/asked", "a") as log: log.write(course + "/" + params["video"]["id"] + "\\\\n")
    return {{"url": params["video"]["parameters"]["at"] + "/" + params["video"]["id"]}}

def serve(request):
    reply = {{"id": request["id"], "result": answer(request)}}
    with lock: print(json.dumps(reply), flush=True)

for line in sys.stdin:
    threading.Thread(target=serve, args=(json.loads(line),), daemon=True).start()
'''


class Listed(Case):
    """Courses with `discover` whose listings come when the test wants."""

    def setUp(self):
        super().setUp()
        self.here = self.stage.folder / "listings"
        self.here.mkdir()
        self.stage.plugin("lister", "", methods=["resolve", "list"], concurrency=8)
        self.stage.replace(
            self.stage.plugins / "lister/provider", LISTER.format(python=sys.executable, here=self.here), 0o755)
        self.host.fallback = None

    def body(self, id, at=""):
        return media.mp4(sum(map(ord, at + id)) * 7 % 250, 9000)

    def lists(self, course, videos):
        """What the course's provider lists: ids, or mappings with a title."""
        (self.here / f"{course}.json").write_text(json.dumps(videos))
        for video in videos:
            self.serves(video if isinstance(video, str) else video["id"])

    def serves(self, id, at="", file=None):
        self.host.at(f"{at}/{id}", file or File(self.body(id, at)))

    def catalog(self, courses, at=""):
        """Courses by id: a title of one that lists itself, or what is written of it."""
        written = []
        for id, course in courses.items():
            if isinstance(course, str):
                course = {"title": course, "discover": True}
            for video in course.get("videos", []):
                path = f"/{video}"
                if path not in self.host.handlers:
                    self.serves(video)
            written.append({"id": id, "parameters": {"at": self.host.url(at)}, **course})
        self.stage.write(written, provider="lister")

    def holds(self, course):
        (self.here / f"{course}.wait").touch()

    def goes(self, course):
        (self.here / f"{course}.wait").unlink()

    def moving(self):
        return {p.name for p in (self.stage.library / ".coursefetch/moving").iterdir() if "collected" not in p.name}

    def slow(self, id="slow"):
        """A video that keeps the run busy until its handler is let go."""
        body = self.body(id)

        def handler(x):
            x.head(200, content_length=len(body), content_type="video/mp4")
            x.send(body[:4000])
            handler.began = True
            while not handler.done and not x.host.closing.wait(0.02):
                pass
            x.send(body[4000:])

        handler.began, handler.done = False, False
        self.serves(id, file=handler)
        return handler

    def state(self, key):
        course, video = key.split("/")
        return dict(((c, v), s) for c, v, s in self.stage.rows("course, video, state"))[(course, video)]

    def command(self, *words, exit=0):
        run = self.stage.command(words[0], *words[1:])
        self.assertEqual(run.exit, exit, run)
        return run


class Commands(Listed):
    def begin(self, courses, *before):
        """A sync that is busy with `now/slow`, with the listing of `late` to come."""
        slow = self.slow()
        self.catalog({"now": {"videos": ["slow"]}, **courses})
        self.holds("late")
        run = self.stage.start_sync(before=before)
        wait_until(lambda: slow.began or run.process.poll() is not None)
        self.assertIsNone(run.process.poll(), run.errors)
        return run, slow

    def end(self, run, slow, exit):
        slow.done = True
        ended = run.end()
        self.assertEqual(ended.exit, exit, ended)
        return ended

    def renamed(self, *before):
        """Four videos of `late` that get other numbers when their listing comes, slowly."""
        self.lists("late", ["a", "b", "c", "d"])
        self.catalog({"late": "Late"})
        self.stage.sync(exit=0)
        self.lists("late", ["d", "c", "b", "a", "new"])
        return self.begin({"late": "Renamed"}, "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=renameat2", *before)

    def test_a_pause_while_an_arrival_moves_files_counts(self):
        run, slow = self.renamed("-e", "inject=renameat2:delay_enter=300000")
        self.goes("late")
        wait_until(lambda: any(v == "new" for v, in self.stage.rows("video")))
        self.command("pause", "late/new")
        self.assertEqual(self.state("late/new"), "paused")
        self.end(run, slow, 0)
        self.assertEqual(self.state("late/new"), "paused")
        self.assertEqual(self.host.asked("/new"), [])

    def test_a_removal_while_an_arrival_moves_files_removes_the_file(self):
        run, slow = self.renamed("-e", "inject=renameat2:delay_enter=300000")
        self.goes("late")
        wait_until(lambda: any(v == "new" for v, in self.stage.rows("video")))
        self.command("remove", "late/a", "--yes")
        self.end(run, slow, 0)
        self.assertEqual(self.state("late/a"), "cancelled")
        self.assertEqual([p for p, b in self.stage.files().items() if b == self.body("a")], [])
        self.assertEqual(len(self.stage.files()), 5)
        self.assertEqual(self.moving(), set())

    def test_pauses_and_resumes_around_an_arrival_open_no_second_connection(self):
        open_at_once = {"now": 0, "most": 0}

        def handler(x):
            open_at_once["now"] += 1
            open_at_once["most"] = max(open_at_once.values())
            try:
                File(self.body("v"), etag='"1"', rate=6000)(x)
            finally:
                open_at_once["now"] -= 1

        self.lists("late", ["v"])
        self.serves("v", file=handler)
        run, slow = self.begin({"late": "Late"}, )
        self.goes("late")
        for _ in range(3):
            wait_until(lambda: any(v == "v" for v, in self.stage.rows("video")))
            self.command("pause", "late/v")
            self.command("resume", "late/v")
        self.end(run, slow, 0)
        self.has("v.mp4", self.body("v"))
        self.assertLessEqual(open_at_once["most"], 2, "one may be ending while the next one begins")


class Resumed(Listed):
    begin, end = Commands.begin, Commands.end

    def test_a_resumed_video_of_a_course_that_is_still_listed_has_the_bytes_of_its_new_source(self):
        old, new = self.body("v", "/old"), self.body("v", "/new")
        # Stopped at the end: all bytes are there, and only a hook hasn't judged them. Nothing more has to be requested.
        self.lists("late", [{"id": "v", "parameters": {"at": self.host.url("/old")}}])
        self.serves("v", "/old", File(old, etag='"1"'))
        self.catalog({"late": "Late"})
        judging = self.stage.folder / "judging"
        settings = self.stage.folder / "home/.config/coursefetch/config.yaml"
        settings.parent.mkdir(parents=True)
        settings.write_text(json.dumps({"hooks": {"after-download": f"touch {judging}; sleep 60"}}))
        run = self.stage.start_sync()
        wait_until(judging.exists)
        self.assertEqual(run.stop().exit, 75)
        settings.unlink()
        self.command("pause", "late/v")
        self.assertEqual(self.state("late/v"), "paused")
        # The provider lists another source, whose file has the same validator.
        self.serves("v", "/new", File(new, etag='"1"'))
        self.lists("late", [{"id": "v", "parameters": {"at": self.host.url("/new")}}])
        slow = self.slow()
        self.catalog({"now": {"videos": ["slow"]}, "late": "Late"})
        self.holds("late")
        run = self.stage.start_sync()
        wait_until(lambda: slow.began)
        self.command("resume", "late/v")
        self.goes("late")
        self.end(run, slow, 0)
        self.has("v.mp4", new)

    def test_a_retry_during_a_run_leaves_held_courses_alone(self):
        self.serves("bad", file=lambda x: x.answer(404))
        self.catalog({"held": {"videos": ["f0", "f1", "f2", "bad"]}})
        self.stage.sync(exit=1)
        self.host.forget()
        folder = self.stage.library / "held"
        folder.rename(self.stage.folder / "elsewhere")
        self.serves("bad")
        slow = self.slow()
        self.catalog({"held": {"videos": ["f0", "f1", "f2", "bad"]}, "now": {"videos": ["slow"]}})
        run = self.stage.start_sync()
        wait_until(lambda: slow.began)
        self.command("retry", "held/bad")
        self.end(run, slow, 73)
        self.assertFalse(folder.exists(), self.stage.files())
        self.assertEqual([r.path for r in self.host.asked()], ["/slow"])
