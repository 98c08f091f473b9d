"""The page of `serve`, asked over HTTP as browsers, players and podcast programs ask, and as strangers do."""

import hashlib
import html
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import stat
import subprocess
import time
import unittest
import urllib.parse
import xml.etree.ElementTree

import media
import stage
from host import File, Host

SERVER = pathlib.Path(stage.PROGRAM).with_name("coursefetch-serve")
EVIL = "<script>alert(1)</script> & \"'\u202egpj.exe"


class Page:
    """A running server, and a client that has its cookie."""

    def __init__(self, scene, *arguments):
        self.running = scene.start("serve", "--port", "0", *arguments)
        stage.wait_until(lambda: self.running.lines or self.running.process.poll() is not None, 90)
        assert self.running.lines, self.running.end()
        address = urllib.parse.urlsplit(self.running.lines[0].strip())
        self.port, self.base, self.query = address.port, address.path, address.query
        self.host = address.netloc
        self.cookie = None
        self.cookie = self.ask(self.base + "?" + self.query).headers["set-cookie"].split(";")[0]

    def ask(self, path, method="GET", body=None, host=None, address="127.0.0.1", **headers):
        """One request; the answer has `status`, `headers` in lower case, and `body`."""
        connection = http.client.HTTPConnection(address, self.port, timeout=60)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        headers["Host"] = host or self.host
        if self.cookie and "Cookie" not in headers:
            headers["Cookie"] = self.cookie
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            body = urllib.parse.urlencode(body)
        try:
            connection.request(method, path, body, {k: v for k, v in headers.items() if v is not None})
            answer = connection.getresponse()
            answer.body = answer.read()
        finally:
            connection.close()
        answer.headers = {k.lower(): v for k, v in answer.getheaders()}
        return answer

    def get(self, path, status=200, **how):
        answer = self.ask(self.base + path, **how)
        assert answer.status == status, f"{path}: {answer.status} {answer.body[:500]}"
        return answer

    def text(self, path, **how):
        return self.get(path, **how).body.decode()

    def form(self, page, path, status=303, **fields):
        """Sends a form with the token of a page."""
        token = re.search(r'name="csrf" value="([^"]+)"', self.text(page)).group(1)
        answer = self.ask(self.base + path, "POST", {"csrf": token, "back": page, **fields})
        assert answer.status == status, f"{path}: {answer.status} {answer.body[:500]}"
        return answer


@unittest.skipUnless(SERVER.exists(), "there is no coursefetch-serve beside the program: make page")
class Site(unittest.TestCase):
    """Syncs courses and serves them."""

    def setUp(self):
        self.host, self.stage = Host(), stage.Stage()
        self.addCleanup(self.stage.close)
        self.addCleanup(self.host.close)
        self.table, self.bytes = {}, {}

    def video(self, name, subtitles=None, size=300_000, **more):
        self.bytes[name] = media.mp4(name, size)
        self.table[name] = {"url": self.host.at(f"/{name}.mp4", File(self.bytes[name])), **more}
        if subtitles:
            url = self.host.at(f"/{name}.vtt", File(subtitles.encode(), kind="text/vtt"))
            self.table[name]["subtitles"] = [{"lang": "en", "url": url}]
        self.stage.urls(self.table)
        return {"id": name}

    def sync(self, courses, **how):
        self.stage.write(courses)
        return self.stage.sync(**{"exit": 0, **how})

    def serve(self, *arguments, settings=None):
        if settings is not None:
            file = self.stage.folder / "home/.config/coursefetch/config.yaml"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(settings)
            file.chmod(0o600)
        return Page(self.stage, *arguments)

    def small(self):
        self.sync([{"id": "la", "title": "Linear Algebra", "subtitles": "all", "videos": [
            {**self.video("a", "WEBVTT\n\n00:10.000 --> 00:12.000\nso an eigenvalue is\n"), "title": "One"},
            {**self.video("b"), "title": "Two"}, {**self.video("c"), "title": "Three"}]}])
        return self.serve()

    def events(self, page, what, seconds=30):
        """Server-sent events until one is as wanted."""
        connection = socket.create_connection(("127.0.0.1", page.port), seconds)
        request = f"GET /events HTTP/1.1\r\nHost: {page.host}\r\nCookie: {page.cookie}\r\n\r\n"
        connection.sendall(request.encode())
        found, deadline, buffer = [], time.monotonic() + seconds, b""
        with connection:
            while time.monotonic() < deadline:
                buffer += connection.recv(65536)
                for line in re.findall(rb"data: (\{.*\})\r?\n", buffer):
                    found.append(json.loads(line))
                    if what(found[-1]):
                        return found
        self.fail(f"no such event: {buffer[-2000:]}")


