"""`reshard`: the states of a library are divided anew, and nothing is fetched again."""

import concurrent.futures
import json
import unittest

import media
from all_shards import SmallCourses
from faults import Faults
from host import File
from shards import shard_of
from stage import Stage, wait_until


class Resharding(SmallCourses):
    maxDiff = None

    COURSES, VIDEOS = 10, 3

    def machine(self, name):
        return ("--local-state", str(self.stage.folder / name))

    def sync_all(self, count, *arguments, exit=0, machine="machine"):
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            return list(pool.map(lambda index: self.stage.sync(
                "--shard", f"{index}/{count}", *self.machine(machine), *arguments, exit=exit), range(1, count + 1)))

    def reshard(self, count, *arguments, exit=0, machine="machine"):
        run = self.stage.command("reshard", str(count), *self.machine(machine), *arguments)
        self.assertIn(run.exit, exit if isinstance(exit, tuple) else (exit,), run)
        return run

    def rows(self, machine="machine"):
        run = self.stage.command("status", "--all", "--json", "--all-shards", *self.machine(machine))
        self.assertEqual(run.exit, 0, run)
        return {(e["course"], e["video"]): e for e in run.events}

    def parts(self):
        return sorted(p.name for p in (self.stage.library / ".coursefetch/shards").iterdir())

    def assert_whole(self, count, before, sent, machine="machine"):
        runs = self.sync_all(count, machine=machine)
        self.assertEqual([run.of("download_finished") for run in runs], [[]] * count)
        self.assertEqual((self.stage.files(), len(self.host.asked())), (before, sent))
        self.assertFalse((self.stage.library / ".coursefetch/division.json").exists())
        self.assertEqual(self.parts(), sorted(f"{index}-of-{count}" for index in range(1, count + 1)))
        run = self.stage.command("verify", "--all-shards", "--json", *self.machine(machine))
        self.assertEqual((run.exit, run.events[-1]["files"]), (0, len(before)), run)

    def test_from_one_state_to_more_and_fewer_shards(self):
        self.stage.sync(exit=0)
        before, sent = self.stage.files(), len(self.host.asked())
        self.assertEqual(len(before), 30)
        run = self.reshard(3)
        self.assertIn("now has 3 shards (was one state without shards), with 10 courses and 30 videos. Sync with", run.out)
        self.assertEqual(len(self.rows()), 30)
        self.assert_whole(3, before, sent)
        run = self.stage.sync(exit=73)
        self.assertIn("the library of 3 shards", run.out)
        self.assertEqual(self.stage.status(), {}, "the user's own state has none of it any more")
        for count in (5, 14, 1, 2):
            self.assertIn(f"now has {count} shard", self.reshard(count).out)
            self.assert_whole(count, before, sent)
        run = self.reshard(2)
        self.assertIn("has 2 shards already", run.out)
        event = self.reshard(4, "--json").events[0]
        self.assertEqual({k: event[k] for k in ("event", "shards_before", "shards", "courses", "videos", "partials")}, {
            "event": "library_resharded", "shards_before": 2, "shards": 4, "courses": 10, "videos": 30, "partials": 0})
        self.assert_whole(4, before, sent)
        # The list of files of each new shard makes its state again.
        for index in range(1, 5):
            (self.stage.folder / f"machine/users/root/shards/{index}-of-4/state.sqlite").unlink(missing_ok=True)
            for name in ("state.sqlite", "state.json"):
                (self.stage.library / f".coursefetch/shards/{index}-of-4" / name).unlink()
            run = self.stage.command("library adopt", "--rebuild", "--shard", f"{index}/4", *self.machine("fresh"))
            self.assertEqual(run.exit, 0, run)
        self.assert_whole(4, before, sent, machine="fresh")

    def test_what_people_decided_and_what_is_half_there_stays(self):
        self.sync_all(3)
        all = lambda command, *arguments: self.assertEqual(
            self.stage.command(command, *arguments, "--all-shards", *self.machine("machine")).exit, 0)
        all("remove", "--yes", "c1/v0")
        all("retry", "c2", "c3/v0")
        all("pause", "c2/v1")
        all("prioritize", "--to", "high", "c2/v2")
        # One is stopped in its middle.
        half = self.host.handlers["/3/0.mp4"]
        half.body, half.rate, half.etag = media.mp4("long", 3_000_000), 300_000, "\"half\""
        shard = shard_of("c3", 3)
        running = self.stage.start_sync("--shard", f"{shard}/3", *self.machine("machine"), "--only", "c3/v0")
        partials = lambda: [p for p in self.stage.library.glob(".coursefetch/shards/*/partials/*") if p.stat().st_size > 500_000]
        wait_until(lambda: partials() or running.process.poll() is not None, 30, lambda: repr(running.events[-5:]))
        running.stop()
        half.rate = None
        size = self.rows()[("c3", "v0")]["bytes"]
        self.assertGreater(size, 0)
        told = ("state", "priority", "bytes", "title", "path")
        before = {key: [row.get(name) for name in told] for key, row in self.rows().items()}
        # As after any start without a running sync.
        before["c3", "v0"][0] = "waiting"
        run = self.reshard(4)
        self.assertIn("the bytes of 1 incomplete video are kept", run.out)
        self.assertEqual({key: [row.get(name) for name in told] for key, row in self.rows().items()}, before)
        self.host.forget()
        runs = self.sync_all(4)
        done = sorted((e["course"], e["video"]) for run in runs for e in run.of("download_finished"))
        self.assertEqual(done, [("c2", "v0"), ("c2", "v2"), ("c3", "v0")])
        ranges = [r.headers.get("range") for r in self.host.asked("/3/0.mp4")]
        self.assertEqual(ranges, [f"bytes={size}-"], "its bytes are kept")
        self.assertEqual(self.rows()[("c2", "v1")]["state"], "paused")
        self.assertEqual(self.rows()[("c1", "v0")]["state"], "cancelled")

    def test_states_from_before_count_as_none(self):
        for index in (1, 2, 3):
            self.stage.sync("--shard", f"{index}/3", *self.machine(f"node{index}"), exit=0)
        before, sent = self.stage.files(), len(self.host.asked())
        self.reshard(5, machine="desk")
        run = self.stage.sync("--shard", "2/3", *self.machine("node2"), exit=73)
        self.assertIn("the library of 5 shards", run.out)
        # A course more, and back to three: the nodes' states of three shards are older than that.
        self.table["c20/v0"] = self.host.at("/new.mp4", File(media.mp4("new", 5000)))
        self.stage.urls(self.table)
        self.courses.append({"id": "c20", "title": "Course 20", "videos": [{"id": "v0", "title": "Video 0"}]})
        self.stage.write(self.courses)
        self.sync_all(5, machine="desk")
        self.assertEqual(len(self.host.asked()), sent + 1)
        self.reshard(3, machine="desk")
        for index in (1, 2, 3):
            self.stage.sync("--shard", f"{index}/3", *self.machine(f"node{index}"), exit=0)
        self.assertEqual(len(self.host.asked()), sent + 1)
        self.assertEqual(len(self.stage.files()), 31)
        # One whose copy was damaged isn't taken for the old one's.
        self.reshard(5, machine="desk")
        self.reshard(3, machine="desk")
        (self.stage.library / ".coursefetch/shards/2-of-3/state.sqlite").write_bytes(b"damaged")
        run = self.stage.sync("--shard", "2/3", *self.machine("node2"), exit=73)
        self.assertIn("another state has the shard 2-of-3", run.out)
        run = self.stage.command("library adopt", "--rebuild", "--shard", "2/3", *self.machine("node2"))
        self.assertEqual(run.exit, 0, run)
        for index in (1, 2, 3):
            self.stage.sync("--shard", f"{index}/3", *self.machine(f"node{index}"), exit=0)
        self.assertEqual(len(self.host.asked()), sent + 1)
        self.assertEqual(set(before) - set(self.stage.files()), set())

    def test_the_machine_knows_the_library_and_no_other_is_touched(self):
        """Without --library from the second command on, and with another library of the same user."""
        for index in (1, 2):
            self.stage.sync("--shard", f"{index}/2", exit=0)
        first = self.stage.library
        self.stage.library = self.stage.folder / "second"
        other = Stage()
        self.addCleanup(other.close)
        self.stage.state, kept = other.state, self.stage.state
        self.stage.sync(exit=0)
        sent = len(self.host.asked())
        # The path is known from the state alone.
        places = self.stage.places
        self.stage.places = lambda command, arguments: [
            word for word in places(command, arguments) if word not in ("--library", str(self.stage.library))]
        self.assertIn("now has 3 shards", self.stage.command("reshard", "3").out)
        self.assertIn("now has 11 shards", self.stage.command("reshard", "11").out)
        for index in range(1, 12):
            self.stage.sync("--shard", f"{index}/11", exit=0)
        self.assertEqual(len(self.host.asked()), sent)
        self.assertEqual(len(self.stage.command("status", "--all", "--json", "--all-shards").events), 30)
        run = self.stage.sync(exit=73)
        self.assertIn("the library of 11 shards", run.out)
        self.assertEqual([p.name for p in (self.stage.folder / "home").rglob("*.mp4")], [])
        # Two libraries with as many shards: the states of one aren't those of the other.
        self.assertIn("now has 2 shards", self.stage.command("reshard", "2").out)
        self.stage.places, self.stage.state, self.stage.library = places, kept, self.stage.folder / "second"
        states = {p: p.read_bytes() for p in kept.rglob("shards/*/state.sqlite")}
        self.assertEqual(len(states), 2)
        for command in ("status", "path", "doctor"):
            self.stage.command(command, "--all-shards")
        self.stage.sync("--shard", "1/2", exit=73)
        self.stage.command("reshard", "3")
        self.assertEqual({p: p.read_bytes() for p in kept.rglob("shards/*/state.sqlite")}, states)
        self.stage.library = first
        for index in (1, 2):
            self.assertEqual(self.stage.sync("--shard", f"{index}/2", exit=0).of("download_finished"), [])
        self.assertEqual(len(self.host.asked()), sent)

    def test_an_odd_note_removes_nothing(self):
        self.sync_all(2)
        before, sent = self.stage.files(), len(self.host.asked())
        home = self.stage.library / ".coursefetch"
        marker = json.loads((home / "library.json").read_text())
        for note in ({"from": 2, "to": 3, "division": 0}, {"from": 3, "to": 2, "division": 1},
                     {"to": 2, "division": 0, "from": 2}, {"from": 7, "to": 2, "division": 2}, {"to": 2, "division": 1}, [],
                     {"from": 2, "to": 10**30, "division": 1}):
            (home / "division.json").write_text(json.dumps(note))
            self.sync_all(2)
            self.assertEqual(self.parts(), ["1-of-2", "2-of-2"])
        self.assertTrue((home / "shards/1-of-2/state.sqlite").exists())
        (home / "division.json").unlink(missing_ok=True)
        for division in (2**63 - 1, -1, "x"):
            (home / "library.json").write_text(json.dumps({**marker, "division": division}))
            self.assertIn(self.reshard(3, exit=(0, 73)).exit, (0, 73))
            shards = json.loads((home / "library.json").read_text())["shards"]
            (home / "library.json").write_text(json.dumps({**marker, "division": 99, "shards": shards}))
        self.assertEqual((self.stage.files(), len(self.host.asked())), (before, sent))

    def test_a_division_that_was_given_up_leaves_a_library_without_shards(self):
        self.stage.sync(exit=0)
        shards = self.stage.library / ".coursefetch/shards"
        (shards / "1-of-4/partials").mkdir(parents=True)
        (shards.parent / "division.json").write_text(json.dumps({"to": 4, "division": 1}))
        self.stage.sync(exit=0)
        self.assertFalse(shards.exists())
        run = self.stage.command("library adopt", "--rebuild")
        self.assertEqual(run.exit, 0, run)
    def test_a_shard_without_courses_goes_on_where_it_has_a_state_from_before(self):
        self.stage.write([course for course in self.courses if shard_of(course["id"], 2) == 1])
        self.sync_all(2)
        for count in (3, 2):
            self.reshard(count, machine="desk")
        self.sync_all(2)

    def test_nothing_is_divided_while_a_shard_is_synced(self):
        for file in self.host.handlers.values():
            file.rate = 3000
        running = self.stage.start_sync("--shard", "2/2", *self.machine("elsewhere"))
        running.wait_for(lambda events: any(e["event"] == "download_started" for e in events))
        run = self.reshard(3, exit=75)
        self.assertIn("in use", run.err)
        self.assertEqual(json.loads((self.stage.library / ".coursefetch/library.json").read_text())["shards"], 2)
        running.stop()
        run = self.stage.command("reshard", "0")
        self.assertEqual(run.exit, 64)
        self.stage.library = self.stage.folder / "nowhere"
        run = self.stage.command("reshard", "3")
        self.assertEqual(run.exit, 73, run)
        self.assertFalse(self.stage.library.exists())


