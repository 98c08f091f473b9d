"""The provider `internet-archive` against a stand-in that answers as the archive's own client expects it."""

import json

import media
import stage
from archive_host import Archive
from asking import CANARY, ODD, Case, altered
from folders import fetch


class InternetArchive(Case):
    provider_name = "internet-archive"

    def archive(self):
        self.site = Archive(self)
        self.site.user("anna@example.org", CANARY, "anna")
        return {"endpoint": self.site.base}

    def login(self, provider):
        return provider.login({"endpoint": self.site.base}, {"email": "anna@example.org", "password": CANARY})

    def test_an_item_with_folders_and_odd_names(self):
        where = {**self.archive(), "item": "optics"}
        item = self.site.item("optics", "Optics &amp; <Light>")
        names = [name for name in ODD if "/" not in name]
        for name in names:
            item.video(f"part 2/{name}.mp4", media.mp4(name, 3000))
        for number in (10, 9):
            item.video(f"lecture {number}.mov", media.mp4(number, 3000), derivatives={
                "h.264": media.mp4(f"{number} small", 900), "512Kb MPEG4": media.mp4(f"{number} smaller", 400)}, size=(1280, 720))
        item.derive("lecture 9.mp4", "SubRip", "1\n00:00:00,000 --> 00:00:01,000\nHi\n")
        item.derive("lecture 9.mp4", "Web Video Text Tracks", "WEBVTT\n")
        item.derive("lecture 9.mov", "Thumbnail", b"\xff\xd8 a picture")
        item.add("lecture 10.pdf", b"%PDF-1.4")
        item.add("lecture 10.de.vtt", "WEBVTT \n")
        item.add("notes.pdf", b"%PDF-1.5")
        provider = self.provider()
        listing = provider.list(where)
        self.assertEqual((listing["title"], [v["title"] for v in listing["videos"]]), (
            "Optics &amp; <Light>", ["lecture 9", "lecture 10"]))
        self.assertEqual([(c["title"], len(c["videos"])) for c in listing["chapters"]], [("part 2", len(names))])
        for video in listing["all"]:
            got = provider.resolve(where, video)
            self.assertEqual(video["resolved"], got)
            name = video["id"].removeprefix("optics/")
            self.assertEqual(fetch(got), item.files[name].content)
            self.assertEqual(len(got["checksums"]["sha1"]), 40)
        first, second = (provider.resolve(where, video) for video in listing["videos"])
        self.assertEqual([(s["lang"], fetch(s)) for s in first["subtitles"]], [("und", b"WEBVTT\n")])
        self.assertEqual(fetch({"url": first["cover"]}), b"\xff\xd8 a picture")
        self.assertEqual([(s["lang"], fetch(s)) for s in second["subtitles"]], [("de", b"WEBVTT \n")])
        self.assertEqual([(a["title"], fetch(a)) for a in second["attachments"]], [("PDF", b"%PDF-1.4")])
        for quality, size in (("best", 3000), ("720p", 3000), ("480p", 400), ("worst", 400), ("audio", 400)):
            got = provider.resolve(where, listing["videos"][0], quality=[quality])
            self.assertEqual((len(fetch(got)), got["size"]), (size, size), quality)
        self.assertTrue(provider.page(where, known=listing["known"])["unchanged"])
        item.replace(f"part 2/{names[0]}.mp4", media.mp4("new", 3000))
        self.assertNotIn("unchanged", provider.page(where, known=listing["known"]))

    def test_sound_is_sound(self):
        where = {**self.archive(), "item": "talks"}
        item = self.site.item("talks", "Talks", mediatype="audio")
        for number in range(3):
            item.video(f"talk{number}.flac", b"f" * 5000, "Flac", {"VBR MP3": b"m" * 800, "64Kbps MP3": b"l" * 300},
                       title=f"Talk {number}", seconds=0.1)
        provider = self.provider()
        listing = provider.list(where)
        self.assertEqual([v["title"] for v in listing["videos"]], ["Talk 0", "Talk 1", "Talk 2"])
        for quality, size in (("best", 5000), ("audio", 5000), ("worst", 300), ("100k", 800)):
            self.assertEqual(provider.resolve(where, listing["ids"][0], quality=[quality])["size"], size, quality)

    def test_a_collection_and_what_happens_to_its_items(self):
        where = {**self.archive(), "collection": "films"}
        self.site.collection("films", "Films")
        for number in range(1203):
            item = self.site.item(f"film{number:04}", f"Film {number}", collection=["films"],
                                  publicdate=f"2019-03-01 10:{number // 60:02}:{number % 60:02}")
            item.video("film.mp4", media.mp4(number, 300))
        provider = self.provider()
        self.assertIn("courses_of", self.refused(lambda: provider.list(where), "invalid_parameters").message)
        courses = provider.ask("courses", {"parameters": where, "cursor": None})["courses"]
        self.assertEqual([c["parameters"] for c in courses], [{"item": f"film{n:04}"} for n in range(1203)])
        for number in range(20, 1203):
            self.site.vanish(f"film{number:04}")
        several = self.site.items["film0003"]
        several.video("more/second.mp4", media.mp4("second", 300))
        listing = provider.list(where)
        self.assertEqual((listing["title"], [v["title"] for v in listing["videos"]]), (
            "Films", [f"Film {n}" for n in range(20) if n != 3]))
        self.assertEqual([(c["title"], [v["title"] for v in c["videos"]]) for c in listing["chapters"]], [
            ("Film 3", ["film"]), ("Film 3 / more", ["second"])])
        asked = len(self.site.requests)
        self.assertTrue(provider.page(where, known=listing["known"])["unchanged"])
        self.assertEqual(len(self.site.requests), asked + 1)
        # Found, but its metadata isn't there for one night.
        several.replace("film.mp4", media.mp4("changed", 400))
        for change in (lambda value: {}, lambda value: {"is_dark": True}, lambda value: {**value, "files": []},
                       lambda value: {**value, "files": value["files"][1:]}, lambda value: {**value, "files": [None, *value["files"][1:]]}):
            end = altered(self.site, lambda request, value: change(value) if request.place == "/metadata/film0008" else value)
            error = self.refused(lambda: provider.list(where, known=listing["known"]), "unavailable")
            self.assertIn("film0008", error.message)
            end()
        self.site.vanish("film0007", listed=True)
        self.assertIn("film0007", self.refused(lambda: provider.list(where, known=listing["known"]), "unavailable").message)
        self.site.vanish("film0007")
        again = provider.list(where, known=listing["known"])
        self.assertEqual(set(listing["ids"]) - set(again["ids"]), {"film0007/film.mp4"})
        self.site.end_early, self.site.most = True, 10
        self.refused(lambda: provider.list(where))
        self.site.most, self.site.least = 10000, 1
        self.refused(lambda: provider.list({**where, "collection": "film0001"}), "invalid_parameters")
        self.refused(lambda: provider.list({**self.where(), "item": "films"}), "invalid_parameters")

    def where(self):
        return {"endpoint": self.site.base}

    def test_what_is_not_there_or_not_yet(self):
        where = self.archive()
        provider = self.provider()
        for missing in ({}, []):
            self.site.missing = missing
            for parameters in ({"item": "nothing"}, {"collection": "nothing"}):
                self.refused(lambda: provider.list({**where, **parameters}), "not_found")
            self.refused(lambda: provider.resolve(where, "nothing/a.mp4"), "not_found")
        for video in ("nothing", "a b/c", "../a/b", "", "/", "a/../b", "é/a.mp4"):
            self.refused(lambda: provider.resolve(where, video), "not_found")
        for parameters in ({}, {"item": "a", "collection": "b"}, {"item": "a b"}, {"collection": "a) OR (b"}, {"item": ".."}):
            self.refused(lambda: provider.list({**where, **parameters}), "invalid_parameters")
        item = self.site.item("new", "New")
        item.video("a.mp4", media.mp4("a", 300))
        item.unready = True
        self.refused(lambda: provider.list({**where, "item": "new"}), "not_ready")
        self.refused(lambda: provider.resolve(where, "new/a.mp4"), "not_ready")
        item.unready = False
        self.assertEqual(provider.list({**where, "item": "new"})["ids"], ["new/a.mp4"])
        item.dark = True
        self.refused(lambda: provider.list({**where, "item": "new"}), "gone")
        item.dark, item.error = False, "the node is away"
        self.refused(lambda: provider.list({**where, "item": "new"}), "unavailable")
        self.site.item("book", "A book", mediatype="texts").add("book.pdf", b"%PDF")
        self.refused(lambda: provider.list({**where, "item": "book"}), "not_found")

    def test_files_for_some(self):
        where = self.archive()
        item = self.site.item("mixed", "Mixed")
        item.video("a.mov", media.mp4("a", 3000), derivatives={"h.264": media.mp4("small", 900)}, private=True)
        item.video("b.mov", media.mp4("b", 3000), private=True)
        provider = self.provider()
        listing = provider.list({**where, "item": "mixed"})
        # The derived form of the first is free.
        self.assertEqual(provider.resolve(where, listing["ids"][0])["size"], 900)
        self.assertIn("some accounts", self.refused(lambda: provider.resolve(where, "mixed/b.mov"), "auth_required").message)
        login = self.login(provider)
        token = provider.resolve(where, "mixed/b.mov", credentials=login)["token"]
        access, secret = self.site.keys_of("anna@example.org")
        self.assertEqual((token["prefix"], token["value"]), ("LOW ", f"{access}:{secret}"))
        self.assertEqual(set(token["origins"]), {self.site.base, *[node.base for node in self.site.nodes]})
        self.assertNotIn("token", provider.resolve(where, listing["ids"][0], credentials=login))
        # Keys are for the archive's machines, whatever the metadata names.
        named = ["ia1.us.archive.org", "evil.example.com", "evilarchive.org", "archive.org.evil.com", "x@archive.org", "evil.com#.archive.org",
                 "archive.org", "127.0.0.1:9"]
        end = altered(self.site, lambda request, value: {**value, "server": named[0], "d1": named[1], "d2": named[2], "workable_servers": named})
        token = provider.resolve(where, "mixed/b.mov", credentials=login)["token"]
        self.assertEqual(set(token["origins"]), {self.site.base, "http://ia1.us.archive.org", "http://127.0.0.1:9"})
        end()
        refusal = {"reason": "rejected", "status": 403, "bytes": 0, "server": self.site.nodes[0].base}
        self.refused(lambda: provider.resolve(where, "mixed/b.mov", credentials=login, previous=refusal), "forbidden")
        # A file that nothing marks and that wants a login anyway.
        self.refused(lambda: provider.resolve(where, "mixed/a.mov", previous=refusal), "auth_required")
        self.assertIn("token", provider.resolve(where, "mixed/a.mov", credentials=login, previous=refusal))

    def test_logins_and_favourites(self):
        where = self.archive()
        provider = self.provider()
        step = provider.ask("login", {"parameters": where, "secrets": {}})
        self.assertEqual([q["name"] for q in step["ask"]], ["email", "password"])
        self.site.user("bob@example.org", "x", state="account_locked")
        for status in (200, 401):
            self.site.login_status = status
            for email, password in (("anna@example.org", "wrong"), ("nobody@example.org", "x"), ("bob@example.org", "x")):
                self.refused(lambda: provider.login(where, {"email": email, "password": password}), "auth_required")
        login = self.login(provider)
        self.refused(lambda: provider.ask("courses", {"parameters": where, "cursor": None}), "auth_required")
        self.site.item("one", "One").video("a.mp4", b"x" * 300)
        self.site.collection("many", "Many")
        self.site.favorite("anna", "one", "many")
        courses = provider.ask("courses", {"parameters": where, "cursor": None}, credentials=login)["courses"]
        self.assertEqual(sorted((c["title"], str(c["parameters"])) for c in courses), [
            ("Many", "{'collection': 'many'}"), ("One", "{'item': 'one'}")])

    def test_addresses(self):
        self.archive()
        self.site.collection("films", "Films")
        item = self.site.item("film", "A film")
        item.video("a/b c.mov", media.mp4("a", 300), derivatives={"h.264": b"x" * 100})
        provider = self.provider()

        def recognised(path):
            return provider.ask("recognise", {"address": self.site.base + path})

        endpoint = self.where()
        for path in ("/details/film", "/embed/film", "/download/film", "/details/film?autoplay=1", "/details/film#x"):
            self.assertEqual(recognised(path), {"course": {"title": "A film", "parameters": {**endpoint, "item": "film"}}})
        self.assertEqual(recognised("/details/films")["course"]["parameters"], {**endpoint, "collection": "films"})
        for path in ("/details/film/a/b%20c.mov", "/download/film/a/b%20c.mp4"):
            self.assertEqual(recognised(path)["video"], {"id": "film/a/b c.mov", "title": "A film", "parameters": endpoint})
        for path in ("/about", "/details/@anna", "/details/film/none.mp4"):
            self.assertEqual(recognised(path), {})
        self.refused(lambda: recognised("/details/nothing"), "not_found")

    def test_a_sync_whose_nodes_break_off_move_and_want_a_login(self):
        where = self.archive()
        item, private = self.site.item("open", "Open"), self.site.item("closed", "Closed")
        big, secret = media.mp4("big", 2_000_000), media.mp4("secret", 1_500_000)
        item.video("big.mp4", big)
        private.video("secret.mp4", secret)
        private.restricted = True
        private.allow("anna@example.org")
        refused = self.site.item("refused", "Refused")
        refused.video("no.mp4", media.mp4("no", 3000))
        refused.restricted = True
        scene = stage.Stage()
        self.addCleanup(scene.close)
        scene.write([{"id": name, "provider": "internet-archive", "parameters": {**where, "item": name}, "discover": True}
                     for name in ("open", "closed", "refused")])
        secrets = scene.folder / "secrets.json"
        secrets.write_text(json.dumps({"email": "anna@example.org", "password": CANARY}))
        secrets.chmod(0o600)
        run = scene.command("login", "--provider", "internet-archive", "--secrets-from", secrets,
                            "--set", "endpoint=" + self.site.base)
        self.assertEqual(run.exit, 0, run)
        self.site.break_after = {"big.mp4": 700_000, "secret.mp4": 500_000}
        run = scene.sync()
        files = scene.files()
        for name, content in (("big.mp4", big), ("secret.mp4", secret)):
            self.assertIn(content, files.values(), run)
            self.assertTrue([a for a in self.site.requests if a.path.endswith(name) and a.range], "it goes on where it was")
        self.assertEqual([(e["course"], e["error"]["kind"]) for e in run.of("download_failed")], [("refused", "forbidden")], run)
        self.assertEqual({a.user for a in self.site.requests if a.path.endswith("big.mp4")}, {None})
        second = scene.sync()
        self.assertFalse([e for e in second.of("download_started") if "no.mp4" not in json.dumps(e)], second)
