"""A state, a library, a catalog and plugins as they were before the additions of tracks, streams and tokens, and a host for them.

`states/version_15.json` is what `python3 version_15.py PROGRAM PLUGINS` wrote with the last program of version 15 of the state's
schema, and `states/version_16.json` what it wrote with one of version 16: two evenings with the catalog and the plugins in
`earlier/`. A later program can't make them, so keep them, and don't change `earlier/`. `lay_out` puts one into a stage.
"""

import base64
import getpass
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import zlib

import stage
from host import File, Host

HERE = pathlib.Path(__file__).parent
EARLIER, STATES = HERE / "earlier", HERE / "states"
VERSIONS = (15, 16)
ORIGIN = "http://media.example.org"
OPTIONS = ["--write-nfo", "--write-info-json", "--write-playlist", "--write-index"]
# When the cover beside the catalog was changed, in seconds since 1970.
COVER_AT = 1_790_000_000
# Whole files of the host have this size, those that are left half this one.
SIZE, LARGE = 5000, 600_000
HALVES = ("big", "halted", "dropped")


def content(name, size=None):
    """The bytes of each file."""
    head = b"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom"
    if name.endswith(".pdf"):
        head = b"%PDF-1.4\n"
    elif name.endswith(".jpg"):
        head = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00"
    elif name.endswith(".vtt"):
        return f"WEBVTT\n\n00:01.000 --> 00:02.000\n{name}\n".encode()
    size = size or (LARGE if name in HALVES else SIZE)
    return (head + f"{name}\0".encode() * size)[:size]


def listing(evening, more):
    """What the shelf's host lists, with `more`. On the first evening there is one that is gone on the second."""
    videos = [{"id": f"l{n}", "title": f"Lecture {n}", "episode": n, "published_at": f"2026-10-{n:02}T08:00:00Z", "duration": 60 + n,
               "description": f"The lecture {n}"} for n in range(2, 7)]
    videos.append({"id": "r1", "title": "Lecture 1 (rehearsal)", "published_at": "2026-10-09T08:00:00Z"})
    videos += more
    if evening == 1:
        videos.append({"id": "gone", "title": "Lecture of a guest", "published_at": "2026-10-08T08:00:00Z"})
    return {"title": "A show", "chapters": [
        {"id": "s1", "title": "Season one", "season": 1, "videos": videos},
        {"id": "s2", "title": "Season two", "season": 2, "videos": [
            {"id": "t1", "title": "Talk 1", "published_at": "2026-10-20T08:00:00Z", "parameters": {}},
            {"id": "other", "title": "Something else", "published_at": "2026-10-21T08:00:00Z"}]}]}


