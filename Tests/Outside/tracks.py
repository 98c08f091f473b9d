"""Videos whose picture, sound and subtitles are files of their own: one file is made of them, and each continues."""

import functools
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from host import File, Host
from samples import once
from stage import Stage

SECONDS = 6
SRT = b"1\n00:00:01,000 --> 00:00:02,000\nHello\n"
VTT = b"WEBVTT\n\n00:01.000 --> 00:02.000\nBonjour\n"


def ffmpeg(*arguments):
    done = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *arguments], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@functools.cache
def made(name, *arguments):
    def make(path):
        with tempfile.TemporaryDirectory() as folder:
            ffmpeg(*arguments, f"{folder}/{name}")
            shutil.copy(f"{folder}/{name}", path)

    return once((name, *arguments), make).read_bytes()


def picture(codec="libx264", name="picture.mp4", *rest):
    return made(
        name, "-f", "lavfi", "-i", f"testsrc2=size=320x180:rate=25:duration={SECONDS}", "-c:v", codec, "-pix_fmt", "yuv420p",
        "-b:v", "600k", "-g", "50", *rest)


def sound(tone=440, name="sound.m4a", *codec):
    return made(name, "-f", "lavfi", "-i", f"sine={tone}:duration={SECONDS}", *(codec or ("-c:a", "aac")), "-b:a", "96k")


def with_sound(tone=440):
    return made(
        "both.mp4", "-f", "lavfi", "-i", f"testsrc2=size=160x90:duration={SECONDS}", "-f", "lavfi", "-i",
        f"sine={tone}:duration={SECONDS}", "-c:v", "libx264", "-c:a", "aac")


def hashes(body, stream):
    """The hash of each packet of one stream."""
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        file.write(body)
        file.flush()
        text = ffmpeg("-i", file.name, "-map", f"0:{stream}", "-c", "copy", "-f", "framehash", "-").decode()
    # What follows belongs to the first packet only.
    return [line.split(",")[5].strip() for line in text.splitlines() if not line.startswith("#")]


def streams(body):
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        file.write(body)
        file.flush()
        done = subprocess.run(
            ["ffprobe", "-v", "error", "-show_streams", "-of", "json", file.name], capture_output=True, check=True)
    return json.loads(done.stdout)["streams"]


class Flaky(File):
    """A file that breaks off once after so many bytes; what `between` does happens before the next answer."""

    def __init__(self, body, after, between=lambda file: None, **how):
        super().__init__(body, **how)
        self.after, self.between, self.broken = after, between, False

    def pour(self, x, data):
        if self.broken:
            return super().pour(x, data)
        self.broken = True
        x.send(data[: self.after])
        self.between(self)
        return False

    def whole(self, x):
        if self.broken:
            return super().whole(x)
        super().whole(x)
        return False


