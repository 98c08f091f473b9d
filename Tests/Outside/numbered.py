"""The numbers in names: whose they are, that they stay, and that none meets another. Against the built program."""

import json
import re
import unittest

import stage
import version_11
from asking import Case
from feeds import podcast
from host import File, Host
from version_11 import content, episodes, shelf


class Numbers(unittest.TestCase):
    def setUp(self):
        self.scene, self.host = stage.Stage(), Host()
        self.addCleanup(self.scene.close)
        self.addCleanup(self.host.close)
        self.host.fallback = lambda x: File(content(*x.request.path[1:].removesuffix(".mp4").split("/")))(x)

    def shelf(self, **listings):
        shelf(self.scene, self.host.url(""), listings)

    def night(self, *arguments, exit=0, seconds=100):
        return self.scene.sync("--accept-listing", *arguments, exit=exit, seconds=seconds)

    def names(self, pattern=""):
        return [name for name in self.scene.files() if pattern in name and not name.endswith((".nfo", ".m3u8", ".html"))]

    def moved(self, run):
        return [(e.get("from"), e.get("to")) for e in run.of("download_moved")]

    def test_two_new_episodes_with_newest_3_get_numbers_of_their_own(self):
        self.scene.write([{"id": "show", "layout": "jellyfin", "discover": {"newest": 3}}], provider="shelf")
        for last in (31, 33):
            self.shelf(show={"title": "Show", "videos": episodes(range(15, last + 1))})
            run = self.night("--write-nfo", "--write-playlist", "--write-index")
            self.assertEqual(self.moved(run), [])
        self.assertEqual(self.names(), [f"Show/Season 01/Show S01E0{n} Folge {n + 28}.mp4" for n in range(1, 6)])
        folder = self.scene.library / "Show"
        # What is gone keeps its place beside the media; on the page it comes last.
        for n in range(1, 6):
            text = (folder / f"Season 01/Show S01E0{n} Folge {n + 28}.nfo").read_text()
            self.assertIn(f"<episode>{n}</episode>", text)
        ours = [line for line in (folder / "playlist.m3u8").read_text().splitlines() if not line.startswith("#")]
        self.assertEqual([re.search(r"Folge \d+", line)[0] for line in ours], [f"Folge {n}" for n in range(29, 34)])
        page = (folder / "index.html").read_text()
        self.assertEqual(re.findall(r'<li value="(\d+)"', page), ["3", "4", "5", "1", "2"])
        # Even when they are removed, the others stay.
        pruned = self.night("--write-nfo", "--prune", "--max-delete", "9")
        self.assertEqual(len(pruned.of("download_removed")), 2)
        self.assertEqual(self.moved(self.night("--write-nfo")), [])
        self.assertFalse((folder / "Season 01/Show S01E01 Folge 29.nfo").exists())

    def test_the_first_of_two_thousand_listed_files_goes_and_none_of_the_others_moves(self):
        self.scene.write([{"id": "files", "discover": True}], provider="shelf")
        files = [f"file-{n:04}" for n in range(1, 2001)]
        self.shelf(files={"title": "Files", "videos": files})
        self.night("--jobs", "8")
        before = self.names()
        self.assertEqual(len(before), 2000)
        self.shelf(files={"title": "Files", "videos": files[1:] + ["new"]})
        run = self.night()
        self.assertEqual(self.moved(run), [])
        self.assertEqual([e["video"] for e in run.of("download_finished")], ["new"])
        self.assertEqual(sorted(set(self.names()) - set(before)), ["Files/2001 new.mp4"])
        again = self.night()
        self.assertEqual(self.moved(again) + again.of("download_finished"), [])

    def test_a_state_of_version_11_keeps_all_names(self):
        for offered in ("as before", "with numbers of the source", "with a file less and one more"):
            with self.subTest(offered):
                self.scene = stage.Stage()
                self.addCleanup(self.scene.close)
                version_11.lay_out(self.scene)
                version_11.write(self.scene, 3)
                listings = version_11.listings(3)
                if offered == "with numbers of the source":
                    season = listings["show"]["chapters"][0]
                    season["season"] = 2
                    for video in season["videos"]:
                        video["episode"] = int(video["id"][1:])
                if offered == "with a file less and one more":
                    del listings["files"]["videos"][4], listings["pod"]["videos"][1]
                    listings["files"]["videos"].append("file-031")
                self.shelf(**listings)
                before = self.scene.files()
                run = self.night()
                self.assertEqual(self.moved(run), [])
                more = {"Files/30 file-031.mp4": content("files", "file-031")} if "more" in offered else {}
                self.assertEqual(self.scene.files(), {**before, **more})
                self.assertEqual([e["video"] for e in run.of("download_finished")], ["file-031"] if more else [])
                again = self.night()
                self.assertEqual(self.moved(again) + again.of("download_finished"), [])
                # What comes now has its source's number, and meets none.
                listings["show"]["chapters"][0]["videos"] += [
                    {**video, "episode": 90 + n} for n, video in enumerate(episodes([90, 91]))]
                self.scene.write([{"id": "show", "layout": "jellyfin", "discover": {"newest": 9}}], provider="shelf")
                self.shelf(**listings)
                self.assertEqual(self.moved(self.night(exit=(0, 1))), [])
                folder = "Show/Season 01/Show S01E"
                self.assertTrue({folder + "90 Folge 90.mp4", folder + "91 Folge 91.mp4"} <= set(self.names()), self.names())

    def test_another_layout_gives_old_names_the_numbers_of_the_source(self):
        version_11.lay_out(self.scene)
        listings = version_11.listings(3)
        season = listings["show"]["chapters"][0]
        season["season"] = 2
        for video in season["videos"]:
            video["episode"] = int(video["id"][1:])
        self.shelf(**listings)
        self.scene.write([{"id": "show", "layout": "plex", "discover": {"newest": 3}}], provider="shelf")
        self.night(exit=(0, 1))
        found = self.names("Season 02")
        self.assertEqual(found, [f"Show/Season 02/Show - s02e{n} - Folge {n}.mp4" for n in (32, 33, 34)])

    def test_two_equal_numbers_of_a_source_are_two_in_the_library(self):
        self.scene.write([{"id": "show", "layout": "jellyfin", "discover": True}], provider="shelf")
        def listed(*numbers):
            videos = [{"id": f"v{n}", "title": f"V{n}", "episode": number} for n, number in enumerate(numbers)]
            return {"title": "Show", "chapters": [{"id": "c", "title": "C", "season": 4, "videos": videos}]}
        self.shelf(show=listed(7, 7, 8))
        self.night()
        folder = "Show/Season 04/Show S04E"
        self.assertEqual(self.names(), [folder + "07 V0.mp4", folder + "08 V2.mp4", folder + "1001 V1.mp4"])
        # The source corrects it, and the next one comes.
        self.shelf(show=listed(6, 7, 8, 9))
        self.night()
        self.assertEqual(
            self.names(), [folder + f"0{n} V{v}.mp4" for n, v in ((6, 0), (7, 1), (8, 2), (9, 3))])

    def test_a_catalog_numbers_by_hand_what_it_writes(self):
        def write(*videos, **chapter):
            self.scene.write([{"id": "c", "title": "C", "chapters": [
                {"id": "s", "title": "S", "videos": [{"id": v} if isinstance(v, str) else v for v in videos], **chapter}]}],
                provider="shelf", layout="jellyfin")
        self.shelf()
        write("a", {"id": "b", "episode": 7}, "d", season=3)
        self.night()
        folder = "C/Season 03/C S03E"
        self.assertEqual(self.names(), [folder + "01 a.mp4", folder + "07 b.mp4", folder + "08 d.mp4"])
        # What is gone keeps its number; what is written anew is placed by hand.
        write("e", {"id": "b", "episode": 7}, "d", season=3)
        self.night()
        self.assertEqual(
            self.names(), [folder + "01 a.mp4", folder + "02 e.mp4", folder + "07 b.mp4", folder + "08 d.mp4"])
        write({"id": "b", "episode": 100_000_000}, season="three")
        refused = self.scene.command("check", self.scene.catalog)
        self.assertEqual(refused.exit, 65)
        for key in ("episode", "season"):
            self.assertIn(f"'{key}' takes a whole number from 0 to 99999999", refused.out + refused.err)

    def test_a_dry_run_shows_the_numbers_that_a_sync_gives(self):
        self.scene.write([{"id": "show", "discover": True}], provider="shelf")
        self.shelf(show={"title": "Show", "videos": ["a", "b"]})
        self.night()
        self.shelf(show={"title": "Show", "videos": ["new", "b"]})
        self.night("--no-discover")
        self.night()
        self.assertEqual(self.names(), ["Show/01 a.mp4", "Show/02 b.mp4", "Show/03 new.mp4"])
        dry = self.scene.sync("--dry-run", exit=0)
        self.assertEqual([e for e in dry.events if "moved" in e["event"]], [])


