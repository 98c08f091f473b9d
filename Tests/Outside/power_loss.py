"""Power loss: the file system under a sync is copied at random instants, as the disk would be, and mounted again.

State and library are on an ext4 whose image lies on a btrfs; a reflink of the image holds what had reached the disk at one
instant, and nothing that was in memory only. Needs root, loop devices, mkfs.ext4 and mkfs.btrfs; says so where they lack.
"""

import ctypes
import fcntl
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import tempfile
import time
import unittest

import media
from host import File, Host
from samples import SOAK
from stage import Stage

FICLONE = 0x40049409
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
VTT = b"WEBVTT\n\n00:00.000 --> 00:01.000\nhello\n"


def tool(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, env={**os.environ, "PATH": PATH})
    if done.returncode:
        raise OSError(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout.strip()


class Disk:
    """An ext4 on a loop device, whose image can be copied at any instant."""

    def __init__(self, size=400 << 20):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="coursefetch-power-"))
        self.mounts, self.loops, self.copies = [], [], 0
        self.outer, self.inner = self.folder / "outer", self.folder / "inner"
        self.image = self.outer / "disk"
        try:
            # A disk of btrfs, whose files can be cloned in an instant.
            self.mount(self.made("btrfs", self.folder / "outer.image", 3 << 30), self.outer)
            # Nothing is written by the clock here: what isn't flushed stays in memory for minutes.
            self.mount(self.made("ext4", self.image, size), self.inner, "commit=600")
        except BaseException:
            self.close()
            raise

    def made(self, kind, image, size):
        with open(image, "wb") as file:
            file.truncate(size)
        tool(f"mkfs.{kind}", "-q", *(["-E", "lazy_itable_init=0"] if kind == "ext4" else []), image)
        return image

    def mount(self, image, at, options=""):
        at.mkdir(exist_ok=True)
        loop = tool("losetup", "--find", "--show", image)
        self.loops.append(loop)
        tool("mount", *(["-o", options] if options else []), loop, at)
        self.mounts.append(at)
        return loop

    def release(self, at, loop):
        tool("umount", at)
        self.mounts.remove(at)
        tool("losetup", "--detach", loop)
        self.loops.remove(loop)

    def copy(self):
        """What is on the disk at this instant."""
        self.copies += 1
        target = self.outer / f"copy{self.copies}"
        with open(self.image, "rb") as source, open(target, "wb") as clone:
            fcntl.ioctl(clone, FICLONE, source.fileno())
        return target

    def opened(self, copy):
        """Mounts a copy, which replays its journal, as after a start; a folder and what closes it."""
        at = self.folder / copy.name
        loop = self.mount(copy, at)

        def close():
            self.release(at, loop)
            copy.unlink()
        return at, close

    def close(self):
        for at in reversed(self.mounts):
            subprocess.run(["umount", "-l", at], env={**os.environ, "PATH": PATH}, stderr=subprocess.DEVNULL)
        for loop in reversed(self.loops):
            subprocess.run(["losetup", "--detach", loop], env={**os.environ, "PATH": PATH}, stderr=subprocess.DEVNULL)
        shutil.rmtree(self.folder, ignore_errors=True)


def disk_or_skip():
    """A disk, or a test that is skipped with its reason."""
    if os.geteuid():
        raise unittest.SkipTest("power loss needs root, for loop devices and mounts")
    for program in ("mkfs.btrfs", "mkfs.ext4", "losetup", "mount"):
        if not shutil.which(program, path=PATH):
            raise unittest.SkipTest(f"power loss needs {program}")
    try:
        # Mounts of this test are nobody else's, and end with it.
        if ctypes.CDLL(None, use_errno=True).unshare(0x00020000):
            raise OSError(ctypes.get_errno(), "unshare")
        tool("mount", "--make-rprivate", "/")
        return Disk()
    except OSError as error:
        raise unittest.SkipTest(f"power loss can't be tried here: {error}") from None


