"""What docs/operations.md says: backups that are restored, another place, a missing mount. accounts.py tries several accounts."""

import getpass
import shutil
import sqlite3
import unittest

import media
import stage
from host import File, Host
from stage import wait_until

VIDEOS = [f"{course}{number}" for course in "ab" for number in range(4)]


class Night(unittest.TestCase):
    """Two courses of four videos."""

    def setUp(self):
        self.host, self.stage = Host(), stage.Stage()
        self.addCleanup(self.stage.close)
        self.addCleanup(self.host.close)
        self.files = {v: File(media.mp4(v, 60_000), etag=f'"{v}"') for v in VIDEOS}
        for video, file in self.files.items():
            self.host.at(f"/{video}.mp4", file)
        self.write("ab")

    def write(self, courses):
        self.stage.write({course: [v for v in VIDEOS if v[0] == course] for course in courses},
                         defaults={"provider": "direct", "parameters": {"url": self.host.url("/{id}.mp4")}})

    def pace(self, rate):
        for file in self.files.values():
            file.rate = rate

    @property
    def state(self):
        return self.stage.state / "users" / getpass.getuser() / "state.sqlite"

    def backup(self, name="backup.sqlite"):
        """What `sqlite3 state.sqlite ".backup FILE"` does."""
        path = self.stage.folder / name
        source, target = sqlite3.connect(self.state), sqlite3.connect(path)
        source.backup(target)
        source.close()
        target.close()
        return path

    def restore(self, state, library=None):
        """Puts a state (None: it is lost) and a copy of the library into their places."""
        shutil.rmtree(self.stage.state)
        self.state.parent.mkdir(parents=True)
        if state:
            shutil.copy(state, self.state)
        if library:
            shutil.rmtree(self.stage.library)
            shutil.copytree(library, self.stage.library)

    def rebuild(self):
        run = self.stage.command("library adopt", "--rebuild")
        self.assertEqual(run.exit, 0, run)

    def requested(self, *arguments, exit=0):
        """What a sync asks the host for: video to the first byte, None for the whole file."""
        self.host.forget()
        self.last = self.stage.sync(*arguments, exit=exit)
        return {r.path[1:-4]: r.range_start for r in self.host.asked()}

    def whole(self):
        self.assertEqual(sorted(self.stage.files().values()), sorted(f.body for f in self.files.values()))


class Backups(Night):
    def interrupted(self):
        """Copies the state during a sync, then the library. Returns the copies, and which videos are in the library's list."""
        self.pace(40_000)
        running = self.stage.start_sync("--jobs", "2", "--connections-per-file", "1")

        def finished(count):
            running.wait_for(lambda events: sum(e["event"] == "download_finished" for e in events) >= count)

        finished(2)
        state = self.backup()
        torn = self.stage.folder / "torn.sqlite"
        shutil.copy(self.state, torn)
        # The list of files is written a moment after a file is finished.
        wait_until(lambda: len(self.listed(self.stage.library)) >= 4)
        library = self.stage.folder / "backup"
        shutil.copytree(self.stage.library, library)
        running.stop()
        self.pace(None)
        return state, torn, library, self.listed(library)

    @staticmethod
    def listed(library):
        path = library / ".coursefetch/files.jsonl"
        return {v for v in VIDEOS if path.exists() and f"{v}.mp4" in path.read_text()}

    def test_a_backup_of_a_running_sync_is_restored_and_nothing_comes_twice(self):
        state, torn, library, there = self.interrupted()
        self.restore(state, library)
        self.rebuild()
        self.assertEqual(set(self.requested()) & there, set())
        self.whole()
        # A plain copy of the state's file alone has nothing in it.
        self.restore(torn)
        self.assertEqual(self.requested(exit=73), {})
        self.rebuild()
        self.assertEqual(self.requested(), {})
        self.whole()

    def test_a_lost_state_is_made_again_of_the_library(self):
        self.stage.sync(exit=0)
        self.assertEqual(self.stage.command("remove", "a/*/a0", "--yes").exit, 0)
        self.restore(None)
        self.assertEqual(self.requested(exit=73), {})
        self.rebuild()
        # What only the state knew is lost: the video that was removed comes back.
        self.assertEqual(set(self.requested()), {"a0"})
        self.whole()

    def test_a_library_older_than_its_state_is_held_until_it_is_to_be_fetched(self):
        self.write("a")
        self.stage.sync(exit=0)
        shutil.copytree(self.stage.library, self.stage.folder / "backup")
        self.write("ab")
        self.stage.sync(exit=0)
        self.restore(self.backup(), self.stage.folder / "backup")
        self.assertEqual(self.requested(exit=73), {})
        self.assertEqual([e["course"] for e in self.last.of("course_held")], ["b"])
        self.assertEqual(set(self.requested("--refetch-lost")), {v for v in VIDEOS if v[0] == "b"})
        self.whole()

    def test_a_library_without_its_own_folder_is_adopted(self):
        self.stage.sync(exit=0)
        shutil.rmtree(self.stage.library / ".coursefetch")
        self.assertEqual(self.requested(exit=73), {})
        self.assertEqual(self.stage.command("library adopt").exit, 0)
        self.assertEqual(self.requested(), {})
        self.restore(None)
        self.rebuild()
        self.assertEqual(self.requested(), {}, "its list of files is there again")

    def test_a_newer_state_is_left_alone_and_the_backup_is_the_way_back(self):
        self.write("a")
        self.stage.sync(exit=0)
        old = self.backup()
        self.write("ab")
        self.stage.sync(exit=0)
        database = sqlite3.connect(self.state)
        version = database.execute("PRAGMA user_version").fetchone()[0]
        database.execute(f"PRAGMA user_version = {version + 1}")
        database.close()
        before = self.state.read_bytes()
        for arguments in (["status"], ["path", "a"], ["pause", "a"], ["verify"], ["library adopt", "--rebuild"]):
            run = self.stage.command(*arguments)
            self.assertEqual(run.exit, 73, run)
            self.assertIn("was written by a newer coursefetch", run.err)
        self.assertEqual((self.requested(exit=73), self.state.read_bytes()), ({}, before))
        for state in (old, None):
            self.restore(state)
            self.rebuild()
            self.assertEqual(self.requested(), {})
        self.whole()


