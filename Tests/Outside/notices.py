"""What others are told of a sync: failures with the next step, pings for a healthcheck, metrics for Prometheus; and the settings
of one user."""

import getpass
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

import media
import stage
from host import File, Host
from stage import Stage, wait_until

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Notices(unittest.TestCase):
    """Two videos at a host; receivers at another one."""

    def setUp(self):
        self.host, self.receiver, self.stage = Host(), Host(), Stage()
        for one in (self.host, self.receiver, self.stage):
            self.addCleanup(one.close)
        self.receiver.fallback = lambda x: x.answer(200)
        self.table = {}
        for video in ("v1", "v2"):
            self.table[video] = self.host.at(f"/{video}", File(media.mp4(video, 40_000)))
        self.write("v1", "v2")

    def write(self, *videos):
        self.stage.urls(self.table)
        self.stage.write([{"id": "c", "title": "Mechanics", "videos": [{"id": v, "title": f"Title {v}"} for v in videos]}])

    def settings(self, name="config.yaml", **settings):
        path = self.stage.folder / "home/.config/coursefetch" / name
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
        path.write_text(json.dumps(settings))
        return path

    def posts(self, path):
        return [r.body.decode() for r in self.receiver.asked(path)]

    def paths(self):
        return [r.path for r in self.receiver.asked()]

    def plain(self, *arguments, exit, seconds=60, catalog=True):
        """A sync with the output that a person sees."""
        run = self.stage.command("sync", *([self.stage.catalog] if catalog else []), *arguments, seconds=seconds)
        self.assertEqual(run.exit, exit, run)
        return run


class Failures(Notices):
    def test_each_receiver_and_the_hook_get_the_sentences_of_the_output(self):
        self.settings(
            notify=[
                {"url": self.receiver.url("/json")}, {"url": self.receiver.url("/ntfy"), "format": "ntfy"},
                {"url": self.receiver.url("/slack"), "format": "slack"},
                {"url": self.receiver.url("/discord"), "format": "discord"},
                {"url": self.receiver.url("/new"), "only": "new"},
                {"url": self.receiver.url("/failures"), "only": "failures"}],
            hooks={"on-failure": "cat > ../../../told"})
        self.table["v2"] = self.host.url("/nothing")
        self.write("v1", "v2")
        run = self.plain(exit=1)
        [failed] = [line for line in run.err.splitlines() if line.startswith("failed ")]
        sentence = failed.removeprefix("failed").strip()
        told = json.loads((self.stage.folder / "told").read_text())
        self.assertEqual(told["exit"], 1)
        self.assertEqual((told["user"], told["count"]), (told["user"], 1))
        [failure] = told["failures"]
        self.assertEqual(f"{failure['problem']}; {failure['advice']}", sentence)
        self.assertEqual((failure["course"], failure["video"], failure["title"]), ("c", "v2", "Title v2"))
        self.assertIn(told["summary"], run.out)
        self.assertTrue(told["message"].endswith(run.err.splitlines()[-1]), (told["message"], run.err))
        check = subprocess.run(
            [sys.executable, ROOT / "contrib/check-json", "--closed", ROOT / "docs/schemas/failure.schema.json"],
            input=json.dumps(told) + "\n", capture_output=True, text=True)
        self.assertEqual(check.returncode, 0, check.stdout + check.stderr)
        # New videos come first: the run isn't over then.
        self.assertEqual([json.loads(body)["hook"] for body in self.posts("/json")], ["on-new", "on-failure"])
        self.assertEqual(json.loads(self.posts("/json")[1]), told)
        text = f"{told['message']}\n{told['summary']}\n• {sentence}"
        self.assertEqual(self.posts("/ntfy")[1], text)
        self.assertEqual(json.loads(self.posts("/slack")[1])["text"], text)
        self.assertEqual(json.loads(self.posts("/discord")[1])["content"], text)
        self.assertEqual([json.loads(body)["hook"] for body in self.posts("/new")], ["on-new"])
        self.assertEqual([json.loads(body)["hook"] for body in self.posts("/failures")], ["on-failure"])

    def test_what_is_left_for_the_next_sync_and_what_a_person_ends_has_not_failed(self):
        self.settings(notify=self.receiver.url("/"))
        self.stage.sync("--max-transfer", "10K", exit=75)
        self.host.handlers["/v1"].rate = self.host.handlers["/v2"].rate = 10_000
        running = self.stage.start_sync()
        running.wait_for(lambda events: any(e["event"] == "download_started" for e in events))
        self.assertEqual(running.stop().exit, 75)
        running = self.stage.start_sync()
        running.wait_for(lambda events: any(e["event"] == "download_started" for e in events))
        self.assertEqual(self.stage.command("logout", "--keep-credentials").exit, 0)
        self.assertEqual(running.end().exit, 75)
        self.assertEqual(self.paths(), [])
        # One that can't begin has.
        self.stage.sync(exit=77)
        [told] = self.posts("/")
        self.assertEqual(json.loads(told)["exit"], 77)
        self.assertIn("logged out", " ".join(json.loads(told)["errors"]))

    def test_a_sync_that_can_not_begin_tells_why(self):
        self.settings(notify={"url": self.receiver.url("/"), "format": "ntfy", "only": "failures"})
        self.stage.catalog.write_text("version: 1\ncourses:\n  - {id: c, titel: C}\n")
        self.plain(exit=65)
        self.assertIn(f"{self.stage.catalog}:3:", self.posts("/")[0])
        self.receiver.forget()
        self.plain(exit=64, catalog=False)
        self.assertIn("no catalog is named", self.posts("/")[0])
        self.receiver.forget()
        self.plain("--dry-run", exit=64, catalog=False)
        self.assertEqual(self.paths(), [])

    def test_a_run_that_watches_tells_a_failure_once(self):
        self.settings(notify={"url": self.receiver.url("/"), "only": "failures"})
        self.table["v2"] = self.host.url("/nothing")
        self.write("v1", "v2")
        running = self.stage.start_sync("--watch", "--every", "1s")
        rests = lambda events: sum(e["event"] == "sync_resting" for e in events)
        running.wait_for(lambda events: rests(events) >= 3)
        wait_until(lambda: self.posts("/"))
        self.assertEqual(len(self.posts("/")), 1)
        self.table["v3"] = self.host.url("/nothing-either")
        self.write("v1", "v2", "v3")
        wait_until(lambda: len(self.posts("/")) == 2)
        self.assertEqual([f["video"] for f in json.loads(self.posts("/")[1])["failures"]], ["v3"])
        seen = rests(running.events)
        running.wait_for(lambda events: rests(events) >= seen + 2)
        running.stop()
        self.assertEqual(len(self.posts("/")), 2)

    def test_a_hook_or_a_receiver_that_fails_is_a_warning(self):
        self.receiver.at("/refused", lambda x: x.answer(403))
        self.settings(notify={"url": self.receiver.url("/refused"), "only": "failures"},
                      hooks={"on-failure": "echo no mail today >&2; exit 1"})
        self.table["v2"] = self.host.url("/nothing")
        self.write("v1", "v2")
        run = self.plain(exit=1)
        self.assertIn("warning: an on-failure hook failed: no mail today\n", run.err)
        self.assertIn("warning: the notification of the failure wasn't sent: 127.0.0.1 answered 403\n", run.err)
        self.assertEqual(len(self.posts("/refused")), 1)


