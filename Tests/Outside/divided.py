"""Shards that divide the videos of each course: one library, one set of names, one question to a provider."""

import hashlib
import json
import signal
import time
import unittest

import media
from host import File, Host
from shards import shard_of
from stage import Stage, wait_until

LISTING = '''
import json
def table():
    with open({path!r}) as file: return json.load(file)
def answer(params):
    return {{"url": table()["urls"][params["course"]["id"] + "/" + params["video"]["id"]]}}
'''


class Divided(unittest.TestCase):
    """One course of twelve videos, by hand, and one of eight that its provider lists, with covers."""

    COUNT = 3

    def setUp(self):
        self.host = Host()
        self.addCleanup(self.host.close)
        self.urls = {}
        self.cover = self.host.at("/cover.png", File(b"\x89PNG\r\n\x1a\n" + bytes(900), kind="image/png"))
        self.stage = self.scene()

    def scene(self):
        stage = Stage()
        self.addCleanup(stage.close)
        stage.table, stage.asked = stage.folder / "table.json", stage.folder / "asked"
        stage.asked.write_text("")
        stage.plugin("lectures", LISTING.format(path=str(stage.table)), methods=["resolve", "list"])
        provider = stage.plugins / "lectures/provider"
        stage.replace(provider, provider.read_text().replace('if request.get("method") != "resolve":', f'''\
if request.get("method") == "list":
        open({str(stage.asked)!r}, "a").write(request["params"]["course"]["id"] + "\\n")
        reply = {{"result": table()["listings"][request["params"]["course"]["id"]]}}
    elif request.get("method") != "resolve":'''), 0o755)
        return stage

    def courses(self, hand=12, listed=8, title="Optics"):
        """The catalog, and the listing."""
        def video(course, number):
            key = f"{course}/v{number}"
            if key not in self.urls:
                path = f"/{key}.mp4"
                self.urls[key] = self.host.at(path, File(media.mp4(path, 3000 + 100 * number)))
            return {"id": f"v{number}", "title": f"Lecture {number}"}

        chapters = [{"id": f"k{k}", "title": f"Part {k}", "cover": self.cover,
                     "videos": [video("hand", n) for n in range(hand) if n % 3 == k]} for k in range(3)]
        return ([{"id": "hand", "title": title, "cover": self.cover, "chapters": chapters},
                 {"id": "listed", "title": "Weekly", "discover": True}],
                {"listed": {"title": "Weekly", "videos": [video("listed", n) for n in range(listed)]}})

    def prepare(self, stage, **how):
        courses, listings = self.courses(**how)
        stage.replace(stage.table, json.dumps({"urls": self.urls, "listings": listings}))
        stage.write(courses)

    def shard(self, index, count=None):
        return ("--shard", f"{index}/{count or self.COUNT}", "--shard-by", "video", "--local-state",
                str(self.stage.folder / f"machine{index}"))

    def sync_all(self, *arguments, count=None, exit=0):
        return [self.stage.sync(*self.shard(index, count), *arguments, exit=exit)
                for index in range(1, (count or self.COUNT) + 1)]

    def all(self, command, *arguments, machine="desk", exit=0):
        run = self.stage.command(command, *arguments, "--all-shards", "--local-state", str(self.stage.folder / machine))
        self.assertEqual(run.exit, exit, run)
        return run

    def tree(self, stage):
        """What is in the library, by digests: a difference is told by its path."""
        return {path: hashlib.sha256(data).hexdigest()[:12] for path, data in stage.files().items()}

    def assert_as_one_sync(self, *arguments, **how):
        """What all shards have made is what one sync makes of the same catalog."""
        single = self.scene()
        self.prepare(single, **how)
        single.sync(*arguments, exit=0)
        ours, theirs = self.tree(self.stage), self.tree(single)
        self.assertEqual(sorted(ours), sorted(theirs))
        self.assertEqual([path for path in ours if ours[path] != theirs[path]], [])

    FILES = ("--write-nfo", "--write-playlist", "--write-index", "--write-info-json")

    def test_each_shard_gets_its_videos_and_all_together_make_one_library(self):
        self.prepare(self.stage)
        runs = self.sync_all(*self.FILES)
        got = [[(e["course"], e["video"]) for e in run.events if e["event"] == "download_finished"] for run in runs]
        for index, videos in enumerate(got, 1):
            self.assertEqual({shard_of(f"{course}\n{video}", self.COUNT) for course, video in videos}, {index})
        self.assertEqual(sum(map(len, got)), 20)
        self.assertEqual(self.stage.asked.read_text(), "listed\n", "one shard asks for the listing")
        self.assertEqual(len(self.host.asked("/cover.png")), 4, "each cover is fetched once")
        self.assert_as_one_sync(*self.FILES)
        before = len(self.host.asked())
        self.sync_all(*self.FILES)
        self.assertEqual(self.host.asked()[before:], [])

    def test_shards_that_run_at_once_ask_once_and_the_last_one_writes_the_pages(self):
        self.prepare(self.stage)
        running = [self.stage.start_sync(*self.shard(index), *self.FILES) for index in range(1, self.COUNT + 1)]
        for run in running:
            self.assertEqual(run.end().exit, 0)
        self.assertEqual(self.stage.asked.read_text(), "listed\n")
        self.assert_as_one_sync(*self.FILES)

    def test_status_shows_a_divided_course_once_and_in_order(self):
        self.prepare(self.stage)
        self.sync_all()
        text = self.all("status", "hand").out
        self.assertEqual(text.count("Optics"), 1, text)
        places = [text.index(f"Lecture {n}") for n in (0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11)]
        self.assertEqual(places, sorted(places), text)
        rows = self.all("status", "--all", "--json").events
        self.assertEqual(len({(e["course"], e["video"]) for e in rows if "video" in e}), 20)
        self.assertEqual(self.all("verify", "--json").events[-1]["files"], 20)

    def test_new_videos_titles_and_pruned_ones_have_the_names_of_one_sync(self):
        self.prepare(self.stage, hand=10, listed=6)
        self.sync_all(*self.FILES)
        single = self.scene()
        self.prepare(single, hand=10, listed=6)
        single.sync(*self.FILES, exit=0)
        for how in ({"hand": 12, "listed": 8, "title": "Light"}, {"hand": 9, "listed": 8, "title": "Light"}):
            for stage in (self.stage, single):
                self.prepare(stage, **how)
            prune = ("--prune", "--max-delete", "100%")
            for _ in range(2):
                self.sync_all(*self.FILES, *prune)
                single.sync(*self.FILES, *prune, exit=0)
            self.assertEqual(sorted(self.tree(self.stage)), sorted(self.tree(single)), how)
            self.assertEqual(self.tree(self.stage), self.tree(single))

    def test_the_register_is_made_again_if_it_is_lost_or_damaged(self):
        self.prepare(self.stage)
        self.sync_all(*self.FILES)
        before = self.tree(self.stage)
        register = self.stage.library / ".coursefetch/register-0/state.sqlite"
        for damage in (register.unlink, lambda: register.write_bytes(b"no database"), lambda: register.write_bytes(b"")):
            damage()
            asked = len(self.host.asked())
            self.sync_all(*self.FILES)
            self.assertEqual(self.tree(self.stage), before)
            self.assertEqual(self.host.asked()[asked:], [])

    def test_a_sync_that_divides_otherwise_is_refused(self):
        self.prepare(self.stage)
        self.sync_all()
        run = self.stage.sync("--shard", "1/3", "--local-state", str(self.stage.folder / "machine1"), exit=73)
        self.assertIn("--shard-by video", run.out + run.err)
        other = self.scene()
        self.prepare(other)
        other.sync("--shard", "1/3", exit=0)
        run = other.sync("--shard", "1/3", "--shard-by", "video", exit=73)
        self.assertIn("divide courses", run.out + run.err)

    def test_reshard_divides_videos_anew_and_changes_the_unit_and_fetches_nothing(self):
        self.prepare(self.stage)
        self.sync_all(*self.FILES)
        before, asked = self.tree(self.stage), len(self.host.asked())
        desk = ("--local-state", str(self.stage.folder / "desk"))
        for count, unit in ((2, None), (5, "course"), (3, "video"), (1, "video")):
            words = ("--shard-by", unit) if unit else ()
            run = self.stage.command("reshard", str(count), *words, "--json", *desk)
            self.assertEqual(run.exit, 0, run)
            self.assertEqual(run.events[-1].get("shard_by"), None if unit == "course" else "video")
            for index in range(1, count + 1):
                sync = ("--shard", f"{index}/{count}", *(() if unit == "course" else ("--shard-by", "video")))
                self.stage.sync(*sync, *desk, *self.FILES, exit=0)
            if unit == "course":
                # These shards have no page of all courses, and no link to it.
                same = {path for path in before if not path.endswith(".html")}
                self.assertNotIn("index.html", self.tree(self.stage))
                self.assertEqual({path: d for path, d in self.tree(self.stage).items() if path in same},
                                 {path: before[path] for path in same}, (count, unit))
            else:
                self.assertEqual(self.tree(self.stage), before, (count, unit))
        self.assertEqual(self.host.asked()[asked:], [])
        self.assertEqual(self.all("verify", "--json").events[-1]["files"], 20)
        run = self.stage.command("reshard", "1", "--shard-by", "course", *desk)
        self.assertEqual(run.exit, 64)

    def test_a_dry_run_leaves_nothing_and_plans_its_part(self):
        self.prepare(self.stage)
        run = self.stage.sync(*self.shard(1), "--dry-run", exit=0)
        self.assertEqual({shard_of(f"{e['course']}\n{e['video']}", 3) for e in run.of("would_download")}, {1})
        self.assertFalse((self.stage.library / ".coursefetch").exists())
        self.sync_all()
        before = {p: p.stat().st_mtime_ns for p in self.stage.folder.rglob("*") if p.is_file() and p.name != "asked"}
        self.prepare(self.stage, title="Light")
        run = self.stage.sync(*self.shard(1), "--dry-run", exit=0)
        moves = run.of("would_move")
        self.assertEqual({shard_of(f"{e['course']}\n{e['video']}", 3) for e in moves}, {1})
        after = {p: p.stat().st_mtime_ns for p in self.stage.folder.rglob("*") if p.is_file() and p.name != "asked"}
        changed = {path.name for path, _ in set(before.items()) ^ set(after.items())}
        self.assertLessEqual(changed, {"table.json", "catalog.yaml"})

    def test_a_sync_that_waits_for_the_register_ends_at_once_on_sigterm(self):
        self.prepare(self.stage)
        self.sync_all()
        provider = self.stage.plugins / "lectures/provider"
        self.stage.replace(provider, provider.read_text().replace('reply = {"result": table()["listings"]', '''time.sleep(20)
        reply = {"result": table()["listings"]''', 1), 0o755)
        first = self.stage.start_sync(*self.shard(1))
        wait_until(lambda: self.stage.asked.read_text().count("\n") > 1)
        second = self.stage.start_sync(*self.shard(2))
        time.sleep(1.5)
        began = time.monotonic()
        self.assertEqual(second.stop(signal.SIGTERM).exit, 75)
        self.assertLess(time.monotonic() - began, 3)
        self.assertEqual(first.stop(signal.SIGTERM).exit, 75)

    def test_many_listings_asked_for_by_two_at_once_with_only_come_to_an_end(self):
        listings = {f"l{n}": {"videos": [{"id": "v", "title": "V"}]} for n in range(12)}
        self.urls = {f"{course}/v": self.host.at(f"/{course}", File(media.mp4(course, 2000))) for course in listings}
        self.stage.replace(self.stage.table, json.dumps({"urls": self.urls, "listings": listings}))
        self.stage.write([{"id": course, "title": course, "discover": True} for course in listings])
        first = self.stage.start_sync(*self.shard(1, 2), "--only", "l*")
        claims = self.stage.library / ".coursefetch/claims"
        wait_until(lambda: list(claims.glob("listing*")) or first.process.poll() is not None)
        first.send(signal.SIGSTOP)
        second = self.stage.start_sync(*self.shard(2, 2), "--only", "l*")
        time.sleep(2)
        first.send(signal.SIGCONT)
        self.assertEqual([first.end(40).exit, second.end(40).exit], [0, 0])
        self.assertEqual(len(self.stage.files()), 12)

    def test_a_machine_whose_clock_is_ahead_stops_nobody(self):
        self.prepare(self.stage, listed=6)
        self.sync_all()
        (ask,) = self.stage.library.glob(".coursefetch/register-0/asked-*")
        for word in ("failed", "answered"):
            ask.write_text(f"{time.time() + 86400} {word} 7")
            asked = self.stage.asked.read_text().count("\n")
            self.sync_all()
            self.assertGreater(self.stage.asked.read_text().count("\n"), asked, word)

    def test_a_question_in_vain_is_told_to_the_shards_that_wait(self):
        self.prepare(self.stage)
        self.sync_all()
        provider = self.stage.plugins / "lectures/provider"
        self.stage.replace(provider, provider.read_text().replace('reply = {"result": table()["listings"]', 'time.sleep(3)\n'
            '        reply = {"error": {"code": -32000, "message": "no"}} if True else {"result": table()["listings"]', 1), 0o755)
        first = self.stage.start_sync(*self.shard(1))
        wait_until(lambda: self.stage.asked.read_text().count("\n") > 1)
        second = self.stage.start_sync(*self.shard(2))
        runs = [first.end()]
        asked = self.stage.asked.read_text()
        runs.append(second.end())
        self.assertNotIn(0, [run.exit for run in runs])
        self.assertIn("another shard has asked", runs[1].out)
        self.assertEqual(self.stage.asked.read_text(), asked, "the first one asks for both")

    def test_the_damaged_state_of_another_shard_is_told_and_costs_this_one_nothing(self):
        self.prepare(self.stage)
        self.sync_all(*self.FILES)
        for state in [*self.stage.folder.glob("machine*/users/*/shards/2-of-3/state.sqlite*"),
                      self.stage.library / ".coursefetch/shards/2-of-3/state.sqlite"]:
            state.write_bytes(b"rubbish" * 500)
        self.prepare(self.stage, title="Light")
        pages = {p: d for p, d in self.stage.files().items() if p.endswith(".html")}
        run = self.stage.sync(*self.shard(1), *self.FILES, exit=0)
        (text,) = [e["message"] for e in run.of("warning")]
        self.assertIn("the shard 2/3 is left out", text)
        self.assertIn("--shard 2/3", text)
        self.assertEqual({p: d for p, d in self.stage.files().items() if p.endswith(".html")}, pages)

    def test_names_that_shards_exchange_are_right_with_the_next_sync(self):
        """Titles of videos of several shards in a circle."""
        ids = [f"v{n}" for n in range(6)]
        self.assertGreater(len({shard_of(f"c\n{id}", self.COUNT) for id in ids}), 1)
        self.urls = {f"c/{id}": self.host.at(f"/{id}", File(media.mp4(id, 2000))) for id in ids}
        self.stage.replace(self.stage.table, json.dumps({"urls": self.urls, "listings": {}}))

        def titled(titles):
            self.stage.write([{"id": "c", "title": "C", "layout": "{course}/{title}.{ext}",
                               "videos": [{"id": id, "title": title} for id, title in zip(ids, titles)]}])

        titled("abcdef")
        self.sync_all()
        titled("bcdefa")
        for _ in range(len(ids)):
            self.sync_all()
        self.assertEqual(self.tree(self.stage), {
            f"C/{title}.mp4": hashlib.sha256(media.mp4(id, 2000)).hexdigest()[:12] for id, title in zip(ids, "bcdefa")})
