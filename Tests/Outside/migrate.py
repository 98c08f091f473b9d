"""What other downloaders really leave: interrupted runs of aria2c and yt-dlp against nginx, taken over and finished; the
archive of gallery-dl."""

import hashlib
import os
import pathlib
import random
import signal
import subprocess
import sys

import stage
from asking import Case, which

SIZE = 6_000_000
COUNT = 6
RATE = "limit_rate 1500k;"
# The first file is the one that an interrupted run leaves unfinished: the others are there long before it.
SLOWEST = "v0"
SLOWEST_RATE = "limit_rate 500k;"


def digests(folder):
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.rglob("*")) if p.is_file()}


class Migrations(Case):
    def setUp(self):
        super().setUp()
        self.scene = stage.Stage()
        self.addCleanup(self.scene.close)
        self.old = pathlib.Path(self.folder) / "old"
        self.old.mkdir()
        self.bodies = {f"v{n}": random.Random(n).randbytes(SIZE + n) for n in range(COUNT)}
        for name, body in self.bodies.items():
            self.write(body, "www", "media", f"{name}.mp4")
            # Older than what was fetched of them, which tells that nothing of it is of another version.
            os.utime(self.path("www", "media", f"{name}.mp4"), (1_700_000_000, 1_700_000_000))
        media = f"{self.folder}/www/media/"
        self.base = self.nginx(f"location /slow/ {{ alias {media}; {RATE} }}"
                               f" location = /slow/{SLOWEST}.mp4 {{ alias {media}{SLOWEST}.mp4; {SLOWEST_RATE} }}")
        self.scene.write(
            [{"id": "c", "title": "Course", "videos": [{"id": name} for name in self.bodies]}], 
            defaults={"provider": "direct", "parameters": {"url": self.base + "/slow/{id}.mp4"}})

    def interrupted(self, command, until):
        """Runs a downloader until `until` is true, and ends it as a user does."""
        process = subprocess.Popen(
            [str(part) for part in command], cwd=self.old, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=self.scene.environment(), preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.addCleanup(process.kill)
        stage.wait_until(lambda: until() or process.poll() is not None, 120)
        process.send_signal(signal.SIGINT)
        process.wait(60)

    def sent(self):
        """How many bytes of each file nginx has sent so far."""
        bytes_sent = {}
        with open(self.path("access.log")) as log:
            for line in log:
                path, size = line.split('"')[1].split(" ")[1], int(line.split('"')[2].split()[1])
                name = path.rsplit("/", 1)[-1].removesuffix(".mp4")
                bytes_sent[name] = bytes_sent.get(name, 0) + size
        return bytes_sent

    def migrate(self, kind, source, *options, exit=None):
        run = self.scene.command("migrate", kind, source, "--catalog", self.scene.catalog, "--json", *options)
        if exit is not None:
            self.assertEqual(run.exit, exit, run)
        return run

    def finish(self, held):
        """The next sync: all files are there, and of each no more was transferred than was missing, and the samples."""
        before = self.sent()
        self.scene.sync("--jobs", "6", exit=0)
        files = {name: body for path, body in self.scene.files().items() if (name := path.split(" ")[-1].removesuffix(".mp4"))}
        self.assertEqual(files, self.bodies)
        after = self.sent()
        for name, body in self.bodies.items():
            sent = after.get(name, 0) - before.get(name, 0)
            # 64 KiB of the beginning and the middle, and the last MiB of what was there.
            most = len(body) - held[name] + (1_200_000 if 0 < held[name] < len(body) else 0)
            self.assertLessEqual(sent, most, (name, held[name], len(body)))

    def test_an_interrupted_batch_of_aria2c_goes_on_where_it_was(self):
        urls = self.old / "urls.txt"
        urls.write_text("".join(f"{self.base}/slow/{name}.mp4\n" for name in self.bodies))
        self.interrupted(
            [which("aria2c"), "-i", urls, "-j", "3", "-x", "1", "-s", "1", "-k", "1M", "--save-session=aria2.session",
             "--file-allocation=none", "--auto-save-interval=1", "-q", "--no-conf"],
            lambda: sum(1 for name in self.bodies if (self.old / f"{name}.mp4").exists()
                        and not (self.old / f"{name}.mp4.aria2").exists()) >= 2
            and (self.old / f"{SLOWEST}.mp4").stat().st_blocks * 512 > 2_500_000)
        finished = [n for n in self.bodies if (self.old / f"{n}.mp4").exists() and not (self.old / f"{n}.mp4.aria2").exists()]
        self.assertGreaterEqual(len(finished), 2)
        before = digests(self.old)
        run = self.migrate("aria2", self.old, exit=75)
        results = {e["video"]: e for e in run.of("record_migrated") if "video" in e}
        self.assertEqual({n for n in results if results[n]["result"] == "added"}, set(finished), run)
        held = {n: results.get(n, {}).get("bytes") or 0 for n in self.bodies}
        self.assertTrue(any(0 < held[n] < SIZE for n in self.bodies), run)
        again = self.migrate("aria2", self.old, exit=75)
        self.assertEqual({e["video"] for e in again.of("record_migrated") if e.get("earlier")} & set(finished), set(finished))
        self.finish(held)
        self.assertEqual(digests(self.old), before)
        last = self.migrate("aria2", self.old, exit=0)
        self.assertEqual({e["result"] for e in last.of("record_migrated")}, {"added", "duplicate"}, last)

    def test_an_interrupted_run_of_yt_dlp_goes_on_where_it_was(self):
        program = [sys.executable, "-m", "yt_dlp", "--ignore-config", "--no-cache-dir", "-q", "--write-info-json",
                   "--download-archive", "archive.txt", "-o", "%(id)s.%(ext)s", "--no-mtime",
                   "--limit-rate", "3M"]
        first = [f"{self.base}/media/{name}.mp4" for name in self.bodies if name != SLOWEST][:2]
        part = self.old / f"{SLOWEST}.mp4.part"
        self.interrupted(
            [*program, *first, f"{self.base}/slow/{SLOWEST}.mp4"],
            lambda: part.exists() and part.stat().st_size > 2_000_000)
        finished = [p.stem for p in self.old.glob("*.mp4")]
        self.assertGreaterEqual(len(finished), 2)
        before = digests(self.old)
        run = self.migrate("yt-dlp", self.old, exit=75)
        results = {e["video"]: e for e in run.of("record_migrated") if "video" in e}
        self.assertEqual({n for n in results if results[n]["result"] == "added"}, set(finished), run)
        held = {n: results.get(n, {}).get("bytes") or 0 for n in self.bodies}
        self.assertGreaterEqual(held[SLOWEST], 2_000_000, run)
        self.finish(held)
        self.assertEqual(digests(self.old), before)
        self.migrate("yt-dlp", self.old, exit=0)

    def test_what_gallery_dl_has_in_its_archive_is_not_downloaded(self):
        archive = self.old / "archive.sqlite3"
        for number, table in enumerate(([], ["-o", "archive-table={category}"])):
            done = subprocess.run(
                [sys.executable, "-m", "gallery_dl", "--config-ignore", "-q", "--download-archive", archive, "-D",
                 self.old / f"files{number}", *table, f"{self.base}/media/v1.mp4?token=1", f"ytdl:{self.base}/media/v2.mp4",
                 f"{self.base}/slow/v3.mp4"],
                env=self.scene.environment(), capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            before = digests(self.old)
            run = self.migrate("gallery-dl", archive, exit=75)
            result = "not_ready" if number else "file_lost"
            self.assertEqual({(e["video"], e["result"]) for e in run.of("record_migrated")},
                             {("v1", result), ("v2", result), ("v3", result)}, run)
            run = self.migrate("gallery-dl", self.old, "--seen", exit=0)
            self.assertEqual({(e["video"], e["result"], e["reason"]) for e in run.of("record_migrated")},
                             {("v1", "added", "seen"), ("v2", "added", "seen"), ("v3", "added", "seen")}, run)
            self.assertEqual(digests(self.old), before)
            archive.unlink()
        self.scene.sync(exit=0)
        self.assertEqual({path.split(" ")[-1] for path in self.scene.files()}, {"v0.mp4", "v4.mp4", "v5.mp4"})

    # Programs in Python begin slowly on a busy machine.
    test_what_gallery_dl_has_in_its_archive_is_not_downloaded.seconds = 600
    test_an_interrupted_batch_of_aria2c_goes_on_where_it_was.seconds = 300
    test_an_interrupted_run_of_yt_dlp_goes_on_where_it_was.seconds = 300

    def test_a_folder_of_wget_is_taken_over_by_its_list_and_a_new_catalog_works(self):
        urls = self.old / "urls.txt"
        urls.write_text("".join(f"{self.base}/media/{name}.mp4\n" for name in list(self.bodies)[:3]))
        subprocess.run([which("wget"), "-q", "-i", "urls.txt"], cwd=self.old, check=True, env=self.scene.environment())
        before = digests(self.old)
        new = pathlib.Path(self.folder) / "new.yaml"
        for _ in range(2):
            run = self.scene.command("migrate", "wget", self.old, "--write-catalog", new, "--json", "--link", "--requeue")
            self.assertEqual(run.exit, 0, run)
        before_sync = self.sent()
        sync = self.scene.command("sync", new, "--json")
        self.assertEqual(sync.exit, 0, sync)
        for name in before_sync:
            self.assertLess(self.sent()[name] - before_sync[name], 1_300_000, "wget proves nothing: samples do")
        self.assertEqual({hashlib.sha256(b).hexdigest() for b in self.scene.files().values()},
                         {before[f"{name}.mp4"] for name in list(self.bodies)[:3]})
        self.assertEqual(digests(self.old), before)