class FaultAtAnyCall(Faults, unittest.TestCase):
    """The shards that are there after a fault find all of theirs, and so do those of a second try."""

    brings_all = False

    def prepare(self):
        table = {f"{course}/v": self.video(f"{course}v") for course in "abc"}
        self.bodies["half"] = media.mp4("half", 400_000)
        table["d/half"] = self.host.at("/half", self.whole("half", rate=100_000))
        self.stage.urls(table)
        self.stage.write({**{course: ["v"] for course in "abc"}, "d": ["half"]})
        half = shard_of("d", 2)
        self.shard(3 - half, 2)
        running = self.stage.start_sync("--shard", f"{half}/2")
        wait_until(lambda: any(p.stat().st_size > 100_000 for p in self.stage.library.glob(".coursefetch/shards/*/partials/*")))
        running.stop()
        self.host.at("/half", self.whole("half"))

    def whole(self, id, **how):
        return File(self.bodies[id], etag=f'"{id}"', **how)

    def shard(self, index, count):
        run = self.stage.sync("--shard", f"{index}/{count}", *self.options)
        self.assertEqual(run.exit, 0, run)
        return run

    def act(self):
        return self.stage.command("reshard", "3")

    def mend(self):
        count = json.loads((self.stage.library / ".coursefetch/library.json").read_text())["shards"]
        # A look of each at what is finished: no turn settles what the fault has left.
        for index in range(1, count + 1):
            self.shard(index, count)
        for part in self.stage.library.glob(".coursefetch/shards/*"):
            self.assertTrue(part.name.endswith(f"-of-{count}"), part)
        run = self.act()
        if run.exit == 0:
            for index in range(1, 4):
                self.shard(index, 3)
        asked = [r.headers.get("range", "") for r in self.host.asked("/half")]
        self.assertEqual([a for a in asked if not a.startswith("bytes=") or a == "bytes=0-"], [], "its bytes are lost")
        return run


if __name__ == "__main__":
    unittest.main()