class Lectures(Host):
    """media.example.org, as a proxy: URLs don't depend on the port. `stalled` files come to a half, the segments of a
    stalled stream to the third."""

    def __init__(self, streams, evening=2, stalled=()):
        super().__init__()
        self.streams, self.evening, self.stalled, self.more = streams, evening, stalled, []
        self.missing = {"missing.mp4", "lost-notes.pdf"}
        self.fallback = self.answer

    def variables(self):
        return {"http_proxy": self.url(""), "no_proxy": "none.invalid", "NO_PROXY": "none.invalid"}

    def paths(self):
        """What has been asked for, but for the questions of plugins."""
        paths = [r.path.removeprefix(ORIGIN) for r in self.asked()]
        return [path for path in paths if not path.startswith("/api/")]

    def answer(self, x):
        path = x.request.path.removeprefix(ORIGIN).split("?")[0]
        name = path.rsplit("/", 1)[-1].replace("%20", " ")
        if path.startswith("/api/"):
            return self.api(x, path)
        if path.startswith("/media/stream-"):
            return self.stream(x, path.removeprefix("/media/"))
        if name in self.missing:
            return x.answer(404, b"nothing here", content_type="text/plain")
        name = name.removesuffix(".mp4")
        file = File(content(name), etag=f'"{name}"', kind="video/mp4" if "." not in name else "application/octet-stream")
        if name not in self.stalled:
            return file(x)
        x.head(200, content_length=len(file.body), content_type="video/mp4", accept_ranges="bytes", **file.validators())
        x.send(file.body[:LARGE // 2])
        x.stall()
        return False

    def api(self, x, path):
        if path == "/api/login":
            found = {"token": "made-at-the-login"}
        elif x.request.headers.get("authorization") != "Bearer made-at-the-login":
            return x.answer(401)
        elif path == "/api/courses/show":
            found = listing(self.evening, self.more)
        else:
            name = path.rsplit("/", 1)[-1]
            found = {"file": f"{ORIGIN}/media/{name}.mp4", "size": SIZE}
        x.answer(200, json.dumps(found).encode(), content_type="application/json")

    def stream(self, x, path):
        name, _, file = path.partition("/")
        if name in self.stalled and file.endswith(".m4s") and int(file[:-4].rsplit("-", 1)[1]) > 2:
            x.stall()
            return False
        body = self.streams.get(path)
        return x.answer(404) if body is None else File(body, etag=f'"{path}"', kind="application/octet-stream")(x)


def packed(data):
    return base64.b64encode(zlib.compress(data, 9)).decode()


def unpacked(text):
    return zlib.decompress(base64.b64decode(text))


def kept(version):
    return json.loads((STATES / f"version_{version}.json").read_text())


def streams(version):
    """The files of the streams on the host."""
    return {path: unpacked(text) for path, text in kept(version)["streams"].items()}


def put_catalog(scene, evening=2):
    """The catalog of an evening. On the first one a video has another title."""
    text = (EARLIER / "catalog.yaml").read_text()
    if evening == 1:
        text = text.replace("title: Velocity,", "title: Speed,")
    scene.replace(scene.catalog, text)
    shutil.copy(EARLIER / "more.yaml", scene.folder / "more.yaml")
    cover = scene.folder / "covers/lenses.jpg"
    cover.parent.mkdir(exist_ok=True)
    cover.write_bytes(content("lenses.jpg"))
    os.utime(cover, (COVER_AT, COVER_AT))


def put_plugins(scene):
    for name in ("lines", "shelf"):
        folder = scene.plugins / name
        folder.mkdir(mode=0o755)
        for file in (EARLIER / name).glob("*.*"):
            scene.replace(folder / file.name, file.read_text(), 0o644)


def lay_out(scene, version):
    """Puts all of it into a stage, as it was after the second evening."""
    put_catalog(scene)
    put_plugins(scene)
    files = kept(version)
    where = str(scene.folder).encode()
    for root, names in ((scene.state, files["state"]), (scene.library, files["library"])):
        for name, (mode, modified, text) in names.items():
            path = root / name.replace("USER", getpass.getuser())
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700 if root == scene.state else 0o755)
            path.write_bytes(unpacked(text).replace(b"@FOLDER@", where))
            path.chmod(mode)
            os.utime(path, ns=(modified, modified))
    path = scene.state / "users" / getpass.getuser() / "state.sqlite"
    for folder in (scene.state, scene.state / "users", path.parent):
        folder.chmod(0o700)
    database = sqlite3.connect(path)
    database.executescript(files["sql"].replace("@FOLDER@", str(scene.folder)))
    database.execute(f"PRAGMA user_version = {version}")
    # A day has passed, whenever that is.
    for column in ("downloads SET retry_at", "sidecars SET retry_at", "listings SET asked_at"):
        database.execute(f"UPDATE {column} = {column.split()[-1]} - 86400")
    database.commit()
    database.execute("PRAGMA journal_mode = WAL")
    database.close()
    path.chmod(0o600)


def made_streams(folder):
    """Two streams with a picture, sound in two languages and a subtitle, each in a list of its own."""
    found = {}
    for stream, tone in (("stream-whole", 440), ("stream-half", 660)):
        place = folder / stream
        place.mkdir(parents=True)
        common = ["-bitexact", "-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod", "-hls_segment_type", "fmp4"]
        for name, source, codec in (
            ("v", "testsrc=s=64x36:r=10:d=8", ["-c:v", "libx264", "-g", "10", "-preset", "veryslow", "-crf", "40"]),
            ("de", f"sine={tone}:d=8:r=8000", ["-c:a", "aac", "-b:a", "8k"]),
            ("en", f"sine={tone * 2}:d=8:r=8000", ["-c:a", "aac", "-b:a", "8k"]),
        ):
            subprocess.run(
                ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", source, *codec, *common, "-hls_fmp4_init_filename", f"{name}.mp4",
                 "-hls_segment_filename", f"{name}-%d.m4s", f"{name}.m3u8"], cwd=place, check=True)
        (place / "sub.vtt").write_bytes(content("sub.vtt"))
        (place / "sub.m3u8").write_text(
            "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:8\n#EXTINF:8.0,\nsub.vtt\n#EXT-X-ENDLIST\n")
        sound = "".join(
            f'#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="{n}",LANGUAGE="{n}",DEFAULT={d},AUTOSELECT=YES,URI="{n}.m3u8"\n'
            for n, d in (("de", "YES"), ("en", "NO")))
        (place / "main.m3u8").write_text(
            "#EXTM3U\n#EXT-X-VERSION:7\n" + sound
            + '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="de",LANGUAGE="de",AUTOSELECT=YES,URI="sub.m3u8"\n'
            + '#EXT-X-STREAM-INF:BANDWIDTH=90000,RESOLUTION=64x36,CODECS="avc1.64000a,mp4a.40.2",AUDIO="a",SUBTITLES="s"\nv.m3u8\n')
        found.update({f"{stream}/{p.name}": p.read_bytes() for p in place.iterdir()})
    return found


