"""A provider's process that can't be started: what the machine lacks stops the run, anything else is the provider's."""

import unittest

import media
from host import File, Host
from stage import Stage


class Starting(unittest.TestCase):
    def setUp(self):
        self.host, self.stage = Host(), Stage()
        self.addCleanup(self.stage.close)
        self.addCleanup(self.host.close)
        self.stage.urls({v: self.host.at(f"/{v}.mp4", File(media.mp4(n, 4000))) for n, v in enumerate("ab")})
        self.stage.write({"c": ["a", "b"]})

    def start(self, error, when):
        """A sync in which this pipe of each thread can't be made."""
        return self.stage.sync("--retry-failed", before=(
            "strace", "-f", "-o", "/dev/null", "-e", "trace=pipe,pipe2",
            "-e", f"inject=pipe,pipe2:error={error}:when={when}"), seconds=100)

    def test_descriptors_that_run_out_stop_the_run_and_fail_no_video(self):
        for when in (1, 2, 3):
            run = self.start("EMFILE", when)
            self.assertEqual((run.exit, run.of("download_failed")), (73, []), run)
            self.assertEqual(run.of("sync_finished")[0]["stop_reason"], "descriptors")
            self.assertIn("ulimit -n", run.out)
        self.assertEqual(len(self.stage.sync(exit=0).of("download_finished")), 2)

    def test_another_error_is_a_broken_provider_s(self):
        for when in (1, 2, 3):
            run = self.start("EIO", when)
            self.assertEqual(run.exit, 69, run)
            self.assertIn("can't be started", run.out)
        self.assertEqual(len(self.stage.sync("--retry-failed", exit=0).of("download_finished")), 2)
