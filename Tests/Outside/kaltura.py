"""The provider `kaltura` against a stand-in that answers as Kaltura's source says."""

import json
import subprocess
import time

import media
import stage
from asking import CANARY, ODD, Case, altered
from folders import fetch
from kaltura_host import Kaltura


def download(resolution, url=None):
    """What a host does with a resolution whose session is in the query."""
    url = url or resolution["url"]
    for token in resolution.get("tokens", []):
        if url.startswith(tuple(token["origins"])):
            url += ("&" if "?" in url else "?") + f"{token['name']}={token['value']}"
    return fetch({"url": url})


def lists(change, kind):
    """Alters the lists of this kind, "Category" or "BaseEntry", in an answer."""
    def part_now(part):
        is_list = isinstance(part, dict) and part["objectType"] == f"Kaltura{kind}ListResponse"
        return {**part, **change(part)} if is_list else part

    return lambda request, value: [part_now(part) for part in value] if isinstance(value, list) else value


def without(name):
    """Takes a field away from the first object of a list."""
    return lambda part: {"objects": [{n: v for n, v in o.items() if i or n != name} for i, o in enumerate(part["objects"])]}


class KalturaCase(Case):
    provider_name = "kaltura"

    def account(self):
        self.host = Kaltura(self)
        self.host.secret = self.host.admin_secret = CANARY
        return {"endpoint": self.host.base, "partner": self.host.partner}

    def login(self, provider, **secrets):
        """With the secret, or with what is given."""
        where = {"endpoint": self.host.base, "partner": self.host.partner}
        kind = "ks" if "ks" in secrets else "app-token" if secrets else "secret"
        return provider.login({**where, "session": kind}, secrets or {"secret": CANARY})

    def test_a_category_with_others_beneath_it(self):
        where = self.account()
        course = self.host.category(7, "Optics")
        weeks = [self.host.category(70 + n, f"Week {n}", course) for n in (10, 9)]
        lab = self.host.category(90, "Lab", weeks[0])
        direct = [self.host.entry(name, categories=[7]) for name in ODD]
        for entry in direct:
            entry.flavor(media.mp4(entry.name, 3000))
        inner = [self.host.entry(f"in {c.name}", categories=[c.id]) for c in (*weeks, lab)]
        twice = self.host.entry("twice", categories=[7, 79])
        self.host.entry("picture", categories=[7], media=2)
        converting = self.host.entry("converting", categories=[7], status=1)
        other = direct[0].child("other picture")
        other.in_search = 1
        provider = self.provider()
        login = self.login(provider)
        listing = provider.list({**where, "category": 7}, credentials=login)
        self.assertEqual(listing["title"], "Optics")
        self.assertEqual([v["title"] for v in listing["videos"]], [*ODD, "twice", "converting"])
        self.refused(lambda: provider.resolve(where, converting.id), "not_ready")
        self.assertEqual([(c["title"], [v["id"] for v in c["videos"]]) for c in listing["chapters"]], [
            ("Week 9", [inner[1].id, twice.id]), ("Week 10", [inner[0].id]), ("Week 10 / Lab", [inner[2].id])])
        self.assertTrue(provider.page({**where, "category": 7}, credentials=login, known=listing["known"])["unchanged"])
        for video, entry in zip(listing["videos"], direct):
            got = provider.resolve(where, video)
            self.assertEqual((download(got), got["title"], got["size"]), (media.mp4(entry.name, 3000), entry.name, 3000))
            self.assertNotIn("tokens", got)
        # Without a login a category seems to be empty.
        self.refused(lambda: provider.list({**where, "category": 7}), "auth_required")
        poor = self.login(provider, ks=self.host.ks("anna", 0))
        self.refused(lambda: provider.list({**where, "category": 7}, credentials=poor), "auth_required")
        courses = provider.ask("courses", {"parameters": where, "cursor": None}, credentials=login)["courses"]
        self.assertEqual({c["title"]: c["parameters"]["category"] for c in courses}, {
            "Optics": 7, "Optics / Week 9": 79, "Optics / Week 10": 80, "Optics / Week 10 / Lab": 90})

    def test_what_a_list_does_not_say_is_not_gone(self):
        where = self.account()
        course = self.host.category(7, "Optics")
        self.host.category(70, "Week 1", course)
        entries = [self.host.entry(f"v{n}", categories=[7 + 63 * (n % 2)]) for n in range(4)]
        chosen = self.host.playlist("Chosen", entries)
        provider = self.provider()
        login = self.login(provider)
        for kind, change in (("Category", lambda part: {"objects": []}), ("Category", lambda part: {"objects": [None]}),
                             ("Category", without("id")), ("Category", without("fullName")),
                             ("BaseEntry", lambda part: {"objects": [*part["objects"][1:], None]}),
                             ("BaseEntry", without("mediaType")), ("BaseEntry", without("type"))):
            end = altered(self.host, lists(change, kind))
            self.refused(lambda: provider.list({**where, "category": 7}, credentials=login), "unavailable")
            end()
        for change in (lambda found: [None, *found[1:]], lambda found: without("mediaType")({"objects": found})["objects"]):
            end = altered(self.host, lambda request, value: [change(p) if isinstance(p, list) else p for p in value])
            self.refused(lambda: provider.list({**where, "playlist": chosen.id}), "unavailable")
            end()
        for change in (without("mediaType"), lambda part: {"objects": None}):
            end = altered(self.host, lists(change, "BaseEntry"))
            self.refused(lambda: provider.resolve(where, entries[0].id), "unavailable")
            end()
        self.assertEqual(len(provider.list({**where, "category": 7}, credentials=login)["ids"]), 4)
        # One without anything in it, for somebody who may list and for others.
        self.host.category(8, "Empty")
        self.assertEqual(provider.list({**where, "category": 8}, credentials=login)["ids"], [])
        self.refused(lambda: provider.list({**where, "category": 8}), "auth_required")

    def test_counters_of_categories_that_are_late(self):
        where = self.account()
        course = self.host.category(7, "Optics")
        self.host.category(70, "Week 1", course)
        self.host.category(9, "Empty")
        entries = [self.host.entry(f"v{n}", categories=[n]) for n in (7, 70)]
        provider = self.provider()
        login = self.login(provider)

        def counters(**numbers):
            return lambda request, value: [
                {**part, "objects": [{**o, **numbers} for o in part["objects"]]}
                if part["objectType"] == "KalturaCategoryListResponse" else {**part, **numbers} if "fullName" in part else part
                for part in value] if isinstance(value, list) else value

        def courses():
            answer = provider.ask("courses", {"parameters": where, "cursor": None}, credentials=login)
            return [c["parameters"]["category"] for c in answer["courses"]]

        self.assertEqual(courses(), [7, 70])
        end = altered(self.host, counters(directEntriesCount=0, entriesCount=0))
        listing = provider.list({**where, "category": 7}, credentials=login)
        self.assertEqual((listing["ids"], [c["id"] for c in listing["chapters"]]), ([e.id for e in entries], ["70"]))
        self.assertEqual(courses(), [])
        end()
        end = altered(self.host, counters(directEntriesCount=0, entriesCount=1))
        self.assertEqual(courses(), [9, 70], "all of 7 may be in 70")
        end()

    def test_entries_that_are_not_ready_for_a_night(self):
        where = {**self.account(), "category": 7}
        self.host.category(7, "Optics")
        entries = [self.host.entry(f"v{n}", categories=[7], created=1490000000 + n // 2 * 60, id=f"1_{9 - n}") for n in range(6)]
        order = [e.id for e in sorted(entries, key=lambda e: (e.created, e.id))]
        provider = self.provider()
        login = self.login(provider)
        self.assertEqual(provider.list(where, credentials=login)["ids"], order)
        for status in (-2, -1, 0, 1, 4, 5, 7):
            entries[2].status = status
            self.assertEqual(provider.list(where, credentials=login)["ids"], order, status)
            self.refused(lambda: provider.resolve(where, entries[2].id, credentials=login), "not_ready")
        entries[2].status = 2
        for moderation in (1, 2, 5, 6):
            entries[2].moderation = moderation
            self.assertEqual(provider.list(where, credentials=login)["ids"], order, moderation)
        for gone in (dict(status=3), dict(status=6), dict(moderation=3)):
            entries[2].__dict__.update({"status": 2, "moderation": 6, **gone})
            self.assertNotIn(entries[2].id, provider.list(where, credentials=login)["ids"], gone)

    def test_more_than_a_page_and_playlists(self):
        where = self.account()
        self.host.category(7, "Many")
        entries = [self.host.entry(f"v{n}", categories=[7]) for n in range(1003)]
        for entry in entries[:5]:
            entry.flavor(media.mp4(entry.name, 300))
        provider = self.provider()
        listing = provider.list({**where, "category": 7}, credentials=self.login(provider))
        self.assertEqual(listing["ids"], [e.id for e in entries])
        chosen = self.host.playlist("Chosen", [entries[4], "0_missing1", entries[1], entries[4]])
        self.assertEqual(provider.list({**where, "playlist": chosen.id})["ids"], [entries[4].id, entries[1].id])
        newest = self.host.dynamic_playlist("Newest", [self.host.categories[7]], limit=3)
        self.assertEqual(provider.list({**where, "playlist": newest.id})["ids"], [e.id for e in entries[:-4:-1]])
        for parameters in ({"playlist": "1_00000000"}, {"category": 8}):
            self.refused(lambda: provider.list({**where, **parameters}), "not_found")
        for parameters in ({}, {"playlist": chosen.id, "category": 7}):
            self.refused(lambda: provider.list({**where, **parameters}), "invalid_parameters")
        self.refused(lambda: provider.list({**where, "partner": 99, "playlist": chosen.id}), "invalid_parameters")

    def test_a_category_that_changes_between_its_pages(self):
        where = {**self.account(), "category": 7}
        self.host.category(7, "Many")
        entries = [self.host.entry(f"v{n}", categories=[7]) for n in range(501)]
        provider = self.provider()
        login = self.login(provider)
        readings = []

        def pages(change, always):
            """The second page, altered in the first reading or in each."""
            def now(request, value):
                if isinstance(value, list) and value and value[0].get("objects") is not None and len(value[0]["objects"]) < 500:
                    readings.append(1)
                    if always or len(readings) == 1:
                        return [{**value[0], **change(value[0])}]
                return value
            readings.clear()
            return altered(self.host, now)

        first = entries[0].shown()
        for change in (lambda page: {"objects": []}, lambda page: {"objects": [first]}, lambda page: {"totalCount": 502},
                       lambda page: {"objects": page["objects"], "totalCount": 500}):
            for always in (False, True):
                end = pages(change, always)
                if always:
                    self.refused(lambda: provider.list(where, credentials=login), "unavailable")
                else:
                    self.assertEqual(provider.list(where, credentials=login)["ids"], [e.id for e in entries])
                end()
        end = altered(self.host, lambda request, value: [{**value[0], "objects": [{"name": "no id"}]}]
                      if isinstance(value, list) and "objects" in value[0] else value)
        self.refused(lambda: provider.list(where, credentials=login), "unavailable")
        end()

    def test_qualities_streams_and_what_is_encrypted(self):
        where = self.account()
        entry = self.host.entry("All", ms=60000)
        small, big = media.mp4("small", 900), media.mp4("big", 3000)
        entry.source(media.mp4("source", 9000))
        entry.flavor(small, 640, 360, 471)
        entry.flavor(big, 1280, 720, 1800)
        entry.sound(media.mp4("sound", 300))
        entry.flavor(b"no", 1920, 1080, 4000, status=-1)
        entry.caption("1\n00:00:00,000 --> 00:00:01,000\nHello\n", code="en")
        entry.caption("WEBVTT\n", code="de", format="vtt")
        entry.caption("off", code="fr", on_player=False)
        provider = self.provider()
        for quality, content in (("best", big), ("720p", big), ("480p", small), ("worst", small), ("1000k", small)):
            got = provider.resolve(where, entry.id, quality=[quality])
            self.assertEqual((download(got), got["size"]), (content, len(content)), quality)
        self.assertEqual({s["lang"]: download(got, s["url"])[:6] for s in got["subtitles"]}, {"en": b"1\n00:0", "de": b"WEBVTT"})
        self.host.old = True
        self.assertNotIn("size", provider.resolve(where, entry.id))
        stream = self.host.entry("Stream", formats=("applehttp", "mpegdash"))
        stream.flavor(b"".join([media.ts("s", 0)]), segments=[media.ts("s", 0)])
        got = provider.resolve(where, stream.id)
        self.assertEqual((got["kind"], download(got)[:7]), ("hls", b"#EXTM3U"))
        locked = self.host.entry("Locked", formats=("applehttp", "mpegdash"), drm={"applehttp", "mpegdash"})
        locked.flavor(media.mp4("locked", 300))
        self.refused(lambda: provider.resolve(where, locked.id), "drm")

    def test_the_other_picture_of_a_lecture_is_its_own(self):
        where = self.account()
        entry = self.host.entry("Lecture")
        entry.flavor(media.mp4("camera", 3000))
        entry.child("Slides").flavor(media.mp4("slides", 2000))
        entry.child("Still converting", status=1)
        got = self.provider().resolve(where, entry.id)
        self.assertEqual(download(got), media.mp4("camera", 3000))
        self.assertEqual([(s["role"], download(got, s["url"])) for s in got["streams"]], [
            ("secondary", media.mp4("slides", 2000))])

    def test_another_picture_that_is_not_there_yet(self):
        where = self.account()
        now = self.host.now
        for make in (lambda e: e.child("Slides", status=1, created=now - 3600),
                     lambda e: e.child("Slides", created=now - 3600).flavor(media.mp4("slides", 2000), status=1).entry):
            entry = self.host.entry("Lecture", created=now - 90_000)
            entry.flavor(media.mp4("camera", 3000))
            slides = make(entry)
            provider = self.provider()

            def resolve(later=0):
                return provider.resolve(where, entry.id, now=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now + later)))

            self.refused(resolve, "not_ready")
            self.assertNotIn("streams", resolve(24 * 3600), "it may never come")
            slides.status = 2
            slides.flavors = []
            slides.flavor(media.mp4("slides", 2000))
            self.assertEqual([s["role"] for s in resolve()["streams"]], ["secondary"])

    def test_a_session_that_came_over_tls_does_not_go_out_without_it(self):
        where = self.account()
        entry = self.host.entry("E", restricted="SESSION")
        entry.flavor(media.mp4("e", 3000))
        certificate, key = self.path("cert.pem"), self.path("key.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test", "-addext",
                        "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate], check=True, capture_output=True)
        where["endpoint"] = self.host.secure(certificate, key)
        trust = {"settings": {"ca_file": certificate}}
        provider = self.provider()
        login = provider.login({**where, "session": "secret"}, {"secret": CANARY}, **trust)
        for base, origins in (("http://media.example.org", []), (where["endpoint"].replace("https", "http"), []),
                              ("https://media.example.org", ["https://media.example.org"])):
            self.host.base = base
            got = provider.resolve(where, entry.id, credentials=login, **trust)
            self.assertEqual(got["tokens"][0]["origins"], [where["endpoint"], *origins])
            self.assertTrue(got["url"].startswith(base))

    def test_what_is_not_there_not_yet_or_not_for_all(self):
        where = self.account()
        provider = self.provider()
        login = self.login(provider)

        def entry(**more):
            found = self.host.entry("E", **more)
            found.flavor(media.mp4(found.id, 3000))
            return found.id

        now = self.host.now
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
        kinds = {
            "not_found": [dict(media=2), dict(type=5, content="")], "gone": [dict(end=now - 100)], "forbidden": [
                dict(status=6), dict(moderation=3), dict(restricted="SITE")], "geo_blocked": [dict(restricted="COUNTRY")],
            "auth_required": [dict(restricted="SESSION")],
            "not_ready": [dict(status=s) for s in (-2, -1, 0, 1, 4, 5, 7)] + [dict(moderation=1), dict(start=now + 1000)]}
        for kind, entries in kinds.items():
            for more in entries:
                with self.subTest(f"{kind} {more}"):
                    id = entry(**more)
                    self.refused(lambda: provider.resolve(where, id, now=at), kind)
        for id in ("1_00000000", "0_x"):
            self.refused(lambda: provider.resolve(where, id), "not_found")
        for id in ("nothing", "../x", "1_a b", "", "{1:result:id}", "1_" + "a" * 40):
            self.refused(lambda: provider.resolve(where, id), "not_found")
        session = entry(restricted="SESSION")
        got = provider.resolve(where, session, credentials=login)
        self.assertEqual(download(got), media.mp4(session, 3000))
        self.assertEqual(got["tokens"][0]["origins"], [self.host.base])
        private = entry(only_for={"anna"})
        self.refused(lambda: provider.resolve(where, private), "not_found")
        self.assertEqual(download(provider.resolve(where, private, credentials=login)), media.mp4(private, 3000))
        merged = entry(redirect=private)
        self.assertEqual(download(provider.resolve(where, merged, credentials=login)), media.mp4(private, 3000))

    def test_logins_and_sessions_that_end(self):
        where = self.account()
        provider = self.provider()
        entry = self.host.entry("E", restricted="SESSION")
        entry.flavor(media.mp4("e", 3000))
        for session, names in (("app-token", ["app_token_id", "app_token"]), ("secret", ["secret"]), ("ks", ["ks"])):
            step = provider.ask("login", {"parameters": {**where, "session": session}, "secrets": {}})
            self.assertEqual([q["name"] for q in step["ask"]], names)
        for version in (1, 2):
            self.host.ks_version = version
            for hash in ("SHA1", "SHA256", "MD5", "SHA512"):
                id = self.host.app_token(CANARY + hash, user="anna", privileges="list:*,sview:*", hash=hash)
                login = self.login(provider, app_token_id=id, app_token=CANARY + hash)
                got = provider.resolve(where, entry.id, credentials=login)
                self.assertEqual((download(got), "expires_at" in got), (media.mp4("e", 3000), True))
        self.host.expire()
        again = provider.resolve(where, entry.id, credentials=login)
        self.assertNotEqual(again["tokens"][0]["value"], got["tokens"][0]["value"])
        self.assertEqual(download(again), media.mp4("e", 3000))
        # What the media's server refuses is asked for with another session.
        refusal = {"reason": "rejected", "status": 404, "bytes": 0, "server": self.host.base}
        fresh = provider.resolve(where, entry.id, credentials=login, previous=refusal)
        self.assertNotEqual(fresh["tokens"][0]["value"], again["tokens"][0]["value"])
        self.host.tokens[id]["active"] = False
        self.host.expire()
        self.refused(lambda: provider.resolve(where, entry.id, credentials=login), "auth_required")
        for secrets in ({"app_token_id": id, "app_token": "x"}, {"app_token_id": "0_00000000", "app_token": "x"},
                        {"ks": "djJ8eA"}):
            self.refused(lambda: self.login(provider, **secrets), "auth_required")
        self.refused(lambda: provider.login({**where, "session": "secret"}, {"secret": "wrong"}), "auth_required")
        both = provider.login({**where, "session": "secret"}, {"secret": CANARY}, credentials={"hosts": {self.host.base: {
            "accounts": {"1": {"secret": "of another"}}}}})
        self.assertEqual(both["hosts"][self.host.base]["accounts"], {
            "1": {"secret": "of another"}, str(self.host.partner): {"secret": CANARY}})
        handed = self.login(provider, ks=self.host.ks("anna", 0, "list:*,sview:*"))
        self.assertEqual(download(provider.resolve(where, entry.id, credentials=handed)), media.mp4("e", 3000))
        self.host.expire()
        self.refused(lambda: provider.resolve(where, entry.id, credentials=handed), "auth_required")

    def test_errors_in_answers(self):
        where = self.account()
        entry = self.host.entry("E")
        entry.flavor(media.mp4("e", 3000))
        provider = self.provider()
        for failing, kind in (("ACTION_BLOCKED", "rate_limited"), ("INTERNAL_SERVERL_ERROR", "unavailable"), (1, "unavailable")):
            self.host.failing = {"baseentry.getplaybackcontext": failing}
            self.refused(lambda: provider.resolve(where, entry.id), kind)

    def test_addresses(self):
        self.account()
        entry, other = self.host.entry("One"), self.host.entry("Two")
        self.host.category(123456, "Optics")
        playlist = self.host.playlist("Chosen", [entry, other])
        provider, pid = self.provider(), self.host.partner

        def recognised(path):
            return provider.ask("recognise", {"address": self.host.base + path})

        where = {"endpoint": self.host.base, "partner": pid}
        for path in (f"/p/{pid}/sp/{pid}00/playManifest/entryId/{entry.id}/format/url/protocol/https/a.mp4",
                     f"/p/{pid}/embedPlaykitJs/uiconf_id/1/partner_id/{pid}?iframeembed=true&entry_id={entry.id}",
                     f"/index.php/extwidget/preview/partner_id/{pid}/uiconf_id/1/entry_id/{entry.id}/embed/dynamic",
                     f"/html5/html5lib/v2/mwEmbedFrame.php/p/{pid}/uiconf_id/1/entry_id/{entry.id}?wid=_{pid}"):
            self.assertEqual(recognised(path)["video"], {"id": entry.id, "title": "One", "parameters": where})
        path = f"/p/{pid}/embedPlaykitJs/uiconf_id/1?iframeembed=true&playlist_id={playlist.id}"
        self.assertEqual(recognised(path)["course"], {"title": "Chosen", "parameters": {**where, "playlist": playlist.id}})
        self.assertEqual(recognised("/"), {})

    def test_a_sync_whose_media_break_off_and_whose_session_ends(self):
        where = self.account()
        self.host.category(7, "Optics")
        big, slides = media.mp4("big", 2_000_000), media.mp4("slides", 300_000)
        entry = self.host.entry("Big", categories=[7], restricted="SESSION", description="What <b>is</b> light?")
        flavor = entry.flavor(big)
        entry.child("Slides").flavor(slides)
        scene = stage.Stage()
        self.addCleanup(scene.close)
        scene.write([{"id": "optics", "provider": "kaltura", "parameters": {**where, "category": 7}, "discover": True,
                      "streams": "all"}])
        secrets = scene.folder / "secrets.json"
        secrets.write_text(json.dumps({"secret": CANARY}))
        secrets.chmod(0o600)
        run = scene.command("login", "--provider", "kaltura", "--secrets-from", secrets, "--set", "endpoint=" + self.host.base,
                            "--set", f"partner={self.host.partner}", "--set", "session=secret")
        self.assertEqual(run.exit, 0, run)
        self.host.cdn = self.host.elsewhere
        self.host.expire_after = {f"flavorId/{flavor.id}/name/a.mp4": 700_000}
        run = scene.sync(exit=0)
        self.assertEqual(sorted(len(c) for c in scene.files().values())[-2:], [300_000, 2_000_000], run)
        self.assertIn(big, scene.files().values())
        ranged = [a for a in self.host.requests if flavor.id in a.path and a.range]
        self.assertTrue(ranged, "it goes on where it was")
        leaks = [a for a in self.host.requests if "serveFlavor" in a.path and "ks=" in (a.query or "")]
        self.assertFalse(leaks, "the CDN gets no session")
        before = len(self.host.requests)
        second = scene.sync(exit=0)
        self.assertEqual(second.of("download_started"), [])
        asked = [a for a in self.host.requests[before:] if a.method == "POST"]
        self.assertLessEqual(len(asked), 3, asked)
