"""Streams of a high rate: ffmpeg leaves room for the index at the beginning of the file; if that fails, another file is made."""

import pathlib
import stat
import struct
import tempfile
import unittest

from host import File, Host
from stage import Stage
from tracks import ffmpeg, made

# Notes how it was called.
FFMPEG = """#!/bin/sh
case "$*" in *-version*) exec ffmpeg "$@" ;; esac
for word; do case "$word" in -moov_size | +faststart) echo "$word" >> '{calls}' ;; esac; done
case "$*" in *-moov_size*) ;; *) exec ffmpeg "$@" ;; esac
ffmpeg "$@" && for output; do :; done && {damage}
"""
# What is left of an output on a disk that is full when ffmpeg writes the index.
HOLE = "dd if=/dev/zero of=\"${output#file:}\" bs=4096 seek=1 count=15 conv=notrunc 2>/dev/null"


def film(rate, seconds, size):
    """Noise, so that the file is large, in as many pictures a second."""
    return made(
        "film.mp4", "-f", "lavfi", "-i", f"nullsrc=s={size}:r={rate}:d={seconds},geq=random(1)*255:128:128", "-f", "lavfi", "-i",
        f"sine=440:duration={seconds}", "-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-g", str(rate), "-qp", "12",
        "-pix_fmt", "yuv420p", "-c:a", "aac")


def segments(body):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "film.mp4").write_bytes(body)
        ffmpeg(
            "-i", f"{folder}/film.mp4", "-c", "copy", "-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod",
            "-hls_segment_filename", f"{folder}/%03d.ts", f"{folder}/index.m3u8")
        return {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir() if path.suffix != ".mp4"}


def pictures(body):
    """The hash of each picture; a copy into another container changes the bytes of its packet."""
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        file.write(body)
        file.flush()
        text = ffmpeg("-i", file.name, "-map", "0:v", "-fps_mode", "passthrough", "-f", "framehash", "-").decode()
    return [line.split(",")[5].strip() for line in text.splitlines() if not line.startswith("#")]


def boxes(body):
    """The boxes of an MP4 at its top, with their sizes."""
    found, place = [], 0
    while place < len(body):
        size, kind = struct.unpack_from(">I4s", body, place)
        if size == 1:
            size = struct.unpack_from(">Q", body, place + 8)[0]
        found.append((kind.decode(), size))
        place += size
    return found


class IndexRoom(unittest.TestCase):
    def setUp(self):
        self.host, self.stage = Host(), Stage()
        self.addCleanup(self.host.close)
        self.addCleanup(self.stage.close)

    def fetch(self, body, damage="true"):
        """Syncs the film as a stream; returns its file, and how ffmpeg was called. `damage` is done to an output with room."""
        calls, program = self.stage.folder / "calls", self.stage.folder / "noting-ffmpeg"
        program.write_text(FFMPEG.format(calls=calls, damage=damage))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        parts = segments(body)
        for name, data in parts.items():
            kind = "application/vnd.apple.mpegurl" if name.endswith("m3u8") else "video/mp2t"
            self.host.at(f"/{name}", File(data, kind=kind))
        self.stage.urls({"v": {"url": self.host.url("/index.m3u8"), "kind": "hls"}})
        self.stage.write({"c": [{"id": "v", "title": "Talk"}]})
        run = self.stage.sync("--ffmpeg", program, exit=0)
        self.assertEqual(run.of("warning"), [], run)
        found = self.stage.files()["c/01 Talk.mp4"]
        joined = b"".join(data for name, data in sorted(parts.items()) if name.endswith(".ts"))
        self.assertEqual(pictures(found), pictures(joined), run)
        self.assertEqual(self.stage.partials(), [])
        self.assertEqual(self.stage.command("verify").exit, 0)
        return found, calls.read_text().split()

    def test_the_room_holds_the_index_and_is_a_hundredth_at_most(self):
        found, calls = self.fetch(film(25, 8, "640x360"))
        self.assertEqual(calls, ["-moov_size"])
        top = boxes(found)
        self.assertEqual([kind for kind, _ in top], ["ftyp", "moov", "free", "free", "mdat"])
        self.assertLess(sum(size for kind, size in top if kind in ("moov", "free")), len(found) / 90)

    def test_an_index_that_does_not_fit_comes_without_room(self):
        found, calls = self.fetch(film(900, 12, "64x64"))
        self.assertEqual(calls, ["-moov_size", "+faststart"])
        self.assertEqual([kind for kind, _ in boxes(found)], ["ftyp", "moov", "free", "mdat"])

    def test_an_index_that_was_not_written_is_written_anew(self):
        film_of_hole = film(25, 8, "640x360")
        for number, damage in enumerate((
                HOLE, HOLE + " && echo 'Error writing trailer of x: No space left on device' >&2",
                "echo 'Error closing file x: Input/output error' >&2", 'truncate -s -1 "${output#file:}"')):
            with self.subTest(damage):
                if number:
                    self.stage = Stage()
                    self.addCleanup(self.stage.close)
                found, calls = self.fetch(film_of_hole, damage)
                self.assertEqual(calls, ["-moov_size", "+faststart"])
                self.assertEqual([kind for kind, _ in boxes(found)], ["ftyp", "moov", "free", "mdat"])

    def test_a_small_film_has_no_room_to_give_away(self):
        found, calls = self.fetch(film(25, 3, "64x64"))
        self.assertEqual(calls, ["+faststart"])
        self.assertEqual([kind for kind, _ in boxes(found)], ["ftyp", "moov", "free", "mdat"])


if __name__ == "__main__":
    unittest.main()
