"""The provider `feed` against feeds made by feedgen and served by nginx."""

import datetime
import os

import stage
from asking import CANARY, ODD, Case, Scripted

UTC = datetime.timezone.utc


def podcast(episodes, base, **more):
    """A podcast of these: dictionaries with id, title, season, episode, days, url."""
    from feedgen.feed import FeedGenerator
    feed = FeedGenerator()
    feed.load_extension("podcast")
    feed.id(base)
    feed.title(more.get("title", "Classical Mechanics"))
    feed.link(href=base)
    feed.description("Lectures")
    feed.podcast.itunes_image(base + "/cover.jpg")
    for episode in episodes:
        entry = feed.add_entry(order="append")
        entry.id(episode["id"])
        entry.title(episode.get("title", episode["id"]))
        entry.description(episode.get("description", "<p>About &amp; around <b>it</b></p>"))
        entry.published(datetime.datetime(2026, 10, 1, 8, tzinfo=UTC) + datetime.timedelta(days=episode.get("days", 0)))
        entry.link(href=base + "/page")
        if episode.get("url", True):
            entry.enclosure(episode.get("url", f"{base}/media/{episode.get('days', 0)}.mp4"), "12345", "video/mp4")
        if "season" in episode:
            entry.podcast.itunes_season(episode["season"])
        if "episode" in episode:
            entry.podcast.itunes_episode(episode["episode"])
        entry.podcast.itunes_duration(episode.get("duration", "1:02:03"))
    return feed