class Pings(Notices):
    def setUp(self):
        super().setUp()
        self.settings(notify={"url": self.receiver.url("/check/1"), "format": "healthchecks"})

    def test_a_sync_is_pinged_at_its_begin_and_with_its_result_at_its_end(self):
        run = self.plain(exit=0)
        self.assertEqual(self.paths(), ["/check/1/start", "/check/1"])
        self.assertEqual(self.posts("/check/1/start"), [""])
        self.assertIn(self.posts("/check/1")[0], run.out)
        self.assertEqual({r.method for r in self.receiver.asked()}, {"POST"})
        self.receiver.forget()
        self.table["v2"] = self.host.url("/nothing")
        self.table["v3"] = self.host.url("/nothing")
        self.write("v1", "v2", "v3")
        self.plain(exit=1)
        self.assertEqual(self.paths(), ["/check/1/start", "/check/1/fail"])
        self.assertTrue(self.posts("/check/1/fail")[0].startswith("exit code 1: 1 video failed\n"))
        self.receiver.forget()
        self.plain("--dry-run", exit=1)
        self.assertEqual(self.paths(), [])

    def test_a_sync_whose_work_is_left_for_the_next_one_counts_as_success(self):
        self.stage.sync("--max-transfer", "10K", exit=75)
        self.assertEqual(self.paths(), ["/check/1/start", "/check/1"])

    def test_a_sync_that_a_signal_ends_is_pinged_at_its_end(self):
        self.host.handlers["/v1"].rate = self.host.handlers["/v2"].rate = 10_000
        running = self.stage.start_sync()
        running.wait_for(lambda events: any(e["event"] == "download_started" for e in events))
        self.assertEqual(running.stop().exit, 75)
        self.assertEqual(self.paths(), ["/check/1/start", "/check/1"])

    def test_a_sync_that_can_not_begin_fails(self):
        for arguments, exit in ((["missing.yaml"], 66), ([], 64), ([self.stage.catalog, "--ca-file", "none"], 64),
                                ([self.stage.catalog, "--until", "2020-01-01T00:00:00Z"], 64)):
            with self.subTest(arguments):
                self.receiver.forget()
                self.plain(*arguments, exit=exit, catalog=False)
                self.assertEqual(self.paths()[-1], "/check/1/fail")
                self.assertIn(f"exit code {exit}: ", self.posts("/check/1/fail")[0])

    def test_each_pass_of_a_run_that_watches_is_pinged(self):
        running = self.stage.start_sync("--watch", "--every", "1s")
        wait_until(lambda: len(self.paths()) >= 6)
        running.stop()
        self.assertEqual(self.paths()[:6], ["/check/1/start", "/check/1"] * 3)

    def test_all_shards_are_one_sync(self):
        self.stage.sync("--shard", "1/2", exit=0)
        self.stage.sync("--shard", "2/2", exit=0)
        self.receiver.forget()
        self.plain("--all-shards", exit=0)
        self.assertEqual(self.paths(), ["/check/1/start", "/check/1"])

    def test_a_receiver_with_an_error_is_a_warning_and_is_asked_again_at_the_end(self):
        self.receiver.fallback = lambda x: x.answer(500)
        run = self.plain(exit=0)
        self.assertEqual(self.paths(), ["/check/1/start"] + ["/check/1"] * 3)
        self.assertEqual(
            [line for line in run.err.splitlines() if line.startswith("warning: ")],
            ["warning: the ping at the begin wasn't sent: 127.0.0.1 answered 500",
             "warning: the ping at the end wasn't sent: 127.0.0.1 answered 500"])

    def test_a_receiver_that_never_answers_does_not_delay_the_sync(self):
        self.receiver.fallback = lambda x: x.stall()
        running = self.stage.start_sync()
        running.wait_for(lambda events: any(e["event"] == "sync_finished" for e in events), 20)
        # A signal ends the waiting: the ping at the end is sent once.
        begun = time.monotonic()
        run = running.stop(seconds=40)
        self.assertEqual(run.exit, 0)
        self.assertLess(time.monotonic() - begun, 30)
        self.assertEqual(self.paths(), ["/check/1/start", "/check/1"])
        self.assertIn("warning: the ping at the end wasn't sent to 127.0.0.1: ", run.err)

    def test_a_receiver_that_is_not_there_is_a_warning(self):
        self.receiver.close()
        run = self.plain(exit=0)
        self.assertIn("warning: the ping at the end wasn't sent to 127.0.0.1: ", run.err)