class Places(Night):
    def test_a_copy_at_another_place_takes_over_with_what_is_half_there(self):
        self.pace(20_000)
        self.stage.partial(lambda: any(p.stat().st_size > 20_000 for p in self.stage.partials()), "--jobs", "2")
        self.pace(None)
        elsewhere = self.stage.folder / "elsewhere"
        shutil.copytree(self.stage.library, elsewhere)
        old, self.stage.library = self.stage.library, elsewhere
        self.assertEqual(self.stage.command("library move", elsewhere).exit, 0)
        shutil.rmtree(old)
        begun = self.requested()
        self.assertTrue([start for start in begun.values() if start], begun)
        self.whole()
        empty = self.stage.folder / "empty"
        empty.mkdir()
        self.assertEqual(self.stage.command("library move", empty).exit, 73)
        self.assertEqual(list(empty.iterdir()), [])

    def test_courses_follow_a_catalog_that_is_no_longer_at_its_path(self):
        self.stage.sync(exit=0)
        old = self.stage.catalog
        self.stage.catalog = self.stage.folder / "moved.yaml"
        shutil.copy(old, self.stage.catalog)
        self.assertEqual(self.requested(exit=65), {})
        self.assertIn(f"coursefetch forget {old}", self.last.err + self.last.out)
        old.unlink()
        self.assertEqual(self.requested(), {})
        self.assertIn("now belongs to", self.last.of("warning")[0]["message"])

    def test_nothing_is_written_where_a_mount_is_missing(self):
        """The library in a folder of the mount, and the mount point itself as the library."""
        mount = self.stage.folder / "nas"
        self.write("a")
        for library in (mount / "courses", mount):
            with self.subTest(library):
                self.stage.library = library
                shutil.rmtree(self.stage.state, ignore_errors=True)
                self.stage.sync(exit=0)
                self.write("ab")
                mount.rename(self.stage.folder / "disk")
                mount.mkdir()
                for options in ([], ["--refetch-lost"], ["--prune"]):
                    self.assertEqual(self.requested(*options, exit=73), {})
                self.assertEqual(self.stage.command("path", "a").exit, 1)
                self.assertEqual(self.stage.command("verify").exit, 73)
                status = self.stage.command("status")
                self.assertEqual(status.exit, 0, status)
                self.assertIn("the files can't be reached", status.out)
                self.assertEqual(list(mount.iterdir()), [])
                mount.rmdir()
                (self.stage.folder / "disk").rename(mount)
                self.assertEqual(set(self.requested()), {v for v in VIDEOS if v[0] == "b"})
                self.whole()
                shutil.rmtree(mount)
                self.write("a")


if __name__ == "__main__":
    unittest.main()
