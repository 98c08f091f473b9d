#!/usr/bin/env python3
"""The page with many viewers, beside a sync, and what it costs a sync.

usage: Tests/Benchmarks/page.py [viewers] [beside] [cost] [--program PROGRAM]. Without a part: all of them. coursefetch-serve has
to be beside PROGRAM (default: the release build). Runs on Linux, with nginx.

  viewers   200 connections at the same time, each of a viewer who plays videos of a library of 300 in pieces of 1 MiB, and seeks
            now and then: first as fast as possible, then a piece a second, as of a video of 8 Mbit/s. No answer may be wrong, and
            the server may never have 100 MB of memory. [--viewers 200] [--seconds 30] [--videos 300] [--megabytes 20]
  beside    20 viewers, a piece a second each, before and during a sync of new videos at 20 MB/s into the same library.
            [--beside 20] [--seconds 30]
  cost      the same sync without a page, and with one whose view of the running sync is open: pairs that alternate. The aim is
            1.02 at most. [--pairs 5] [--small 2000] [--big 20]

A server allows 64 connections of an address, so the viewers come from several of loopback's. The viewers are one thread of this
script. The seconds of processor time per second, of the server and of the viewers, are the last two columns.
"""
import argparse
import json
import os
import random
import selectors
import socket
import statistics
import sys
import threading
import time

import served

PIECE = 1 << 20
# Viewers of one address: a server allows 64.
PER_ADDRESS = 50
NOISE = random.Random(1).randbytes(PIECE - 32)


def piece(video, number):
    """Each one says what it is."""
    block = f"{video:08}.{number:08}".encode().ljust(32, b".") + NOISE
    return served.mp4(block) if number == 0 else block


def known(video, number):
    """What a piece begins with."""
    return piece(video, number)[:32]


def library(place, videos, megabytes):
    """Courses of ten videos each; returns the addresses of the files below the page's root."""
    records, paths = served.Records(place), []
    for video in range(videos):
        course, position = divmod(video, 10)
        folder = f"Course {course:03}"
        if position == 0:
            records.course(f"c{course:03}", folder)
        blocks = (piece(video, number) for number in range(megabytes))
        path = records.video(f"c{course:03}", folder, f"v{video}", f"Lecture {position + 1}", position + 1, blocks)
        paths.append(f"media/c{course:03}/v{video}/{path.split('/')[-1].replace(' ', '%20')}")
    records.adopt(videos)
    return paths


class Viewer:
    """A connection that asks for a piece, reads it, and asks for the next one."""

    def __init__(self, number, crowd):
        self.crowd, self.rest = crowd, random.Random(number)
        self.video, self.piece = self.rest.randrange(len(crowd.paths)), 0
        self.source = f"127.0.0.{2 + number // PER_ADDRESS}"
        self.socket = None
        # Viewers don't begin at the same moment.
        self.due = time.monotonic() + (crowd.pace or 0) * self.rest.random()

    def connect(self):
        self.socket = socket.socket()
        self.socket.bind((self.source, 0))
        self.socket.connect(("127.0.0.1", self.crowd.page.port))
        self.socket.setblocking(False)
        self.crowd.selector.register(self.socket, selectors.EVENT_READ, self)

    def close(self):
        if self.socket:
            self.crowd.selector.unregister(self.socket)
            self.socket.close()
            self.socket = None

    def ask(self):
        """The next piece; one time of ten of another place, one time of fifty of another video."""
        crowd = self.crowd
        chance = self.rest.random()
        if chance < 0.02 or self.piece >= crowd.megabytes:
            self.video, self.piece = self.rest.randrange(len(crowd.paths)), 0
        elif chance < 0.12:
            self.piece = self.rest.randrange(crowd.megabytes)
        first = self.piece * PIECE
        request = (f"GET {crowd.page.base}{crowd.paths[self.video]} HTTP/1.1\r\nHost: {crowd.page.host}\r\n"
                   f"Cookie: {crowd.page.cookie}\r\nRange: bytes={first}-{first + PIECE - 1}\r\n\r\n")
        self.head, self.left, self.start, self.asked, self.due = b"", None, b"", time.monotonic(), None
        try:
            if not self.socket:
                self.connect()
            self.socket.sendall(request.encode())
        except OSError as error:
            self.fail(f"{error}")

    def fail(self, why):
        self.crowd.errors.append(why)
        self.close()
        # One that is refused at once would ask thousands of times.
        self.due = time.monotonic() + 0.2

    def read(self, buffer):
        """Takes what has come."""
        try:
            count = self.socket.recv_into(buffer)
        except BlockingIOError:
            return
        except OSError as error:
            return self.fail(f"{error}")
        if count == 0:
            return self.fail("the connection was closed")
        data = buffer[:count]
        if self.left is None:
            self.head += bytes(data)
            head, end, body = self.head.partition(b"\r\n\r\n")
            if not end:
                return
            lines = head.decode("latin-1").lower().split("\r\n")
            if " 206 " not in lines[0] + " " or f"content-length: {PIECE}" not in lines:
                return self.fail(lines[0])
            self.left = PIECE
            data = memoryview(body)
        if len(self.start) < 32:
            self.start += bytes(data[:32 - len(self.start)])
        self.left -= len(data)
        if self.left > 0:
            return
        if self.left < 0 or self.start != known(self.video, self.piece):
            return self.fail(f"video {self.video}, piece {self.piece} begins with {self.start!r}")
        now = time.monotonic()
        self.crowd.times.append(now - self.asked)
        self.piece += 1
        if self.crowd.pace:
            self.due = max(now, self.asked + self.crowd.pace)
        else:
            self.ask()


