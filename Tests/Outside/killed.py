"""Media that come in several files, killed again and again: in the end every frame is there once. Twenty kills with COURSEFETCH_SOAK."""

import os
import pathlib
import random
import signal
import tempfile
import threading
import time
import unittest

from host import File, Host
from stage import Stage
from tracks import ffmpeg, hashes, made, picture, sound

KILLS = 20 if os.environ.get("COURSEFETCH_SOAK") else 3
SECONDS = 8
FORMS = {
    "template": ["-use_template", "1", "-use_timeline", "0"], "timeline": ["-use_template", "1", "-use_timeline", "1"],
    "list": ["-use_template", "0", "-use_timeline", "0"], "index": ["-single_file", "1"]}


def source():
    """A film with sound; that is a bit shorter, since ffmpeg's presentations don't count what an encoder adds to it."""
    return made(
        "source.mp4", "-f", "lavfi", "-i", f"testsrc2=size=320x180:rate=25:duration={SECONDS}", "-f", "lavfi", "-i",
        f"sine=440:duration={SECONDS - 0.1}", "-c:v", "libx264", "-g", "25", "-keyint_min", "25", "-sc_threshold", "0", "-b:v", "500k",
        "-pix_fmt", "yuv420p", "-c:a", "aac")


def muxed(*arguments, name):
    """What ffmpeg makes of the source in a folder: file name to bytes."""
    with tempfile.TemporaryDirectory() as folder:
        given, made = pathlib.Path(folder, "source.mp4"), pathlib.Path(folder, "made")
        given.write_bytes(source())
        made.mkdir()
        here = os.getcwd()
        try:
            os.chdir(made)
            ffmpeg("-i", str(given), "-c", "copy", *arguments, name)
        finally:
            os.chdir(here)
        return {path.name: path.read_bytes() for path in made.iterdir()}