class Metrics(Notices):
    def setUp(self):
        super().setUp()
        self.file = self.stage.folder / "metrics/coursefetch.prom"
        self.file.parent.mkdir()

    def samples(self):
        lines = [line.rsplit(" ", 1) for line in self.file.read_text().splitlines() if not line.startswith("#")]
        label = 'user="{}"'.format(lines[0][0].split('"')[1])
        return {name.replace(label + ",", "").replace("{" + label + "}", ""): float(value) for name, value in lines}

    def test_each_sync_replaces_the_file_and_the_last_success_stays(self):
        begun = time.time()
        self.stage.sync("--metrics-file", self.file, exit=0)
        first = self.samples()
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o644)
        self.assertEqual(list(self.file.parent.iterdir()), [self.file])
        self.assertGreaterEqual(first["coursefetch_last_run_timestamp_seconds"], begun - 0.001)
        self.assertEqual(first["coursefetch_last_success_timestamp_seconds"], first["coursefetch_last_run_timestamp_seconds"])
        self.assertEqual(first["coursefetch_last_run_exit_code"], 0)
        self.assertGreaterEqual(first["coursefetch_last_run_received_bytes"], 80_000)
        self.assertEqual(first['coursefetch_videos{state="finished"}'], 2)
        self.assertEqual(first["coursefetch_library_bytes"], sum(map(len, self.stage.files().values())))
        self.table["v3"] = self.host.url("/nothing")
        self.write("v1", "v2", "v3")
        # As a setting, and relative to its file.
        self.settings(**{"metrics-file": os.path.relpath(self.file, self.stage.folder / "home/.config/coursefetch")})
        self.stage.sync(exit=1)
        second = self.samples()
        self.assertEqual(second["coursefetch_last_run_exit_code"], 1)
        self.assertEqual(second['coursefetch_videos{state="failed"}'], 1)
        self.assertEqual(second[f'coursefetch_last_run_failures{{host="{self.host.url("")}"}}'], 1)
        self.assertEqual(
            second["coursefetch_last_success_timestamp_seconds"], first["coursefetch_last_success_timestamp_seconds"])
        self.assertGreater(second["coursefetch_last_run_timestamp_seconds"], first["coursefetch_last_run_timestamp_seconds"])
        self.stage.catalog.write_text("version: 1\ncourses: 7\n")
        self.stage.sync(exit=65)
        third = self.samples()
        self.assertEqual(third["coursefetch_last_run_exit_code"], 65)
        self.assertEqual(
            third["coursefetch_last_success_timestamp_seconds"], first["coursefetch_last_success_timestamp_seconds"])
        self.assertFalse([name for name in third if name.startswith("coursefetch_videos")])

    def test_promtool_finds_nothing_wrong(self):
        if not shutil.which("promtool"):
            self.skipTest("there is no promtool")
        self.table["v2"] = self.host.url("/nothing")
        self.write("v1", "v2")
        self.stage.sync("--metrics-file", self.file, exit=1)
        with open(self.file) as file:
            check = subprocess.run(["promtool", "check", "metrics"], stdin=file, capture_output=True, text=True)
        self.assertEqual((check.returncode, check.stdout + check.stderr), (0, ""))

    def test_a_file_that_can_not_be_written_is_a_warning(self):
        run = self.plain("--metrics-file", self.stage.folder / "none/m.prom", exit=0)
        self.assertIn("warning: can't write the metrics to ", run.err)

    def test_a_run_that_watches_writes_it_after_each_pass(self):
        running = self.stage.start_sync("--metrics-file", self.file, "--watch", "--every", "1s")
        wait_until(self.file.exists)
        first = self.samples()["coursefetch_last_run_timestamp_seconds"]
        wait_until(lambda: self.samples()["coursefetch_last_run_timestamp_seconds"] > first)
        running.stop()


