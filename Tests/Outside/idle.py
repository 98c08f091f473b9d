"""A night in which nothing changed is told from all others: its catalogs aren't read, and everything else is as always.

`idle_night` makes random changes by seed, and each night twice: with the notes of the night before, and without them.
COURSEFETCH_SEED=n repeats one seed, --soak tries others each time.
"""

import json
import os
import random
import shutil
import sqlite3
import subprocess
import time
import unicodedata
import unittest

import media
from host import File, Host
from samples import SOAK
from stage import Stage

SKIPPED = "they aren't read"
# What differs between two runs that do the same.
TIMES = ("time", "seconds", "run", "started_at", "until", "pid")


class Idle(unittest.TestCase):
    def setUp(self):
        self.host, self.stage, self.table = Host(), Stage(), {}
        self.addCleanup(self.stage.close)
        self.addCleanup(self.host.close)
        for number in range(6):
            self.video(f"v{number}")
        self.stage.urls(self.table)
        self.stage.write({"c": ["v0", "v1", "v2"], "d": ["v3"]})

    def video(self, name):
        self.host.at(f"/{name}", File(media.mp4(name, 3000)))
        self.table[name] = self.host.url(f"/{name}")

    def night(self, *options, exit=0, catalog=None):
        """A run, and whether it read no catalogs."""
        run = self.stage.command("sync", catalog or self.stage.catalog, "--json", "--verbose", *options)
        self.assertEqual(run.exit, exit, run)
        return run, SKIPPED in run.err

    def settle(self, *options, **how):
        """Runs until a night is skipped: one has to find nothing to do before, and to know that the catalog is as it was."""
        for _ in range(8):
            if self.night(*options, **how)[1]:
                return
        self.fail(f"no night is skipped: {self.night(*options, **how)[0]}")

    def undone(self, what, *options, exit=0):
        """After `what` a night that would be skipped isn't."""
        self.settle()
        what()
        run, is_skipped = self.night(*options, exit=exit)
        self.assertFalse(is_skipped, run)
        return run

    def state_file(self):
        return next(self.stage.state.rglob("state.sqlite"))

    def execute(self, statement, *values):
        database = sqlite3.connect(self.state_file())
        with database:
            found = database.execute(statement, values).fetchall()
        database.close()
        return found

    def plain(self, run):
        return [{k: v for k, v in event.items() if k not in TIMES} for event in run.events]


class Skips(Idle):
    def test_it_says_what_it_always_says(self):
        self.settle()
        self.execute("DELETE FROM idle")
        whole, is_skipped = self.night()
        self.assertFalse(is_skipped)
        skipped, is_skipped = self.night()
        self.assertTrue(is_skipped)
        self.assertEqual(self.plain(skipped), self.plain(whole))
        nights = [json.loads(line) for line in self.stage.command("history", "--json").out.splitlines()]
        one, other = ({k: v for k, v in night.items() if k not in ("run", "started", "ended", "seconds")}
                      for night in nights[-2:])
        self.assertEqual(one, other)
        texts = []
        for _ in range(2):
            texts.append(self.stage.command("sync", self.stage.catalog).out)
        self.assertEqual(*texts)

    def test_several_catalogs_each_keep_their_notes(self):
        other = self.stage.folder / "other.yaml"
        other.write_text(json.dumps({"version": 1, "courses": [{"id": "e", "provider": "lectures", "videos": ["v4"]}]}))
        self.settle()
        self.night(catalog=other)
        self.settle(catalog=other)
        self.settle()
        self.assertTrue(self.night(catalog=other)[1])
        self.assertTrue(self.night()[1])
        # The files of one are nothing to the other.
        next(self.stage.library.rglob("*v4*")).unlink()
        self.assertTrue(self.night()[1])
        self.assertFalse(self.night(catalog=other)[1])

    def test_sixteen_notes_are_kept(self):
        for number in range(20):
            self.settle("--retries", str(number + 1))
        self.assertEqual(self.execute("SELECT count(*) FROM idle"), [(16,)])
        self.assertTrue(self.night("--retries", "20")[1])
        self.assertFalse(self.night("--retries", "1")[1])


