"""The state of a shard goes home into the library, and another machine goes on with it."""

import json
import os
import shutil
import signal
import sqlite3
import stat
import unittest

import media
from host import File, Host
from stage import Stage, wait_until


class StateCopies(unittest.TestCase):
    """Two machines are two folders of `--local-state`; session and logins are in the one of `--state`."""

    def setUp(self):
        self.host = Host()
        self.addCleanup(self.host.close)
        self.stage = Stage()
        self.addCleanup(self.stage.close)
        self.shard = self.stage.library / ".coursefetch/shards/1-of-1"

    def catalog(self, videos=6, size=4000, **file):
        table, entries = {}, []
        for video in range(videos):
            table[f"v{video}"] = self.host.at(f"/{video}.mp4", File(media.mp4(f"{video}", size + 100 * video), **file))
            entries.append({"id": f"v{video}", "title": f"Video {video}"})
        self.stage.urls(table)
        self.stage.write([{"id": "c", "title": "Course", "videos": entries}])
        return entries

    def on(self, machine):
        return ("--shard", "1/1", "--local-state", str(self.stage.folder / machine))

    def database(self, machine):
        return next((self.stage.folder / machine).rglob("state.sqlite"))

    def test_a_machine_that_is_gone_is_replaced_by_another(self):
        self.catalog()
        self.stage.sync(*self.on("one"), exit=0)
        sent, before = len(self.host.asked()), self.stage.files()
        self.assertFalse(list(self.stage.state.rglob("shards")), "nothing of a shard is on the shared disk")
        for name in ("state.sqlite", "state.json"):
            self.assertEqual(stat.S_IMODE((self.shard / name).stat().st_mode), 0o600, name)
        first = json.loads((self.shard / "state.json").read_text())
        self.assertEqual(self.stage.command("pause", "c/v1", *self.on("one")).exit, 0)
        shutil.rmtree(self.stage.folder / "one")
        run = self.stage.sync(*self.on("two"), exit=0)
        self.assertEqual((run.of("download_finished"), run.of("warning")), ([], []))
        self.assertEqual((len(self.host.asked()), self.stage.files()), (sent, before))
        second = json.loads((self.shard / "state.json").read_text())
        self.assertEqual(first["state"], second["state"])
        self.assertNotEqual(first["copy"], second["copy"])
        self.assertEqual([p.name for p in self.database("two").parent.iterdir() if "state-" in p.name], [])

    def test_the_first_machine_comes_back_and_takes_what_the_second_has_done(self):
        entries = self.catalog()
        self.stage.sync(*self.on("one"), exit=0)
        entries[0]["title"] = "Renamed"
        self.stage.write([{"id": "c", "title": "Course", "videos": entries}])
        self.stage.sync(*self.on("two"), exit=0)
        self.stage.write([{"id": "c", "title": "Course", "videos": entries[1:]}])
        self.stage.sync(*self.on("two"), "--prune", "--max-delete", "1", exit=0)
        sent = len(self.host.asked())
        self.stage.write([{"id": "c", "title": "Course", "videos": entries}])
        run = self.stage.sync(*self.on("one"), exit=0)
        self.assertEqual([e["video"] for e in run.of("download_finished")], ["v0"])
        self.assertEqual(len(self.stage.files()), 6)
        self.assertEqual(len(self.host.asked()) - sent, 1)
        # Nothing is copied that hasn't changed hands: its own state is the newest one now.
        self.stage.sync(*self.on("one"), exit=0)
        self.assertEqual(len(self.host.asked()) - sent, 1)

    def test_what_a_dead_machine_did_after_its_last_copy_is_in_the_list_of_files(self):
        self.catalog(rate=2000)
        running = self.stage.start_sync(*self.on("one"), "--jobs", "2")
        running.wait_for(lambda events: sum(e["event"] == "download_finished" for e in events) >= 2)
        listed = self.shard / "files.jsonl"
        wait_until(lambda: listed.exists() and listed.read_text().count(".mp4") >= 2)
        running.stop(signal.SIGKILL)
        shutil.rmtree(self.stage.folder / "one")
        # What is announced in the list may not have been placed.
        done = len(self.stage.files())
        for file in self.host.handlers.values():
            file.rate = None
        run = self.stage.sync(*self.on("two"), exit=0)
        self.assertEqual(len(run.of("download_finished")), 6 - done, run)
        self.assertEqual(sorted(self.stage.files()), sorted(f"Course/{n + 1:02} Video {n}.mp4" for n in range(6)))
        self.assertEqual(self.stage.partials() + list(self.shard.glob("partials/*")), [])

    def test_a_machine_that_dies_at_once_leaves_no_second_folder(self):
        """Killed before its first file is in the list: the folders of the courses are known."""
        self.catalog(rate=8000)
        running = self.stage.start_sync(*self.on("one"))
        running.wait_for(lambda events: any(e["event"] == "download_finished" for e in events))
        running.stop(signal.SIGKILL)
        shutil.rmtree(self.stage.folder / "one")
        self.assertTrue(self.stage.files())
        for file in self.host.handlers.values():
            file.rate = None
        self.stage.sync(*self.on("two"), exit=0)
        self.assertEqual(sorted(self.stage.files()), sorted(f"Course/{n + 1:02} Video {n}.mp4" for n in range(6)))

    def test_a_stop_brings_the_state_home(self):
        self.catalog(size=100_000, rate=50_000, etag='"one"')
        running = self.stage.start_sync(*self.on("one"), "--jobs", "2")
        running.wait_for(lambda events: sum(e["event"] == "download_finished" for e in events) >= 2)
        self.assertEqual(running.stop().exit, 75)
        copy = sqlite3.connect(f"file:{self.shard / 'state.sqlite'}?immutable=1", uri=True)
        self.addCleanup(copy.close)
        states = dict(copy.execute("SELECT state, count(*) FROM downloads GROUP BY state"))
        self.assertGreaterEqual(states["finished"], 2)
        self.assertGreaterEqual(states["suspended"], 1)
        before = dict(copy.execute("SELECT video, durable_bytes FROM downloads WHERE state = 'suspended'"))
        for file in self.host.handlers.values():
            file.rate = None
        sent = len(self.host.asked())
        self.stage.sync(*self.on("two"), exit=0)
        resumed = [r for r in self.host.asked()[sent:] if r.range_start]
        self.assertTrue(any(before.values()) and resumed, (before, resumed))

    def test_a_copy_is_read_as_anybodys(self):
        self.catalog()
        self.stage.sync(*self.on("one"), exit=0)
        good = {name: (self.shard / name).read_bytes() for name in ("state.sqlite", "state.json")}
        sent = len(self.host.asked())

        def changed(statement):
            def change():
                database = sqlite3.connect(self.shard / "state.sqlite")
                database.execute("PRAGMA writable_schema = ON")
                database.executescript(statement)
                database.commit()
                database.close()
            return change

        def write(name, content):
            return lambda: (self.shard / name).write_bytes(content)

        def link(name):
            def make():
                (self.shard / name).unlink()
                (self.shard / name).symlink_to("/etc/passwd")
            return make

        half = good["state.sqlite"][:len(good["state.sqlite"]) // 2]
        wrong = {
            "a trigger": changed("CREATE TRIGGER t AFTER UPDATE ON downloads BEGIN DELETE FROM downloads; END"),
            "a view": changed("CREATE VIEW v AS SELECT load_extension('x')"),
            "another table": changed("CREATE TABLE more (a)"),
            "another library": changed("UPDATE facts SET value = 'feed' WHERE name = 'library'"),
            "a newer version": changed("PRAGMA user_version = 99"),
            "half": write("state.sqlite", half), "no database": write("state.sqlite", b"hello" * 1000),
            "nothing": write("state.sqlite", b""), "a link": link("state.sqlite"),
        }
        for what, break_it in wrong.items():
            with self.subTest(what):
                break_it()
                run = self.stage.sync(*self.on("two"), exit=73)
                self.assertIn("another state has the shard 1-of-1", run.out)
                self.assertRegex(run.out, "library adopt --rebuild .*--shard 1/1 --local-state")
                for name, content in good.items():
                    (self.shard / name).unlink(missing_ok=True)
                    (self.shard / name).write_bytes(content)
                shutil.rmtree(self.stage.folder / "two")
        # Its mark may be anything; the copy says the truth.
        for mark in (b"", b"[]", b"{}", b'{"state": "x", "copy": 7, "host": ""}', b"\x00" * 100000):
            (self.shard / "state.json").write_bytes(mark)
            self.stage.sync(*self.on("two"), exit=0)
            shutil.rmtree(self.stage.folder / "two")
        self.assertEqual(len(self.host.asked()), sent)

    def test_a_state_that_was_rebuilt_elsewhere_counts_from_then_on(self):
        self.catalog()
        self.stage.sync(*self.on("one"), exit=0)
        sent = len(self.host.asked())
        (self.shard / "state.sqlite").write_bytes(b"damaged")
        run = self.stage.command("library adopt", "--rebuild", *self.on("two"))
        self.assertEqual(run.exit, 0, run)
        self.stage.sync(*self.on("two"), exit=0)
        run = self.stage.sync(*self.on("one"), exit=73)
        self.assertIn("another state has the shard 1-of-1", run.out)
        shutil.rmtree(self.stage.folder / "one")
        self.stage.sync(*self.on("one"), exit=0)
        self.assertEqual(len(self.host.asked()), sent)

    def test_a_copy_that_cant_be_written_is_told_once_and_stops_nothing(self):
        self.catalog()
        self.stage.sync(*self.on("one"), exit=0)
        (self.shard / "state.sqlite").unlink()
        (self.shard / "state.sqlite").mkdir()
        self.catalog(videos=8)
        run = self.stage.sync(*self.on("one"), exit=0)
        self.assertEqual(len(run.of("download_finished")), 2)
        warnings = [w["message"] for w in run.of("warning")]
        self.assertEqual(len(warnings), 1, warnings)
        self.assertIn("the copy of the shard's state in the library is out of date", warnings[0])
        (self.shard / "state.sqlite").rmdir()
        self.stage.sync(*self.on("one"), exit=0)
        self.assertTrue((self.shard / "state.sqlite").is_file())

    def test_two_machines_at_once_are_one_after_the_other(self):
        self.catalog(rate=2000)
        first = self.stage.start_sync(*self.on("one"), "--jobs", "2")
        first.wait_for(lambda events: any(e["event"] == "download_finished" for e in events))
        run = self.stage.sync(*self.on("two"), "--wait", "0s", exit=(73, 75))
        self.assertEqual(first.stop().exit, 75)
        for file in self.host.handlers.values():
            file.rate = None
        self.stage.sync(*self.on("two"), exit=0)
        self.assertEqual(len(self.stage.files()), 6)

    def test_a_copy_that_is_newer_and_damaged_refuses_the_older_state(self):
        self.catalog()
        self.stage.sync(*self.on("one"), exit=0)
        mark = json.loads((self.shard / "state.json").read_text())
        (self.shard / "state.json").write_text(json.dumps(dict(mark, copy="another", host="node7")))
        run = self.stage.sync(*self.on("one"), exit=73)
        self.assertIn("another state has the shard 1-of-1", run.out)

    def test_a_copy_that_fails_leaves_two_states_of_which_the_one_that_was_copied_last_counts(self):
        """The library's copy can't be written for a night: another machine goes on with the one before it."""
        self.catalog()
        self.stage.sync(*self.on("one"), exit=0)
        shutil.copytree(self.stage.folder / "one", self.stage.folder / "kept")
        (self.shard / "state.json").rename(self.shard / "kept.json")
        (self.shard / "state.json").mkdir()
        self.catalog(videos=7)
        run = self.stage.sync(*self.on("one"))
        (self.shard / "state.json").rmdir()
        (self.shard / "kept.json").rename(self.shard / "state.json")
        self.assertIn(run.exit, (0, 73), run)
        self.stage.sync(*self.on("two"), exit=0)
        self.assertEqual(self.stage.command("pause", "c/v1", *self.on("two")).exit, 0)
        self.stage.sync(*self.on("one"), exit=0)
        self.assertEqual(len(self.stage.files()), 7)

if __name__ == "__main__":
    unittest.main()
