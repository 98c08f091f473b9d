"""What docs/operations.md says of several accounts on one machine, tried with three: libraries of their own, and one that others
read by its group or an ACL. The accounts are in a copy of /etc that only the commands of a case see."""

import concurrent.futures
import os
import shutil
import subprocess
import threading
import unittest

import media
import stage
from host import File, Host

VIDEOS = ("v1", "v2", "v3")
SEES = 'mount --bind "$0" /etc && umask "$1" && shift && exec "$@"'


class Accounts(unittest.TestCase):
    """anna, ben and cleo, of whom ben is in the group lectures."""

    NAMES = ("anna", "ben", "cleo")

    def setUp(self):
        if os.geteuid() != 0 or not all(map(shutil.which, ("unshare", "setpriv"))):
            self.skipTest("needs root, unshare and setpriv")
        self.host, self.stage = Host(), stage.Stage()
        self.addCleanup(self.stage.close)
        self.addCleanup(self.host.close)
        self.stage.folder.chmod(0o755)
        self.homes, self.etc = self.stage.folder / "homes", self.stage.folder / "etc"
        self.homes.mkdir()
        shutil.copytree("/etc", self.etc, symlinks=True, ignore_dangling_symlinks=True)
        self.admin("groupadd lectures")
        for name in self.NAMES:
            self.admin(f"useradd --create-home --base-dir {self.homes} {name}")
        self.admin("usermod --append --groups lectures ben")
        if self.run_as("anna", stage.PROGRAM, "--version").returncode:
            self.skipTest("other accounts can't run the program")
        self.stage.library = self.stage.state = None
        for video in VIDEOS:
            self.host.at(f"/{video}.mp4", File(media.mp4(video, 30_000)))

    def admin(self, command):
        done = subprocess.run(["unshare", "-m", "sh", "-c", SEES, self.etc, "022", "sh", "-ec", command],
                              capture_output=True, text=True)
        if done.returncode and "unshare" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done)

    def run_as(self, name, *command, umask="022"):
        environment = {**self.stage.environment(), "HOME": str(self.homes / name), "USER": name, "LOGNAME": name}
        return subprocess.run(
            ["unshare", "-m", "sh", "-c", SEES, self.etc, umask, "setpriv", f"--reuid={name}", f"--regid={name}",
             "--init-groups", "--inh-caps=-all", *map(str, command)],
            capture_output=True, text=True, env=environment, cwd=self.homes / name)

    def coursefetch(self, name, *arguments, exit=0, umask="022"):
        done = self.run_as(name, stage.PROGRAM, *arguments, umask=umask)
        self.assertEqual(done.returncode, exit, (arguments, done.stdout[-2000:], done.stderr[-2000:]))
        return done

    def catalog(self, name, *videos):
        """A catalog in the account's home, which its settings name."""
        home = self.homes / name
        folder = home / ".config/coursefetch"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.yaml").write_text(
            f"catalogs: [{home}/catalog.yaml]\nmetrics-file: {home}/metrics.prom\n")
        (home / "catalog.yaml").write_text(
            f"version: 1\ndefaults: {{provider: direct, parameters: {{url: '{self.host.url('/{id}.mp4')}'}}}}\n"
            f"courses: [{{id: c, title: C, videos: [{', '.join(videos)}]}}]\n")
        self.admin(f"chown -R {name}: {home}")

    def reads(self, name, folder):
        """The names of the videos below a folder that an account can read."""
        found = self.run_as(
            name, "sh", "-c", 'for f in "$1"/*/*.mp4; do cat "$f" > /dev/null && echo "${f##*/}"; done', "sh", folder)
        return {line.split()[-1].removesuffix(".mp4") for line in found.stdout.splitlines()}

    def mode(self, path):
        return oct(path.stat().st_mode & 0o7777)


