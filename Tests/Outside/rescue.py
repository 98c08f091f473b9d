"""What `migrate` must not make of other downloaders' files: real wget, curl and aria2c, ended in the middle."""

import hashlib
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import time

import stage
from asking import Case, which

SIZE = 6_000_000
OLD = 1_700_000_000


class Rescue(Case):
    def setUp(self):
        super().setUp()
        self.scene = stage.Stage()
        self.addCleanup(self.scene.close)
        self.old = pathlib.Path(self.folder) / "old"
        self.old.mkdir()
        self.body = random.Random(1).randbytes(SIZE)
        self.put(self.body, OLD)
        # From the second one nothing is complete before it is killed, however late that is.
        self.base = self.nginx(f"location /slow/ {{ alias {self.folder}/www/; limit_rate 2m; }}"
                               f"location /stuck/ {{ alias {self.folder}/www/; limit_rate_after 5m; limit_rate 1k; }}")
        self.scene.write([{"id": "c", "title": "Course", "videos": [{"id": "v"}]}],
                         defaults={"provider": "direct", "parameters": {"url": self.base + "/slow/{id}.mp4"}})

    def put(self, body, date):
        self.write(body, "www", "v.mp4")
        os.utime(self.path("www", "v.mp4"), (date, date))

    def killed(self, *command, at=2_000_000, number=signal.SIGKILL):
        """Runs a downloader until it has some bytes, and kills it."""
        process = subprocess.Popen([str(part) for part in command], cwd=self.old, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=self.scene.environment(),
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.addCleanup(process.kill)
        file = self.old / "v.mp4"
        stage.wait_until(lambda: file.exists() and file.stat().st_blocks * 512 > at or process.poll() is not None, 30)
        process.send_signal(number)
        process.wait(30)

    def rescue(self, kind, *options):
        run = self.scene.command("migrate", kind, self.old, "--catalog", self.scene.catalog, "--json", *options)
        self.assertEqual(run.exit, 75, run)
        self.assertEqual([e["result"] for e in run.of("record_migrated")], ["uncompleted"], run)
        self.assertEqual(self.scene.files(), {}, run)
        self.scene.sync(exit=0)
        self.assertEqual([hashlib.sha256(b).hexdigest() for b in self.scene.files().values()],
                         [hashlib.sha256(pathlib.Path(self.path("www", "v.mp4")).read_bytes()).hexdigest()])
        self.assertEqual(self.scene.command("verify").exit, 0)

    def asked(self):
        """How many bytes nginx has sent in each answer to coursefetch: a line of a killed program may come late."""
        with open(self.path("access.log")) as log:
            return [int(parts[2].split()[1]) for parts in (line.split('"') for line in log)
                    if parts[5].startswith("coursefetch/")]

    def test_a_file_of_wget_that_was_killed_is_continued_and_not_taken_for_a_video(self):
        self.killed(which("wget"), "-q", self.base + "/stuck/v.mp4")
        cut = (self.old / "v.mp4").stat().st_size
        self.assertLess(cut, SIZE)
        self.rescue("wget")
        self.assertTrue(self.asked())
        self.assertLess(sum(self.asked()), SIZE, "its bytes are used")

    def test_a_file_of_curl_that_was_killed_and_is_linked_stays_as_it_is(self):
        self.killed(which("curl"), "-s", "-O", self.base + "/stuck/v.mp4")
        cut = (self.old / "v.mp4").read_bytes()
        self.assertLess(len(cut), SIZE)
        self.rescue("curl", "--link")
        self.assertEqual((self.old / "v.mp4").read_bytes(), cut)

    def test_a_whole_file_of_wget_costs_only_the_samples(self):
        subprocess.run([which("wget"), "-q", self.base + "/v.mp4"], cwd=self.old, check=True,
                       env=self.scene.environment())
        self.rescue("wget", "--link")
        self.assertTrue(self.asked())
        self.assertLess(sum(self.asked()), 1_300_000)

    def test_a_partial_of_aria2c_is_dropped_if_the_servers_file_has_changed_since_anywhere(self):
        self.killed(which("aria2c"), "-q", "--no-conf", "-x", "1", "-s", "1", "-k", "1M", "--file-allocation=none",
                    "--auto-save-interval=1", self.base + "/stuck/v.mp4", at=4_500_000, number=signal.SIGINT)
        self.assertTrue((self.old / "v.mp4.aria2").exists())
        changed = bytearray(self.body)
        changed[300_000:400_000] = random.Random(2).randbytes(100_000)
        self.write(bytes(changed), "www", "v.mp4")
        # Not in the second of the answer: nobody takes such a date for a validator.
        now = (pathlib.Path(self.old / "v.mp4").stat().st_mtime) + 1
        os.utime(self.path("www", "v.mp4"), (now, now))
        stage.wait_until(lambda: time.time() > now + 2.5, 10)
        self.rescue("aria2")

    def test_a_catalog_that_was_written_passes_check_whatever_the_store_lacks(self):
        (self.old / "archive.txt").write_text("youtube dQw4w9WgXcQ\nvimeo 7 7\n")
        for name in ("x.mp4", "other [x y].mp4"):
            (self.old / name).write_bytes(self.body[:1000])
        (self.old / "x.info.json").write_text('{"id": "x", "extractor_key": "Generic", "url": "HTTP://me@h.example/x"}')
        (self.old / "aria2.session").write_text("http://h.example/a.mp4\n gid=1\n")
        (self.old / "input.txt").write_text("http://h.example/b.mp4\nhttp://h.example/a.mp4\n")
        for name in ("a.mp4", "b.mp4"):
            (self.old / name).write_bytes(self.body[:1000])
        for kind in ("yt-dlp", "aria2"):
            catalog = pathlib.Path(self.folder) / f"{kind}.yaml"
            self.scene.command("migrate", kind, self.old, "--write-catalog", catalog)
            run = self.scene.command("check", catalog)
            self.assertEqual(run.exit, 0, (kind, run, catalog.read_text()))
            self.assertNotIn(".mp4.mp4", "".join(self.scene.files()))
        self.assertIn("http://h.example/b.mp4", (pathlib.Path(self.folder) / "aria2.yaml").read_text())

    def test_outside_of_its_hours_a_sync_does_nothing_and_says_when_they_begin(self):
        now = time.localtime()
        begin, end = ((now.tm_hour + n) % 24 for n in (3, 5))
        run = self.scene.sync("--between", f"{begin:02}:00-{end:02}:00", exit=75)
        self.assertIn(f"{begin:02}:00", run.err + run.out, run)
        self.assertEqual(self.asked(), [])
        hour = now.tm_hour
        run = self.scene.sync("--between", f"{(hour - 2) % 24:02}:00-{(hour + 3) % 24:02}:00", exit=0)
        self.assertEqual(list(self.scene.files().values()), [self.body])
        self.assertEqual(self.scene.sync("--between", "1-6").exit, 64)

    def test_a_partial_of_full_length_is_asked_for_again_when_the_catalog_has_another_size(self):
        (self.old / "v.mp4").write_bytes(self.body)
        (self.old / "list.csv").write_text(f"course,video,path,state,size\nc,v,v.mp4,unfinished,{SIZE}\n")
        self.scene.command("migrate", "manifest", self.old / "list.csv", "--catalog", self.scene.catalog)
        database = sqlite3.connect(next(self.scene.state.rglob("state.sqlite")))
        # As a run leaves it that was killed after the last byte.
        database.execute("UPDATE downloads SET stream = NULL, etag = '\"x\"'")
        database.commit()
        database.close()
        self.put(self.body + b"more", OLD + 1)
        self.scene.write([{"id": "c", "title": "Course", "videos": [{"id": "v", "size": SIZE + 4}]}],
                         defaults={"provider": "direct", "parameters": {"url": self.base + "/slow/{id}.mp4"}})
        self.scene.sync(exit=0)
        self.assertEqual(list(self.scene.files().values()), [self.body + b"more"])

    def test_a_partial_is_continued_where_the_provider_says_how_long_the_file_is(self):
        (self.old / "v.mp4").write_bytes(self.body[:3_000_000])
        (self.old / "list.csv").write_text(f"course,video,path,state,size\nc,v,v.mp4,unfinished,{SIZE}\n")
        self.scene.urls({"v": {"url": self.base + "/v.mp4", "size": SIZE}})
        self.scene.write({"c": ["v"]})
        self.scene.command("migrate", "manifest", self.old / "list.csv", "--catalog", self.scene.catalog,
                           "--plugins", self.scene.plugins)
        self.scene.sync(exit=0)
        self.assertEqual(list(self.scene.files().values()), [self.body])
        self.assertTrue(0 < sum(self.asked()) < SIZE, self.asked())

    def test_what_failed_while_the_clock_was_ahead_is_tried_again_by_the_next_sync(self):
        os.unlink(self.path("www", "v.mp4"))
        self.scene.sync(exit=1)
        database = sqlite3.connect(next(self.scene.state.rglob("state.sqlite")))
        database.execute("UPDATE downloads SET retry_at = ?", (time.time() + 400 * 86400,))
        database.commit()
        database.close()
        self.put(self.body, OLD)
        self.scene.sync(exit=0)
        self.assertEqual(list(self.scene.files().values()), [self.body])