class Feeds(Case):
    provider_name = "feed"

    def test_a_podcast_is_listed_by_season_and_episode(self):
        base = self.nginx("")
        podcast([
            {"id": "x", "title": "Trailer", "days": 0}, {"id": "s2e1", "days": 9, "season": 2, "episode": 1},
            {"id": "s1e10", "days": 3, "season": 1, "episode": 10}, {"id": "s1e2", "days": 8, "season": 1, "episode": 2},
            {"id": "s1e1", "days": 7, "season": 1, "episode": 1}, {"id": "no media", "days": 2, "url": None},
        ], base).rss_file(self.path("www", "feed.xml"))
        provider = self.provider()
        listing = provider.list({"endpoint": base + "/feed.xml"})
        self.assertEqual(listing["title"], "Classical Mechanics")
        self.assertEqual(listing["cover"], base + "/cover.jpg")
        self.assertEqual([(c["title"], [v["id"] for v in c["videos"]]) for c in listing["chapters"]],
                         [("Season 1", ["s1e1", "s1e2", "s1e10"]), ("Season 2", ["s2e1"])])
        self.assertEqual(listing["videos"], [{
            "id": "x", "title": "Trailer", "description": "About & around it", "published_at": "2026-10-01T08:00:00Z",
            "duration": 3723, "parameters": {"enclosure": base + "/media/0.mp4", "media_type": "video/mp4"}}])
        newest = provider.list({"endpoint": base + "/feed.xml", "order": "newest"})
        self.assertEqual(newest["ids"], ["x", "s2e1", "s1e10", "s1e2", "s1e1"])
        before = len(self.requests())
        got = provider.resolve({"endpoint": base + "/feed.xml"}, listing["videos"][0])
        self.assertEqual(got, {"url": base + "/media/0.mp4", "kind": "file", "media_type": "video/mp4"})
        self.assertEqual(len(self.requests()), before, "a listed address needs no request")
        # After a refusal the feed has the last word.
        moved = {"id": "x", "parameters": {"enclosure": base + "/old.mp4"}}
        got = provider.resolve({"endpoint": base + "/feed.xml"}, moved, previous={"reason": "rejected", "status": 404, "bytes": 0})
        self.assertEqual(got["url"], base + "/media/0.mp4")
        self.assertEqual(len(self.requests()), before + 1)

    def test_atom_is_listed_by_date(self):
        base = self.nginx("")
        feed = podcast([{"id": f"urn:{n}", "days": n} for n in (3, 1, 2)], base)
        # feedgen 1.0 writes links in Atom without their rel.
        text = feed.atom_str().decode().replace('.mp4"/>', '.mp4" rel="enclosure"/>')
        self.write(text, "www", "atom.xml")
        listing = self.provider().list({"endpoint": base + "/atom.xml"})
        self.assertEqual(listing["ids"], ["urn:1", "urn:2", "urn:3"])
        self.assertEqual(listing["all"][0]["published_at"], "2026-10-02T08:00:00Z")

    def test_an_unchanged_feed_costs_one_request_and_no_body(self):
        base = self.nginx("")
        episodes = [{"id": f"{n}", "days": n} for n in range(5)]
        podcast(episodes, base).rss_file(self.path("www", "feed.xml"))
        where = {"endpoint": base + "/feed.xml"}
        provider = self.provider()
        first = provider.list(where)
        second = provider.page(where, known=first["known"])
        self.assertTrue(second["unchanged"])
        self.assertEqual([s for _, _, s in self.requests()], [200, 304])
        # Another process, and a file that was written anew with the same episodes.
        os.utime(self.path("www", "feed.xml"), (0, 0))
        third = self.provider().page(where, known=first["known"])
        self.assertTrue(third["unchanged"])
        self.assertNotEqual(third["known"], first["known"], "the new validator")
        podcast(episodes + [{"id": "new", "days": 9}], base).rss_file(self.path("www", "feed.xml"))
        self.assertEqual(provider.list(where, known=third["known"])["ids"], ["0", "1", "2", "3", "4", "new"])

    def test_a_private_feed_wants_its_login_and_its_addresses_are_not_stored(self):
        self.password_file("anna", CANARY)
        base = self.nginx("location /private/ { auth_basic x; auth_basic_user_file ../passwords; }".replace(
            "../", self.folder + "/"))
        feed = podcast([{"id": "1", "url": f"{base}/private/1.mp4?token={CANARY}"},
                        {"id": "2", "days": 1, "url": f"{base}/private/2.mp4"}], base)
        feed.rss_file(self.path("www", "private", "feed.xml"))
        where = {"endpoint": base + "/private/feed.xml"}
        provider = self.provider()
        self.assertIn("asks for a login", self.refused(lambda: provider.list(where), "auth_required").message)
        wrong = self.refused(lambda: provider.login(where, {"username": "anna", "password": "no"}), "auth_required")
        self.assertIn("refuses this login", wrong.message)
        self.refused(lambda: provider.login({}, {"username": "anna", "password": CANARY}), "invalid_parameters")
        credentials = provider.login(where, {"username": "anna", "password": CANARY})
        listing = provider.list(where, credentials=credentials)
        self.assertEqual(listing["ids"], ["1", "2"])
        self.assertTrue(all("parameters" not in v for v in listing["all"]), listing["all"])
        before = len(self.requests())
        for video in listing["all"]:
            got = provider.resolve(where, video, credentials=credentials)
            self.assertTrue(got["url"].startswith(f"{base}/private/{video['id']}.mp4"))
            self.assertEqual((got["token"]["name"], got["token"]["prefix"]), ("Authorization", "Basic "))
        self.assertEqual(len(self.requests()), before, "just listed")
        # A login is for its server: a catalog can't have it sent elsewhere.
        stranger = Scripted(self, lambda request: request.reply(401))
        self.refused(lambda: provider.list({"endpoint": stranger.url + "/feed"}, credentials=credentials), "auth_required")
        self.assertNotIn("Authorization", stranger.seen[0][2])

    def test_many_episodes_come_in_pages_and_odd_ids_come_back(self):
        base = self.nginx("")
        episodes = [{"id": f"{n} {ODD[n % len(ODD)]}".replace("\t", " "), "days": n, "description": "x" * 900}
                    for n in range(3000)]
        podcast(episodes, base).rss_file(self.path("www", "feed.xml"))
        where = {"endpoint": base + "/feed.xml"}
        provider = self.provider()
        listing = provider.list(where)
        self.assertGreater(listing["pages"], 5)
        self.assertEqual(listing["ids"], [e["id"] for e in episodes])
        self.assertEqual(len(self.requests()), 1)
        self.assertTrue(provider.page(where, known=listing["known"])["unchanged"])
        for video in listing["all"][:len(ODD)]:
            got = provider.resolve(where, video["id"])
            self.assertEqual(got["url"], video["parameters"]["enclosure"])
        # A process that was started anew in the middle goes on with the page that is wanted.
        first = provider.page(where)
        again = self.provider().page(where, cursor=first["next"])
        self.assertEqual(again, provider.page(where, cursor=first["next"]))

    def test_feeds_as_they_are_found(self):
        body = """<?xml version="1.0" encoding="iso-8859-1"?>
<!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN" "http://127.0.0.1:1/rss.dtd">
<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/" xmlns:podcast="https://podcastindex.org/namespace/1.0"
     xmlns:atom="http://www.w3.org/2005/Atom">
<channel><title>\xdcbung</title>%s
<item><title>A &amp;amp; B</title><enclosure url="media/a b.mp4?x=1" type=""/><podcast:season name="Winter">3</podcast:season></item>
<item><guid>m</guid><undeclared:x/><media:group><media:content url="/s.mp4" height="360" type="video/mp4"/>
  <media:content url="/l.mp4" height="1080" type="video/mp4" duration="12.5"/></media:group></item>
<item><guid>h</guid><enclosure url="https://cdn.example.org/x/master.m3u8" type="application/x-mpegURL"/></item>
<item><guid>h</guid><enclosure url="https://cdn.example.org/again.mp4" type="video/mp4"/></item>
<item><guid>pdf</guid><enclosure url="/notes.pdf" type="application/pdf"/></item>
<item><guid>script</guid><enclosure url="javascript:alert(1)" type="video/mp4"/></item>
</channel></rss>"""
        server = Scripted(self, lambda r: r.reply(
            200, (body % ('<atom:link rel="next" href="?page=2"/>' if "page" not in r.path else "")).replace(
                "<guid>", "<guid>2-" if "page" in r.path else "<guid>").encode("latin-1"), Content_Type="text/xml"))
        where = {"endpoint": server.url + "/feeds/all.xml", "order": "feed"}
        provider = self.provider()
        listing = provider.list(where)
        self.assertEqual(listing["title"], "Übung")
        self.assertEqual(listing["chapters"][0]["title"], "Winter")
        self.assertEqual(listing["chapters"][0]["videos"],
                         [{"id": server.url + "/feeds/media/a%20b.mp4", "title": "A & B"}])
        self.assertEqual([v["id"] for v in listing["videos"]], ["m", "h", "2-m", "2-h"])
        self.assertEqual(listing["videos"][0]["duration"], 12.5)
        self.assertEqual(listing["videos"][0]["parameters"]["enclosure"], server.url + "/l.mp4")
        self.assertEqual(provider.resolve(where, listing["videos"][1])["kind"], "hls")
        self.assertEqual(provider.resolve(where, listing["chapters"][0]["videos"][0])["url"],
                         server.url + "/feeds/media/a%20b.mp4?x=1")
        self.refused(lambda: provider.resolve(where, "gone"), "not_found")

    def test_sound_alone_is_kept_as_sound_and_needs_no_picture(self):
        base = self.nginx("")
        sound = {name: b"ID3" + bytes(3000 + n) for n, name in enumerate(("1.mp3", "2", "3.ogg"))}
        for name, body in sound.items():
            self.write(body, "www", "media", name)
        self.write(bytes.fromhex("ffd8ffe0") + bytes(500), "www", "cover.jpg")
        self.write("""<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
     xmlns:media="http://search.yahoo.com/mrss/">
<channel><title>Sound</title><image><url>/cover.jpg</url></image>
<item><guid>c</guid><title>Three</title><media:content url="/media/3.ogg" medium="audio" duration="61"/></item>
<item><guid>b</guid><title>Two</title><enclosure url="/media/2" type="audio/x-m4a"/><itunes:duration>2:01</itunes:duration></item>
<item><guid>a</guid><title>One</title><itunes:image href=""/><enclosure url="/media/1.mp3" type="audio/mpeg" length="0"/>
  <media:content url="/cover.jpg" medium="image"/></item>
</channel></rss>""", "www", "pod.xml")
        listing = self.provider().list({"endpoint": base + "/pod.xml"})
        self.assertEqual([(v["id"], v.get("duration"), v.get("cover")) for v in listing["videos"]],
                         [("a", None, base + "/cover.jpg"), ("b", 121, None), ("c", 61, None)])
        scene = stage.Stage()
        self.addCleanup(scene.close)
        scene.write([{"id": "pod", "discover": True, "parameters": {"endpoint": base + "/pod.xml"}}], provider="feed")
        run = scene.sync("--write-index", "--write-nfo", exit=0)
        self.assertEqual((len(run.of("download_finished")), run.of("warning")), (3, []), run)
        files = scene.files()
        self.assertEqual({path: files[path] for path in files if path.endswith((".mp3", ".m4a", ".ogg", ".mp4"))}, {
            "Sound/01 One.mp3": sound["1.mp3"], "Sound/02 Two.m4a": sound["2"], "Sound/03 Three.ogg": sound["3.ogg"]})
        self.assertIn("Sound/01 One.jpg", files)
        page = files["Sound/index.html"].decode()
        self.assertEqual((page.count("<audio"), page.count("<video")), (3, 0))
        again = scene.sync(exit=0)
        self.assertEqual(again.of("download_started"), [])
        self.assertIn("Sound/cover.jpg", scene.files(), again)
