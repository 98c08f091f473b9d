"""What `search` finds in titles, descriptions and subtitles, and that it follows every change of the library."""

import json
import os
import shutil
import struct
import unittest

import faults
import media
from host import File, Host
from stage import Stage


def vtt(*cues):
    """A WebVTT file with a cue every ten seconds."""
    return "WEBVTT\n\n" + "".join(
        f"{n // 6:02}:{n % 6}0.000 --> {n // 6:02}:{n % 6}9.000\n{text}\n\n" for n, text in enumerate(cues))


class Search(unittest.TestCase):
    def setUp(self):
        self.host, self.stage = Host(), Stage()
        self.addCleanup(self.stage.close)
        self.addCleanup(self.host.close)
        self.table = {}

    def video(self, name, **languages):
        url = self.host.at(f"/{name}.mp4", File(media.mp4(len(self.table), 4000)))
        self.table[name] = {"url": url, "subtitles": [
            {"lang": lang, "url": self.host.at(f"/{name}.{lang}.vtt", File(text.encode(), kind="text/vtt"))}
            for lang, text in languages.items()]}
        self.stage.urls(self.table)

    def sync(self, videos, **rest):
        self.stage.write([{"id": "la", "title": "Linear Algebra", "subtitles": "all", "videos": videos}], **rest)
        self.stage.sync(exit=0)

    def search(self, *words, exit=0):
        run = self.stage.command("search", "--json", *words)
        self.assertEqual(run.exit, exit, run)
        return {hit["video"]: hit for hit in map(json.loads, run.out.splitlines())}

    def test_the_sentence_and_the_second(self):
        self.video("diag", en=vtt("hello", "so every <b>eigen-\nvalue</b> is", "a root &amp; more"), de=vtt("der Eigenwert"))
        self.video("intro", en=vtt("nothing here"))
        self.sync([{"id": "diag", "title": "Diagonalisation"}, {"id": "intro", "title": "What an eigenvalue is"}])
        hits = self.search("EIGENVALUE")
        self.assertEqual(list(hits), ["intro", "diag"])
        self.assertEqual(hits["diag"]["moments"], [{"start": 10, "language": "en", "text": "so every eigenvalue is"}])
        self.assertEqual((hits["intro"]["in_title"], hits["diag"]["in_title"]), (True, False))
        self.assertTrue(os.path.exists(hits["diag"]["path"]))
        self.assertEqual(list(self.search("eigenwert")), ["diag"])
        self.assertEqual(list(self.search("eigenval")), ["intro", "diag"])
        self.assertEqual(list(self.search('"eigenvalue is a root"')), ["diag"])
        self.assertEqual(self.search('"root eigenvalue"', exit=1), {})
        self.assertEqual(list(self.search("linear diagonalisation")), ["diag"])
        text = self.stage.command("search", "eigenvalue").out
        self.assertIn("la/*/diag  Linear Algebra › Diagonalisation\n     0:10  so every eigenvalue is\n", text)
        self.assertEqual(self.stage.command("search", "*").exit, 64)

    def test_it_follows_the_library(self):
        self.video("a", en=vtt("one eigenvalue"))
        self.sync([{"id": "a", "title": "First"}])
        self.assertEqual(list(self.search("eigenvalue")), ["a"])
        self.video("b", en=vtt("another eigenvalue"))
        self.sync([{"id": "a", "title": "Renamed"}, {"id": "b", "title": "Second"}])
        self.assertEqual(set(self.search("eigenvalue")), {"a", "b"})
        self.assertEqual((list(self.search("renamed")), self.search("first", exit=1)), (["a"], {}))
        self.assertEqual(self.stage.command("remove", "--yes", "la/a").exit, 0)
        self.assertEqual(set(self.search("eigenvalue")), {"b"})

    def test_a_video_that_is_gone_is_found_until_its_file_is_removed(self):
        for name in ("a", "b"):
            self.video(name, en=vtt("one eigenvalue"))
        self.sync(["a", "b"])
        self.search("eigenvalue")
        self.sync(["b"])
        self.assertEqual(set(self.search("eigenvalue")), {"a", "b"})
        self.stage.sync("--prune", "--max-delete", "100%", exit=0)
        self.assertEqual(set(self.search("eigenvalue")), {"b"})

    def test_the_index_can_be_lost_damaged_or_unwritable(self):
        self.video("a", en=vtt("one eigenvalue"))
        self.sync(["a"])
        self.search("eigenvalue")
        [index] = self.stage.state.rglob("page.sqlite")
        self.assertEqual(index.stat().st_mode & 0o777, 0o600)
        for damage in (index.unlink, lambda: index.write_bytes(b"x" * 5000), lambda: os.truncate(index, 4096)):
            damage()
            self.assertEqual(list(self.search("eigenvalue")), ["a"])

    def test_a_file_that_was_changed_copied_or_away_is_read_as_it_is(self):
        self.video("a", en=vtt("one eigenvalue"))
        self.video("b", en=vtt("another eigenvalue"))
        self.sync(["a", "b"])
        one, other = sorted(self.stage.library.rglob("*.vtt"))
        # As a copy without times has it, and as a person corrects it.
        os.utime(one, (1, 1))
        other.rename(other.with_suffix(".away"))
        self.assertEqual(set(self.search("eigenvalue")), {"a"})
        other.with_suffix(".away").rename(other)
        self.assertEqual(set(self.search("eigenvalue")), {"a", "b"})

    def test_what_is_gone_is_no_text_that_was_not_read(self):
        for name in ("a", "b", "c"):
            self.video(name, en=vtt("a body is free"))
        self.sync(["a", "b", "c"])
        self.assertEqual(set(self.search("free")), {"a", "b", "c"})
        self.stage.command("remove", "--yes", "la/b")
        run = self.stage.command("search", '"free body"')
        self.assertEqual(run.exit, 1, run)
        self.assertIn("nothing has these words", run.err)
        run = self.stage.command("search", "free")
        self.assertEqual((run.exit, run.err), (0, ""), run)

    def test_a_phrase_is_found_behind_many_videos_that_have_its_words(self):
        for number in range(230):
            free = ["a free", "body", "and a diagram"] if number != 215 else ["a free body diagram"]
            self.video(f"v{number}", en=vtt(*free, "the second law" if number in (5, 215) else "a law, the second"))
        self.sync(list(self.table))
        self.assertEqual(set(self.search('"free body diagram"')), {"v215"})
        # Where some have it, 200 videos are read, or ten times as many as are wanted.
        self.assertEqual(list(self.search('"second law"')), ["v5"])
        self.assertIn("not all texts that have these words were read", self.stage.command("search", '"second law"').err)
        self.assertEqual(list(self.search('"second law"', "--limit", "25")), ["v5", "v215"])
        self.assertEqual(len(self.search("free", "--limit", "1000")), 230)
        # The other way round in one cue, and apart in others: no phrase.
        self.assertEqual(self.search('"body free"', exit=1), {})
        self.assertEqual(len(self.search("free")), 20)
        # The first searches of a library, at once.
        [index] = self.stage.state.rglob("page.sqlite")
        index.unlink()
        started = [self.stage.start("search", "--json", "--limit", "1000", "free") for _ in range(5)]
        for run in [running.end() for running in started]:
            self.assertEqual((run.exit, len(run.out.splitlines())), (0, 230), run)

    def test_after_a_fault_at_any_call_the_next_search_is_whole(self):
        for name in ("a", "b"):
            self.video(name, en=vtt("one eigenvalue"))
        self.sync(["a", "b"])
        record = self.stage.folder / "record"

        def first_search(number, kind):
            for file in self.stage.state.rglob("page.sqlite*"):
                file.unlink()
            record.write_bytes(bytes(4096))
            self.stage.variables = {
                "LD_PRELOAD": faults.shim(), "FAULT_AT": str(number), "FAULT_WITH": kind, "FAULT_RECORD": str(record)}
            run = self.stage.start("search", "--json", "eigenvalue").end()
            self.stage.variables = {}
            return run, struct.unpack("q", record.read_bytes()[:8])[0]

        for kind in ("EIO", "ENOSPC", "EMFILE", "KILL"):
            calls = first_search(1_000_000, kind)[1]
            self.assertGreater(calls, 15)
            for number in faults.tried(calls):
                run, _ = first_search(number, kind)
                self.assertIn(run.exit, (0, 1, 73, -9), (kind, number, run))
                self.assertEqual(set(self.search("eigenvalue")), {"a", "b"}, (kind, number, run))

    def test_a_library_that_is_away_leaves_titles_and_forgets_nothing(self):
        self.video("a", en=vtt("one eigenvalue"))
        self.sync([{"id": "a", "title": "Theorem"}])
        self.search("eigenvalue")
        away = self.stage.folder / "away"
        self.stage.library.rename(away)
        self.assertEqual(list(self.search("theorem")), ["a"])
        self.assertEqual(self.search("eigenvalue", exit=1), {})
        self.assertIn("the library isn't there", self.stage.command("search", "theorem").err)
        shutil.rmtree(self.stage.library, ignore_errors=True)
        away.rename(self.stage.library)
        self.assertEqual(list(self.search("eigenvalue")), ["a"])

    def test_texts_of_strangers_control_nothing(self):
        self.video("a", en=vtt("evil \x1b[2J\u202e eigenvalue <script>alert(1)</script>"))
        self.sync([{"id": "a", "title": "T \u202eitle"}])
        run = self.stage.command("search", "eigenvalue")
        self.assertNotIn("\x1b", run.out)
        self.assertNotIn("\u202e", run.out)
        for text in ('"', "NEAR(", "a AND", "*", "'); DROP TABLE documents; --", "x" * 100_000):
            self.assertIn(self.stage.command("search", text).exit, (1, 64))
        self.assertEqual(list(self.search("eigenvalue")), ["a"])

    def test_shards_are_searched_as_one(self):
        self.video("v", en=vtt("one eigenvalue"))
        self.stage.write([{"id": f"c{n}", "subtitles": "all", "videos": ["v"]} for n in range(6)])
        for shard in (1, 2):
            self.stage.sync("--shard", f"{shard}/2", exit=0)
        run = self.stage.command("search", "--json", "--all-shards", "eigenvalue")
        self.assertEqual(len(run.out.splitlines()), 6, run)

    def test_videos_of_a_course_in_several_states_are_searched_as_one(self):
        names = [f"v{n}" for n in range(8)]
        for name in names:
            self.video(name, en=vtt("one eigenvalue"))
        self.stage.write([{"id": "la", "title": "Linear Algebra", "subtitles": "all", "videos": names}])
        for shard in (1, 2):
            self.stage.sync("--shard", f"{shard}/2", "--shard-by", "video", exit=0)
        self.assertEqual(set(self.search("--all-shards", "eigenvalue")), set(names))
        self.assertEqual(set(self.search("--all-shards", "linear", "algebra")), set(names))


if __name__ == "__main__":
    unittest.main()
