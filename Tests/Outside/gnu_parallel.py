"""Shards by GNU parallel: the line of docs/scale-out.md, and contrib/parallel/sync-shards on this machine and by ssh."""

import os
import pathlib
import shlex
import shutil
import signal
import socket
import subprocess
import unittest

import media
import stage
from host import File, Host
from stage import Running, Stage, wait_until

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = CHECKOUT / "contrib/parallel/sync-shards"
UNPACKED = CHECKOUT / ".build/openssh/usr/sbin/sshd"


def is_gnu():
    """moreutils has another program of that name."""
    try:
        return "GNU" in subprocess.run(["parallel", "--version"], capture_output=True, text=True).stdout
    except FileNotFoundError:
        return False


class Servers:
    """Two sshd on loopback, with variables of their own; `ssh` is the command that knows them as `one` and `two`."""

    def __init__(self, folder, variables):
        self.folder, self.running = folder, []
        program = shutil.which("sshd", path="/usr/sbin:/usr/bin") or str(UNPACKED)
        for name in ("host", "login"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
        config = [f"Host *\n HostName 127.0.0.1\n IdentityFile {folder}/login\n UserKnownHostsFile {folder}/known\n"
                  f" StrictHostKeyChecking no\n LogLevel ERROR\n BatchMode yes\n"]
        for name, given in variables.items():
            with socket.create_server(("127.0.0.1", 0)) as free:
                port = free.getsockname()[1]
            config.append(f"Host {name}\n Port {port}\n")
            (folder / name).write_text(
                f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nPidFile none\nUsePAM no\nStrictModes no\n"
                f"AuthorizedKeysFile {folder}/login.pub\nPasswordAuthentication no\nSetEnv "
                + " ".join(f'"{key}={value}"' for key, value in given.items()) + "\n")
            self.serve([program, "-D", "-e", "-f", str(folder / name)], port)
        (folder / "config").write_text("".join(reversed(config)))
        self.ssh = f"ssh -F {folder}/config"

    def serve(self, command, port):
        if os.geteuid() == 0:
            # Root's needs an account and a folder, which a machine without the package hasn't.
            command = ["unshare", "--mount", "sh", "-ec", f"""
                mount -t tmpfs none /run
                mkdir -m 755 /run/sshd
                {{ grep -v ^sshd: /etc/passwd; echo sshd:x:65123:65534::/run/sshd:/usr/sbin/nologin; }} >/run/passwd
                mount --bind /run/passwd /etc/passwd
                exec {shlex.join(command)}"""]
        log = open(self.folder / f"log-{port}", "w")
        # Those of the unpacked program are beside it.
        libraries = os.pathsep.join(map(str, UNPACKED.parents[1].glob("lib/*")))
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**os.environ, "LD_LIBRARY_PATH": libraries})
        self.running.append(process)

        def listens():
            with socket.socket() as trial:
                return trial.connect_ex(("127.0.0.1", port)) == 0

        wait_until(lambda: listens() or process.poll() is not None, 10)
        assert process.poll() is None, (self.folder / f"log-{port}").read_text()

    def close(self):
        for process in self.running:
            process.kill()
            process.wait()