class UserSettings(Notices):
    def test_the_file_of_a_user_goes_before_that_of_the_account(self):
        self.settings(retries=3, jobs=2, notify=self.receiver.url("/account"))
        user = self.settings("users/maths.yaml", jobs=1, notify=self.receiver.url("/maths"))
        self.assertEqual(self.stage.command("login", "--user", "maths").exit, 0)
        self.stage.sync("--user", "maths", exit=0)
        self.assertEqual(self.paths(), ["/maths"])
        run = self.stage.command("doctor", "--user", "maths", "--json")
        found = {e["name"]: (e["value"], e["origin"]) for e in run.of("setting")}
        self.assertEqual(found["jobs"], ("1", f"{user}:1:10"))
        self.assertEqual(found["retries"][0], "3")
        self.assertTrue(found["retries"][1].startswith(str(user.parent.parent / "config.yaml")), found["retries"])
        self.assertTrue(found["notify"][1].startswith(str(user)), found["notify"])
        self.assertIn(f"  file: {user}\n", self.stage.command("doctor", "--user", "maths").out)
        # The account's own user has another one, if any.
        for jobs in ("2", "3"):
            run = self.stage.command("doctor", "--json")
            self.assertEqual([e["value"] for e in run.of("setting") if e["name"] == "jobs"], [jobs])
            self.settings(f"users/{getpass.getuser()}.yaml", jobs=3)

    def test_a_file_that_others_can_write_is_not_used(self):
        user = self.settings("users/maths.yaml", jobs=1)
        user.chmod(0o666)
        run = self.stage.command("status", "--user", "maths")
        self.assertEqual(run.exit, 64)
        self.assertIn(f"{user} isn't used", run.err)


class Installed(Notices):
    def test_doctor_names_what_is_installed_with_the_program(self):
        prefix = self.stage.folder / "prefix"
        names = {"systemd_units": "systemd/user/coursefetch.timer", "crontab": "doc/coursefetch/examples/crontab",
                 "json_check": "doc/coursefetch/examples/check-json", None: "coursefetch/schemas/sync.schema.json"}
        for name in names.values():
            (prefix / "share" / name).parent.mkdir(parents=True, exist_ok=True)
            (prefix / "share" / name).touch()
        (prefix / "bin").mkdir()
        program = shutil.copy(stage.PROGRAM, prefix / "bin/coursefetch")
        link = self.stage.folder / "coursefetch"
        link.symlink_to(program)
        done = subprocess.run([link, "doctor", "--json", "--state", self.stage.state, "--library", self.stage.library],
                              capture_output=True, text=True, env=self.stage.environment())
        found = {e["check"]: e["message"] for e in map(json.loads, done.stdout.splitlines()) if e["event"] == "finding"}
        for check, name in names.items():
            if check:
                self.assertIn(str(prefix / "share" / name), found[check])
        # The Makefile installs them there.
        makefile = (ROOT / "Makefile").read_text()
        for text in ("UNITS = $(PREFIX)/share/systemd/user", "EXAMPLES = $(PREFIX)/share/doc/coursefetch/examples",
                     '"$(DESTDIR)$(EXAMPLES)/crontab"', 'contrib/check-json "$(DESTDIR)$(EXAMPLES)/"',
                     '"$(DESTDIR)$(PREFIX)/share/coursefetch/schemas/"'):
            self.assertIn(text, makefile)


if __name__ == "__main__":
    unittest.main()