class Own(Accounts):
    def test_each_account_has_its_own_state_library_and_lock(self):
        for name, video in zip(self.NAMES, VIDEOS):
            self.catalog(name, video)
        for name in self.NAMES:
            self.coursefetch(name, "sync")
        for name, video in zip(self.NAMES, VIDEOS):
            library = self.homes / name / "coursefetch" / name
            self.assertEqual(self.reads(name, library), {video})
            self.assertIn(f"user {name}, library {library}", self.coursefetch(name, "status").stdout)
            state = self.homes / name / ".local/state/coursefetch/users" / name
            self.assertEqual((self.mode(state), self.mode(state / "state.sqlite")), ("0o700", "0o600"))
            self.assertEqual(self.mode(self.homes / name / "metrics.prom"), "0o644")
            self.assertIn(f'{{user="{name}"}}', (self.homes / name / "metrics.prom").read_text())
            others = set(self.NAMES) - {name}
            # Others read the library if the home folder lets them in, and never the state.
            (self.homes / name).chmod(0o755)
            for other in others:
                self.assertEqual(self.reads(other, library), {video})
                self.assertNotEqual(self.run_as(other, "cat", state / "state.sqlite").returncode, 0)
            (self.homes / name).chmod(0o700)
            for other in others:
                self.assertEqual(self.reads(other, library), set())

    # Forty programs, each in a namespace of its own.
    test_each_account_has_its_own_state_library_and_lock.seconds = 300

    def test_the_syncs_of_two_accounts_run_at_the_same_time(self):
        for name, video in (("anna", "v1"), ("ben", "v2")):
            self.catalog(name, video)
        file, gate = self.host.handlers["/v1.mp4"], threading.Event()
        self.host.at("/v1.mp4", lambda x: gate.wait(100) and file(x))
        with concurrent.futures.ThreadPoolExecutor() as pool:
            first = pool.submit(self.coursefetch, "anna", "sync")
            stage.wait_until(lambda: self.host.asked("/v1.mp4"))
            self.coursefetch("ben", "sync", "--wait", "0")
            self.assertFalse(first.done())
            gate.set()
            first.result()

    def test_the_umask_decides_who_reads_a_library(self):
        self.catalog("anna", "v1")
        (self.homes / "anna").chmod(0o755)
        self.coursefetch("anna", "sync", umask="077")
        self.assertEqual(self.reads("ben", self.homes / "anna/coursefetch/anna"), set())


class Shared(Accounts):
    def setUp(self):
        super().setUp()
        self.courses = self.stage.folder / "courses"
        self.catalog("anna", "v1", "v2")

    def check(self, *videos):
        self.assertEqual(self.reads("ben", self.courses), set(videos))
        self.assertEqual(self.reads("cleo", self.courses), set())

    def test_a_group_reads_the_library_of_one_account(self):
        self.admin(f"install -d -o anna -g lectures -m 2750 {self.courses}")
        self.coursefetch("anna", "sync", "--library", self.courses, umask="027")
        self.check("v1", "v2")
        # The next video, too, and the library is known without the option.
        self.catalog("anna", "v1", "v2", "v3")
        self.coursefetch("anna", "sync", umask="027")
        self.check("v1", "v2", "v3")
        folders = {self.mode(p) for p in [self.courses, *self.courses.rglob("*")] if p.is_dir()}
        self.assertEqual(folders, {"0o2750"})
        groups = {os.stat(p).st_gid for p in self.courses.rglob("*")}
        self.assertEqual(len(groups), 1, groups)
        # A reader changes nothing, and has no state of it.
        self.assertNotEqual(self.run_as("ben", "touch", self.courses / "x").returncode, 0)
        self.catalog("ben", "v1")
        self.assertIn("belongs to another state", self.coursefetch(
            "ben", "sync", "--library", self.courses, exit=73).stderr)
        self.coursefetch("ben", "path", "c", exit=64)
        self.check("v1", "v2", "v3")

    def test_a_library_that_is_there_is_given_to_a_group(self):
        self.admin(f"install -d -o anna -m 700 {self.courses}")
        self.coursefetch("anna", "sync", "--library", self.courses, umask="077")
        self.check()
        self.admin(f"chgrp -R lectures {self.courses}; chmod -R g+rX {self.courses}; "
                   f"find {self.courses} -type d -exec chmod g+s {{}} +")
        self.check("v1", "v2")
        self.catalog("anna", "v1", "v2", "v3")
        self.coursefetch("anna", "sync", umask="027")
        self.check("v1", "v2", "v3")

    def test_an_acl_lets_a_group_read_whatever_the_umask_of_the_owner_group_is(self):
        if not shutil.which("setfacl"):
            self.skipTest("there is no setfacl")
        self.admin(f"install -d -o anna -m 755 {self.courses}")
        self.coursefetch("anna", "sync", "--library", self.courses, umask="077")
        self.assertEqual(self.reads("ben", self.courses), set())
        try:
            self.admin(f"setfacl -R -m g:lectures:rX {self.courses}; "
                       f"find {self.courses} -type d -exec setfacl -m d:g:lectures:rX {{}} +")
        except AssertionError as error:
            if "not supported" in str(error):
                self.skipTest("no ACL on this file system")
            raise
        self.assertEqual(self.reads("ben", self.courses), {"v1", "v2"})
        self.assertEqual(self.reads("cleo", self.courses), set())
        self.catalog("anna", "v1", "v2", "v3")
        self.coursefetch("anna", "sync", umask="077")
        self.assertEqual(self.reads("ben", self.courses), {"v1", "v2", "v3"})
        self.assertEqual(self.reads("cleo", self.courses), set())


if __name__ == "__main__":
    unittest.main()