class PowerLoss(unittest.TestCase):
    """Item 35."""

    def setUp(self):
        self.disk = disk_or_skip()
        self.addCleanup(self.disk.close)
        self.host, self.stage = Host(), Stage()
        self.stage.library, self.stage.state = self.disk.inner / "library", self.disk.inner / "state"
        self.addCleanup(self.stage.close)
        self.addCleanup(self.host.close)

    def test_after_a_power_loss_what_was_not_flushed_is_gone_and_what_was_flushed_is_there(self):
        """The control: without it the others would prove nothing."""
        for name, flushed in (("loose", False), ("firm", True)):
            with open(self.disk.inner / name, "wb") as file:
                file.write(b"x" * 100_000)
                file.flush()
                if flushed:
                    os.fsync(file.fileno())
        with open(self.disk.inner / "later", "wb") as file:
            file.write(b"x" * 100_000)
        at, close = self.disk.opened(self.disk.copy())
        there = {p.name: p.stat().st_size for p in at.iterdir() if p.is_file()}
        blank = {p.name for p in at.iterdir() if p.is_file() and p.read_bytes() != b"x" * 100_000}
        close()
        self.assertEqual(there.get("firm"), 100_000)
        self.assertNotIn("firm", blank)
        self.assertTrue("later" not in there or "later" in blank, "what isn't flushed is on the disk: no proof")

    def test_after_a_power_loss_at_any_instant_nothing_that_was_told_is_lost_and_no_name_is_wrong(self):
        seed = int(os.environ.get("COURSEFETCH_SEED") or random.SystemRandom().randrange(10**6))
        chance, looked = random.Random(seed), 0
        try:
            for turn in range(-(-12 // SOAK) if SOAK else 2):
                looked += self.turn(chance, turn, copies=8 if SOAK else 6)
        except BaseException:
            print(f"COURSEFETCH_SEED={seed} Tests/Outside/run -k after_a_power_loss_at", flush=True)
            raise
        self.assertGreater(looked, 50, "there was hardly anything to look at")

    test_after_a_power_loss_at_any_instant_nothing_that_was_told_is_lost_and_no_name_is_wrong.seconds = 1200

    def publish(self, chance, turn):
        """New lectures each turn, those of the turns before under other titles; every tenth is a stream."""
        self.bodies = getattr(self, "bodies", {})
        self.table = getattr(self, "table", {})
        for index in range(90):
            id = f"t{turn}n{index}q"
            if index % 10 == 9:
                segments = [media.ts(f"{id}{i}", i * 4, 60) for i in range(3)]
                for i, segment in enumerate(segments):
                    self.host.at(f"/{id}/{i}.ts", File(segment, kind="video/mp2t", rate=600_000))
                url = self.host.at(f"/{id}/p.m3u8", File(
                    media.playlist([f"{i}.ts" for i in range(3)]), kind="application/vnd.apple.mpegurl"))
                self.bodies[id], self.table[id] = b"".join(segments), {"url": url, "kind": "hls"}
            else:
                body = media.mp4(id, chance.choice([500, 20_000, 20_000, 100_000, 900_000]))
                url = self.host.at(f"/{id}", File(body, etag=f'"{id}"', rate=chance.choice([None, 2_000_000])))
                self.bodies[id] = body
                self.table[id] = {"url": url, "subtitles": [
                    {"lang": "en", "url": self.host.at("/s.vtt", File(VTT, kind="text/vtt"))}]} if index % 7 == 0 else url
        self.stage.urls(self.table)
        # Other titles and places each turn: all that is there moves.
        courses = [{"id": course, "subtitles": "all", "videos": []} for course in ("one", "two")]
        for index, id in enumerate(self.bodies):
            courses[index % 2]["videos"].append({"id": id, "title": f"{id} of turn {turn}"})
        for course in courses:
            chance.shuffle(course["videos"])
        self.stage.write(courses)

    def turn(self, chance, turn, copies):
        """One sync, copies of its disk at random instants, and a look at each."""
        self.publish(chance, turn)
        running = self.stage.start_sync("--jobs", 4, "--ffmpeg", "none")
        taken = []
        while running.process.poll() is None and len(taken) < copies:
            time.sleep(chance.uniform(0.02, 0.6))
            told = [e for e in running.events if e["event"] == "download_finished"]
            taken.append((told, self.disk.copy()))
        run = running.end(120)
        self.assertEqual(run.exit, 0, run)
        return sum(self.look(told, copy, go_on=chance.random() < 0.34) for told, copy in taken)

    def look(self, told, copy, go_on):
        """Every final name, every finished row and every told event of one copy."""
        at, close = self.disk.opened(copy)
        try:
            library, state = at / "library", next((at / "state").rglob("state.sqlite"), None)
            files = {
                str(p.relative_to(library)): p.read_bytes() for p in library.rglob("*")
                if p.is_file() and ".coursefetch" not in p.relative_to(library).parts} if library.exists() else {}
            for path, data in files.items():
                if not path.endswith(".vtt"):
                    self.assertTrue(data == self.body_of(path), f"{path} isn't whole: {len(data)} bytes, {copy.name}")
                else:
                    self.assertIn(data, (VTT,), path)
            finished = self.finished(state) if state else []
            moving = [p.read_bytes() for p in library.glob(".coursefetch/moving/**/*") if p.is_file()]
            for id, path in finished:
                if path in files:
                    self.assertTrue(files[path] == self.body_of(path), f"{path} isn't what its name says")
                # On its way to another name: the next sync carries that out.
                elif self.bodies[id] in moving or self.bodies[id] in files.values():
                    go_on = True
                else:
                    self.fail(f"the row of {id} is finished, its file isn't there")
            for event in told:
                self.assertIn(event["video"], dict(finished), f"{event} was told, its row isn't finished")
            if go_on:
                self.go_on(at, {id for id, _ in finished})
            return len(files)
        finally:
            close()

    def go_on(self, at, finished):
        """The next sync after the power is back finishes it all, and fetches nothing that was finished."""
        stage = Stage()
        try:
            stage.plugins, stage.catalog = self.stage.plugins, self.stage.catalog
            stage.library, stage.state = at / "library", at / "state"
            # The library has another place in this mount; the state knows the old one.
            known = stage.command("library move", stage.library) if any(stage.state.rglob("state.sqlite")) else None
            self.host.forget()
            run = stage.sync("--ffmpeg", "none")
            self.assertEqual(run.exit, 0, (known, run))
            again = finished & {request.path.split("/")[1] for request in self.host.asked()}
            self.assertEqual(again, set(), "what was finished is fetched anew")
            videos = {p: d for p, d in stage.files().items() if not p.endswith(".vtt")}
            self.assertEqual(len(videos), len(self.bodies))
            for path, data in videos.items():
                self.assertTrue(data == self.body_of(path), f"{path} after the next sync")
        finally:
            stage.close()

    def body_of(self, path):
        words = path.split("/")[-1].split()
        return next(self.bodies[word] for word in words if word in self.bodies)

    def finished(self, state):
        database = sqlite3.connect(state)
        try:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            return database.execute("SELECT video, path FROM downloads WHERE state = 'finished'").fetchall()
        except sqlite3.OperationalError as error:
            # Cut before its first transaction.
            if "no such table" in str(error):
                return []
            raise
        finally:
            database.close()