class Crowd:
    """Viewers at the same time."""

    def __init__(self, page, paths, megabytes, viewers, pace=None):
        self.page, self.paths, self.megabytes, self.pace = page, paths, megabytes, pace
        self.selector = selectors.DefaultSelector()
        self.times, self.errors = [], []
        self.viewers = [Viewer(number, self) for number in range(viewers)]

    def watch(self, goes_on):
        """Until `goes_on` says no. Answers that are on their way then don't count."""
        buffer = memoryview(bytearray(PIECE))
        begun, cpu, own = time.monotonic(), self.page.cpu(), time.process_time()
        while goes_on(time.monotonic() - begun):
            now = time.monotonic()
            for viewer in self.viewers:
                if viewer.due is not None and viewer.due <= now:
                    viewer.ask()
            for key, _ in self.selector.select(0.02):
                key.data.read(buffer)
        self.seconds = time.monotonic() - begun
        self.cpu, self.own = (self.page.cpu() - cpu) / self.seconds, (time.process_time() - own) / self.seconds
        for viewer in self.viewers:
            viewer.close()
        self.selector.close()
        return self

    def row(self, name):
        times = sorted(self.times) or [float("nan")]
        print(f"  {name:34} {len(self.times) / self.seconds:9.0f} {len(self.times) * PIECE / 1e6 / self.seconds:8.0f}"
              f" {statistics.median(times) * 1000:10.1f} {times[int(len(times) * 0.95)] * 1000:8.1f}"
              f" {max(times) * 1000:8.0f} {len(self.errors):7} {self.page.peak():8.1f} {self.cpu:8.2f} {self.own:8.2f}",
              flush=True)
        for why in sorted(set(self.errors))[:5]:
            print(f"    {self.errors.count(why)} times: {why}")


def heading(title):
    print(f"\n{title}  (load {os.getloadavg()[0]:.1f})")
    print(f"  {'':34} {'answers/s':>9} {'MB/s':>8} {'median ms':>10} {'95 % ms':>8} {'most ms':>8} {'errors':>7} {'peak MB':>8}"
          f" {'server':>8} {'viewers':>8}", flush=True)


def viewers(place, arguments):
    paths = library(place, arguments.videos, arguments.megabytes)
    heading(f"{arguments.viewers} viewers of {arguments.videos} videos of {arguments.megabytes} MiB, pieces of 1 MiB")
    page = place.serve()
    failed, alone = 0, page.peak()
    for name, pace in [("as fast as possible", None), ("a piece a second each", 1)]:
        crowd = Crowd(page, paths, arguments.megabytes, arguments.viewers, pace)
        crowd.watch(lambda seconds: seconds < arguments.seconds).row(name)
        failed += len(crowd.errors)
    peak = page.peak()
    print(f"  memory: {peak:.1f} MB ({alone:.1f} before the first viewer), aim 100: {met(peak < 100)};"
          f" errors: {failed}, aim 0: {met(failed == 0)}")
    page.close()


def catalog(place, base, groups):
    """Files of random bytes in the web server's folder, and a catalog of them; returns its path."""
    lines = [f"version: 1\ndefaults: {{provider: direct, parameters: {{url: '{base}/{{id}}.mp4'}}}}\ncourses:\n"]
    for name, count, size in groups:
        lines.append(f"  - id: {name}\n    title: Synced {name}\n    videos:\n")
        for number in range(count):
            with open(place.work / f"www/{name}{number}.mp4", "wb") as file:
                for start in range(0, size, PIECE):
                    file.write(served.mp4(os.urandom(min(PIECE, size - start))))
            lines.append(f"      - {name}{number}\n")
    path = place.work / "catalog.yaml"
    path.write_text("".join(lines))
    return path


