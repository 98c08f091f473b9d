"""One machine syncs all shards of a library, one after the other."""

import json
import pathlib
import signal
import subprocess
import time
import unittest

from all_shards import SmallCourses
from stage import wait_until

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]


class SyncAllShards(SmallCourses):
    COUNT = 3

    def slow(self, rate=400):
        for file in self.host.handlers.values():
            file.rate = rate

    def sync(self, *arguments, exit=0):
        return self.stage.sync("--all-shards", *arguments, exit=exit)

    def check_schema(self, run, name="sync"):
        lines = "".join(json.dumps(event) + "\n" for event in run.events)
        check = subprocess.run(
            [CHECKOUT / "contrib/check-json", "--closed", CHECKOUT / f"docs/schemas/{name}.schema.json"],
            input=lines, capture_output=True, text=True)
        self.assertEqual(check.returncode, 0, check.stdout + check.stderr)

    def test_a_selector_that_no_shard_matches_stops_all(self):
        for selector in ("c77", "c1/v7", "c1/k/v0", "x*/v0"):
            run = self.sync("--shards", "3", "--only", selector, "--only", "c2", exit=64)
            self.assertIn(selector, run.out)
            self.sync("--shards", "3", "--only", selector, "--dry-run", exit=64)
        self.assertEqual(self.host.asked(), [])
        self.sync("--shards", "3", "--only", "c1/v1", "--only", "c7", "--only", "c8", exit=0)
        self.assertEqual(len(self.stage.files()), 5)

    def test_a_new_library_is_filled_and_the_next_sync_knows_how_many_shards_it_has(self):
        run = self.sync(exit=64)
        self.assertIn("--shards N", repr(run.events[-1]))
        report = self.stage.folder / "report.json"
        run = self.sync("--shards", "3", "--report", str(report))
        self.check_schema(run)
        end = run.events[-1]
        self.assertEqual((end["event"], end["exit"], end["finished_now"]), ("sync_finished", 0, 18))
        self.assertEqual(end["downloads"]["finished"], 18)
        self.assertEqual(end["shards"], [{"shard": f"{i}/3", "exit": 0} for i in (1, 2, 3)])
        self.assertNotIn("shard", end)
        self.assertTrue(all("shard" in event for event in run.events[:-1]))
        ends = run.of("shard_finished")
        self.assertEqual([e["shard"] for e in ends], ["1/3", "2/3", "3/3"])
        self.assertEqual(sum(e["finished_now"] for e in ends), 18)
        written = json.loads(report.read_text())
        self.assertEqual((written["finished_now"], len(written["shards"]), written["exit"]), (18, 3, 0))
        # Each shard has its own state, and may be synced elsewhere.
        names = {path.parent.name for path in self.stage.state.glob("users/*/shards/*/state.sqlite")}
        self.assertEqual(names, {"1-of-3", "2-of-3", "3-of-3"})
        desk = ("--local-state", str(self.stage.folder / "desk"))
        self.assertEqual(self.stage.sync("--shard", "2/3", *desk, exit=0).of("download_finished"), [])
        run = self.stage.command("sync", self.stage.catalog, "--all-shards")
        self.assertEqual(run.exit, 0, run)
        self.assertIn("shard 2/3: nothing new", run.out)
        self.assertEqual(run.out.splitlines()[-1], "nothing new: 18 videos finished")
        self.assertEqual(self.sync("--shards", "4", exit=73).of("download_finished"), [])

    def test_dry_runs_and_prune_are_about_all(self):
        self.sync("--shards", "3")
        del self.courses[3:5]
        self.courses[0]["videos"].append({"id": "v9", "title": "Video 9"})
        self.stage.write(self.courses)
        run = self.sync("--dry-run", "--prune", "--max-delete", "50%")
        self.check_schema(run, "dry-run")
        self.assertEqual(len(run.of("would_remove")), 4)
        self.assertEqual([e["video"] for e in run.of("would_download")], ["v9"])
        self.assertTrue(all("shard" in event for event in run.events[:-1]))
        self.assertEqual(len(run.of("sync_finished")), 1)
        self.assertEqual(len(self.stage.files()), 18)
        del self.courses[0]["videos"][-1]
        self.stage.write(self.courses)
        # A number is that of all shards.
        run = self.sync("--prune", "--max-delete", "3", exit=1)
        self.assertLess(run.events[-1]["removed_now"], 4)
        self.assertLessEqual(run.events[-1]["removed_now"], 3)
        self.sync("--prune", "--max-delete", "100%")
        self.assertEqual(len(self.stage.files()), 14)

    def test_a_shard_that_another_machine_syncs_is_left_out(self):
        planned = self.sync("--shards", "3", "--dry-run").of("would_download")
        theirs = {event["course"][1:] for event in planned if event["shard"] == "2/3"}
        for path, file in self.host.handlers.items():
            file.rate = 50 if path.split("/")[1] in theirs else None
        other = self.stage.start_sync("--shard", "2/3", "--local-state", str(self.stage.folder / "other"))
        other.wait_for(lambda events: any(e["event"] == "download_started" for e in events))
        began = time.monotonic()
        run = self.sync(exit=75)
        self.assertLess(time.monotonic() - began, 30, "it doesn't wait for it")
        self.assertEqual([s["exit"] for s in run.events[-1]["shards"]], [0, 75, 0])
        [error] = run.events[-1]["errors"]
        self.assertIn("the shard 2/3 is left out: ", error["message"])
        self.assertEqual({e["shard"] for e in run.of("download_finished")}, {"1/3", "3/3"})
        other.stop()
        self.slow(None)
        run = self.sync()
        self.assertEqual({e["shard"] for e in run.of("download_finished")}, {"2/3"})
        self.assertEqual(len(self.stage.files()), 18)

    def test_a_damaged_state_leaves_its_shard_out(self):
        self.sync("--shards", "3")
        [state] = self.stage.state.glob("users/*/shards/1-of-3/state.sqlite")
        state.write_bytes(b"not a database" * 400)
        self.courses[0]["videos"].append({"id": "v1b", "title": "Another"})
        run = self.sync(exit=73)
        self.assertEqual([s["exit"] for s in run.events[-1]["shards"]], [73, 0, 0])
        self.assertRegex(run.events[-1]["errors"][0]["message"], "the shard 1/3 is left out: .*--rebuild .*--shard 1/3")

    def test_a_signal_and_a_logout_end_all(self):
        self.slow(300)
        running = self.stage.start_sync("--all-shards", "--shards", "3")
        running.wait_for(lambda events: any(e["event"] == "download_started" for e in events))
        ended = running.stop(signal.SIGTERM)
        self.assertEqual(ended.exit, 75, ended)
        end = ended.events[-1]
        self.assertEqual((end["stop_reason"], [s["exit"] for s in end["shards"]]), ("signal", [75, None, None]))
        running = self.stage.start_sync("--all-shards")
        running.wait_for(lambda events: any(e["event"] == "download_started" for e in events))
        self.assertEqual(self.stage.command("logout").exit, 0)
        wait_until(lambda: running.process.poll() is not None, 20)
        ended = running.end()
        self.assertEqual((ended.exit, ended.events[-1]["stop_reason"]), (75, "logout"), ended)
        run = self.sync(exit=77)
        self.assertEqual(len(run.events[-1]["errors"]), 1)
        self.assertLessEqual(len(run.of("shard_finished")), 1, "once, not for each shard")

    def test_mistakes_are_told_once_and_nothing_begins(self):
        self.courses[5]["videos"][0]["nonsense"] = True
        self.stage.write(self.courses)
        run = self.sync("--shards", "3", exit=65)
        self.assertEqual([e["event"] for e in run.events], ["sync_finished"])
        self.assertEqual(len(run.events[-1]["errors"]), 1)
        text = self.stage.command("sync", self.stage.catalog, "--all-shards", "--shards", "3")
        self.assertEqual((text.exit, text.err.count("nonsense':") <= 1), (65, True), text)
        self.stage.catalog.unlink()
        self.sync("--shards", "3", exit=66)
        self.assertFalse(self.stage.library.exists())

    def test_what_doesnt_go_together_is_refused(self):
        for other, words in ((("--shard", "1/3"), "can't be used together"), (("--watch",), "can't be used together")):
            run = self.stage.command("sync", self.stage.catalog, "--all-shards", *other)
            self.assertEqual(run.exit, 64, run)
            self.assertIn(words, run.err)
            self.assertIn("--all-shards", run.err)
        run = self.stage.command("sync", "-", "--all-shards", "--shards", "3")
        self.assertEqual(run.exit, 64, run)
        self.stage.sync(exit=0)
        self.assertIn("isn't the library of shards", repr(self.sync(exit=64).events[-1]))

    def test_bytes_are_those_of_all(self):
        run = self.sync("--shards", "3", "--max-transfer", "12K", exit=75)
        self.assertEqual(run.events[-1]["stop_reason"], "quota")
        self.assertLess(run.events[-1]["bytes"], 16 << 10)
        self.sync()


if __name__ == "__main__":
    unittest.main()