class Undone(Idle):
    def test_by_a_byte_of_the_catalog(self):
        text = self.stage.catalog.read_text()
        self.undone(lambda: self.stage.catalog.write_text(text.replace('"v2"', '"v4"')))
        self.assertEqual(len(self.stage.files()), 5)
        facts = self.stage.catalog.stat()

        def keep_size_and_time():
            self.stage.catalog.write_text(text.replace('"v2"', '"v5"'))
            os.utime(self.stage.catalog, ns=(facts.st_atime_ns, facts.st_mtime_ns))
        self.undone(keep_size_and_time)
        self.assertEqual(len(self.stage.files()), 6)

    def test_by_a_catalog_that_is_broken_or_away(self):
        text = self.stage.catalog.read_text()
        self.undone(lambda: self.stage.catalog.write_text(text + "  x"), exit=65)
        self.stage.catalog.write_text(text)
        self.undone(self.stage.catalog.unlink, exit=66)

    def test_by_includes(self):
        parts = self.stage.folder / "parts"
        parts.mkdir()

        def part(name, video):
            (parts / f"{name}.yaml").write_text(
                json.dumps({"version": 1, "courses": [{"id": name, "provider": "lectures", "videos": [video]}]}))
        part("one", "v0")
        self.stage.replace(self.stage.catalog, json.dumps({"version": 1, "include": ["parts/*.yaml"]}))
        self.undone(lambda: part("one", "v1"))
        self.undone(lambda: part("two", "v2"))
        self.undone(lambda: (parts / "one.yaml").rename(parts / "three.yaml"))
        self.assertTrue(any("v2" in name for name in self.stage.files()))

    def test_by_options_and_plugins(self):
        self.undone(lambda: None, "--write-nfo")
        self.settle("--write-nfo")
        self.undone(lambda: self.stage.urls(self.table, description="another one"))
        self.undone(lambda: (self.stage.plugins / "lectures" / "provider").touch())
        self.undone(lambda: self.stage.urls(self.table, name="more"))

    def test_by_files(self):
        self.settle()
        file = next(self.stage.library.rglob("*v0*"))
        self.undone(file.unlink)
        self.assertTrue(file.exists())
        self.undone(lambda: file.rename(file.with_name("else.mp4")))
        self.assertTrue(file.exists())
        file.with_name("else.mp4").unlink()
        self.undone(lambda: (file.unlink(), file.mkdir()), exit=0)
        file.rmdir()

    def test_by_the_page_of_all_courses(self):
        page = self.stage.library / "index.html"
        self.settle("--write-index")
        page.unlink()
        self.assertFalse(self.night("--write-index")[1])
        self.assertTrue(page.exists())
        self.settle("--write-index")
        (self.stage.library / "c" / "index.html").unlink()
        self.assertFalse(self.night("--write-index")[1])

    def test_by_rows(self):
        self.undone(lambda: self.stage.command("retry", "c/v0"))
        self.undone(lambda: self.assertEqual(self.stage.command("remove", "--yes", "c/v1").exit, 0))
        self.undone(lambda: self.stage.command("logout"), exit=77)
        self.stage.command("login")
        # Whatever program writes them.
        self.undone(lambda: self.execute("UPDATE downloads SET title = 'x' WHERE video = 'v0'"))
        self.undone(lambda: self.execute("UPDATE facts SET value = value WHERE name = 'file_list'"))

    def test_by_partials_that_nobody_wants(self):
        partial = self.stage.library / ".coursefetch" / "partials" / "4711.part"
        self.undone(lambda: partial.write_bytes(b"x"))
        self.assertFalse(partial.exists())

    def test_by_a_name_in_another_normal_form(self):
        names = [unicodedata.normalize(form, "Übung.mp4") for form in ("NFC", "NFD")]
        self.settle()
        folder = self.stage.library / "c"
        (folder / names[0]).write_bytes(b"x")
        self.settle()
        self.undone(lambda: (folder / names[0]).rename(folder / names[1]))