class Tracks(unittest.TestCase):
    def setUp(self):
        self.host, self.stage = Host(), Stage()
        self.addCleanup(self.host.close)
        self.addCleanup(self.stage.close)

    def at(self, path, body, etag=None, **how):
        return self.host.at(path, File(body, etag=etag or f'"{path}"', **how))

    def answer(self, *tracks, body=None, **rest):
        """An answer with a picture, and these tracks."""
        return {"url": self.at("/picture.mp4", body or picture()), "tracks": list(tracks), **rest}

    def track(self, lang, tone, **rest):
        return {"kind": "audio", "lang": lang, "url": self.at(f"/{lang}.m4a", sound(tone), kind="audio/mp4"), **rest}

    def write(self, answer, provider="lectures", **settings):
        self.stage.urls({"v": answer}, provider)
        self.stage.write([{"id": "c", "videos": [{"id": "v", "title": "Talk"}], **settings}])

    def only(self):
        """The path and bytes of the one file that there is."""
        files = {p: b for p, b in self.stage.files().items() if not p.endswith(".html")}
        self.assertEqual(len(files), 1, list(files))
        return next(iter(files.items()))

    def again(self):
        """Another sync does nothing."""
        before, requests = self.stage.files(), len(self.host.asked())
        asked = len(self.stage.asked())
        self.stage.sync(exit=0)
        self.assertEqual((self.stage.files(), len(self.host.asked()), len(self.stage.asked())), (before, requests, asked))

    def message(self, run):
        failed = run.of("download_failed")
        self.assertEqual(len(failed), 1, run)
        return failed[0]["error"]["message"]

    # Files that came without ffmpeg, and a later run that has it.

    def beside(self, answer, count, **settings):
        """A sync without ffmpeg; the files stand beside each other."""
        self.write(answer, **settings)
        self.stage.sync("--ffmpeg", "none", exit=0)
        self.assertEqual(len(self.stage.files()), count, list(self.stage.files()))
        self.host.forget()
        self.asked_before = len(self.stage.asked())

    def joined(self, *more):
        """A sync with ffmpeg, which requests nothing."""
        run = self.stage.sync(*more, exit=0)
        self.assertEqual((self.host.asked(), len(self.stage.asked())), ([], self.asked_before), run)
        self.assertEqual(self.stage.partials(), [])
        self.assertEqual(self.stage.command("verify").exit, 0)
        return run

    def test_a_later_run_joins_what_came_without_ffmpeg(self):
        tracks = [self.track("en", 300), self.track("de", 400, title="Deutsch")]
        self.beside(self.answer(*tracks), 3, audio=["de", "en"])
        before = self.stage.files()
        self.stage.sync("--ffmpeg", "none", exit=0)
        self.assertEqual(self.stage.files(), before)
        run = self.joined()
        path, body = self.only()
        self.assertEqual([e["path"] for e in run.of("download_joined")], [path])
        self.assertTrue(path.endswith("Talk.mp4"), path)
        self.assertEqual([s["tags"].get("language") for s in streams(body)][1:], ["deu", "eng"])
        self.assertEqual(hashes(body, "a:0"), hashes(sound(400), "a:0"))
        self.assertEqual(self.stage.status()["c", "v"]["sha256"], hashlib.sha256(body).hexdigest())
        self.again()
        self.assertEqual(self.stage.command("remove", "c/v", "--yes").exit, 0)
        self.assertEqual(self.stage.files(), {})

    def test_a_later_run_joins_the_sound_of_each_view(self):
        silent = {"role": "screen", "url": self.at("/silent.mp4", picture()), "tracks": [self.track("de", 400)]}
        whole = {"role": "webcam", "url": self.at("/webcam.mp4", with_sound())}
        self.beside(self.answer(self.track("en", 300), role="both", streams=[silent, whole]), 5, streams="all", audio="all")
        self.joined()
        files = {p.rpartition("/")[2]: b for p, b in self.stage.files().items()}
        self.assertEqual(set(files), {"01 Talk.mp4", "01 Talk (screen).mp4", "01 Talk (webcam).mp4"})
        self.assertEqual(hashes(files["01 Talk.mp4"], "a:0"), hashes(sound(300), "a:0"))
        self.assertEqual(hashes(files["01 Talk (screen).mp4"], "a:0"), hashes(sound(400), "a:0"))
        self.assertEqual(files["01 Talk (webcam).mp4"], with_sound())
        self.again()

    def test_a_later_run_joins_a_stream_with_its_separate_sound(self):
        from killed import FORMS, muxed, source
        hls = muxed(
            "-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod", "-hls_segment_type", "fmp4", "-var_stream_map",
            "v:0,agroup:a a:0,agroup:a,default:yes", "-master_pl_name", "master.m3u8", "-hls_fmp4_init_filename", "init%v.mp4",
            "-hls_segment_filename", "s%v-%d.m4s", name="index%v.m3u8")
        dash = muxed("-f", "dash", "-seg_duration", "1", *FORMS["template"], name="index.mpd")
        for kind, files, name in (("hls", hls, "master.m3u8"), ("dash", dash, "index.mpd")):
            with self.subTest(kind):
                stage, self.stage = self.stage, Stage()
                self.addCleanup(self.stage.close)
                for path, body in files.items():
                    self.at(f"/{kind}/{path}", body, kind="application/octet-stream")
                self.write({"url": self.host.url(f"/{kind}/{name}"), "kind": kind})
                self.stage.sync(exit=0)
                _, at_once = self.only()
                self.stage.close()
                self.stage = Stage()
                self.addCleanup(self.stage.close)
                self.beside({"url": self.host.url(f"/{kind}/{name}"), "kind": kind}, 2)
                self.joined()
                path, body = self.only()
                self.assertTrue(path.endswith("Talk.mp4"), path)
                for track in ("v:0", "a:0"):
                    self.assertEqual(hashes(body, track), hashes(at_once, track))
                starts = [[float(s["start_time"]) for s in streams(b)] for b in (body, at_once)]
                for one, other in zip(*starts):
                    self.assertAlmostEqual(one, other, places=2)
                self.again()
                self.stage = stage

    def fake(self, then):
        """A program in place of ffmpeg."""
        path = self.stage.folder / "ffmpeg"
        path.write_text(f'#!/bin/sh\necho run >> "$0.log"\n{then}\n')
        path.chmod(0o755)
        return ("--ffmpeg", path)

    def test_a_kill_while_a_later_run_joins(self):
        self.beside(self.answer(self.track("de", 400)), 2, audio="de")
        before = self.stage.files()
        ffmpeg_ = self.fake('ffmpeg "$@"\nsleep 30')
        running = self.stage.start_sync(*ffmpeg_)
        running.wait_for(lambda events: any(p.stat().st_size for p in self.stage.library.rglob("*remux*")), 30)
        running.stop(signal.SIGKILL)
        self.assertEqual(self.stage.files(), before)
        self.assertEqual(self.stage.status()["c", "v"]["state"], "finished")
        self.joined()
        self.only()

    def test_a_later_run_without_room_leaves_everything_for_the_next_one(self):
        self.beside(self.answer(self.track("de", 400)), 2, audio="de")
        before = self.stage.files()
        run = self.joined(*self.fake('echo "av_interleaved_write_frame(): No space left on device" >&2; exit 1'))
        self.assertIn("room", run.of("warning")[0]["message"])
        self.assertEqual(self.stage.files(), before)
        self.joined()
        self.only()

    def test_what_cannot_be_joined_is_tried_three_times_and_what_was_changed_stays(self):
        self.beside(self.answer(self.track("de", 400)), 2, audio="de")
        path = next(self.stage.library.rglob("*.m4a"))
        body, facts = path.read_bytes(), path.stat()
        path.write_bytes(b"mine")
        self.stage.sync(exit=0)
        self.assertEqual((path.read_bytes(), len(self.stage.files())), (b"mine", 2))
        path.write_bytes(body)
        os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))
        broken = self.fake("echo broken >&2; exit 1")
        for again in (True, True, False):
            message = self.joined(*broken).of("warning")[0]["message"]
            self.assertIn("broken", message)
            self.assertEqual("the next sync tries again" in message, again, message)
        self.assertEqual(self.joined(*broken).of("warning"), [])
        self.assertEqual(broken[1].with_name("ffmpeg.log").read_text(), "run\n" * 3)
        self.assertEqual(len(self.stage.files()), 2)

    def test_one_night_with_a_broken_ffmpeg_costs_nothing(self):
        self.beside(self.answer(self.track("de", 400)), 2, audio="de")
        self.joined(*self.fake("kill -9 $$"))
        self.joined()
        self.only()

    def test_a_damaged_file_isnt_joined(self):
        for name in ("*.m4a", "*.mp4"):
            with self.subTest(name):
                stage, self.stage = self.stage, Stage()
                self.addCleanup(self.stage.close)
                self.beside(self.answer(self.track("de", 400)), 2, audio="de")
                path = next(self.stage.library.rglob(name))
                body, facts = bytearray(path.read_bytes()), path.stat()
                body[len(body) // 2] ^= 1
                path.write_bytes(body)
                os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))
                run = self.stage.sync(exit=0)
                self.assertIn("has changed since it was downloaded", run.of("warning")[0]["message"])
                self.assertEqual((path.read_bytes(), len(self.stage.files())), (bytes(body), 2))
                self.assertEqual(self.stage.sync(exit=0).of("warning"), [])
                self.assertEqual(self.stage.command("verify", "--repair").exit, 1)
                self.stage.sync(exit=0)
                _, body = self.only()
                self.assertEqual(hashes(body, "a:0"), hashes(sound(400), "a:0"))
                self.stage = stage

    def joining(self, then, *more):
        """A sync that is joining, with this in the place of ffmpeg."""
        running = self.stage.start_sync(*self.fake(then), *more)
        running.wait_for(lambda events: (self.stage.folder / "ffmpeg.log").exists(), 30)
        return running

    def test_a_stop_while_a_later_run_joins_leaves_work(self):
        self.beside(self.answer(self.track("de", 400)), 2, audio="de")
        for end in (signal.SIGTERM, "logout"):
            (self.stage.folder / "ffmpeg.log").unlink(missing_ok=True)
            running = self.joining("exec sleep 60")
            if end == "logout":
                self.assertEqual(self.stage.command("logout").exit, 0)
                run = running.end()
                self.stage.command("login")
            else:
                run = running.stop(end)
            self.assertEqual(run.exit, 75, run)
            self.assertEqual(len(self.stage.files()), 2)
        (self.stage.folder / "ffmpeg.log").unlink()
        run = self.joining("exec sleep 60", "--max-duration", "2s").end(30)
        self.assertEqual(run.exit, 75, run)
        self.joined()
        self.only()

    def test_who_was_told_that_nothing_changed_can_rely_on_it(self):
        self.stage.urls({"v": self.answer(self.track("de", 400)), "w": {"url": self.at("/w.mp4", with_sound())}})
        self.stage.write([{"id": "c", "audio": "de", "videos": ["v", "w"]}])
        self.stage.sync("--ffmpeg", "none", exit=0)
        running = self.joining('sleep 14; exec ffmpeg "$@"')
        first = self.stage.start("pause", "c/v")
        time.sleep(1)
        second = self.stage.command("remove", "c/w", "--yes")
        self.assertEqual(second.exit, 75, second)
        self.assertIn("nothing was changed", second.err)
        first.end()
        self.assertEqual(running.end().exit, 0)
        self.assertEqual(len([p for p in self.stage.files() if p.endswith("w.mp4")]), 1)

    # One file.

    def test_sound_in_three_languages_comes_in_the_order_of_the_catalog(self):
        tracks = [self.track("en", 300), self.track("de", 400, title="Deutsch"), self.track("fr", 500), self.track("it", 600)]
        self.write(self.answer(*tracks), audio=["de", "fr", "en"])
        run = self.stage.sync(exit=0)
        path, body = self.only()
        self.assertTrue(path.endswith("Talk.mp4"), path)
        found = streams(body)
        self.assertEqual([s["codec_type"] for s in found], ["video", "audio", "audio", "audio"])
        self.assertEqual([s["tags"]["language"] for s in found[1:]], ["deu", "fra", "eng"])
        self.assertEqual([s["disposition"]["default"] for s in found[1:]], [1, 0, 0])
        self.assertEqual(found[1]["tags"]["handler_name"], "Deutsch")
        self.assertEqual(hashes(body, "v:0"), hashes(picture(), "v:0"))
        for number, tone in enumerate([400, 500, 300]):
            self.assertEqual(hashes(body, f"a:{number}"), hashes(sound(tone), "a:0"), number)
        self.assertEqual([r.path for r in self.host.asked("/it.m4a")], [])
        self.assertEqual(len(run.of("download_finished")), 1)
        self.assertEqual(self.stage.partials(), [])
        self.again()
        self.assertEqual(self.stage.command("verify").exit, 0)

    def test_all_languages_come_where_the_catalog_asks_for_all(self):
        self.write(self.answer(self.track("en", 300), self.track("de", 400, default=True), self.track("fr", 500)), audio="all")
        self.stage.sync(exit=0)
        self.assertEqual([s["tags"]["language"] for s in streams(self.only()[1])[1:]], ["eng", "deu", "fra"])

    def test_without_a_wish_the_default_sound_comes(self):
        self.write(self.answer(self.track("en", 300), self.track("de", 400, default=True)))
        self.stage.sync(exit=0)
        self.assertEqual(hashes(self.only()[1], "a:0"), hashes(sound(400), "a:0"))
        self.assertEqual(self.host.asked("/en.m4a"), [])

    def test_the_picture_s_own_sound_stays_behind_the_track(self):
        self.write(self.answer(self.track("de", 400), body=with_sound(900)))
        self.stage.sync(exit=0)
        body = self.only()[1]
        self.assertEqual(hashes(body, "a:0"), hashes(sound(400), "a:0"))
        self.assertEqual(hashes(body, "a:1"), hashes(with_sound(900), "a:0"))

    def test_subtitles_become_tracks(self):
        text = [
            {"kind": "subtitle", "lang": "en", "url": self.at("/en.srt", SRT, kind="application/x-subrip")},
            {"kind": "subtitle", "lang": "fr", "url": self.at("/fr.vtt", VTT, kind="text/vtt")},
            {"kind": "subtitle", "lang": "it", "url": self.at("/it.vtt", VTT, kind="text/vtt")}]
        self.write(self.answer(self.track("en", 300), *text), subtitles=["fr", "en"])
        self.stage.sync(exit=0)
        found = streams(self.only()[1])
        self.assertEqual(
            [(s["codec_name"], s["tags"].get("language")) for s in found[2:]], [("mov_text", "fra"), ("mov_text", "eng")])

    def test_webm_with_opus_becomes_one_file(self):
        body = picture("libvpx-vp9", "picture.webm", "-deadline", "realtime", "-cpu-used", "8")
        opus = sound(440, "sound.webm", "-c:a", "libopus")
        track = {"kind": "audio", "url": self.at("/sound.webm", opus, kind="audio/webm")}
        self.write(self.answer(track, body=body))
        self.stage.sync(exit=0)
        path, made = self.only()
        self.assertTrue(path.endswith(".mp4"), path)
        self.assertEqual(hashes(made, "v:0"), hashes(body, "v:0"))
        self.assertEqual([s["codec_name"] for s in streams(made)], ["vp9", "opus"])

    # Several files.

    def test_without_ffmpeg_sound_stays_beside_the_picture(self):
        self.write(self.answer(self.track("de", 400), self.track("en", 300)), audio=["de", "en"])
        run = self.stage.sync("--ffmpeg", "none", exit=0)
        files = {p.rsplit("/", 1)[-1]: b for p, b in self.stage.files().items() if not p.endswith(".html")}
        stem = next(p for p in files if p.endswith("Talk.mp4")).removesuffix(".mp4")
        self.assertEqual(
            files, {f"{stem}.mp4": picture(), f"{stem}.de.m4a": sound(400), f"{stem}.en.m4a": sound(300)}, list(files))
        self.assertIn("ffmpeg", json.dumps(run.of("warning")))
        before, requests = self.stage.files(), len(self.host.asked())
        self.stage.sync("--ffmpeg", "none", exit=0)
        self.assertEqual((self.stage.files(), len(self.host.asked())), (before, requests))
        self.assertEqual(self.stage.command("verify").exit, 0)
        self.assertEqual(self.stage.command("remove", "c/v", "--yes").exit, 0)
        self.assertEqual({p for p in self.stage.files() if not p.endswith(".html")}, set())

    def test_a_file_with_tracks_is_no_package(self):
        self.write(self.answer(self.track("de", 400)), audio="de")
        run = self.stage.sync("--container", "package", exit=0)
        self.assertEqual(run.of("warning"), [])
        path, body = self.only()
        self.assertEqual(hashes(body, "a:0"), hashes(sound(400), "a:0"))
        self.again()

    def test_what_ffmpeg_cannot_join_stays_beside_the_picture(self):
        noise = hashlib.sha512(b"noise").digest() * 500
        track = {"kind": "audio", "lang": "de", "url": self.at("/noise", noise, kind="application/octet-stream")}
        self.write(self.answer(track))
        run = self.stage.sync(exit=0)
        files = {p: b for p, b in self.stage.files().items() if not p.endswith(".html")}
        self.assertEqual(sorted(files.values()), sorted([picture(), noise]), list(files))
        self.assertTrue(run.of("warning"), run)
        self.again()

    # What goes wrong on the way.

    def test_a_killed_run_continues_each_file(self):
        tracks = [self.track("de", 400), self.track("en", 300)]
        self.write(self.answer(*tracks), audio=["de", "en"])
        slow = picture()
        for path, body in (("/picture.mp4", slow), ("/de.m4a", sound(400)), ("/en.m4a", sound(300))):
            self.host.at(path, File(body, etag=f'"{path}"', rate=60_000))
            running = self.stage.start_sync()
            running.wait_for(
                lambda events: any(e.get("bytes", 0) > 20_000 for e in self.stage.status().values())
                and len(self.host.asked(path)) > 0, 40)
            running.stop(signal.SIGKILL)
        for path, body in (("/picture.mp4", slow), ("/de.m4a", sound(400)), ("/en.m4a", sound(300))):
            self.host.at(path, File(body, etag=f'"{path}"'))
        self.stage.sync(exit=0)
        body = self.only()[1]
        self.assertEqual(hashes(body, "v:0"), hashes(slow, "v:0"))
        self.assertEqual(hashes(body, "a:0"), hashes(sound(400), "a:0"))
        self.assertEqual(hashes(body, "a:1"), hashes(sound(300), "a:0"))
        self.assertTrue(any(r.range_start for r in self.host.asked()), self.host.asked())
        # A range with an end only proves that a complete file is still the same.
        self.assertTrue(all("if-range" in r.headers for r in self.host.asked() if r.headers.get("range", "").endswith("-")),
                        self.host.asked())

    def test_a_complete_track_of_another_version_isnt_joined_with_the_new_picture(self):
        for path, tag, times in (("/de.m4a", "new", 3), ("/v2/de.m4a", "new", 1), ("/v2/de.m4a", "/de.m4a", 1)):
            with self.subTest(f"{path} {tag}"):
                self.stage = Stage()
                self.addCleanup(self.stage.close)
                self.host.forget()
                self.write(self.answer(self.track("de", 400)))
                self.killed_in_the_picture()
                # Another version, even one with the same tag and size: its bytes tell.
                fresh = sound(800)
                fresh = fresh + b"\0" * (len(sound(400)) - len(fresh)) if tag == "/de.m4a" else fresh
                self.write({**self.answer(), "tracks": [{"kind": "audio", "lang": "de", "url": self.host.at(path, File(
                    fresh, etag=f'"{tag}"', kind="audio/mp4"))}]})
                self.host.at("/picture.mp4", File(picture(), etag='"/picture.mp4"'))
                self.stage.sync(exit=0)
                self.assertEqual(hashes(self.only()[1], "a:0"), hashes(sound(800), "a:0"))
                self.assertEqual(len(self.host.asked(path)), times if path == "/de.m4a" else 2, self.host.asked())

    def test_without_validators_the_bytes_of_a_complete_track_decide(self):
        for tone, requests in ((400, 2), (800, 3)):
            with self.subTest(tone):
                self.stage = Stage()
                self.addCleanup(self.stage.close)
                self.host.forget()
                self.write({**self.answer(), "tracks": [{"kind": "audio", "lang": "de", "url": self.host.at(
                    "/de.m4a", File(sound(400), kind="audio/mp4"))}]})
                self.killed_in_the_picture()
                self.host.at("/de.m4a", File(sound(tone), kind="audio/mp4"))
                self.host.at("/picture.mp4", File(picture(), etag='"/picture.mp4"'))
                self.stage.sync(exit=0)
                self.assertEqual(hashes(self.only()[1], "a:0"), hashes(sound(tone), "a:0"))
                self.assertEqual(len(self.host.asked("/de.m4a")), requests, self.host.asked())

    def killed_in_the_picture(self):
        self.host.at("/picture.mp4", File(picture(), etag='"/picture.mp4"', rate=60_000))
        running = self.stage.start_sync()
        running.wait_for(
            lambda events: any(e.get("bytes", 0) > len(sound(400)) + 20_000 for e in self.stage.status().values()), 40)
        running.stop(signal.SIGKILL)

    def test_two_tracks_of_a_language_that_change_places_keep_their_titles(self):
        one = self.track("de", 400, title="Original")
        other = {"kind": "audio", "lang": "de", "title": "Kommentar", "url": self.host.at(
            "/k.m4a", File(sound(500), etag='"k"', kind="audio/mp4"))}
        self.write(self.answer(one, other), audio=["de"])
        self.killed_in_the_picture()
        self.host.at("/picture.mp4", File(picture(), etag='"/picture.mp4"'))
        self.write(self.answer(other, one), audio=["de"])
        self.stage.sync(exit=0)
        self.assertEqual(hashes(self.only()[1], "a:0"), hashes(sound(500), "a:0"))

    def test_the_same_picture_in_the_catalog_isnt_the_wanted_sound(self):
        digest = hashlib.sha256(picture()).hexdigest()
        plain = {"url": self.host.at("/picture.mp4", File(picture(), etag='"/picture.mp4"'))}
        self.stage.urls({"b": plain, "a": self.answer(self.track("de", 400))})
        self.stage.write([{"id": "c", "audio": ["de"], "videos": [{"id": "b", "sha256": digest}]}])
        self.stage.sync(exit=0)
        self.stage.write([{"id": "c", "audio": ["de"], "videos": [{"id": v, "sha256": digest} for v in "ba"]}])
        self.stage.sync(exit=0)
        self.assertEqual(len(self.host.asked("/de.m4a")), 1)

    def test_subtitles_in_another_encoding_keep_no_sound_apart(self):
        latin = "1\n00:00:01,000 --> 00:00:02,000\nGrüße\n".encode("latin-1")
        subtitles = {"kind": "subtitle", "lang": "de", "url": self.host.at("/de.srt", File(latin, etag='"s"', kind="text/plain"))}
        self.write(self.answer(self.track("de", 400), subtitles), subtitles="all")
        self.stage.sync(exit=0)
        files = self.stage.files()
        video = next(body for path, body in files.items() if path.endswith(".mp4"))
        self.assertEqual(hashes(video, "a:0"), hashes(sound(400), "a:0"))
        self.assertEqual([body for path, body in files.items() if path.endswith(".srt")], [latin])

    def test_a_full_disk_puts_the_joining_off(self):
        self.write(self.answer(self.track("de", 400)))
        fake = self.stage.folder / "ffmpeg"
        # What ffmpeg does on a full disk: it says so, and may end with 0.
        fake.write_text('#!/bin/sh\ncase "$*" in *-version*) exec ffmpeg "$@";; esac\nfor last; do :; done\n'
                        'printf x > "${last#file:}"\necho "av_interleaved_write_frame(): No space left on device" >&2\n')
        fake.chmod(0o755)
        run = self.stage.sync("--ffmpeg", fake)
        self.assertEqual((run.exit, self.stage.files()), (73, {}), run)
        self.stage.sync(exit=0)
        self.assertEqual(hashes(self.only()[1], "a:0"), hashes(sound(400), "a:0"))

    def test_deleted_sound_beside_its_picture_comes_again(self):
        self.write(self.answer(self.track("de", 400)))
        self.stage.sync("--ffmpeg", "none", exit=0)
        path = next(self.stage.library.rglob("*.m4a"))
        path.unlink()
        self.stage.sync("--ffmpeg", "none", exit=0)
        self.assertEqual(path.read_bytes(), sound(400))
        self.assertEqual(self.stage.command("verify").exit, 0)

    def test_complete_tracks_are_not_fetched_again(self):
        self.write(self.answer(self.track("de", 400)))
        self.host.at("/picture.mp4", File(picture(), etag='"p"', rate=60_000))
        running = self.stage.start_sync()
        running.wait_for(lambda events: len(self.host.asked("/picture.mp4")) > 0, 40)
        running.wait_for(
            lambda events: any(e.get("bytes", 0) > len(sound(400)) + 20_000 for e in self.stage.status().values()), 40)
        running.stop(signal.SIGKILL)
        self.assertEqual(len(self.host.asked("/de.m4a")), 1)
        self.host.at("/picture.mp4", File(picture(), etag='"p"'))
        self.stage.sync(exit=0)
        # A few bytes prove that it is the same.
        self.assertEqual([r.range_start is None for r in self.host.asked("/de.m4a")], [True, False])
        self.assertEqual(hashes(self.only()[1], "a:0"), hashes(sound(400), "a:0"))

    def test_a_refused_track_is_resolved_again_and_keeps_its_bytes(self):
        answer = self.answer(self.track("de", 400))
        self.stage.plugin("lectures", f'''
ANSWER = {answer!r}
def answer(params):
    number = len(open("asked").readlines())
    found = json.loads(json.dumps(ANSWER))
    found["tracks"][0]["url"] += "?n=" + str(number)
    return found
''')
        self.stage.write([{"id": "c", "videos": ["v"]}])
        body = sound(400)
        file = Flaky(body, 30_000, etag='"s"', kind="audio/mp4")

        def handle(x):
            if file.broken and x.request.path.endswith("n=1"):
                return x.answer(403, b"expired", content_type="text/plain")
            return file(x)

        self.host.at("/de.m4a", handle)
        self.stage.sync(exit=0)
        self.assertEqual([a["params"].get("previous") and a["params"]["previous"]["status"] for a in self.stage.asked()],
                         [None, 403])
        last = self.host.asked("/de.m4a")[-1]
        self.assertEqual((last.range_start, last.headers.get("if-range")), (30_000, '"s"'), self.host.asked())
        self.assertEqual(hashes(self.only()[1], "a:0"), hashes(body, "a:0"))

    def test_another_version_of_a_track_starts_only_that_over(self):
        def another(file):
            file.body, file.etag = sound(800), '"new"'

        self.write(self.answer(self.track("de", 400), self.track("en", 300)), audio=["de", "en"])
        self.host.at("/de.m4a", Flaky(sound(400), 30_000, another, etag='"old"', kind="audio/mp4"))
        self.stage.sync(exit=0)
        body = self.only()[1]
        self.assertEqual(hashes(body, "a:0"), hashes(sound(800), "a:0"))
        self.assertEqual(hashes(body, "a:1"), hashes(sound(300), "a:0"))
        self.assertEqual(len(self.host.asked("/en.m4a")), 1)

    def test_a_wrong_checksum_of_a_track_fails_with_its_name(self):
        self.write(self.answer(self.track("de", 400, sha256="0" * 64)))
        run = self.stage.sync(exit=1)
        self.assertIn("sound (de)", self.message(run))
        self.assertIn("SHA-256", self.message(run))
        self.assertEqual(self.stage.files(), {})
        self.assertEqual(self.host.asked("/picture.mp4"), [])

    def test_checksums_and_sizes_of_all_files_are_compared(self):
        right = hashlib.md5(sound(400)).hexdigest()
        track = self.track("de", 400, checksums={"md5": right}, size=len(sound(400)))
        self.write(self.answer(track, sha256=hashlib.sha256(picture()).hexdigest(), size=len(picture())))
        self.stage.sync(exit=0)
        self.assertEqual(len(streams(self.only()[1])), 2)
        self.again()

    def test_the_catalog_s_checksum_is_the_picture_s(self):
        answer = self.answer(self.track("de", 400))
        self.stage.urls({"v": answer})
        sums = {"sha256": hashlib.sha256(picture()).hexdigest(), "size": len(picture())}
        self.stage.write([{"id": "c", "videos": [{"id": "v", **sums}]}])
        self.stage.sync(exit=0)
        self.assertEqual(len(streams(self.only()[1])), 2)
        self.again()

    def test_a_missing_track_fails_the_video(self):
        self.write(self.answer({"kind": "audio", "lang": "de", "url": self.host.url("/gone")}))
        run = self.stage.sync(exit=1)
        self.assertIn("sound (de)", self.message(run))
        self.assertEqual(self.stage.files(), {})

    def test_a_page_in_place_of_a_track_is_not_joined(self):
        page = b"<!DOCTYPE html><html><body>log in</body></html>" * 20
        self.write(self.answer({"kind": "audio", "lang": "de", "url": self.at("/de.m4a", page, kind="audio/mp4")}))
        run = self.stage.sync(exit=1)
        self.assertIn("sound (de)", self.message(run))
        self.assertEqual(self.stage.files(), {})

    def test_a_text_in_place_of_sound_is_not_kept(self):
        self.write(self.answer({"kind": "audio", "lang": "de", "url": self.at("/de.m4a", b"error: the link is used up\n" * 40,
                                                                              kind="audio/mp4")}))
        for more in ((), ("--ffmpeg", "none")):
            run = self.stage.sync("--retry-failed", *more, exit=1)
            self.assertIn("sound (de)", self.message(run))
            self.assertEqual(self.stage.files(), {})

    def test_other_tracks_start_over(self):
        self.write(self.answer(self.track("de", 400)))
        self.host.at("/de.m4a", File(sound(400), etag='"s"', rate=30_000))
        self.stage.partial(lambda: self.host.asked("/de.m4a"), least=20_000)
        self.write(self.answer(self.track("en", 300)))
        self.stage.sync(exit=0)
        self.assertEqual(hashes(self.only()[1], "a:0"), hashes(sound(300), "a:0"))

    def test_a_file_that_gets_tracks_starts_over(self):
        self.write({"url": self.host.at("/picture.mp4", File(picture(), etag='"p"', rate=60_000))})
        self.stage.partial(lambda: self.host.asked("/picture.mp4"), least=30_000)
        self.write(self.answer(self.track("de", 400)))
        self.stage.sync(exit=0)
        self.assertEqual(len(streams(self.only()[1])), 2)
        self.again()

    def test_one_picture_with_two_sounds_is_two_files(self):
        self.stage.urls({
            "a": self.answer(self.track("de", 400)), "b": self.answer(self.track("en", 300)), "c": self.answer()})
        self.stage.write([{"id": "c", "videos": ["a", "b", "c"]}])
        self.stage.sync(exit=0)
        files = {p: b for p, b in self.stage.files().items() if p.endswith(".mp4")}
        self.assertEqual(len(set(files.values())), 3, list(files))
        self.again()

    def test_an_equal_picture_does_not_stand_for_picture_and_sound(self):
        known = {"sha256": hashlib.sha256(picture()).hexdigest()}
        self.stage.urls({"a": self.answer(**known), "b": self.answer(self.track("de", 400), **known)})
        for videos in (["a"], ["a", "b"]):
            self.stage.write([{"id": "c", "videos": videos}])
            self.stage.sync(exit=0)
        self.assertEqual(sorted(len(streams(body)) for body in self.stage.files().values()), [1, 2])
        self.again()

    # Secrets.

    def test_secrets_go_where_they_belong(self):
        other = Host()
        self.addCleanup(other.close)
        url = other.at("/de.m4a", File(sound(400), etag='"s"', kind="audio/mp4"))
        plain = {"kind": "audio", "lang": "de", "url": url}
        own = {"kind": "audio", "lang": "en", "url": other.at("/en.m4a", File(sound(300), etag='"e"', kind="audio/mp4")),
               "token": {"value": "track-secret", "in": "header", "name": "X-Key"}}
        near = self.track("fr", 500)
        self.write(self.answer(
            plain, own, near, headers={"Authorization": "Basic bWluZTptaW5l", "X-Lab": "7"},
            token={"value": "media-secret", "in": "header", "name": "X-Key"}), audio=["de", "en", "fr"])
        run = self.stage.sync("-vv", exit=0)
        de, en, fr = other.asked("/de.m4a")[0].headers, other.asked("/en.m4a")[0].headers, self.host.asked("/fr.m4a")[0].headers
        self.assertEqual((de.get("x-key"), de.get("authorization"), de.get("x-lab")), (None, None, "7"))
        self.assertEqual((en.get("x-key"), en.get("authorization")), ("track-secret", None))
        self.assertEqual((fr.get("x-key"), fr.get("authorization")), ("media-secret", "Basic bWluZTptaW5l"))
        self.assertNotIn("track-secret", run.out + run.err)
        self.assertNotIn("media-secret", run.out + run.err)

    # Answers that are wrong.

    def test_wrong_tracks_are_the_plugin_s_fault(self):
        good = self.track("de", 400)
        wrong = [
            {"tracks": [dict(good, kind="video")]}, {"tracks": [dict(good, url="ftp://x/y")]}, {"tracks": [good] * 65},
            {"tracks": [dict(good, lang="not a tag!")]}, {"tracks": {}}, {"tracks": [good], "kind": "hls"},
            {"tracks": [dict(good, token={"value": "", "in": "header", "name": "A"})]},
            {"tracks": [dict(good, headers={"Range": "x"})]}, {"tracks": [dict(good, size=-1)]}]
        answers = {f"v{n}": {"url": self.at("/picture.mp4", picture()), **case} for n, case in enumerate(wrong)}
        for name, answer in answers.items():
            with self.subTest(json.dumps(answer)[:120]):
                self.stage.urls({name: answer})
                self.stage.write([{"id": "c", "videos": [name]}])
                run = self.stage.sync(exit=1)
                self.assertRegex(self.message(run), re.compile("track|kind", re.I))
        self.assertEqual(self.stage.files(), {})
