"""What `history` tells of nights that went well, were stopped, were killed, or could do nothing."""

import json
import shutil
import signal
import unittest

import media
from host import File, Host
from stage import Stage


class Nights(unittest.TestCase):
    def setUp(self):
        self.host, self.stage = Host(), Stage()
        self.addCleanup(self.stage.close)
        self.addCleanup(self.host.close)
        self.table = {}
        for number in range(4):
            self.host.at(f"/v{number}", File(media.mp4(number, 4000)))
            self.table[f"v{number}"] = self.host.url(f"/v{number}")

    def catalog(self, videos):
        self.stage.urls(self.table)
        self.stage.write({"c": videos})

    def history(self, *arguments, exit=0):
        run = self.stage.command("history", "--json", *arguments)
        self.assertEqual(run.exit, exit, run)
        return [json.loads(line) for line in run.out.splitlines()]

    def text(self):
        return self.stage.command("history").out

    def test_each_night_says_what_it_did(self):
        self.catalog(["v0", "v1"])
        self.assertEqual(self.history(), [])
        self.assertIn("no sync has run yet", self.text())
        self.stage.sync(exit=0)
        self.catalog(["v0", "v1", "v2"])
        self.stage.sync(exit=0)
        self.stage.sync(exit=0)
        first, second, third = self.history()
        self.assertEqual((first["new_now"], first["finished_now"], first["exit"], first["ending"]), (2, 2, 0, "ended"))
        self.assertEqual((second["new_now"], second["finished_now"]), (1, 1))
        self.assertEqual((third["new_now"], third["finished_now"], third["bytes"]), (0, 0, 0))
        whole = sum(len(data) for data in self.stage.files().values())
        self.assertEqual((second["library_bytes"], third["library_bytes"]), (whole, whole))
        self.assertGreater(first["bytes"], 0)
        self.assertEqual([run["run"] for run in self.history("--limit", "2")], [second["run"], third["run"]])
        self.assertEqual(self.text().count(" ok\n"), 3)

    def test_failures_are_counted_by_host_and_by_provider(self):
        self.catalog(["v0", "gone", "unknown"])
        self.table["gone"] = self.host.url("/gone")
        self.stage.urls(self.table)
        run = self.stage.sync(exit=1)
        [night] = self.history()
        counts = {entry["host"]: entry["failed"] for entry in night["failures_by_host"]}
        self.assertEqual(counts, {self.host.url("/").rstrip("/"): 1, "lectures": 1})
        self.assertEqual(run.of("sync_finished")[0]["failures_by_host"], night["failures_by_host"])
        self.assertEqual((night["failed_now"], night["exit"]), (2, 1))
        self.assertIn("failed at: ", self.text())

    def test_a_night_that_could_do_nothing_says_why(self):
        self.catalog(["v0"])
        self.stage.sync(exit=0)
        away = self.stage.folder / "away"
        self.stage.library.rename(away)
        self.stage.sync(exit=73)
        shutil.rmtree(self.stage.library, ignore_errors=True)
        away.rename(self.stage.library)
        self.stage.sync(exit=0)
        good, bad, better = self.history()
        self.assertEqual((bad["exit"], bad["finished_now"], bad["ending"]), (73, 0, "ended"))
        self.assertIn(str(self.stage.library), bad["message"])
        self.assertEqual((good["exit"], better["exit"], better["message"]), (0, 0, None))
        self.assertIn("  73: ", self.text())

    def test_a_stopped_a_running_and_a_killed_night_are_told_apart(self):
        self.host.at("/slow", File(media.mp4(9, 4_000_000)))
        self.table["slow"] = self.host.url("/slow")
        self.catalog(["slow"])
        for number in (signal.SIGTERM, signal.SIGKILL):
            running = self.stage.start_sync("--limit-rate", "100K")
            running.wait_for(lambda events: any(e["event"] == "progress" for e in events))
            self.assertEqual(self.history()[-1]["ending"], "running")
            running.stop(number)
        stopped, killed = self.history()
        self.assertEqual((stopped["stop_reason"], stopped["exit"], stopped["ending"]), ("signal", 75, "ended"))
        self.assertGreater(stopped["bytes"], 0)
        self.assertEqual((killed["ending"], killed["ended"], killed["exit"]), ("killed", None, None))
        self.assertIn("  75: stopped by Ctrl-C or a signal", self.text())
        self.assertIn("  killed", self.text())

    def test_the_whole_library_of_shards_has_one_history(self):
        self.catalog(["v0"])
        self.stage.write({f"c{n}": ["v0"] for n in range(6)})
        for shard in (1, 2):
            self.stage.sync("--shard", f"{shard}/2", exit=0)
        self.assertEqual([run["shard"] for run in self.history("--all-shards")], ["1/2", "2/2"])
        self.assertEqual(len(self.history("--shard", "2/2")), 1)
        self.assertIn("shard", self.stage.command("history", "--all-shards").out.splitlines()[0])


if __name__ == "__main__":
    unittest.main()
