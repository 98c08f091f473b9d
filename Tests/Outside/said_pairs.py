"""What a provider says beside the address, two things at a time: titles, checksums, answers in lists, other providers."""

import hashlib
import json
import unittest
import zlib

import media
from host import File, Host
from stage import Stage

SERVE = '''
import threading
def serve():
    for line in sys.stdin:
        request = json.loads(line)
        with open("asked", "a") as log: log.write(line)
        params = request["params"]
        with open(TABLE) as file: table = json.load(file)
        if request["method"] == "list":
            result = table["lists"][params["course"]["id"]][int(params["cursor"] or 0)]
        else:
            video, course = params["video"]["id"], params["course"]["id"]
            result = table["answers"].get(course + "/" + video, table["answers"].get(video))
        reply = {"result": result} if result else {"error": {"code": -32000, "message": "no", "data": {"kind": "not_found"}}}
        print(json.dumps(dict(reply, id=request["id"])), flush=True)
    sys.exit()
serve()
'''


class SaidPairs(unittest.TestCase):
    def setUp(self):
        self.host, self.stage = Host(), Stage()
        self.addCleanup(self.host.close)
        self.addCleanup(self.stage.close)

    def provider(self, name="lectures", answers=(), lists=(), **manifest):
        table = self.stage.plugins / f"{name}.json"
        self.stage.replace(table, json.dumps({"answers": dict(answers), "lists": dict(lists)}))
        self.stage.plugin(name, f"TABLE = {str(table)!r}\n" + SERVE, methods=["resolve", "list"], **manifest)

    def file(self, name, seed=None, **answer):
        """An answer for a file of its own; returns it with its bytes."""
        body = media.mp4(seed or name, 20_000)
        return {"url": self.host.at(f"/{name}", File(body)), **answer}, body

    def resolved(self, name="lectures"):
        return [r["params"]["video"]["id"] for r in self.stage.asked(name) if r["method"] == "resolve"]

    def again(self):
        """Another sync asks nobody, fetches nothing and moves nothing."""
        before, asked, paths = self.stage.files(), len(self.resolved()), [r.path for r in self.host.asked()]
        run = self.stage.sync(exit=0)
        self.assertEqual((run.of("download_moved"), self.stage.files()), ([], before), run)
        self.assertEqual((len(self.resolved()), [r.path for r in self.host.asked()]), (asked, paths))

    def test_two_videos_with_the_same_title_are_two_files(self):
        (a, one), (b, two) = self.file("a", title="Intro"), self.file("b", title="Intro")
        for layout in ("{course}/{title}.{ext}", "plain"):
            with self.subTest(layout):
                stage = self.stage
                self.provider(answers={"a": a, "b": b})
                stage.write([{"id": "c" + layout[:1].strip("{"), "layout": layout, "videos": ["a", "b"]}])
                stage.sync(exit=0)
                mine = {path: body for path, body in stage.files().items() if path.endswith(".mp4")}
                self.assertEqual({one, two} - set(mine.values()), set(), list(mine))
                self.assertTrue(all("Intro" in path for path in mine), list(mine))
                self.again()

    def test_a_title_does_not_take_the_place_of_a_file_of_the_users(self):
        a, body = self.file("a", title="Intro")
        self.provider(answers={"a": a})
        self.stage.write([{"id": "c", "layout": "{course}/{title}.{ext}", "videos": ["a"]}])
        (self.stage.library / "c").mkdir(parents=True)
        (self.stage.library / "c/Intro.mp4").write_bytes(b"the user's own")
        self.stage.sync(exit=(0, 1, 75))
        files = self.stage.files()
        self.assertEqual(files["c/Intro.mp4"], b"the user's own", list(files))
        self.assertIn(body, files.values(), list(files))
        self.stage.sync(exit=(0, 1, 75))
        self.assertEqual(self.stage.files(), files)
        self.assertEqual(self.resolved(), ["a"])

    def test_a_title_leads_nowhere_else(self):
        titles = ["../../x", "/etc/x", "a/b/c", "..", ".", "x\ny", "con.mp4", "\u202ereversed", "t" * 900, "é" * 400]
        answers, bodies = {}, []
        for number, title in enumerate(titles):
            answers[f"v{number}"], body = self.file(f"v{number}", title=title)
            bodies.append(body)
        self.provider(answers=answers)
        self.stage.write([{"id": "c", "layout": "{course}/{title}.{ext}", "videos": sorted(answers)}])
        self.stage.sync(exit=0)
        files = self.stage.files()
        self.assertEqual(sorted(files.values()), sorted(bodies))
        for path in files:
            self.assertEqual(path.count("/"), 1, path)
            self.assertTrue(path.startswith("c/") and path.isprintable(), path)
        self.again()

    def test_the_title_of_a_catalog_wins_and_a_written_one_later_moves_the_file(self):
        a, _ = self.file("a", title="From the host")
        self.provider(answers={"a": a})
        self.stage.write([{"id": "c", "layout": "{course}/{title}.{ext}", "videos": ["a"]}])
        self.stage.sync(exit=0)
        self.assertEqual(list(self.stage.files()), ["c/From the host.mp4"])
        self.stage.write([{"id": "c", "layout": "{course}/{title}.{ext}", "videos": [{"id": "a", "title": "Mine"}]}])
        self.stage.sync(exit=0)
        self.assertEqual(list(self.stage.files()), ["c/Mine.mp4"])
        self.stage.write([{"id": "c", "layout": "{course}/{title}.{ext}", "videos": ["a"]}])
        self.stage.sync(exit=0)
        self.assertEqual(len(self.stage.files()), 1)
        self.assertEqual(self.resolved(), ["a"])
        self.again()

    def test_an_answer_in_a_list_is_for_its_course_and_the_first_place_of_its_video(self):
        (one, first), (two, second), (three, third) = self.file("one"), self.file("two"), self.file("three")
        self.provider(lists={
            "c": [{"videos": [{"id": "v", "resolved": one}], "next": "1"}, {"videos": [{"id": "v", "resolved": two}]}],
            "d": [{"videos": [{"id": "v", "resolved": three}]}]})
        self.stage.write([{"id": "c", "discover": True}, {"id": "d", "discover": True}])
        self.stage.sync(exit=0)
        bodies = {path.split("/")[0]: body for path, body in self.stage.files().items()}
        self.assertEqual(bodies["d"], third)
        self.assertIn(bodies["c"], (first, second))
        self.assertEqual(self.resolved(), [])

    def test_checksums_that_do_not_fit_fail_their_video_and_no_other_course(self):
        body = media.mp4("same", 20_000)
        url = self.host.at("/same", File(body))
        good = {"md5": hashlib.md5(body).hexdigest(), "crc32": f"{zlib.crc32(body):08x}"}
        self.provider(answers={"c/v": {"url": url, "checksums": good},
                               "d/v": {"url": url, "checksums": {"md5": "0" * 32}},
                               "e/v": {"url": url, "checksums": {**good, "sha1": "0" * 40}}})
        self.stage.write({"c": ["v"], "d": ["v"], "e": ["v"]})
        run = self.stage.sync(exit=1)
        self.assertEqual({path.split("/")[0]: b for path, b in self.stage.files().items()}, {"c": body}, run)
        failed = {(e["course"], e["error"]["kind"]) for e in run.of("download_failed")}
        self.assertEqual(failed, {("d", "checksum_mismatch"), ("e", "checksum_mismatch")}, run)
        self.assertEqual(self.stage.partials(), [])

    def test_a_video_that_is_handed_over_later_keeps_its_file(self):
        (mine, one), (theirs, two) = self.file("mine"), self.file("theirs")
        self.provider(answers={"v": mine}, lists={"c": [{"videos": ["v"]}]})
        self.provider("other", answers={"v": theirs, "w": theirs})
        self.stage.write([{"id": "c", "discover": {"hand_over": ["other"]}}])
        self.stage.sync(exit=0)
        files = self.stage.files()
        self.provider(answers={"v": mine}, lists={
            "c": [{"videos": [{"id": "v", "provider": "other"}, {"id": "w", "provider": "other"}]}]})
        self.stage.sync(exit=0)
        self.assertEqual({p: b for p, b in self.stage.files().items() if p in files}, files)
        self.assertEqual(sorted(self.stage.files().values()), sorted([one, two]))
        self.assertEqual(self.resolved("other"), ["w"])
        self.again()

    def test_the_same_id_may_be_handed_over_in_one_course_and_not_in_another(self):
        (mine, one), (theirs, two) = self.file("mine"), self.file("theirs")
        self.provider(answers={"v": mine}, lists={
            "c": [{"videos": ["v"]}], "d": [{"videos": [{"id": "v", "provider": "other"}]}]})
        self.provider("other", answers={"v": theirs})
        self.stage.write([{"id": course, "discover": {"hand_over": ["other"]}} for course in "cd"])
        self.stage.sync(exit=0)
        bodies = {path.split("/")[0]: body for path, body in self.stage.files().items()}
        self.assertEqual(bodies, {"c": one, "d": two})
        # Without the permission it is gone from the list, and its file stays.
        self.stage.write([{"id": course, "discover": True} for course in "cd"])
        run = self.stage.sync(exit=(0, 75))
        self.assertIn(two, self.stage.files().values(), run)
        self.assertIn("hand_over: [other]", run.out + run.err)

    def test_a_list_cannot_have_a_login_sent_to_a_server_that_it_names(self):
        home, stranger = Host(), self.host
        self.addCleanup(home.close)
        mine, (_, theirs) = media.mp4("mine", 20_000), self.file("theirs.mp4")
        for where in (home, stranger):
            where.fallback = File(b"<html><title>Index of /</title><h1>Index of /</h1></html>", kind="text/html")
        home.at("/mine.mp4", File(mine))
        secrets = self.stage.folder / "secrets.yaml"
        secrets.write_text("username: anna\npassword: c4n4ry-pa55word\n")
        secrets.chmod(0o600)
        run = self.stage.command(
            "login", "--provider", "index", "--set", f"endpoint={home.url('/')}", "--secrets-from", secrets)
        self.assertEqual(run.exit, 0, run)
        self.provider(lists={"c": [{"videos": [
            {"id": "theirs.mp4", "provider": "index", "parameters": {"endpoint": stranger.url("/")}},
            {"id": "mine.mp4", "provider": "index", "parameters": {"endpoint": home.url("/")}}]}]})
        self.stage.write([{"id": "c", "discover": {"hand_over": ["index"]}}])
        run = self.stage.sync(exit=0)
        self.assertEqual(sorted(self.stage.files().values()), sorted([mine, theirs]), run)
        self.assertEqual([r.path for r in stranger.asked() if "authorization" in r.headers], [])
        self.assertTrue([r.path for r in home.asked() if "authorization" in r.headers])

    def test_a_provider_of_a_handed_over_video_that_does_not_work_costs_its_videos_only(self):
        mine, one = self.file("mine")
        self.provider(answers={"v": mine}, lists={"c": [{"videos": ["v", {"id": "w", "provider": "other"}]}]})
        self.stage.plugin("other", "sys.exit(3)")
        self.stage.write([{"id": "c", "discover": {"hand_over": ["other"]}}])
        run = self.stage.sync("--retries", 1, "--max-wait", "1s", exit=1)
        self.assertEqual(list(self.stage.files().values()), [one], run)
        self.provider("other", answers={"w": self.file("w")[0]})
        self.stage.command("retry", "--all")
        self.stage.sync(exit=0)
        self.assertEqual(len(self.stage.files()), 2)


if __name__ == "__main__":
    unittest.main()