class Killed(unittest.TestCase):
    def setUp(self):
        self.host, self.stage = Host(), Stage()
        self.addCleanup(self.host.close)
        self.addCleanup(self.stage.close)

    def serve(self, files, rate=None):
        for name, body in files.items():
            self.host.at(f"/{name}", File(body, etag=f'"{len(body)}-{name}"', kind="application/octet-stream", rate=rate))

    def show(self, lists, part):
        """Shows so large a part of playlists that have been written as a whole; no end mark."""
        for name, text in lists.items():
            head, *segments = text.decode().replace("#EXT-X-PLAYLIST-TYPE:VOD\n", "").split("#EXTINF")
            shown = segments[: 1 + int(part * (len(segments) - 1))]
            text = "#EXTINF".join([head, *shown]).replace("#EXT-X-ENDLIST\n", "")
            self.host.at(f"/{name}", File(text.encode(), kind="application/vnd.apple.mpegurl"))

    def grow(self, lists, stopped, seconds):
        began = time.monotonic()
        while not stopped.wait(0.1):
            self.show(lists, min(1, (time.monotonic() - began) / seconds))

    def survive(self, answer, files, wanted, rate=50_000, views={}, growing=(), **settings):
        """Kills a sync at random moments; `wanted` is the packets of each stream of the film, `views` the same of others."""
        seed = int(os.environ.get("COURSEFETCH_SEED") or time.time_ns() % 1_000_000)
        chance = random.Random(seed)
        self.stage.urls({"v": answer})
        self.stage.write([{"id": "c", "videos": [{"id": "v", "title": "Talk"}], **settings}])
        self.serve({name: body for name, body in files.items() if name not in growing}, rate)
        stopped = threading.Event()
        self.addCleanup(stopped.set)
        lists = {name: files[name] for name in growing}
        self.show(lists, 0)
        grower = threading.Thread(target=self.grow, args=(lists, stopped, KILLS), daemon=True)
        grower.start()
        ended = 0
        for _ in range(KILLS):
            running = self.stage.start_sync()
            time.sleep(chance.uniform(0.3, 1.6))
            ended += running.process.poll() is not None
            running.stop(signal.SIGKILL)
        stopped.set()
        grower.join()
        self.serve(files)
        run = self.stage.sync(exit=0)
        films = {path.rpartition(" (")[2].partition(")")[0] if path.endswith(").mp4") else "": body
                 for path, body in self.stage.files().items() if path.endswith(".mp4")}
        self.assertEqual(set(films), {"", *views}, f"seed {seed}\n{run}")
        for name, of in {"": wanted, **views}.items():
            for stream, packets in of.items():
                self.assertEqual(hashes(films[name], stream), packets, f"seed {seed}, {name} {stream}")
        self.assertEqual(self.stage.partials(), [], f"seed {seed}")
        self.assertEqual(self.stage.command("verify").exit, 0, f"seed {seed}")
        asked = len(self.host.asked())
        self.stage.sync(exit=0)
        self.assertEqual(len(self.host.asked()), asked, f"seed {seed}")
        self.assertLess(ended, KILLS, "no run was killed")

    def whole(self):
        return {"v:0": hashes(source(), "v:0"), "a:0": hashes(source(), "a:0")}

    def presentation(self, form):
        files = muxed("-f", "dash", "-seg_duration", "1", *FORMS[form], name="index.mpd")
        self.survive({"url": self.host.url("/index.mpd"), "kind": "dash"}, files, self.whole())

    def test_presentation_with_a_template(self):
        self.presentation("template")

    def test_presentation_with_a_timeline(self):
        self.presentation("timeline")

    def test_presentation_with_lists(self):
        self.presentation("list")

    def test_presentation_with_an_index(self):
        self.presentation("index")

    def test_playlist_with_separate_sound(self):
        self.survive({"url": self.host.url("/master.m3u8"), "kind": "hls"}, self.playlists(), self.whole())

    def test_recording_with_separate_sound(self):
        self.survive(
            {"url": self.host.url("/master.m3u8"), "kind": "hls"}, self.playlists(), self.whole(),
            growing=("index0.m3u8", "index1.m3u8"), live="record")

    def test_recording_of_a_transport_stream(self):
        files = muxed(
            "-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod", "-hls_segment_filename", "s%d.ts", name="index.m3u8")
        with tempfile.NamedTemporaryFile(suffix=".ts") as joined:
            for name in (line for line in files["index.m3u8"].decode().splitlines() if line.endswith(".ts")):
                joined.write(files[name])
            joined.flush()
            film = ffmpeg("-i", joined.name, "-c", "copy", "-bsf:a", "aac_adtstoasc", "-movflags", "frag_keyframe+empty_moov", "-f", "mp4", "-")
        self.survive(
            {"url": self.host.url("/index.m3u8"), "kind": "hls"}, files,
            {stream: hashes(film, stream) for stream in ("v:0", "a:0")}, growing=("index.m3u8",), live="record")

    def playlists(self):
        return muxed(
            "-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod", "-hls_segment_type", "fmp4", "-var_stream_map",
            "v:0,agroup:a a:0,agroup:a,default:yes", "-master_pl_name", "master.m3u8", "-hls_fmp4_init_filename", "init%v.mp4",
            "-hls_segment_filename", "s%v-%d.m4s", name="index%v.m3u8")

    def test_tracks_in_three_languages(self):
        tones = {"de": 300, "en": 400, "fr": 500}
        files = {"picture.mp4": picture(), **{f"{lang}.m4a": sound(tone) for lang, tone in tones.items()}}
        tracks = [{"kind": "audio", "lang": lang, "url": self.host.url(f"/{lang}.m4a")} for lang in tones]
        wanted = {f"a:{number}": hashes(sound(tone), "a:0") for number, tone in enumerate(tones.values())}
        self.survive(
            {"url": self.host.url("/picture.mp4"), "tracks": tracks}, files, {"v:0": hashes(picture(), "v:0"), **wanted},
            audio=list(tones))

    def test_three_views_of_a_lecture(self):
        files = {
            "combined.mp4": source(), "presenter.mp4": picture(),
            **muxed("-f", "dash", "-seg_duration", "1", *FORMS["timeline"], name="index.mpd")}
        streams = [
            {"role": "presenter", "url": self.host.url("/presenter.mp4")},
            {"role": "presentation", "kind": "dash", "url": self.host.url("/index.mpd")}]
        self.survive(
            {"url": self.host.url("/combined.mp4"), "streams": streams}, files, self.whole(), views={
                "presenter": {"v:0": hashes(picture(), "v:0")}, "presentation": self.whole()}, streams="all")


for _case in list(vars(Killed).values()):
    if getattr(_case, "__name__", "").startswith("test_"):
        _case.seconds = 300