def make(program, plugins):
    """Lets two evenings pass with a program of then, the second one of which is killed, and keeps what they leave."""
    stage.PROGRAM = os.path.abspath(program)
    scene = stage.Stage()
    files = made_streams(scene.folder / "made")
    host = Lectures(files, evening=1, stalled=(*HALVES, "stream-half"))
    scene.variables.update(host.variables(), COURSEFETCH_PLUGINS=os.path.abspath(plugins))
    options = [*OPTIONS, "--jobs", "12", "--connections-per-file", "1", "--accept-listing"]
    try:
        put_plugins(scene)
        secrets = scene.folder / "secrets"
        secrets.write_text("anything")
        put_catalog(scene, 1)
        login = scene.command("login", "--provider", "shelf", "--set", f"endpoint={ORIGIN}", "--secrets-from", secrets)
        assert login.exit == 0, login
        running = scene.start_sync(*options)

        def state(video):
            return scene.status().get(("phys101", video), {})

        def settled():
            assert running.process.poll() is None, running.end()
            rest = [v for v, e in ((k[1], e) for k, e in scene.status().items())
                    if v not in (*HALVES, "stream-half", "late") and e["state"] not in ("finished", "failed")]
            return not rest and all((state(video).get("bytes") or 0) > 0 for video in (*HALVES, "stream-half"))

        stage.wait_until(settled, 60, lambda: repr((scene.status(), running.events[-30:], running.errors)))
        for command, video in (("pause", "halted"), ("cancel", "dropped")):
            assert scene.command(command, f"phys101/*/{video}").exit == 0
        stage.wait_until(lambda: state("dropped")["state"] == "cancelled" and state("halted")["state"] == "paused", 30)
        running.stop(signal.SIGTERM)
        assert scene.sync(*options, "--only", "everything").exit == 0
        assert list(scene.library.rglob("*.nfo")), "no files beside the videos"
        host.evening, host.stalled = 2, ("big", "stream-half")
        put_catalog(scene, 2)
        database = next(scene.state.rglob("state.sqlite"))
        connection = sqlite3.connect(database)
        # What is asked for every 6 h is asked for again.
        connection.execute("UPDATE listings SET asked_at = asked_at - 86400")
        connection.commit()
        connection.close()
        running = scene.start_sync(*options)
        stage.wait_until(
            lambda: state("big").get("state") == "active" and (state("stream-half").get("bytes") or 0) > 0
            and [e for e in running.events if e["event"] == "download_moved"]
            and [e for e in running.events if e["event"] == "download_gone"], 60, lambda: repr(running.events[-20:]))
        time.sleep(3)
        running.stop(signal.SIGKILL)
        time.sleep(5)
        connection = sqlite3.connect(database)
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        assert version in VERSIONS, version
        sql = "\n".join(connection.iterdump()).replace(str(scene.folder), "@FOLDER@")
        connection.close()

        def all_of(root):
            where = str(scene.folder).encode()
            return {
                str(p.relative_to(root)).replace(f"users/{getpass.getuser()}/", "users/USER/"): (
                    p.stat().st_mode & 0o777, p.stat().st_mtime_ns, packed(p.read_bytes().replace(where, b"@FOLDER@")))
                for p in sorted(root.rglob("*")) if p.is_file() and ".sqlite" not in p.name}

        whole = {"version": version, "sql": sql, "state": all_of(scene.state), "library": all_of(scene.library),
                 "streams": {path: packed(data) for path, data in sorted(files.items())}}
        (STATES / f"version_{version}.json").write_text(json.dumps(whole, indent=0) + "\n")
        print(version, *(f"{k[1]}: {e['state']} {e.get('bytes')}" for k, e in scene.status().items()), sep="\n")
    finally:
        host.close()
        scene.close()


if __name__ == "__main__":
    make(*sys.argv[1:])
