"""Two rules at once: numbers that are kept, ids of earlier versions, moves that were put off, and listings that are doubted."""

import json
import unicodedata
import unittest

import believed
import media
from host import File


class Pairs(unittest.TestCase):
    setUp, warnings = believed.Listed.setUp, believed.Listed.warnings

    def publish(self, *videos, **more):
        """The listing of the course c: ids, or dictionaries."""
        self.host.fallback = lambda x: File(media.mp4(sum(x.request.path.encode()) & 0xFFFF, 4000))(x)
        self.stage.replace(self.folder / "listings.json", json.dumps(
            {"base": self.host.url("/"), "c": {"videos": list(videos), **more}}))

    def course(self, discover=True, **more):
        self.stage.write([{"id": "c", "title": "C", "discover": discover, **more}], provider="lister")

    def names(self):
        return sorted(self.stage.files())

    def dated(self, *days):
        self.publish(*({"id": f"d{day}", "title": f"D{day}", "published_at": f"2026-09-{day:02}T08:00:00Z"} for day in days))


class NumbersAndDoubt(Pairs):
    """`newest: 3` and a layout with numbers, with a listing that is doubted in between."""

    def night(self, exit, *arguments):
        run = self.stage.sync(*arguments, exit=exit)
        self.assertEqual(run.of("download_moved"), [], run)
        return run

    def test_a_doubted_listing_takes_no_numbers_and_gives_none(self):
        self.course({"newest": 3}, layout="jellyfin")
        self.dated(1, 2, 3, 4)
        self.night(0)
        first = [f"C/Season 01/C S01E0{n} D{n + 1}.mp4" for n in (1, 2, 3)]
        self.assertEqual(self.names(), first)
        # Of the three only one is left, and one before them that was never taken.
        self.dated(1, 4)
        for _ in range(2):
            run = self.night(75)
            self.assertIn("lacks 2 of 3 videos", self.warnings(run))
            self.assertEqual((self.names(), run.of("download_finished") + run.of("download_gone")), (first, []))
        # What comes with a doubted listing gets no number that another one gets later.
        self.dated(1, 9)
        self.night(75)
        self.assertEqual(self.names(), first)
        self.dated(1, 2, 3, 4, 5)
        self.night(0)
        five = first + ["C/Season 01/C S01E04 D5.mp4"]
        self.assertEqual(self.names(), five)
        self.dated(1, 9)
        self.night(0, "--accept-listing")
        # d1 was never numbered, though it is older than all of them.
        self.assertEqual(self.names(), sorted(five + ["C/Season 01/C S01E05 D1.mp4", "C/Season 01/C S01E06 D9.mp4"]))
        self.night(0)

    def test_a_dry_run_of_a_doubted_listing_plans_nothing_of_it(self):
        self.course({"newest": 3}, layout="jellyfin")
        self.dated(1, 2, 3)
        self.night(0)
        self.dated(7)
        run = self.stage.sync("--dry-run", "--list", exit=75)
        self.assertEqual(run.of("would_download") + run.of("would_move"), [], run)
        run = self.stage.sync("--dry-run", "--list", "--accept-listing", exit=0)
        self.assertEqual([e["video"] for e in run.of("would_download")], ["d7"], run)
        self.night(0, "--accept-listing")
        self.assertEqual([name for name in self.names() if "D7" in name], ["C/Season 01/C S01E04 D7.mp4"])


class FormerlyInAnotherSpelling(Pairs):
    """An id of a Mac has decomposed characters, and its provider has another id for it now."""

    def test_a_video_keeps_its_file_whichever_spelling_the_old_id_comes_back_in(self):
        name = "Übung-für-Anfänger"
        for old in ("NFC", "NFD"):
            for now in ("NFC", "NFD"):
                with self.subTest(old=old, now=now):
                    self.course()
                    self.publish({"id": unicodedata.normalize(old, name), "title": "Übung"})
                    self.stage.sync("--accept-listing", exit=0)
                    before, formerly = self.names(), unicodedata.normalize(now, name)
                    rows = self.stage.rows("video")
                    self.host.forget()
                    self.publish({"id": "new", "formerly": formerly, "title": "Übung"})
                    for _ in range(2):
                        run = self.stage.sync(exit=0)
                        self.assertEqual(run.of("download_finished") + run.of("download_gone") + run.of("download_moved"), [], run)
                        self.assertEqual((self.names(), self.stage.rows("video"), self.host.asked()), (before, rows, []))

    def test_the_provider_is_asked_for_it_by_the_old_id_as_it_spells_it(self):
        name = unicodedata.normalize("NFD", "Übung")
        self.course()
        self.publish({"id": name, "title": "Eins"})
        self.host.fallback = lambda x: x.answer(404, b"later")
        self.stage.sync("--max-wait", "0")
        self.publish({"id": "new", "formerly": name, "title": "Eins"})
        self.stage.sync("--retry-failed", exit=0)
        asked = [json.loads(line) for line in (self.folder / "asked").read_text().splitlines()]
        ids = [r["params"]["video"]["id"] for r in asked if r["method"] == "resolve"]
        self.assertEqual({id.encode() for id in ids}, {name.encode()})

    def test_a_new_id_in_decomposed_characters_gives_way_to_the_old_one(self):
        name = unicodedata.normalize("NFD", "Übung")
        self.course()
        self.publish({"id": "old", "title": "Eins"})
        self.stage.sync(exit=0)
        before = self.names()
        self.publish({"id": name, "formerly": "old", "title": "Eins"})
        run = self.stage.sync(exit=0)
        self.assertEqual((self.names(), run.of("download_finished")), (before, []), run)
        # Where nobody has the old one, the new one counts.
        self.publish({"id": name, "formerly": "nobody's", "title": "Eins"})
        run = self.stage.sync("--accept-listing", exit=0)
        self.assertEqual([e["video"] for e in run.of("download_finished")], [unicodedata.normalize("NFC", name)])