class FeedNumbers(Case):
    provider_name = "feed"

    def test_episodes_and_seasons_of_itunes_are_those_of_the_names(self):
        base = self.nginx("")
        scene = stage.Stage()
        self.addCleanup(scene.close)
        for n in range(40):
            self.write(content("show", str(n)), "www", "media", f"{n}.mp4")

        def publish(*numbers):
            podcast(
                [{"id": f"g{n}", "title": f"Folge {n}", "days": n, "season": 2, "episode": n} for n in numbers]
                + [{"id": "bonus", "title": "Bonus", "days": 1, "season": 2}], base).rss_file(self.path("www", "feed.xml"))

        scene.write([{"id": "show", "layout": "jellyfin", "discover": {"newest": 3}, "title": "Show",
                      "parameters": {"endpoint": base + "/feed.xml"}}], provider="feed")
        publish(*range(25, 32))
        scene.sync(exit=0)
        publish(*range(25, 34))
        run = scene.sync(exit=0)
        self.assertEqual(run.of("download_moved"), [])
        folder = "Show/Season 02/Show S02E"
        self.assertEqual(list(scene.files()), [folder + f"{n} Folge {n}.mp4" for n in range(29, 34)])
        # One without a number stands where the next numbers of the source aren't.
        scene.write([{"id": "show", "layout": "jellyfin", "discover": True, "title": "Show",
                      "parameters": {"endpoint": base + "/feed.xml"}}], provider="feed")
        scene.sync(exit=0)
        self.assertEqual(
            list(scene.files()), [folder + "1001 Bonus.mp4"] + [folder + f"{n} Folge {n}.mp4" for n in range(25, 34)])
        listed = scene.command("catalog from feed", f"endpoint={base}/feed.xml", "--expand")
        self.assertIn("episode: 33", listed.out)
        self.assertIn("season: 2", listed.out)


if __name__ == "__main__":
    unittest.main()