class Pages(Site):
    def test_the_library_the_course_and_the_video(self):
        page = self.small()
        home = page.text("")
        self.assertIn("1 course, 3 videos", home)
        self.assertIn("Linear Algebra", home)
        course = page.text("course/la")
        self.assertEqual(re.findall(r'href="\.\./video/la/(\w)"', course)[:3].count("a") > 0, True)
        self.assertLess(course.index("One"), course.index("Three"))
        video = page.text("video/la/a")
        source = html.unescape(re.search(r'<video [^>]*src="([^"#]+)', video, re.S).group(1))
        answer = page.get(urllib.parse.urljoin("video/la/a", source).removeprefix("/"))
        self.assertEqual(answer.body, self.bytes["a"])
        self.assertEqual(answer.headers["content-type"], "video/mp4")
        self.assertEqual(answer.headers["etag"], '"' + hashlib.sha256(self.bytes["a"]).hexdigest() + '"')
        track = html.unescape(re.search(r'<track [^>]*src="([^"]+)"', video, re.S).group(1))
        self.assertIn("eigenvalue", page.text(urllib.parse.urljoin("video/la/a", track).removeprefix("/")))
        self.assertIn('rel="next"', video)
        for path in ("course/none", "video/la/none", "video/none/a", "media/la/a/none.mp4", "nothing", "course", "media/la/a"):
            self.assertEqual(page.ask("/" + path).status, 404, path)

    def test_what_the_client_has_is_not_sent_again(self):
        page = self.small()
        for path in ("", "courses", "course/la", "video/la/a", "search?q=eigenvalue", "now", "nights", "settings", "now.json",
                     "assets/page.css", "assets/player.js"):
            tag = page.get(path).headers["etag"]
            again = page.ask("/" + path, If_None_Match=tag)
            self.assertEqual((again.status, again.body), (304, b""), path)

    def test_nothing_is_shown_to_strangers(self):
        page = self.small()
        paths = ["", "courses", "video/la/a", "media/la/a/01%20One.mp4", "now.json", "events", "metrics", "picture/la/a",
                 "feed/la", "play/la/a.m3u", "text/la/a/x.vtt"]
        for path in paths:
            for cookie in (None, "coursefetch-1=x", page.cookie[:-1] + "z"):
                answer = page.ask("/" + path, Cookie=cookie)
                self.assertEqual(answer.status, 401, (path, cookie))
            # A name that points here from elsewhere, with everything that a browser has.
            self.assertEqual(page.ask("/" + path, host="evil.example").status, 421, path)
            self.assertEqual(page.ask("/" + path, host=f"evil.example:{page.port}").status, 421, path)
            self.assertEqual(page.ask("/" + path, Remote_User="root").status, 403, path)
        self.assertEqual(page.ask("/healthz", Cookie=None).status, 200)
        secret = next(self.stage.state.rglob("page.secret"))
        self.assertEqual(stat.S_IMODE(secret.stat().st_mode), 0o600)

    def test_a_form_of_another_page_does_nothing(self):
        page = self.small()
        token = re.search(r'name="csrf" value="([^"]+)"', page.text("settings")).group(1)
        for fields, headers in (
                ({}, {}), ({"csrf": "0"}, {}), ({"csrf": token}, {"Sec_Fetch_Site": "cross-site"}),
                ({"csrf": token}, {"Cookie": None})):
            answer = page.ask("/marks/la/a", "POST", {**fields, "watched": "1"}, **headers)
            self.assertIn(answer.status, (401, 403))
        self.assertNotIn("1 watched", page.text("course/la"))
        for back in ("//evil.example", "/\\evil.example", "https://evil.example", "\\evil", "a\r\nX: y"):
            answer = page.ask("/marks/la/a", "POST", {"csrf": token, "watched": "1", "back": back})
            place = urllib.parse.urljoin(f"http://{page.host}/", answer.headers["location"])
            self.assertEqual(urllib.parse.urlsplit(place).netloc, page.host, back)
        self.assertEqual(page.ask("/marks/la/a", "POST", {"csrf": token, "x": "y" * 100_000}).status, 413)

    def test_where_one_left_off(self):
        page = self.small()
        page.form("video/la/a", "marks/la/a", position="61.5", length="120")
        self.assertIn("Continue watching", page.text(""))
        self.assertIn("1 min left", page.text(""))
        self.assertIn('data-start="61.5"', page.text("video/la/a"))
        self.assertIn("data-start=\"5\"", page.text("video/la/a?t=5"))
        page.form("video/la/a", "marks/la/a", watched="1")
        self.assertNotIn("Continue watching", page.text(""))
        self.assertIn("2 not watched", page.text(""))
        page.form("course/la", "marks/la", watched="1", speed="1.5")
        self.assertIn("You have watched everything", page.text("course/la?show=unwatched"))
        self.assertIn('data-speed="1.5"', page.text("video/la/b"))
        # It is beside the state, and a sync has nothing to do with it.
        self.assertEqual(len(list(self.stage.state.rglob("marks.sqlite"))), 1)
        next(self.stage.state.rglob("state.sqlite")).unlink()
        self.stage.command("library", "adopt", "--rebuild")
        self.assertIn('data-speed="1.5"', page.text("video/la/b"))

    def test_a_strangers_titles_and_subtitles_are_text(self):
        self.sync([{"id": "x y/z?#%", "title": EVIL, "subtitles": "all", "videos": [
            {**self.video("v", f"WEBVTT\n\n00:01.000 --> 00:02.000\n{EVIL}\n"), "id": "v", "title": EVIL}]}])
        page = self.serve()
        course = "course/" + urllib.parse.quote("x y/z?#%", safe="")
        for path in ("", "courses", course, course.replace("course", "video") + "/v", "search?q=alert", "nights", "now",
                     "search?q=" + urllib.parse.quote(EVIL)):
            text = page.text(path).replace("&#x2068;", "\u2068").replace("&#x2069;", "\u2069")
            self.assertNotIn("<script>alert", text, path)
            for mark in re.finditer("\u202e", text):
                before = text[:mark.start()]
                isolated = before.rfind("<bdi>") > before.rfind("</bdi>") or before.rfind("\u2068") > before.rfind("\u2069")
                attribute = before.rfind('="') > before.rfind(">")
                self.assertTrue(isolated or attribute, (path, text[mark.start() - 200:mark.end() + 20]))
            policy = page.get(path).headers["content-security-policy"]
            self.assertIn("script-src 'self'", policy)
            self.assertNotIn("unsafe", policy)
        found = xml.etree.ElementTree.fromstring(page.get(course.replace("course", "feed")).body)
        self.assertEqual(found.find("channel/title").text, EVIL)

    def test_ranges_as_curl_asks_for_them(self):
        page = self.small()
        path, whole = "media/la/a/01%20One.mp4", self.bytes["a"]
        url = f"http://{page.host}/{path}"

        def curl(*arguments):
            run = subprocess.run(
                ["curl", "-s", "-D", "-", "--path-as-is", "-H", "Cookie: " + page.cookie, *arguments, url], capture_output=True, timeout=30)
            head, _, body = run.stdout.partition(b"\r\n\r\n")
            return int(head.split()[1]), head.decode().lower(), body

        for ranges, expected in (("0-99", whole[:100]), ("100-", whole[100:]), ("-7", whole[-7:]),
                                 (f"{len(whole) - 1}-{len(whole) + 50}", whole[-1:])):
            status, head, body = curl("-r", ranges)
            self.assertEqual((status, body), (206, expected), ranges)
            self.assertIn(f"/{len(whole)}\r\n", head)
        self.assertEqual(curl("-r", f"{len(whole)}-")[0], 416)
        self.assertEqual(curl("-r", "0-1,3-4")[::2], (200, whole))
        self.assertEqual(curl("-H", "Range: bytes=5-4")[::2], (200, whole))
        self.assertEqual(curl("-I")[0], 200)
        self.assertIn(f"content-length: {len(whole)}\r\n", curl("-I")[1] + "\r\n")
        target = self.stage.folder / "partly.mp4"
        target.write_bytes(whole[:1234])
        subprocess.run(["curl", "-s", "-C", "-", "-o", target, "-H", "Cookie: " + page.cookie, url], check=True, timeout=30)
        self.assertEqual(target.read_bytes(), whole)

    def test_only_files_of_the_library_are_sent(self):
        page = self.small()
        secret = self.stage.folder / "secret.mp4"
        secret.write_bytes(b"secret")
        for path in ("media/la/a/../../../../secret.mp4", "media/la/a/%2e%2e%2fsecret.mp4", "media/la/a/..%2f..%2f..%2fsecret.mp4",
                     "media/la/a/.coursefetch", "media/la/a/", "media/la/a/%00", "assets/..%2fpage.secret", "assets/page.secret"):
            answer = page.ask("/" + path)
            self.assertEqual(answer.status, 404, path)
            self.assertNotIn(b"secret", answer.body.replace(b"page.secret", b""))
        file = next(self.stage.library.rglob("01 One.mp4"))
        file.unlink()
        file.symlink_to(secret)
        self.assertNotIn(b"secret", page.ask("/media/la/a/01%20One.mp4").body)
        file.unlink()
        os.mkfifo(file)
        self.assertEqual(page.ask("/media/la/a/01%20One.mp4").status, 404)
        file.unlink()
        file.write_bytes(b"changed")
        answer = page.get("media/la/a/01%20One.mp4")
        # What isn't the recorded file has no strong ETag.
        self.assertTrue(answer.headers["etag"].startswith("W/"), answer.headers)
        shutil.rmtree(self.stage.library)
        self.assertIn(page.ask("/media/la/b/02%20Two.mp4").status, (404, 503))
        self.assertEqual(page.get("course/la").status, 200)

    def test_what_a_browser_could_run_is_saved(self):
        attachment = self.host.at("/notes.svg", File(b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", kind="image/svg+xml"))
        self.sync([{"id": "c", "videos": [
            self.video("v", attachments=[{"title": "notes", "url": attachment}])]}])
        page = self.serve()
        name = next(p.name for p in self.stage.library.rglob("*.svg"))
        answer = page.get("media/c/v/" + urllib.parse.quote(name))
        self.assertEqual(answer.headers["content-type"], "application/octet-stream")
        self.assertTrue(answer.headers["content-disposition"].startswith("attachment"))
        self.assertEqual(answer.headers["x-content-type-options"], "nosniff")

    def test_a_hundred_videos_a_page(self):
        self.sync([{"id": "c", "videos": [{**self.video(f"v{n:03}", size=500), "title": f"T{n:03}"} for n in range(130)]}])
        page = self.serve()
        seen, path = [], "course/c"
        for _ in range(4):
            text = page.text(path)
            seen += re.findall(r'<h3 class="card-title"><a href="[^"]+"><bdi>(T\d+)', text)
            following = re.search(r'<a class="button is-main" href="([^"]+)" rel="next"', text)
            if not following:
                break
            path = "course/" + html.unescape(following.group(1)).split("/")[-1]
        self.assertEqual(seen, [f"T{n:03}" for n in range(130)])
        first = page.text("course/c?sort=title&show=unwatched")
        self.assertIn("1–100 of 130", first)
        for odd in ("after=x", "after=-5", "after=99999999999999999999", "sort=x", "show=x", "after=&sort=&show="):
            self.assertEqual(page.ask("/course/c?" + odd).status, 200, odd)
        # A search shows 20, and up to 100 if they are asked for.
        found = page.text("search?q=t0*")
        self.assertIn("20 videos in 1 course", found)
        more = html.unescape(re.search(r'<a class="button" href="([^"]+)">Show more', found).group(1))
        found = page.text(more.removeprefix("./"))
        self.assertIn("100 videos in 1 course", found)
        self.assertNotIn("Show more", found)
        self.assertNotIn("Show more", page.text("search?q=t00*"))

    def test_below_a_path(self):
        self.sync([{"id": "la", "videos": [self.video("a")]}])
        page = self.serve(settings="serve:\n  base: /courses/\n")
        self.assertEqual(page.base, "/courses/")
        for path in ("", "course/la", "video/la/a"):
            text = page.text(path)
            for address in re.findall(r'(?:href|src|action)="([^"]*)"', text):
                place = urllib.parse.urljoin(f"http://{page.host}/courses/{path}", html.unescape(address))
                self.assertTrue(urllib.parse.urlsplit(place).path.startswith("/courses/"), (path, address))
        self.assertEqual(page.ask("/").status, 404)
        self.assertEqual(page.form("video/la/a", "marks/la/a", watched="1").headers["location"], "/courses/video/la/a")

    def test_users_of_a_proxy_see_their_own(self):
        self.sync([{"id": "la", "title": "Of the account", "videos": [self.video("a")]}])
        self.stage.command("login", "--user", "maria")
        self.stage.catalog.write_text(self.stage.catalog.read_text().replace("Of the account", "Of Maria"))
        subprocess.run(
            [stage.PROGRAM, "sync", self.stage.catalog, "--user", "maria", "--library", self.stage.folder / "maria",
             "--state", self.stage.state, "--plugins", self.stage.plugins],
            env=self.stage.environment(), check=True, timeout=100, capture_output=True)
        page = self.serve(settings="serve:\n  proxies: [127.0.0.1]\n  hosts: [courses.example.org]\n  user-header: X-User\n")
        def as_user(name, path="", **how):
            return page.ask("/" + path, host="courses.example.org", Cookie=None, X_User=name, **how)
        self.assertIn("Of Maria", as_user("maria").body.decode())
        self.assertNotIn("Of the account", as_user("maria").body.decode())
        self.assertEqual(as_user("nobody-here").status, 404)
        for name in ("../maria", "maria/../x", "", "a" * 300, "\u00fc"):
            self.assertGreaterEqual(as_user(name.encode().decode("latin-1")).status, 400, name)
        self.assertEqual(page.ask("/", host="courses.example.org", Cookie=None).status, 401)
        # Marks are each user's own, too.
        token = re.search(r'name="csrf" value="([^"]+)"', as_user("maria", "settings").body.decode()).group(1)
        as_user("maria", "marks/la/a", method="POST", body={"csrf": token, "watched": "1"})
        self.assertIn("Mark as not watched", as_user("maria", "video/la/a").body.decode())
        self.assertNotIn("Mark as not watched", page.text("video/la/a"))
        self.assertEqual(page.ask("/marks/la/a", "POST", {"csrf": token, "watched": "1"}).status, 403)

    def test_a_feed_for_a_podcast_program(self):
        page = self.small()
        address = html.unescape(re.search(r'href="\.\./(feed/la\?token=[^"]+)"', page.text("course/la")).group(1))
        answer = page.ask("/" + address, Cookie=None)
        self.assertEqual(answer.status, 200)
        enclosures = xml.etree.ElementTree.fromstring(answer.body).findall("channel/item/enclosure")
        self.assertEqual(len(enclosures), 3)
        for enclosure in enclosures:
            place = urllib.parse.urlsplit(enclosure.get("url"))
            self.assertEqual(place.netloc, page.host)
            body = page.ask(f"{place.path}?{place.query}", Cookie=None).body
            self.assertIn(body, self.bytes.values())
            self.assertEqual(str(len(body)), enclosure.get("length"))
        # Its token opens nothing else.
        token = address.split("token=")[1]
        for path in ("", "course/la", "feed/other", "media/la/a/01%20One.mp4", "play/la/a.m3u"):
            self.assertEqual(page.ask(f"/{path}?token={token}", Cookie=None).status, 401, path)

    def test_a_player_outside_the_browser(self):
        page = self.small()
        answer = page.get("play/la/a.m3u")
        # A browser that knows HLS would play the list itself.
        self.assertEqual(answer.headers["content-disposition"], "attachment; filename*=UTF-8''One.m3u")
        lines = answer.body.decode().splitlines()
        place = urllib.parse.urlsplit(lines[-1])
        self.assertEqual(page.ask(f"{place.path}?{place.query}", Cookie=None).body, self.bytes["a"])

    def test_the_running_sync_is_steered(self):
        slow = [self.video(f"s{n}", size=3_000_000) for n in range(3)]
        self.stage.write([{"id": "c", "videos": slow}])
        running = self.stage.start_sync("--limit-rate", "50K", "--jobs", "2")
        running.wait_for(lambda events: sum(e["event"] == "download_started" for e in events) >= 2, 100)
        page = self.serve()
        stage.wait_until(lambda: len(json.loads(page.text("now.json"))["active"]) == 2, 60)
        now = json.loads(page.text("now.json"))
        self.assertEqual(now["running"]["activity"], "syncing")
        self.assertIn("Syncing", page.text("now"))
        first = now["active"][0]
        page.form("now", "control", action="pause", video=first["id"])
        running.wait_for(lambda events: any(e["event"] == "download_paused" and e["video"] == first["video"] for e in events))
        page.form("now", "control", action="resume", video="")
        page.form("now", "rate", limit="off")
        for action in ("", "remove", "delete", "x"):
            page.form("now", "control", action=action, video=first["id"])
        page.form("now", "control", action="pause", video="no/such/video")
        events = self.events(page, lambda data: data["finished"] >= 1 or data["rate"])
        self.assertTrue(events)
        # One that is killed can say nothing of its end, and changes no file.
        running.process.kill()
        self.assertTrue(self.events(page, lambda data: data["running"] is None))

    def test_what_the_sync_waits_for_is_named(self):
        self.stage.write([{"id": "c", "videos": [self.video("a")]}])
        self.host.at("/a.mp4", lambda x: x.answer(429, retry_after=300))
        running = self.stage.start_sync()
        running.wait_for(lambda events: any(e["event"] == "host_waiting" for e in events), 100)
        page = self.serve()
        stage.wait_until(lambda: json.loads(page.text("now.json"))["hosts"], 60)
        what = f"127.0.0.1:{self.host.port} answers with errors; waiting until "
        now = json.loads(page.text("now.json"))
        # Nobody knows a size.
        self.assertEqual((now["left"], now["left_is_whole"], now["eta"]), (None, False, None))
        [wait] = now["hosts"]
        self.assertTrue(wait["text"].startswith(what), wait)
        self.assertIn(what, page.text("now"))
        self.assertIn(what, self.stage.command("status").out)
        running.process.kill()
        running.process.wait()
        stage.wait_until(lambda: json.loads(page.text("now.json"))["hosts"] == [], 60)
        self.assertNotIn("answers with errors; waiting", self.stage.command("status").out)

    def test_nights_and_failures_with_their_next_step(self):
        self.table["gone"] = {"refuse": {"kind": "not_found"}}
        self.sync([{"id": "c", "videos": [self.video("a"), {"id": "gone", "title": "Lost"}]}], exit=1)
        page = self.serve()
        text = page.text("nights")
        self.assertIn("1: ", text)
        self.assertIn("Failures and what to do", text)
        self.assertIn("Lost", text)
        self.assertIn("coursefetch ", re.search(r"<code>([^<]+)</code>", text).group(1))
        page.get("nights?after=1000000")
        metrics = page.text("metrics")
        self.assertRegex(metrics, r'coursefetch_videos\{user="[^"]+",state="failed"\} 1\n')

    def test_an_empty_library_says_how_to_begin(self):
        page = self.serve()
        self.assertIn("coursefetch add", page.text(""))
        for path in ("courses", "now", "nights", "settings", "search?q=x", "now.json", "metrics"):
            page.get(path)

    def test_strange_requests_end_nothing(self):
        page = self.small()
        for raw in (b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00", b"GET " + b"a" * 100_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
                    b"GET / HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * 5000 + b"\r\n", b"POST /add HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n",
                    b"GET //evil HTTP/1.1\r\nHost: x\r\n\r\n", b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", b"GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", page.port), 10) as connection:
                connection.sendall(raw)
                connection.shutdown(socket.SHUT_WR)
                connection.settimeout(10)
                try:
                    connection.recv(1000)
                except OSError:
                    pass
        for method in ("PUT", "DELETE", "PROPFIND"):
            self.assertEqual(page.ask("/", method).status, 405)
        self.assertEqual(page.get("").status, 200)
        self.assertIsNone(page.running.process.poll())

    def test_an_address_has_so_many_connections(self):
        page = self.small()
        connections = [socket.create_connection(("127.0.0.1", page.port), 10) for _ in range(64)]
        try:
            time.sleep(0.5)
            with socket.create_connection(("127.0.0.1", page.port), 10) as further:
                further.settimeout(5)
                self.assertEqual(further.recv(10), b"")
        finally:
            for connection in connections:
                connection.close()
        stage.wait_until(lambda: page.ask("/healthz").status == 200, 10)

    def test_the_server_ends_at_a_signal_and_keeps_its_token(self):
        page = self.small()
        first = page.running.lines[0]
        with socket.create_connection(("127.0.0.1", page.port), 10) as listening:
            listening.sendall(f"GET /events HTTP/1.1\r\nHost: {page.host}\r\nCookie: {page.cookie}\r\n\r\n".encode())
            listening.recv(1000)
            self.assertIn(page.running.stop(seconds=10).exit, (0, 143, -15))
        token = first.split("token=")[1]
        self.assertEqual(self.serve().running.lines[0].split("token=")[1], token)
