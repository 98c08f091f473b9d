#!/usr/bin/env python3
"""Four shards on four links of 50 Mbit/s, beside one sync without shards on one of them: 40 videos, 140 MB.

Each link is a pair of virtual Ethernet devices between this network namespace, where nginx is, and one of its own, with a
token bucket in both directions. Both need root: unshare --net Tests/Benchmarks/four-links.py PROGRAM PLUGINS [ROUNDS].

A shard has whole courses, by the hash of their ids. So that the links are measured and not the hash, each shard has ten
videos of equal sizes in one catalog; the other one has forty courses as they come.
"""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

MEGABITS, LINKS, EACH = 50, 4, 10
ADDRESS = "10.91.0.1"
BASE = f"http://{ADDRESS}:8080"
SIZES = [2_000_000 + 3_000_000 * number // (EACH - 1) for number in range(EACH)]


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL, **options)


class Link:
    """A network namespace with one shaped way out. A process that sleeps keeps it."""

    def __init__(self, number):
        self.keeper = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        own = os.readlink("/proc/self/ns/net")
        while os.readlink(f"/proc/{self.keeper.pid}/ns/net") == own:
            time.sleep(0.01)
        here, there = f"link{number}", "out"
        run("ip", "link", "add", here, "type", "veth", "peer", "name", there, "netns", self.keeper.pid)
        run("ip", "address", "add", f"10.91.{number}.1/24", "dev", here)
        run("ip", "link", "set", here, "up")
        run(*self.inside("ip", "address", "add", f"10.91.{number}.2/24", "dev", there))
        run(*self.inside("ip", "link", "set", "lo", "up"))
        run(*self.inside("ip", "link", "set", there, "up"))
        run(*self.inside("ip", "route", "add", "default", "via", f"10.91.{number}.1"))
        shape = ("root", "tbf", "rate", f"{MEGABITS}mbit", "burst", "32kb", "latency", "50ms")
        run("tc", "qdisc", "add", "dev", here, *shape)
        run(*self.inside("tc", "qdisc", "add", "dev", there, *shape))

    def inside(self, *command):
        return ["nsenter", f"--net=/proc/{self.keeper.pid}/ns/net", *map(str, command)]


def serve(work):
    www = work / "www"
    www.mkdir()
    for size in SIZES:
        (www / f"{size}.mp4").write_bytes(os.urandom(size))
    run("ip", "link", "set", "lo", "up")
    run("ip", "address", "add", f"{ADDRESS}/32", "dev", "lo")
    (work / "nginx.conf").write_text(f"""
worker_processes 1; daemon on; pid {work}/nginx.pid; error_log {work}/error.log;
events {{ worker_connections 512; }}
http {{
    access_log off; types {{}} default_type video/mp4;
    client_body_temp_path {work}/body; proxy_temp_path {work}/proxy; fastcgi_temp_path {work}/fastcgi;
    uwsgi_temp_path {work}/uwsgi; scgi_temp_path {work}/scgi;
    server {{ listen 8080; location ~ ^/[a-z0-9]*/(.*) {{ alias {www}/$1; }} }}
}}""")
    run("nginx", "-c", work / "nginx.conf", "-p", work, stderr=subprocess.DEVNULL)


