"""Commands about all shards of a library as one, on the machines of the shards and on another one."""

import fcntl
import subprocess
import unittest

import media
from host import File, Host
from stage import PROGRAM, Run, Stage


class SmallCourses(unittest.TestCase):
    """A host and a catalog of small courses, for cases about their shards."""

    COURSES, VIDEOS = 9, 2

    def setUp(self):
        self.host = Host()
        self.addCleanup(self.host.close)
        self.stage = Stage()
        self.addCleanup(self.stage.close)
        self.table, self.courses = {}, []
        for course in range(self.COURSES):
            videos = []
            for video in range(self.VIDEOS):
                path = f"/{course}/{video}.mp4"
                self.table[f"c{course}/v{video}"] = self.host.at(path, File(media.mp4(path, 2000 + 100 * course)))
                videos.append({"id": f"v{video}", "title": f"Video {video}"})
            self.courses.append({"id": f"c{course}", "title": f"Course {course}", "videos": videos})
        self.stage.urls(self.table)
        self.stage.write(self.courses)


class AllShards(SmallCourses):
    COUNT = 3

    def shard(self, index):
        """Each shard on a machine of its own."""
        return ("--shard", f"{index}/{self.COUNT}", "--local-state", str(self.stage.folder / f"machine{index}"))

    def sync_all(self, *arguments, exit=0):
        return [self.stage.sync(*self.shard(index), *arguments, exit=exit) for index in range(1, self.COUNT + 1)]

    def all(self, command, *arguments, machine="desk", exit=0):
        run = self.stage.command(
            command, *arguments, "--all-shards", "--local-state", str(self.stage.folder / machine))
        self.assertEqual(run.exit, exit, run)
        return run

    def test_status_path_and_verify_tell_of_all_from_anywhere(self):
        self.sync_all()
        rows = {(e["course"], e["video"]): e for e in self.all("status", "--all", "--json").events}
        self.assertEqual(len(rows), 18)
        self.assertEqual({row["state"] for row in rows.values()}, {"finished"})
        text = self.all("status").out
        self.assertIn("3 shards, 0 of them syncing", text)
        courses = [line for line in text.splitlines() if line.startswith("c") and "Course" in line]
        self.assertEqual(courses, sorted(courses), "in the order of the catalog")
        self.assertIn("18 videos", text)
        text = self.all("status", "c1", "c7/v0").out
        self.assertEqual(text.count("Video 0"), 2, text)
        paths = self.all("path").out.splitlines()
        self.assertEqual(len(set(paths)), 18)
        self.assertEqual(len(self.all("path", "c1", "c7").out.splitlines()), 4)
        run = self.all("path", "c1", "c77", exit=64)
        self.assertIn("c77", run.err)
        found = self.all("verify", "--json").events
        self.assertEqual(found[-1]["files"], 18)
        lost = self.stage.library / sorted(self.stage.files())[5]
        lost.unlink()
        run = self.all("verify", exit=1)
        self.assertIn(lost.name, run.out)
        runs = self.sync_all()
        self.assertEqual(sum(len(run.of("download_finished")) for run in runs), 1, "as verify has recorded")
        self.assertEqual(self.all("verify").exit, 0)

    def test_what_is_changed_from_a_desk_holds_where_the_shards_are(self):
        self.sync_all()
        # What is finished can't be paused.
        self.assertIn("is finished", self.all("pause", "c1/v1").out)
        self.all("retry", "c0", "c5")
        self.all("pause", "c0/v0")
        runs = self.sync_all()
        self.assertEqual(sorted((e["course"], e["video"]) for run in runs for e in run.of("download_finished")),
                         [("c0", "v1"), ("c5", "v0"), ("c5", "v1")])
        self.all("resume", "c0/v0")
        runs = self.sync_all()
        self.assertEqual([e["video"] for run in runs for e in run.of("download_finished")], ["v0"])
        self.all("remove", "c3", "--yes")
        self.assertEqual(len(self.stage.files()), 16)
        self.assertEqual(sum(len(run.of("download_finished")) for run in self.sync_all()), 0)

    def test_a_shard_that_syncs_on_another_machine_is_steered_there(self):
        for file in self.host.handlers.values():
            file.rate = 500
        running = self.stage.start_sync(*self.shard(1))
        running.wait_for(lambda events: any(e["event"] == "download_started" for e in events))
        text = self.all("status").out
        self.assertIn("3 shards, 1 of them syncing", text)
        self.assertIn("  1/3: ", text)
        started = next(e for e in running.events if e["event"] == "download_started")
        run = self.stage.command("pause", started["course"], "--all-shards", "--local-state", str(self.stage.folder / "desk"))
        self.assertEqual(run.exit, 75, run)
        self.assertIn("is in use since", run.err)
        # On the shard's own machine it is asked.
        self.assertEqual(self.stage.command("pause", started["course"], *self.shard(1)).exit, 0)
        running.wait_for(lambda events: any(e["event"] == "download_paused" for e in events))
        running.stop()

    def test_a_logout_waits_for_all_shards_wherever_they_are(self):
        for file in self.host.handlers.values():
            file.rate = 500
        running = [self.stage.start_sync(*self.shard(index)) for index in (1, 2, 3)]
        for run in running:
            run.wait_for(lambda events: any(e["event"] == "download_started" for e in events))
        # The desk has no state of them, and sees their locks in the library.
        run = self.all("logout", "--json")
        self.assertTrue(run.events[-1]["sync_stopped"])
        # Nothing is written any more: the lock of each shard is free.
        for index in (1, 2, 3):
            with open(self.stage.library / f".coursefetch/shards/{index}-of-3/lock") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for run in running:
            self.assertEqual(run.end().events[-1]["stop_reason"], "logout")
        self.assertFalse(self.all("logout", "--json").events[-1]["sync_stopped"])

    def test_a_logout_asks_the_syncs_whose_states_only_its_command_line_names(self):
        for file in self.host.handlers.values():
            file.rate = 500
        running = self.stage.start_sync(*self.shard(1))
        running.wait_for(lambda events: any(e["event"] == "download_started" for e in events))
        run = self.stage.command("logout", "--json", "--local-state", str(self.stage.folder / "machine1"))
        # It has answered, or ended before it could.
        if not run.events[-1]["sync_stopped"]:
            [state] = (self.stage.folder / "machine1").glob("users/*/shards/1-of-3")
            with open(state / "sync.lock") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self.assertEqual(running.end().events[-1]["stop_reason"], "logout")
        run = self.stage.command("logout", "--all-shards", "--provider", "lectures")
        self.assertEqual(run.exit, 64)
        self.assertIn("can't be used together", run.err)

    def test_a_logout_names_the_shard_of_a_machine_with_a_session_of_its_own(self):
        for file in self.host.handlers.values():
            file.rate = 20
        ours, self.stage.state = self.stage.state, self.stage.folder / "elsewhere"
        running = self.stage.start_sync("--shard", "2/3")
        self.stage.state = ours
        running.wait_for(lambda events: any(e["event"] == "download_started" for e in events))
        run = self.all("logout", exit=75)
        self.assertIn("the shard 2/3 didn't end within 30 s", run.err)
        self.assertIn("log out there, too", run.err)
        self.assertIsNone(running.process.poll())
        running.stop()

    def users(self, *arguments):
        ended = subprocess.run(
            [PROGRAM, "users", *arguments, "--state", self.stage.state], env=self.stage.environment(),
            capture_output=True, text=True)
        return Run(ended.returncode, ended.stdout, ended.stderr)

    def test_users_tells_of_the_shards_of_this_machine(self):
        self.sync_all()
        places = ("--local-state", str(self.stage.folder / "machine2"))
        [user] = self.users("--json", *places).events
        [shard] = user["shards"]
        self.assertEqual((shard["shard"], shard["running"]), ("2/3", None))
        self.assertEqual(shard["library"], str(self.stage.library))
        count = len(self.stage.command("path", *self.shard(2)).out.splitlines())
        self.assertEqual(shard["downloads"]["finished"], count)
        self.assertEqual(user["downloads"]["finished"], 0)
        text = self.users(*places).out
        self.assertIn(f"  shard 2/3 in {self.stage.library}: {count} finished", text)
        self.assertEqual(self.users("--json").events[0]["shards"], [])
        # Of all shards, once their states are here, and of one that runs.
        self.all("status")
        [user] = self.users("--json", "--local-state", str(self.stage.folder / "desk")).events
        self.assertEqual([s["shard"] for s in user["shards"]], ["1/3", "2/3", "3/3"])
        self.assertEqual(sum(s["downloads"]["finished"] for s in user["shards"]), 18)

    def damage(self, file):
        """What SQLite can't open any more."""
        file.write_bytes(b"not a database" * 400)

    def check_left_out(self, machine):
        """The shard 2/3 can't be read on this machine, and everything else is told and done."""
        others = {course for index in (1, 3) for course in self.courses_of[index]}
        lost = self.courses_of[2][0]
        run = self.all("status", "--all", "--json", machine=machine, exit=73)
        rows = [e for e in run.events if "event" not in e]
        self.assertEqual({row["course"] for row in rows}, others)
        last = run.events[-1]
        self.assertEqual((last["event"], last["shard"], last["exit"]), ("shard_left_out", "2/3", 73))
        self.assertIn("warning: the shard 2/3 is left out: ", run.err)
        self.assertRegex(run.err, "library adopt --rebuild .* --shard 2/3 --local-state ")
        self.assertNotIn("--all-shards", run.err)
        run = self.all("status", machine=machine, exit=73)
        self.assertIn("3 shards, 0 of them syncing, 1 left out", run.out)
        self.assertIn(f"{2 * len(others)} videos", run.out)
        run = self.all("path", machine=machine, exit=73)
        self.assertEqual(len(run.out.splitlines()), 2 * len(others))
        self.assertIn("the shard 2/3 is left out", run.err)
        # What matches nothing here may be in the other shard.
        self.assertIn("the shard 2/3 is left out", self.all("path", lost, machine=machine, exit=73).err)
        end = self.all("verify", "--json", machine=machine, exit=73).events[-1]
        self.assertEqual((end["files"], end["exit"], end["left_out"][0]["shard"]), (2 * len(others), 73, "2/3"))
        run = self.all("doctor", machine=machine, exit=1)
        self.assertIn("2-of-3", run.out)
        course = self.courses_of[1][0]
        run = self.all("retry", course, "--json", machine=machine, exit=73)
        end = run.events[-1]
        self.assertEqual((end["changed"], end["exit"], end["left_out"][0]["shard"]), (2, 73, "2/3"))
        self.assertIn("the shard 2/3 is left out", run.err)
        self.all("pause", lost, machine=machine, exit=73)
        # What was changed holds where the shard is.
        fetched = self.stage.sync(*self.shard(1), exit=0).of("download_finished")
        self.assertEqual({e["course"] for e in fetched}, {course})

    def sync_and_tell(self):
        self.courses_of = {}
        for index, run in enumerate(self.sync_all(), 1):
            self.courses_of[index] = sorted({e["course"] for e in run.of("download_finished")})

    def test_a_damaged_state_leaves_its_shard_out(self):
        self.sync_and_tell()
        self.all("status")
        [state] = (self.stage.folder / "desk").glob("users/*/shards/2-of-3/state.sqlite")
        self.damage(state)
        self.check_left_out("desk")

    def test_a_damaged_copy_leaves_its_shard_out(self):
        self.sync_and_tell()
        self.damage(self.stage.library / ".coursefetch/shards/2-of-3/state.sqlite")
        self.check_left_out("desk")
        # Where its state is, nothing is missing.
        [local] = (self.stage.folder / "machine2").glob("users/*/shards/2-of-3")
        self.assertEqual(self.stage.command("status", *self.shard(2)).exit, 0, local)

    def test_if_no_shard_can_be_read_the_command_is_refused(self):
        self.sync_and_tell()
        self.all("status")
        for state in (self.stage.folder / "desk").glob("users/*/shards/*/state.sqlite"):
            self.damage(state)
        run = self.all("status", exit=73)
        self.assertEqual(run.out, "")
        self.assertIn("is damaged", run.err)
        self.all("pause", "--all", exit=73)
        self.all("verify", exit=73)

    def test_a_logout_holds_without_the_library(self):
        self.sync_all()
        away = self.stage.folder / "away"
        self.stage.library.rename(away)
        run = self.stage.command("logout", "--all-shards", "--local-state", str(self.stage.folder / "machine1"))
        self.assertIn(run.exit, (64, 73), run)
        away.rename(self.stage.library)
        self.stage.sync(*self.shard(1), exit=77)

    def test_what_isnt_a_library_of_shards_is_told(self):
        run = self.all("status", exit=64)
        self.assertIn("isn't the library of shards", run.err)
        self.stage.sync(exit=0)
        run = self.all("status", exit=64)
        self.assertIn("isn't the library of shards", run.err)
        run = self.stage.command("status", "--all-shards", "--shard", "1/3")
        self.assertEqual(run.exit, 64)
        self.assertIn("can't be used together", run.err)
        run = self.stage.command("retry", "--now", "--all-shards")
        self.assertEqual(run.exit, 64)


if __name__ == "__main__":
    unittest.main()