class Never(Idle):
    def never(self, *options, **how):
        for _ in range(4):
            self.assertFalse(self.night(*options, **how)[1])

    def test_of_standard_input_beside_a_file_of_that_name(self):
        (self.stage.folder / "-").write_text(self.stage.catalog.read_text())
        self.settle(catalog="./-")
        for _ in range(3):
            run = subprocess.run(
                self.stage.places("sync", ["-", "--json", "--verbose"]), input="{", text=True, capture_output=True,
                cwd=self.stage.folder, env=self.stage.environment(), timeout=60, check=False)
            self.assertEqual(run.returncode, 65, run)

    def test_with_work_left_or_warnings(self):
        self.table["late"] = {"refuse": {"kind": "not_ready", "retry_after": 3600}}
        self.stage.urls(self.table)
        self.stage.write({"c": ["v0", "late"]})
        self.never()
        self.stage.write({"c": ["v0", {"id": "unknown"}]})
        for _ in range(3):
            self.assertFalse(self.night(exit=1)[1])

    def test_of_selected_videos(self):
        self.settle()
        self.never("--only", "c")

    def test_with_covers_in_files(self):
        (self.stage.folder / "cover.jpg").write_bytes(bytes.fromhex("ffd8ffe000104a464946000101000001") + b"j" * 900)
        self.stage.write([{"id": "c", "cover": "cover.jpg", "videos": ["v0"]}])
        self.never()


class Trouble(Idle):
    def test_a_killed_run_and_a_restored_state_are_harmless(self):
        self.settle()
        state, old = self.stage.state, self.stage.folder / "old"
        shutil.copytree(state, old)
        self.stage.write({"c": ["v0", "v1", "v2", "v4"], "d": ["v3"]})
        self.settle()
        shutil.rmtree(state)
        old.rename(state)
        run, is_skipped = self.night()
        self.assertFalse(is_skipped, run)
        self.assertEqual(sum("v4" in name for name in self.stage.files()), 1)

    def test_a_note_that_cannot_be_written_or_read_costs_no_run(self):
        self.settle()
        self.execute("UPDATE idle SET note = ?", b"\x00\xff{")
        self.assertFalse(self.night()[1])
        self.settle()
        self.execute("CREATE TRIGGER no_notes BEFORE UPDATE ON idle BEGIN SELECT RAISE(ABORT, 'no'); END")
        self.execute("DELETE FROM idle")
        for _ in range(3):
            self.assertFalse(self.night()[1])

    def test_the_state_is_of_a_version_that_earlier_programs_refuse(self):
        self.settle()
        self.assertGreaterEqual(self.execute("PRAGMA user_version")[0][0], 20)

    def test_seconds_count_from_the_beginning(self):
        self.settle()
        next(self.stage.library.rglob("*v0*")).unlink()
        run, is_skipped = self.night()
        self.assertFalse(is_skipped)
        [end] = run.of("sync_finished")
        self.assertGreater(end["seconds"], 0)