class Measured:
    def __init__(self, program, plugins, work):
        self.program, self.plugins, self.work = program, plugins, work
        self.links = [Link(number) for number in range(1, LINKS + 1)]

    def command(self, catalog, into, *arguments):
        return [self.program, "sync", self.work / catalog, "--plugins", self.plugins, "--library", into / "library",
                "--state", into / "state", *arguments]

    def write(self, catalog, courses):
        """Courses of one video each: an id to the size."""
        listed = [{"id": id, "provider": "direct", "videos": [{"id": "v", "parameters": {"url": f"{BASE}/{id}/{size}.mp4"}}]}
                  for id, size in courses.items()]
        (self.work / catalog).write_text(json.dumps({"version": 1, "courses": listed}))

    def shard_of(self, ids):
        """The shard of each course, as the program has it."""
        self.write("asked.yaml", dict.fromkeys(ids, SIZES[0]))
        found = {}
        for index in range(1, LINKS + 1):
            told = subprocess.run(
                [str(part) for part in self.command(
                    "asked.yaml", self.work / "asked", "--shard", f"{index}/{LINKS}", "--dry-run", "--json")],
                check=True, capture_output=True, text=True).stdout
            for event in map(json.loads, told.splitlines()):
                if event.get("course"):
                    found[event["course"]] = index
        assert set(found) == set(ids), f"{len(found)} of {len(ids)} courses have a shard"
        return found

    def catalogs(self):
        """Writes both; returns the largest shard's part of the bytes in each."""
        shards = self.shard_of([f"c{number}" for number in range(LINKS * EACH * 3)])
        even, plain = {}, {f"c{number}": SIZES[number % EACH] for number in range(LINKS * EACH)}
        for index in range(1, LINKS + 1):
            mine = [id for id, of in shards.items() if of == index][:EACH]
            assert len(mine) == EACH, f"shard {index} has {len(mine)} courses only"
            even.update(zip(mine, SIZES))
        parts = {}
        for name, courses in (("even", even), ("plain", plain)):
            self.write(name, courses)
            loads = [sum(size for id, size in courses.items() if shards[id] == index) for index in range(1, LINKS + 1)]
            parts[name] = max(loads) / sum(loads)
        return parts

    def one(self, catalog, into):
        return self.timed([self.links[0].inside(*self.command(catalog, into, "--quiet"))], into)

    def four(self, catalog, into):
        return self.timed([
            link.inside(*self.command(catalog, into, "--quiet", "--shard", f"{index}/{LINKS}"))
            for index, link in enumerate(self.links, 1)], into)

    def timed(self, commands, into):
        start = time.monotonic()
        running = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in commands]
        for process in running:
            assert process.wait() == 0, process.args
        took = time.monotonic() - start
        files = [path for path in (into / "library").rglob("*.mp4") if ".coursefetch" not in path.parts]
        assert sum(path.stat().st_size for path in files) == LINKS * sum(SIZES), f"{len(files)} files"
        return took

    def close(self):
        for link in self.links:
            link.keeper.kill()
            link.keeper.wait()


def main():
    program, plugins, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 5
    work = pathlib.Path(tempfile.mkdtemp(prefix="coursefetch-links."))
    work.chmod(0o755)
    measured = None
    try:
        serve(work)
        measured = Measured(program, plugins, work)
        parts = measured.catalogs()
        times = {"one link": [], "four links": [], "as they come": []}
        for number in range(rounds):
            into = work / f"round.{number}"
            times["one link"].append(measured.one("even", into / "one"))
            times["four links"].append(measured.four("even", into / "four"))
            times["as they come"].append(measured.four("plain", into / "plain"))
        limit = LINKS * sum(SIZES) * 8 / (MEGABITS * 1e6)
        single = statistics.median(times["one link"])
        print(f"\n40 videos of 2 to 5 MB, each link with {MEGABITS} Mbit/s  (load {os.getloadavg()[0]:.1f})")
        print(f"  {'':24} {'wall s':>9} {'x limit':>9} {'x faster':>9}")
        for name, part in (("one link", 1), ("four links", parts["even"]), ("as they come", parts["plain"])):
            wall = statistics.median(times[name])
            print(f"  {name:24} {wall:9.2f} {wall / (limit * part):9.3f} {single / wall:9.2f}   median of {rounds}, "
                  f"{min(times[name]):.2f} to {max(times[name]):.2f}")
        print(f"  (as they come: the largest shard has {parts['plain']:.0%} of the bytes, so at most "
              f"{1 / parts['plain']:.2f} x)")
    finally:
        if measured:
            measured.close()
        try:
            os.kill(int((work / "nginx.pid").read_text()), 15)
        except OSError:
            pass
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