class PutOff(Pairs):
    """A move that couldn't be made, of a course that changes before it is made."""

    def begin(self):
        self.course()
        self.publish(*({"id": f"v{n}", "title": f"V{n}"} for n in range(4)))
        self.stage.sync(exit=0)
        self.bodies = sorted(self.stage.files().values())
        # The folder of the next title can't be made.
        self.way = self.stage.library / "Next C"
        self.way.write_text("in the way")
        self.course(layout="Next {course}/{title}.{ext}")
        run = self.stage.sync(exit=75)
        self.assertIn("couldn't be moved to Next C/V0.mp4", self.warnings(run))
        self.host.forget()

    def ends(self, *names):
        """All files have these names, none was requested again, and nothing is left over."""
        self.assertEqual(self.names(), sorted(names))
        self.assertEqual((sorted(self.stage.files().values()), self.host.asked()), (self.bodies, []))
        self.assertEqual(list((self.stage.library / ".coursefetch/moving").iterdir()), [])
        again = self.stage.sync(exit=0)
        self.assertEqual(again.of("download_moved") + again.of("warning"), [], again)

    def test_it_is_made_though_the_next_listing_is_doubted(self):
        self.begin()
        self.publish("v9")
        # Still in the way: told again, and both reasons count.
        run = self.stage.sync(exit=75)
        self.assertIn("couldn't be moved to Next C/V0.mp4", self.warnings(run))
        self.assertIn("lacks 4 of 4 videos", self.warnings(run))
        self.way.unlink()
        run = self.stage.sync(exit=75)
        self.assertEqual(len(run.of("download_moved")), 4, run)
        self.assertNotIn("couldn't be moved", self.warnings(run))
        self.publish(*({"id": f"v{n}", "title": f"V{n}"} for n in range(4)))
        self.stage.sync(exit=0)
        self.ends(*(f"Next C/V{n}.mp4" for n in range(4)))

    def test_another_layout_takes_its_place(self):
        self.begin()
        self.course(layout="Other {course}/{title}.{ext}")
        run = self.stage.sync(exit=0)
        self.assertEqual(len(run.of("download_moved")), 4, run)
        self.way.unlink()
        self.ends(*(f"Other C/V{n}.mp4" for n in range(4)))

    def test_the_old_layout_ends_it(self):
        self.begin()
        self.course()
        run = self.stage.sync(exit=0)
        self.assertEqual((run.of("download_moved"), run.of("warning")), ([], []), run)
        self.way.unlink()
        self.ends(*(f"C/0{n + 1} V{n}.mp4" for n in range(4)))

    def test_another_layout_that_is_in_the_way_too_and_a_doubted_listing(self):
        self.begin()
        other = self.stage.library / "Other C"
        other.write_text("in the way")
        self.course(layout="Other {course}/{title}.{ext}")
        self.publish("v9")
        run = self.stage.sync(exit=75)
        self.assertIn("couldn't be moved to Other C/V0.mp4", self.warnings(run))
        self.assertNotIn("Next C/", self.warnings(run))
        dry = self.stage.sync("--dry-run", exit=0)
        self.assertEqual(sorted({e["path"] for e in dry.of("would_move")}), [f"Other C/V{n}.mp4" for n in range(4)], dry)
        other.unlink()
        self.way.unlink()
        self.stage.sync(exit=75)
        self.publish(*({"id": f"v{n}", "title": f"V{n}"} for n in range(4)))
        self.stage.sync(exit=0)
        self.ends(*(f"Other C/V{n}.mp4" for n in range(4)))