class Nights(Idle):
    def change(self, chance, courses):
        """A random change; often none."""
        files = sorted(p for p in self.stage.library.rglob("*") if p.is_file() and ".coursefetch" not in p.parts)
        kind = chance.choice(["none"] * 4 + ["add", "drop", "title", "comment", "delete", "rename", "truncate", "strange",
                              "retry", "cancel", "plugin", "partial", "empty"])
        course = chance.choice(sorted(courses))
        videos = courses[course]
        if kind == "add":
            videos.append({"id": chance.choice(sorted(self.table)), "title": f"T{chance.randrange(9)}"})
            courses[course] = list({v["id"]: v for v in videos}.values())
        elif kind == "drop" and len(videos) > 1:
            videos.pop(chance.randrange(len(videos)))
        elif kind == "title":
            chance.choice(videos)["title"] = chance.choice(["Ölfläche", "O\u0308lfla\u0308che", "A", "a"])
        elif kind in ("delete", "rename", "truncate") and files:
            file = chance.choice(files)
            if kind == "delete":
                file.unlink()
            elif kind == "rename":
                file.rename(file.with_name(f"r{chance.randrange(99)}{file.suffix}"))
            else:
                os.truncate(file, 7)
        elif kind == "strange":
            (self.stage.library / f"s{chance.randrange(9)}").write_text("mine")
        elif kind in ("retry", "cancel"):
            self.stage.command(kind, f"{course}/{videos[0]['id']}")
        elif kind == "plugin":
            self.stage.urls(self.table, description=f"d{chance.randrange(99)}")
        elif kind == "partial":
            partials = self.stage.library / ".coursefetch" / "partials"
            partials.mkdir(parents=True, exist_ok=True)
            (partials / f"{chance.randrange(1, 99)}.part").write_bytes(b"x")
        elif kind == "empty" and files:
            shutil.rmtree(chance.choice(files).parent, ignore_errors=chance.random() < 2)
            self.stage.library.mkdir(exist_ok=True)
        if kind in ("add", "drop", "title", "comment"):
            self.stage.write(courses, name=f"n{chance.randrange(99)}")
        return kind

    def outcome(self, options):
        run = self.stage.command("sync", self.stage.catalog, "--json", "--verbose", *options)
        rows = self.execute(
            "SELECT course, video, state, reason, title, path, size, is_gone, number, stem FROM downloads ORDER BY 1, 2")
        ends = [{k: v for k, v in event.items() if k not in TIMES} for event in run.events
                if event["event"] not in ("progress", "download_finished", "resolved")]
        return (run.exit, sorted(json.dumps(e, sort_keys=True) for e in ends), rows, self.stage.files()), SKIPPED in run.err

    def night_of(self, seed):
        chance = random.Random(seed)
        courses = {"c": [{"id": "v0"}, {"id": "v1"}], "d": [{"id": "v2"}]}
        options = chance.choice([(), ("--write-index", "--write-nfo"), ("--prune", "--max-delete", "100%")])
        self.stage.write(courses)
        skipped, log = 0, []
        for _ in range(12):
            log.append(self.change(chance, courses) if self.stage.library.exists() else "first")
            kept = self.stage.folder / "kept"
            for place in (self.stage.library, self.stage.state):
                if place.exists():
                    shutil.copytree(place, kept / place.name, symlinks=True)
            noted, is_skipped = self.outcome(options)
            skipped += is_skipped
            if not (kept / "state").exists():
                continue
            # The same night without notes, from the same files.
            done = self.stage.folder / "done"
            for place in (self.stage.library, self.stage.state):
                done.mkdir(exist_ok=True)
                place.rename(done / place.name)
                (kept / place.name).rename(place)
            self.execute("DELETE FROM idle")
            plain, was_skipped = self.outcome(options)
            self.assertFalse(was_skipped)
            self.assertEqual(noted, plain, f"seed {seed}, {log}, skipped: {is_skipped}")
            for place in (self.stage.library, self.stage.state):
                shutil.rmtree(place)
                (done / place.name).rename(place)
        return skipped

    def test_idle_night(self):
        given = os.environ.get("COURSEFETCH_SEED")
        # Other ones in each soak.
        first = time.time_ns() % 1_000_000
        seeds = [int(given)] if given else range(first, first + 300 // SOAK) if SOAK else range(4)
        skipped = 0
        for seed in seeds:
            with self.subTest(seed=seed):
                self.stage.close()
                self.stage = Stage()
                self.addCleanup(self.stage.close)
                self.stage.urls(self.table)
                skipped += self.night_of(seed)
        if not given:
            self.assertGreater(skipped, 0)
