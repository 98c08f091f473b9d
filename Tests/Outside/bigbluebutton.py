"""The provider `bigbluebutton` against a stand-in of BigBlueButton and Scalelite that answers as their source says."""

import hashlib
import json
import re
import urllib.request

import media
import stage
from asking import CANARY, ODD, Case
from bigbluebutton_host import BigBlueButton

START = 1790000000000


def download(resolution, view=None):
    """What a host does with a resolution, or one of its views, whose token is a cookie."""
    wanted = view or resolution
    token = wanted.get("token")
    headers = {"Cookie": f"{token['name']}={token['value']}"} if token else {}
    with urllib.request.urlopen(urllib.request.Request(wanted["url"], headers=headers), timeout=20) as response:
        return response.read()


def views(resolution):
    return {resolution["role"]: download(resolution), **{s["role"]: download(resolution, s) for s in resolution.get("streams", [])}}


class BigBlueButtonCase(Case):
    provider_name = "bigbluebutton"

    def server(self, **more):
        self.host = BigBlueButton(self, secret=CANARY, **more)
        return {"endpoint": self.host.base, "meeting": "physics & more"}

    def credentials(self, algorithm="sha256"):
        return {"hosts": {self.host.base: {"secret": CANARY, "algorithm": algorithm}}}

    def room(self):
        """A room with a recording of each kind."""
        def recording(number, name, **more):
            return self.host.recording("physics & more", name, start=START + number * 1000, **more)

        def film(text, size=3000):
            return media.webm(text, size)

        made = {}
        made["lecture"] = recording(1, "Optics &amp; <Light>")
        made["lecture"].presentation(webcams={"webm": film("cam"), "mp4": media.mp4("cam", 3000)}, deskshare={"webm": film("desk")},
                                     captions={"en-US": ("English", "WEBVTT\n"), "pt_BR": ("Português", "WEBVTT \n")})
        made["talk"] = recording(2, "Talk")
        made["talk"].presentation(webcams={"webm": film("talk")})
        made["slides"] = recording(3, "No camera")
        made["slides"].presentation(deskshare={"webm": film("shared")}, audio={"webm": film("voice")})
        made["video"] = recording(4, "As a video")
        made["video"].video(("m4v", media.mp4("both", 3000)))
        made["video"].presentation(webcams={"webm": film("both cam")}, deskshare={"webm": film("both desk")})
        made["podcast"] = recording(5, "Sound")
        made["podcast"].podcast(media.mp4("sound", 900))
        made["processing"] = recording(6, "Later", state="processing")
        made["unpublished"] = recording(7, "Hidden", state="unpublished")
        for name in ("processing", "unpublished"):
            made[name].presentation(webcams={"webm": film(name)})
        self.host.recording("another room", "Other", start=START).presentation(webcams={"webm": film("other")})
        return made

    def test_recordings_of_each_kind(self):
        for flavor in ("bbb", "scalelite"):
            with self.subTest(flavor):
                where, made, login = self.server(flavor=flavor), self.room(), self.credentials()
                provider = self.provider()
                listing = provider.list(where, credentials=login)
                shown = ["lecture", "talk", "slides", "video", "podcast"]
                # Scalelite knows a recording once it is imported.
                waiting = ["processing"] if flavor == "bbb" else []
                self.assertEqual(listing["ids"], [made[n].id for n in shown + waiting])
                self.assertEqual(listing["videos"][0]["title"], "Optics & <Light>")
                self.assertEqual(listing["videos"][0]["published_at"], "2026-09-21T14:13:21Z")
                found = {n: provider.resolve(where, made[n].id, credentials=login) for n in shown}
                film = media.webm
                self.assertEqual({n: views(got) for n, got in found.items()}, {
                    "lecture": {"webcam": media.mp4("cam", 3000), "screen": film("desk", 3000)}, "talk": {"webcam": film("talk", 3000)},
                    "slides": {"screen": film("shared", 3000)}, "podcast": {"audio": media.mp4("sound", 900)},
                    "video": {"combined": media.mp4("both", 3000), "webcam": film("both cam", 3000), "screen": film("both desk", 3000)}})
                self.assertEqual([(t["kind"], download(t)) for t in found["slides"]["tracks"]], [("audio", film("voice", 3000))])
                self.assertEqual([(s["lang"], download(s)) for s in found["lecture"]["subtitles"]],
                                 [("en-US", b"WEBVTT\n"), ("pt-BR", b"WEBVTT \n")])
                self.assertTrue(provider.page(where, credentials=login, known=listing["known"])["unchanged"])
                room = {"endpoint": self.host.base + "/bigbluebutton/api", "recording": hashlib.sha1(b"physics & more").hexdigest()}
                self.assertEqual(provider.list(room, credentials=login)["ids"], listing["ids"])
                self.refused(lambda: provider.resolve(where, made["processing"].id, credentials=login),
                             "not_ready" if flavor == "bbb" else "not_found")
                self.refused(lambda: provider.resolve(where, made["unpublished"].id, credentials=login), "forbidden")
                for video in ("0" * 40 + "-1790000000000", "x", "../../x", made["talk"].id[:45], ""):
                    self.refused(lambda: provider.resolve(where, video, credentials=login), "not_found")
                self.host.remove(made["talk"])
                self.refused(lambda: provider.resolve(where, made["talk"].id, credentials=login), "not_found")
                self.assertEqual(provider.list({**where, "meeting": "nobody"}, credentials=login)["ids"], [])

    def test_a_recording_that_is_made_anew_and_odd_entries(self):
        where, made, login = self.server(), self.room(), self.credentials()
        provider, talk = self.provider(), made["talk"]
        whole = provider.list(where, credentials=login)["ids"]
        for state in ("processing", "processed"):
            talk.state = state
            listing = provider.list(where, credentials=login)
            self.assertEqual(listing["ids"], whole)
            self.assertNotEqual(listing["videos"][1].get("title"), "unknown")
            self.refused(lambda: provider.resolve(where, talk.id, credentials=login), "not_ready")
        talk.state = "published"
        inner = self.host.answer

        def alter(pattern, new):
            def answer(request):
                found = inner(request)
                return found._replace(body=re.sub(pattern, new, found.body, flags=re.S)) if "getRecordings" in request.place else found
            self.host.answer = answer

        alter(rb"<playback>.*?</playback>", b"<playback></playback>")
        self.assertEqual(provider.list(where, credentials=login)["ids"], whole)
        self.refused(lambda: provider.resolve(where, talk.id, credentials=login), "not_ready")
        for pattern, new in ((rb"<recordID>.*?</recordID>", b"<recordID></recordID>"), (rb"<recordings>.*</recordings>", b"")):
            alter(pattern, new)
            self.refused(lambda: provider.list(where, credentials=login), "unavailable")

    def test_a_server_that_answers_head_oddly(self):
        where, made, login = self.server(), self.room(), self.credentials()
        provider = self.provider()
        found = provider.resolve(where, made["talk"].id, credentials=login)
        inner = self.host.answer

        def refused(request):
            return self.host.page(status) if request.command == "HEAD" else inner(request)

        def a_page(request):
            found = inner(request)
            return self.host.page(200) if request.command == "HEAD" and found.status == 404 else found

        for status in (405, 501):
            self.host.answer = refused
            self.assertEqual(provider.resolve(where, made["talk"].id, credentials=login), found)
        self.host.answer = a_page
        self.assertEqual(provider.resolve(where, made["talk"].id, credentials=login), found)

    def test_odd_meetings_are_signed_as_they_are_sent(self):
        self.server()
        recordings = {name: self.host.recording(name, name, start=START) for name in ODD}
        for recording in recordings.values():
            recording.presentation(webcams={"webm": media.webm(recording.name, 500)})
        provider = self.provider()
        for name, recording in recordings.items():
            # Lists of ids have commas, and BigBlueButton decodes an id twice.
            if any(c in name for c in ",%+"):
                continue
            where = {"endpoint": self.host.base, "meeting": name}
            self.assertEqual(provider.list(where, credentials=self.credentials())["ids"], [recording.id], name)

    def test_each_algorithm_and_a_wrong_secret(self):
        where = self.server()
        self.room()
        provider = self.provider()
        for algorithm in ("sha1", "sha256", "sha384", "sha512"):
            self.host.algorithms = [algorithm]
            login = provider.login(where, {"secret": CANARY})
            self.assertEqual(login, self.credentials(algorithm))
            self.assertEqual(len(provider.list(where, credentials=login)["ids"]), 6)
        error = self.refused(lambda: provider.login(where, {"secret": "wrong"}), "auth_required")
        self.assertIn("refuses the secret", error.message)
        self.refused(lambda: provider.list(where), "auth_required")
        for parameters in ({"endpoint": self.host.base}, {**where, "recording": "0" * 40}):
            self.refused(lambda: provider.list(parameters, credentials=login), "invalid_parameters")

    def test_a_link_without_the_secret(self):
        self.server()
        made = self.room()
        provider = self.provider()
        lecture, video = made["lecture"].id, made["video"].id
        for path, title in ((f"/playback/presentation/2.3/{lecture}?t=1m2s", "Optics & <Light>"),
                            (f"/playback/presentation/2.0/playback.html?meetingId={lecture}", "Optics & <Light>"),
                            (f"/playback/video/{video}/", "As a video"), (f"/presentation/{lecture}/video/webcams.webm", "Optics & <Light>")):
            got = provider.ask("recognise", {"address": self.host.base + path})["video"]
            self.assertEqual((got["title"], got["parameters"]), (title, {"endpoint": self.host.base + "/"}))
            self.assertIn(got["id"], (lecture, video))
        for path in ("/", "/playback/presentation/2.3/" + "0" * 40 + "-1790000000000", "/playback/presentation/2.3/x"):
            self.assertEqual(provider.ask("recognise", {"address": self.host.base + path}), {})
        got = provider.resolve({"endpoint": self.host.base}, video)
        self.assertEqual(set(views(got)), {"combined", "webcam", "screen"})

    def test_protected_recordings_of_scalelite_in_a_sync(self):
        where = self.server(flavor="scalelite")
        big = media.webm("cam", 2_000_000)
        recording = self.host.recording("physics & more", "Protected", start=START, protected=True)
        recording.presentation(webcams={"webm": big}, deskshare={"webm": media.webm("desk", 400_000)})
        scene = stage.Stage()
        self.addCleanup(scene.close)
        scene.write([{"id": "physics", "provider": "bigbluebutton", "parameters": where, "discover": True, "streams": "all"}])
        secrets = scene.folder / "secrets.json"
        secrets.write_text(json.dumps({"secret": CANARY}))
        secrets.chmod(0o600)
        run = scene.command("login", "--provider", "bigbluebutton", "--secrets-from", secrets, "--set", "endpoint=" + self.host.base)
        self.assertEqual(run.exit, 0, run)
        # The cookie ends in the middle of a file.
        self.host.expire_after = {"webcams.webm": 700_000}
        run = scene.sync(exit=0)
        self.assertEqual({p.split("/")[-1]: len(c) for p, c in scene.files().items()},
                         {"01 Protected.webm": 2_000_000, "01 Protected (screen).webm": 400_000}, run)
        self.assertIn(big, scene.files().values())
        self.assertTrue([a for a in self.host.requests if a.path.endswith("webcams.webm") and a.range], "it goes on where it was")
        second = scene.sync(exit=0)
        self.assertEqual(second.of("download_started"), [])
        for text in (run.out, run.err, next(scene.state.rglob("state.sqlite")).read_bytes().decode("latin-1")):
            self.assertNotIn(CANARY, text)