class Scene(unittest.TestCase):
    def setUp(self):
        if not is_gnu():
            self.skipTest("no GNU parallel")
        self.host = Host()
        self.addCleanup(self.host.close)
        self.stage = self.scene()
        self.own = set()

    def scene(self):
        scene = Stage()
        self.addCleanup(scene.close)
        return scene

    def catalog(self, courses=12, **file):
        table, written = {}, []
        for course in range(courses):
            body = media.mp4(f"{course}", 2000 + 100 * course)
            table[f"c{course}/v"] = self.host.at(f"/{course}.mp4", File(body, **file))
            written.append({"id": f"c{course}", "title": f"Course {course}", "videos": [{"id": "v", "title": "Video"}]})
        self.stage.urls(table)
        self.stage.write(written)
        return table, written

    def environment(self, **more):
        return {**self.stage.environment(), "COURSEFETCH": stage.PROGRAM, "COURSEFETCH_PLUGINS": str(self.stage.plugins),
                "COURSEFETCH_LIBRARY": str(self.stage.library), "COURSEFETCH_STATE": str(self.stage.state), **more}

    def start(self, *command, **variables):
        process = subprocess.Popen(
            [str(part) for part in command], env=self.environment(**variables), cwd=self.stage.folder, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        running = Running(process)
        self.stage.running.append(running)
        return running

    def stopped(self, running):
        """Sends a TERM and returns how it ended.

        parallel waits for the processes of its jobs to be gone. Orphans become this process's children here, so it has to
        do what process 1 does.
        """
        running.send(signal.SIGTERM)

        def over():
            for children in pathlib.Path("/proc/self/task").glob("*/children"):
                try:
                    pids = children.read_text().split()
                except OSError:
                    continue  # the thread has ended
                for pid in map(int, pids):
                    if pid not in {each.process.pid for each in self.stage.running} | self.own:
                        os.waitpid(pid, os.WNOHANG)
            return running.process.poll() is not None

        wait_until(over, 30)
        return running.end()

    def shards(self, *hosts, exit=0, **variables):
        run = self.start(SCRIPT, *hosts, "--", self.stage.catalog, **variables).end()
        self.assertEqual(run.exit, exit, run)
        return run

    def single(self, table, written):
        scene = self.scene()
        scene.urls(table)
        scene.write(written)
        scene.sync(exit=0)
        return scene.files()


class OnThisMachine(Scene):
    def test_the_line_of_the_docs_makes_the_library_of_one_sync(self):
        table, written = self.catalog()
        wanted = self.single(table, written)
        lines = [line for line in (CHECKOUT / "docs/scale-out.md").read_text().split("`") if line.startswith("parallel ")]
        self.assertEqual(len(lines), 1)
        programs = self.stage.folder / "programs"
        programs.mkdir()
        (programs / "coursefetch").symlink_to(stage.PROGRAM)
        path = f"{programs}:{self.environment()['PATH']}"
        run = self.start("sh", "-c", lines[0], PATH=path).end()
        self.assertEqual(run.exit, 0, run)
        self.assertEqual(self.stage.files(), wanted)
        self.assertEqual(len(self.host.asked()), 24)

    def test_the_code_is_that_of_one_sync(self):
        table, written = self.catalog()
        wanted = self.single(table, written)
        everywhere = [":"] * 4
        self.shards(*everywhere)
        self.assertEqual(self.stage.files(), wanted)
        # Two shards end differently: 1 and 75.
        self.stage.write([*written, *({"id": f"new{n}", "videos": ["later" if n else "lost"]} for n in range(9))])
        url = self.host.at("/later.mp4", lambda x: x.answer(503, b"later", retry_after="7200"))
        self.stage.urls({**table, "later": url, "lost": self.host.url("/lost.mp4")})
        self.shards(*everywhere, exit=75)
        self.stage.write([*written, {"id": "new0", "videos": ["lost"]}])
        self.shards(*everywhere, exit=1)
        self.stage.catalog.write_text("version: 1\ncourses: 7\n")
        self.shards(*everywhere, exit=65)
        for wrong in ([], [":"], [":", "--"], ["--", self.stage.catalog]):
            self.assertEqual(self.start(SCRIPT, *wrong).end().exit, 64, wrong)
        self.assertEqual(list(self.stage.folder.glob("tmp*")), [])

    def test_an_argument_arrives_as_it_is(self):
        self.catalog()
        self.stage.library = self.stage.folder / "it's a \"library\" $HOME"
        self.shards(":", ":", COURSEFETCH_LAYOUT="plain")
        self.assertEqual(len(self.stage.files()), 12)
        other = self.stage.folder / "{title} & co"
        run = self.start(
            SCRIPT, ":", ":", "--", self.stage.catalog, "--library", other, "--state", self.stage.folder / "other").end()
        self.assertEqual(run.exit, 0, run)
        self.assertTrue((other / ".coursefetch").is_dir())

    def test_a_stop_reaches_each_sync(self):
        self.catalog(rate=300)
        running = self.start(SCRIPT, ":", ":", "--", self.stage.catalog)
        wait_until(lambda: len(self.host.asked()) >= 4)
        run = self.stopped(running)
        self.assertEqual(run.exit, 75, run)
        for file in self.host.handlers.values():
            file.rate = None
        self.shards(":", ":")
        self.assertEqual(len(self.stage.files()), 12)


class BySSH(Scene):
    """Two servers and this machine, which share the library, and have states of their own."""

    HOSTS = ("one", ":", "two")

    def setUp(self):
        super().setUp()
        if not shutil.which("ssh") or not (shutil.which("sshd", path="/usr/sbin:/usr/bin") or UNPACKED.exists()):
            self.skipTest("no sshd: contrib/needs test")
        folder = self.stage.folder / "ssh"
        folder.mkdir(mode=0o700)
        self.states = {name: self.stage.folder / f"state-{name}" for name in ("one", "two")}
        self.servers = Servers(folder, {
            name: {**{key: value for key, value in self.environment().items() if key.startswith("COURSEFETCH_")},
                   "COURSEFETCH_STATE": str(state), "XDG_CONFIG_HOME": str(folder), "NO_PROXY": "*"}
            for name, state in self.states.items()})
        self.addCleanup(self.servers.close)
        self.own = {process.pid for process in self.servers.running}

    def shards(self, *hosts, **how):
        return super().shards(*hosts, PARALLEL_SSH=self.servers.ssh, **how)

    def test_each_server_keeps_its_shard(self):
        table, written = self.catalog()
        wanted = self.single(table, written)
        for _ in range(3):
            self.shards(*self.HOSTS)
        self.assertEqual(self.stage.files(), wanted)
        self.assertEqual(len(self.host.asked()), 24)
        states = {state.name: {path.name for path in state.rglob("*-of-3")}
                  for state in (self.states["one"], self.stage.state, self.states["two"])}
        self.assertEqual(states, {"state-one": {"1-of-3"}, "state": {"2-of-3"}, "state-two": {"3-of-3"}})

    def test_a_code_comes_back_and_a_server_that_is_away_is_255(self):
        table, written = self.catalog()
        url = self.host.at("/later.mp4", lambda x: x.answer(503, b"later", retry_after="7200"))
        self.stage.urls({**table, "later": url})
        self.stage.write([*written, *({"id": f"new{n}", "videos": ["later"]} for n in range(9))])
        self.shards(*self.HOSTS, exit=75)
        self.servers.close()
        self.shards(*self.HOSTS, exit=255)

    def test_a_stop_reaches_the_servers(self):
        self.catalog(rate=300)
        running = self.start(SCRIPT, *self.HOSTS, "--", self.stage.catalog, PARALLEL_SSH=self.servers.ssh)
        wait_until(lambda: len(self.host.asked()) >= 6)
        run = self.stopped(running)
        self.assertEqual(run.exit, 75, run)
        # They have a second to see that the connection is gone, and end as a sync does.
        asked = str(self.stage.catalog).encode()

        def syncs():
            found = []
            for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    words = entry.read_bytes().split(b"\0")
                except OSError:
                    continue
                found += [entry] if asked in words and words[1:2] == [b"sync"] else []
            return found

        wait_until(lambda: not syncs(), 20, lambda: repr(syncs()))
        for file in self.host.handlers.values():
            file.rate = None
        self.shards(*self.HOSTS)
        self.assertEqual(len(self.stage.files()), 12)
        self.assertEqual([p for p in self.stage.library.rglob(".coursefetch/**/*.part")], [])
        # What parallel starts on a server stays until the end of --termseq.
        for pid in stage.descendants(os.getpid()):
            if b"GNU_Parallel_worker" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    unittest.main()