def beside(place, arguments):
    megabytes, rate = 20, 20
    paths = library(place, 30, megabytes)
    # It takes as long as the viewers watch.
    synced = catalog(place, place.web(), [("b", max(2, arguments.seconds * rate // 10), 10_000_000)])
    heading(f"{arguments.beside} viewers, a piece a second each; a sync of new files at {rate} MB/s")
    page = place.serve()
    before = Crowd(page, paths, megabytes, arguments.beside, 1)
    before.watch(lambda seconds: seconds < arguments.seconds).row("before it")
    begun = time.monotonic()
    sync = place.start("sync", synced, "--json", "--plugins", place.plugins(), "--limit-rate", f"{rate}M", stdout=open(
        place.work / "sync.jsonl", "wb"), stderr=open(place.work / "sync.err", "wb"))
    during = Crowd(page, paths, megabytes, arguments.beside, 1)
    during.watch(lambda seconds: sync.poll() is None).row("during it")
    ended = json.loads((place.work / "sync.jsonl").read_text().splitlines()[-1])
    failed = len(before.errors) + len(during.errors)
    print(f"  the sync: exit {sync.wait()}, {ended['finished_now']} videos, {ended['bytes'] / 1e6:,.0f} MB in"
          f" {time.monotonic() - begun:.1f} s; errors of viewers: {failed}, aim 0: {met(failed == 0)}")
    page.close()


class Browser:
    """A page that shows the running sync: what a browser asks for, and then the events as they come."""

    def __init__(self, page):
        self.page, self.events, self.bytes = page, 0, 0
        client = page.client()
        for path in ("now", "assets/page.css", "assets/page.js", "assets/now.js", "assets/now-view.js", "assets/icon.svg"):
            page.ask(path, client)
        client.close()
        self.socket = socket.create_connection(("127.0.0.1", page.port))
        self.socket.sendall(
            f"GET {page.base}events HTTP/1.1\r\nHost: {page.host}\r\nCookie: {page.cookie}\r\n"
            "Accept: text/event-stream\r\n\r\n".encode())
        if b" 200 " not in self.socket.recv(4096):
            sys.exit("page.py: the page refuses events")
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        try:
            while data := self.socket.recv(1 << 16):
                self.events += data.count(b"event: now")
                self.bytes += len(data)
        except OSError:
            pass

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.reader.join()
        self.socket.close()


def cost(place, arguments):
    synced = catalog(place, place.web(), [("s", arguments.small, 65536), ("b", arguments.big, 20 * PIECE)])
    rounds, events, page_cpu = {False: [], True: []}, [], []
    # The first sync of all fills the caches, and doesn't count.
    for number in range(-1, arguments.pairs):
        for with_page in ((False, True), (True, False))[number % 2]:
            folder = place.work / f"round.{number}.{with_page}"
            places = {"library": folder / "library", "state": folder / "state"}
            if with_page:
                page = place.serve(**places)
                browser = Browser(page)
                cpu = page.cpu()
            begun = time.monotonic()
            sync = place.start("sync", synced, "--quiet", "--plugins", place.plugins(), stderr=open(
                place.work / "sync.err", "wb"), **places)
            _, status, usage = os.wait4(sync.pid, 0)
            wall = time.monotonic() - begun
            sync.returncode = os.waitstatus_to_exitcode(status)
            if with_page:
                events.append(browser.events)
                page_cpu.append(page.cpu() - cpu)
                browser.close()
                page.close()
            if sync.returncode:
                sys.exit(f"page.py: a sync ended with {sync.returncode}: {(place.work / 'sync.err').read_text()}")
            if number >= 0:
                rounds[with_page].append((wall, usage.ru_utime + usage.ru_stime))
    print(f"\n{arguments.small:,} files of 64 KiB and {arguments.big} of 20 MiB, without a page and with one"
          f"  (load {os.getloadavg()[0]:.1f})")
    print(f"  {'pair':>6} {'without s':>10} {'with s':>10} {'ratio':>7} {'CPU ratio':>10} {'events':>7} {'page CPU s':>11}")
    ratios = []
    for number, (one, other) in enumerate(zip(rounds[False], rounds[True])):
        ratios.append((other[0] / one[0], other[1] / one[1]))
        print(f"  {number + 1:6} {one[0]:10.3f} {other[0]:10.3f} {ratios[-1][0]:7.3f} {ratios[-1][1]:10.3f}"
              f" {events[number + 1]:7} {page_cpu[number + 1]:11.2f}")
    walls = sorted(ratio[0] for ratio in ratios)
    median = statistics.median(walls)
    print(f"  median of the ratios {median:.3f} (from {walls[0]:.3f} to {walls[-1]:.3f}), aim 1.020: {met(median <= 1.02)};"
          f" of CPU {statistics.median(ratio[1] for ratio in ratios):.3f}")


def met(value):
    return "met" if value else "missed"


def main():
    parser = argparse.ArgumentParser(usage="page.py [viewers] [beside] [cost] [options]; its first lines say more")
    parser.add_argument("parts", nargs="*", metavar="part")
    parser.add_argument("--program")
    for name, number in [("viewers", 200), ("seconds", 30), ("videos", 300), ("megabytes", 20), ("beside", 20), ("pairs", 5),
                         ("small", 2000), ("big", 20)]:
        parser.add_argument(f"--{name}", type=int, default=number)
    arguments = parser.parse_args()
    parts = {"viewers": viewers, "beside": beside, "cost": cost}
    for part in arguments.parts or parts:
        if part not in parts:
            sys.exit(f"page.py: no part “{part}”; there are {', '.join(parts)}")
        with served.Place(arguments.program) as place:
            parts[part](place, arguments)


if __name__ == "__main__":
    main()
