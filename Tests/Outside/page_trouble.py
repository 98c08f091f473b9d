"""The page of `serve` while its state, its marks, its library or its clients aren't as they should be."""

import os
import re
import shutil
import socket
import sqlite3
import time
import unittest
import urllib.parse

import stage
from page import Site


class Trouble(Site):
    def path(self, name):
        return next(self.stage.state.rglob(name))

    def statuses(self, page, *paths):
        return [page.ask("/" + path).status for path in paths]

    def test_numbers_that_no_video_has(self):
        page = self.small()
        for fields in ({"position": "1e300"}, {"position": "nan"}, {"position": "-1"}, {"position": "3", "length": "inf"},
                       {"offset.main": "1e300"}, {"offset.main": "nan"}):
            page.form("video/la/a", "marks/la/a", **fields)
        for speed in ("inf", "nan", "1e300", "-1", "0"):
            page.form("settings", "settings", speed=speed, subtitles="x" * 1000)
            page.form("course/la", "marks/la", speed=speed)
            self.assertEqual(self.statuses(page, "", "course/la", "video/la/a", "settings", "feed/la"), [200] * 5, speed)
        self.assertIn('data-speed="1"', page.text("video/la/a"))
        self.assertIn('data-start="3"', page.text("video/la/a"))

    def test_a_video_without_a_picture_is_no_error(self):
        page = self.small()
        # Random bytes, of which ffmpeg makes none. A 404 would be an error in the console of each browser.
        self.assertEqual(page.ask("/picture/la/a").status, 204)
        self.assertEqual(page.ask("/picture/la/none").status, 404)

    def test_the_state_is_replaced_while_it_runs(self):
        page = self.small()
        state = self.path("state.sqlite")
        paths = ("", "course/la", "video/la/a", "now", "nights", "now.json", "search?q=eigenvalue")
        whole = state.read_bytes()

        def version(number):
            with sqlite3.connect(state) as database:
                old = database.execute("PRAGMA user_version").fetchone()[0]
                database.execute(f"PRAGMA user_version = {number}")
            database.close()
            return old

        old = version(999)
        self.assertEqual(set(self.statuses(page, *paths)), {503})
        self.assertIn("newer coursefetch", page.ask("/").body.decode())
        version(old)
        self.assertEqual(set(self.statuses(page, *paths)), {200})
        for beside in state.parent.glob("state.sqlite*"):
            beside.unlink()
        self.assertEqual(self.statuses(page, "", "now", "nights", "course/la", "video/la/a"), [200, 200, 200, 404, 404])
        # Looking makes no new one.
        self.assertFalse(state.exists())
        state.write_bytes(b"garbage" * 1000)
        self.assertEqual(set(self.statuses(page, *paths)), {503})
        state.write_bytes(whole)
        self.assertEqual(set(self.statuses(page, *paths)), {200})

    def test_marks_that_are_damaged_or_locked(self):
        page = self.small()
        page.form("video/la/a", "marks/la/a", position="61")
        marks = self.path("marks.sqlite")
        with sqlite3.connect(marks, isolation_level=None) as database:
            database.execute("BEGIN EXCLUSIVE")
            page.form("video/la/a", "marks/la/a", status=503, position="7")
            self.assertIn('data-start="61"', page.text("video/la/a"))
            database.execute("ROLLBACK")
        database.close()
        media = re.search(r'"[^"]*(media/la/a/[^"?#]+)', page.text("video/la/a"))[1]
        whole = marks.read_bytes()
        marks.write_bytes(b"this is no database" * 1000)
        answer = page.ask("/video/la/a")
        self.assertEqual(answer.status, 503)
        self.assertRegex(answer.body.decode(), "marks.sqlite of what was watched is damaged.*move it away: then nothing counts as watched")
        self.assertNotIn("library adopt", answer.body.decode())
        self.assertEqual(page.ask("/" + media).status, 200, "a player that has begun goes on")
        # Nothing in it can be made anew, so nothing is made in its place.
        self.assertEqual(marks.read_bytes(), b"this is no database" * 1000)
        marks.write_bytes(whole)
        self.assertIn('data-start="61"', page.text("video/la/a"))

    def test_the_library_goes_away_while_a_video_plays(self):
        self.sync([{"id": "la", "videos": [self.video("a", size=20_000_000), self.video("b")]}])
        page = self.serve()
        file = next(self.stage.library.rglob("*a.mp4"))
        path = "/media/la/a/" + urllib.parse.quote(file.name)

        def begin():
            connection = socket.create_connection(("127.0.0.1", page.port), 30)
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {page.host}\r\nCookie: {page.cookie}\r\n\r\n".encode())
            return connection, len(connection.recv(10_000))

        def rest(connection):
            count = 0
            with connection:
                while data := connection.recv(1 << 20):
                    count += len(data)
            return count

        connection, _ = begin()
        away = self.stage.library.with_name("away")
        self.stage.library.rename(away)
        self.assertEqual(self.statuses(page, "", "course/la", "video/la/a", "now", "nights", path[1:]), [200] * 5 + [503])
        self.assertIn("Is its disk mounted?", page.text("now"))
        connection.close()
        away.rename(self.stage.library)
        # One that becomes shorter ends the connection: the client sees that it isn't whole.
        connection, first = begin()
        os.truncate(file, 1000)
        self.assertLess(first + rest(connection), 20_000_000)
        self.assertEqual(page.ask(path).headers["content-length"], "1000")
        os.truncate(file, 0)
        self.assertEqual((page.ask(path).status, page.ask(path, Range="bytes=0-").status), (200, 416))
        file.unlink()
        file.mkdir()
        self.assertEqual(self.statuses(page, path[1:], "video/la/a"), [404, 200])

    def test_subtitles_that_are_none(self):
        page = self.small()
        file = next(self.stage.library.rglob("*.vtt"))
        path = "text/la/a/" + urllib.parse.quote(file.name)
        large = b"WEBVTT\n\n" + b"x" * (2 << 20)
        for body, status in ((os.urandom(100_000), 200), (b"", 200), (large, 200), (b"x" * (17 << 20), 404)):
            file.write_bytes(body)
            answer = page.ask("/" + path)
            self.assertEqual((answer.status, answer.body if status == 200 else b""), (status, body if status == 200 else b""))
            self.assertEqual(self.statuses(page, "video/la/a", "search?q=eigenvalue"), [200, 200])

    def test_heads_that_come_drop_by_drop(self):
        page = self.small()
        connections = [socket.create_connection(("127.0.0.1", page.port), 10) for _ in range(200)]
        self.addCleanup(lambda: [connection.close() for connection in connections])
        head, opened = b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 50, time.monotonic()
        # Each drop comes in time for itself; the head as a whole doesn't.
        for drop in head[:60]:
            for connection in list(connections):
                try:
                    connection.send(bytes([drop]))
                except OSError:
                    connections.remove(connection)
            if not connections:
                break
            time.sleep(1)
        self.assertLess(time.monotonic() - opened, 60, f"{len(connections)} still open")
        self.assertEqual(page.ask("/healthz").status, 200)

    def test_head_and_post_on_everything(self):
        page = self.small()
        for path in ("", "courses", "course/la", "video/la/a", "search?q=x", "now", "nights", "settings", "now.json", "healthz",
                     "assets/page.css", "feed/la", "play/la/a.m3u", "media/la/a/01%20One.mp4", "none"):
            head, whole = page.ask("/" + path, "HEAD"), page.ask("/" + path)
            self.assertEqual((head.status, head.headers.get("content-length"), head.body),
                             (whole.status, whole.headers.get("content-length"), b""), path)
            if path not in ("healthz", "assets/page.css"):
                self.assertEqual(page.ask("/" + path, "POST").status, 403, path)
        self.assertEqual(page.ask("/events", "HEAD").status, 200)

    def test_long_searches_and_many_ranges(self):
        page = self.small()
        for query in ("a" * 5000, "a+" * 2000, "%22" * 1000, "*", "a%00b", "NEAR(", "%FF%FE", "-", "%E2%80%AE" * 500):
            self.assertEqual(page.ask("/search?q=" + query).status, 200, query[:20])
        self.assertGreaterEqual(page.ask("/search?q=" + "x" * 9000).status, 400)
        whole = len(self.bytes["a"])
        for ranges in ("bytes=" + ",".join(f"{i}-{i}" for i in range(1500)), "bytes=--5", "items=0-5", "bytes=5-4"):
            answer = page.ask("/media/la/a/01%20One.mp4", Range=ranges)
            self.assertEqual((answer.status, len(answer.body)), (200, whole), ranges[:20])

    def test_two_servers_of_one_state(self):
        first = self.small()
        second = self.serve()
        for number in range(5):
            for page in (first, second):
                page.form("video/la/a", "marks/la/a", position=f"{number + 1}")
        self.assertIn('data-start="5"', first.text("video/la/a"))
        self.assertEqual(first.query, second.query)

    @unittest.skipUnless(shutil.which("ffmpeg"), "there is no ffmpeg")
    def test_an_ffmpeg_that_hangs_or_goes(self):
        tools = self.stage.folder / "tools"
        tools.mkdir()
        for name in ("ffmpeg", "ffprobe"):
            (tools / name).write_text("#!/bin/sh\nexec sleep 12\n")
            (tools / name).chmod(0o755)
        self.sync([{"id": "la", "videos": [self.video("a"), self.video("b")]}])
        self.stage.variables["PATH"] = f"{tools}:{os.environ['PATH']}"
        page = self.serve()
        connections = []
        for name in "ab":
            connections.append(socket.create_connection(("127.0.0.1", page.port), 100))
            head = f"GET /picture/la/{name} HTTP/1.1\r\nHost: {page.host}\r\nCookie: {page.cookie}\r\n\r\n"
            connections[-1].sendall(head.encode())
        # Nothing is held up by it: a browser has six connections, which pictures must not hold for long.
        begin = time.monotonic()
        self.assertEqual(self.statuses(page, "", "video/la/a", "now", "picture/la/a"), [200] * 3 + [204])
        self.assertLess(time.monotonic() - begin, 25)
        for connection in connections:
            connection.close()
        stage.wait_until(lambda: page.running.stop(seconds=20), 30)
        # What it has started ends by itself.
        time.sleep(max(0, 26 - (time.monotonic() - begin)))
