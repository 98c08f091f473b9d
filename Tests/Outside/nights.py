"""Nights by seed with the real program: edits, faults, kills, stops, commands and logouts, in any order.

After each round every file at a final name is a version that its host had; at the end all is there, and another sync
asks nobody. COURSEFETCH_SEED=n repeats one night, --soak runs hundreds.
"""

import hashlib
import json
import os
import random
import shlex
import shutil
import signal
import time

import media
from host import File
from samples import SOAK
from wrong_file import Case

VTT = b"WEBVTT\n\n00:00.000 --> 00:01.000\nhello\n"
WORDS = ["Anfang", "Ölfläche", "O\u0308lflache", "Ende", "a/b", "..", "x" * 90, "Übung", "CON", "end."]


class Night:
    """What there is to fetch, how host and provider misbehave, and the catalog as it is edited."""

    def __init__(self, case, seed):
        self.case, self.stage, self.host = case, case.stage, case.host
        self.chance, self.faulty = random.Random(seed), True
        # Chance for the host, whose requests come in no fixed order.
        self.weather = random.Random(seed + 1)
        self.sources, self.versions, self.courses, self.next = {}, {}, {}, 0
        self.log = []
        self.host.fallback = self.serve
        self.sidecars = {"/side.vtt": VTT, "/side.jpg": bytes.fromhex("ffd8ffe000104a464946000101000001") + b"j" * 900}
        self.provider()
        for course in ("alpha", "beta"):
            self.courses[course] = {}
            for _ in range(4):
                self.add(course)
        # The same id in both courses.
        self.add("alpha", "shared")
        self.add("beta", "shared")

    def note(self, what):
        self.log.append(what)

    # The catalog.

    def add(self, course, id=None):
        if id is None:
            id, self.next = f"v{self.next}q", self.next + 1
        if id not in self.courses[course]:
            self.courses[course][id] = {"which": "one", "title": None, "chapter": self.chance.choice([None, "c1", "c2"])}
            self.source(course, id, "one")

    def source(self, course, id, which):
        """Makes what the host has for one (course, id) and value of the parameter, unless it is made."""
        key = f"/{course}/{id}/{which}"
        if key in self.sources:
            return
        size = self.chance.choice([900, 20_000, 60_000, 250_000, 700_000])
        kind = self.chance.choice(["file"] * 5 + ["stream"])
        # Some courses have the very same bytes under a shared id.
        seed = id + which if id == "shared" and self.chance.random() < 0.5 else key
        if kind == "stream":
            segments = [media.ts(f"{seed}{i}", i * 4, 30) for i in range(4)]
            self.sources[key] = {"kind": "stream", "segments": segments, "etag": None}
            body = b"".join(segments)
        else:
            body = media.mp4(seed, size)
            etag = self.chance.choice([f'"{hashlib.sha256(body).hexdigest()[:8]}"'] * 3 + [None, 'W/"weak"'])
            self.sources[key] = {
                "kind": "file", "body": body, "etag": etag, "chunked": self.chance.random() < 0.2,
                "ranges": self.chance.random() < 0.85}
        self.versions.setdefault((course, id), set()).add(body)

    def renew(self, course, id, which):
        """The host replaces the file by another version."""
        source = self.sources[f"/{course}/{id}/{which}"]
        if source["kind"] == "file":
            body = media.mp4(f"{course}{id}{which}{self.chance.random()}", len(source["body"]))
            source["body"] = body
            if source["etag"] and not source["etag"].startswith("W/"):
                source["etag"] = f'"{hashlib.sha256(body).hexdigest()[:8]}"'
            self.versions[(course, id)].add(body)

    def edit(self):
        kind = self.chance.choice([
            "add", "add", "title", "title", "move", "which", "renew", "drop", "reorder", "share", "checksum", "quality"])
        course = self.chance.choice(list(self.courses))
        videos = self.courses[course]
        if not videos or kind == "add":
            self.add(course)
            return self.note(f"add to {course}")
        id = self.chance.choice(list(videos))
        video = videos[id]
        self.note(f"{kind} {course}/{id}")
        if kind == "title":
            video["title"] = self.chance.choice(WORDS)
        elif kind == "move":
            video["chapter"] = self.chance.choice([None, "c1", "c2", "c3"])
        elif kind == "which":
            video["which"] = self.chance.choice(["one", "two", "three"])
            video.pop("sha256", None)
            self.source(course, id, video["which"])
        elif kind == "renew":
            video.pop("sha256", None)
            self.renew(course, id, video["which"])
        elif kind == "drop" and len(videos) > 2:
            del videos[id]
        elif kind == "reorder":
            order = list(videos.items())
            self.chance.shuffle(order)
            self.courses[course] = dict(order)
        elif kind == "share":
            for other in self.courses:
                self.add(other, id)
        elif kind == "checksum":
            source = self.sources[f"/{course}/{id}/{video['which']}"]
            if source["kind"] == "file":
                video["sha256"] = hashlib.sha256(source["body"]).hexdigest()
                video["size"] = len(source["body"])
        elif kind == "quality":
            video["quality"] = self.chance.choice(["720p", "best", "worst"])
        if kind in ("which", "renew"):
            video.pop("size", None)

    def write(self):
        courses = []
        for course, videos in self.courses.items():
            chapters, direct = {}, []
            for id, video in videos.items():
                entry = {"id": id, "title": f"{id} {video['title']}" if video["title"] else id,
                         "parameters": {"which": video["which"]}}
                entry.update({k: video[k] for k in ("sha256", "size", "quality") if k in video})
                (chapters.setdefault(video["chapter"], []) if video["chapter"] else direct).append(entry)
            courses.append({"id": course, "subtitles": "all", "videos": direct, "chapters": [
                {"id": chapter, "title": f"Chapter {chapter}", "videos": entries} for chapter, entries in chapters.items()]})
        self.stage.write(courses)

    # The provider.

    def provider(self):
        self.weather_file = self.stage.folder / "weather"
        self.set_weather()
        self.stage.plugin("lectures", f'''
import random
weather = random.Random()
def answer(params):
    with open({str(self.weather_file)!r}) as file: state = json.load(file)
    video, course = params["video"], params["course"]["id"]
    path = "/".join(["", course, video["id"], video["parameters"]["which"]])
    result = {{"url": {self.host.url("")!r} + path + "?sig=" + str(weather.random())}}
    if path in state["streams"]:
        result = {{"url": {self.host.url("")!r} + path + "/index.m3u8?sig=1", "kind": "hls"}}
    if sum(map(ord, video["id"])) % 3 == 0:
        result["subtitles"] = [{{"lang": "en", "url": {self.host.url("/side.vtt")!r}}}]
        result["cover"] = {self.host.url("/side.jpg")!r}
    if state["faulty"]:
        fault = weather.random()
        if fault < 0.03: os._exit(3)
        if fault < 0.05: print("this is no JSON", flush=True)
        if fault < 0.08: raise Refusal("not_ready", retry_after=1)
        if fault < 0.10: raise Refusal("unavailable")
        if fault < 0.11: raise Refusal("rate_limited", retry_after=1)
        if fault < 0.13: result["size"] = 12345
        if fault < 0.15: result["expires_at"] = params["now"]
        if fault < 0.16: return {{}}
        if fault < 0.17: time.sleep(3)
    return result
''', timeout=2)

    def set_weather(self):
        streams = [key for key, source in self.sources.items() if source["kind"] == "stream"]
        self.stage.replace(self.weather_file, json.dumps({"faulty": self.faulty, "streams": streams}))

    # The host.

    def serve(self, x):
        path = x.request.path.split("?")[0]
        fault = self.weather.random() if self.faulty else 1
        if path in self.sidecars:
            if fault < 0.4:
                return x.answer(500, b"no")
            return File(self.sidecars[path], kind="text/vtt" if path.endswith("vtt") else "image/jpeg")(x)
        key = "/".join(path.split("/")[:4])
        source = self.sources.get(key)
        if source is None:
            return x.answer(404, b"")
        if source["kind"] == "stream":
            name = path.split("/")[-1]
            if name == "index.m3u8":
                file = File(media.playlist([f"{i}.ts" for i in range(4)]), kind="application/vnd.apple.mpegurl")
            else:
                file = File(source["segments"][int(name.split(".")[0])], kind="video/mp2t", etag=None)
        else:
            file = File(source["body"], etag=source["etag"], chunked=source["chunked"], ranges=source["ranges"],
                        rate=self.weather.choice([None, None, 300_000]))
        return self.lie(x, file, fault)

    def lie(self, x, file, fault):
        body, start = file.body, file.start_for(x.request) or 0
        if fault < 0.05:
            return x.answer(self.weather.choice([500, 502, 403, 410, 429, 404]), b"no", retry_after="1")
        if fault < 0.08:
            return x.answer(200, b"<!DOCTYPE html><html><body>log in</body></html>", content_type="text/html")
        if fault < 0.20 and len(body) > 2:
            # A promise of all, and a cut.
            end = self.weather.randrange(start, len(body) + 1)
            if start:
                x.head(206, content_length=len(body) - start, content_range=f"bytes {start}-{len(body) - 1}/{len(body)}",
                       **file.validators())
            elif file.chunked:
                x.head(200, transfer_encoding="chunked", **file.validators())
                if end:
                    x.chunk(body[:end])
                return False
            else:
                x.head(200, content_length=len(body), **file.validators())
            x.send(body[start:end])
            return False
        if fault < 0.23 and file.start_for(x.request) is not None and start < len(body):
            # A part that is capped, of a total that isn't told.
            end = self.weather.randrange(start, len(body)) + 1
            return x.answer(206, body[start:end], content_range=f"bytes {start}-{end - 1}/*", **file.validators())
        if fault < 0.25 and file.start_for(x.request) is not None:
            return x.answer(206, b"--b\r\n\r\n" + body[start:] + b"\r\n--b--", content_type="multipart/byteranges; boundary=b",
                            **file.validators())
        if fault < 0.27 and not start:
            # A size that is a lie.
            x.head(200, content_length=self.weather.choice([len(body) + 1000, 9 * 10**18]), **file.validators())
            x.send(body)
            return False
        if fault < 0.29:
            x.send(b"HTTP/1.1 200 OK\r\n folded\r\nContent-Length: 9999999\r\n\r\nabc")
            return False
        if fault < 0.31:
            return False
        if fault < 0.34:
            return x.answer(302, location=x.request.path + "&again=1")
        return file(x)

    # Rounds.

    def round(self):
        for _ in range(self.chance.randrange(0, 4)):
            self.edit()
        self.write()
        self.set_weather()
        arguments = ["--jobs", self.chance.randrange(1, 6), "--retries", self.chance.randrange(1, 4), "--max-wait", "1s",
                     "--ffmpeg", "none"]
        if self.chance.random() < 0.15:
            arguments += ["--max-transfer", self.chance.choice(["50K", "500K"])]
        if self.chance.random() < 0.1:
            arguments += ["--prune", "--max-delete", "100%"]
        away = self.mischief()
        self.note(f"sync {' '.join(map(str, arguments))}")
        running = self.stage.start_sync(*arguments)
        deadline = time.monotonic() + self.chance.choice([0.3, 0.8, 1.5, 4])
        while running.process.poll() is None and time.monotonic() < deadline:
            if self.chance.random() < 0.4:
                self.say()
            time.sleep(self.chance.choice([0.02, 0.1, 0.3]))
        how = self.chance.choice(["wait", "wait", "kill", "kill", "stop", "logout"])
        self.note(how)
        if how == "kill":
            run = running.stop(signal.SIGKILL)
        elif how == "stop":
            run = running.stop()
        elif how == "logout":
            self.stage.command("logout")
            run = running.end(30)
            self.stage.command("login")
        else:
            run = running.end(90)
        # On a busy machine a signal may come before the program has begun.
        ended = (how == "kill" and run.exit == -9) or (how == "stop" and run.exit == -15 and not run.events)
        self.case.assertTrue(ended or run.exit in (0, 1, 69, 73, 75, 77), (self.log, run))
        if away:
            self.case.assertTrue(ended or run.exit in (73, 75, 77), (self.log, run))
            away()
        self.look()

    def mischief(self):
        """Something that a person does to the library by hand; what puts it back, if it has to be."""
        dice = self.chance.random()
        files = list(self.stage.files()) if self.stage.library.exists() else []
        if dice < 0.1 and files:
            lost = self.chance.choice(files)
            self.note(f"delete {lost}")
            (self.stage.library / lost).unlink()
        # A sync that was killed before its new library had its mark doesn't know it: the next one makes another.
        elif dice < 0.17 and files:
            self.note("the library is away")
            elsewhere = self.stage.folder / "elsewhere"
            self.stage.library.rename(elsewhere)
            replaced = self.chance.random() < 0.5
            if replaced:
                self.stage.library.mkdir()

            def back():
                self.case.assertEqual(self.stage.files() if self.stage.library.exists() else {}, {}, self.log)
                if self.stage.library.exists():
                    shutil.rmtree(self.stage.library)
                elsewhere.rename(self.stage.library)
            return back
        return None

    def say(self):
        course = self.chance.choice(list(self.courses))
        videos = list(self.courses[course])
        selector = self.chance.choice([course, f"{course}/*/{self.chance.choice(videos)}" if videos else course])
        command = self.chance.choice([
            ["pause", selector], ["resume", selector], ["retry", "--failed"], ["cancel", selector], ["retry", selector],
            ["remove", "--yes", selector], ["prioritize", selector, "--to", self.chance.choice(["now", "high", "low"])],
            ["verify", selector], ["status"], ["set", "--bwlimit", self.chance.choice(["off", "400K"])],
            ["set", "--jobs", "2"], ["resume", "--all"]])
        self.note(" ".join(command))
        run = self.stage.command(*command)
        self.case.assertIn(run.exit, (0, 1, 64, 73, 75, 77), (self.log, command, run))

    def whose(self, path):
        """The course and the video that a path in the library is of: courses name folders, ids begin titles."""
        parts = path.split("/")
        for id in sorted({i for _, i in self.versions}, key=len, reverse=True):
            if id in parts[-1] or (len(parts) > 1 and id in parts[-2]):
                return parts[0], id
        raise AssertionError(f"{path} is nobody's; {self.log}")

    def look(self):
        """Every file at a final name is a version that the host had of that very video of that very course."""
        for path, data in self.stage.files().items():
            if path.endswith((".vtt", ".jpg")):
                self.case.assertTrue(data in self.sidecars.values(), f"{path}: {data[:80]}; {self.log}")
                continue
            self.case.assertTrue(
                data in self.versions[self.whose(path)], f"{path}: {len(data)} bytes that the host never had; {self.log}")

    def morning(self):
        """No faults any more: all comes, and another sync asks nobody."""
        self.faulty = False
        self.set_weather()
        self.stage.command("login")
        self.stage.command("resume", "--all")
        # What came along and is missing comes back by the command that `verify` names.
        for line in self.stage.command("verify", "--repair").out.splitlines():
            if line.strip().startswith("coursefetch retry "):
                self.stage.command("retry", *shlex.split(line)[2:])
        for attempt in range(4):
            self.stage.command("retry", "--failed")
            self.stage.command("retry", "--cancelled")
            run = self.stage.sync("--ffmpeg", "none", "--max-wait", "20s", "--prune", "--max-delete", "100%", seconds=120)
            self.look()
            if run.exit == 0:
                break
        self.case.assertEqual(run.exit, 0, (self.log, run))
        self.case.assertNotIn("sidecars_", self.stage.command("status", "--json").out, self.log)
        have = {self.whose(p) for p in self.stage.files() if not p.endswith((".vtt", ".jpg"))}
        for course, videos in self.courses.items():
            for id in videos:
                self.case.assertIn((course, id), have, (self.log, sorted(self.stage.files())))
        self.stage.sync("--ffmpeg", "none", exit=0)
        self.host.forget()
        asked = len(self.stage.asked())
        self.stage.sync("--ffmpeg", "none", exit=0)
        self.case.assertEqual((self.host.asked(), len(self.stage.asked())), ([], asked), self.log)
        run = self.stage.command("verify")
        self.case.assertEqual(run.exit, 0, (self.log, run))


class Nights(Case):
    """Item 35."""

    def night(self, seed, rounds):
        try:
            night = Night(self, seed)
            for _ in range(rounds):
                night.round()
            night.morning()
        except BaseException:
            print(f"COURSEFETCH_SEED={seed} Tests/Outside/run -k night_{seed}", flush=True)
            raise


def seeds():
    if os.environ.get("COURSEFETCH_SEED"):
        return [int(os.environ["COURSEFETCH_SEED"])]
    first = random.SystemRandom().randrange(10**6)
    return range(first, first + (-(-300 // SOAK) if SOAK else 2))


def add(seed):
    def test(self):
        self.night(seed, 14 if SOAK else 7)
    test.seconds = 300
    setattr(Nights, f"test_after_night_{seed}_every_file_is_one_that_the_host_had", test)


for seed in seeds():
    add(seed)
