"""The provider `kolibri` against a real Kolibri, whose channels are made with its own models."""

import hashlib
import json
import os
import pathlib
import subprocess
import sys

import asking
import media
import stage
from asking import ODD, Case
from folders import fetch

KOLIBRI = str(pathlib.Path(sys.executable).with_name("kolibri"))
# Runs in Kolibri's own shell: makes the channels of `wanted`, and prints the ids of their nodes by their titles.
FILL = '''
import hashlib, json, os, uuid
from kolibri.core.content.models import ChannelMetadata, ContentNode, File, Language, LocalFile
from kolibri.core.content.utils.paths import get_content_storage_file_path

def identity(text):
    return uuid.uuid5(uuid.NAMESPACE_URL, text).hex

def add(node, channel, parent, above):
    own = above + "/" + node["title"]
    made = ContentNode.objects.create(id=identity(own), content_id=identity("content" + own), channel_id=channel, title=node["title"],
        kind=node["kind"], available=node.get("available", True), parent=parent, duration=node.get("duration"))
    ids[own] = made.id
    for preset, extension, text, language in node.get("files", []):
        data = bytes.fromhex(text)
        local, _ = LocalFile.objects.get_or_create(id=hashlib.md5(data).hexdigest(),
            defaults=dict(extension=extension, available=True, file_size=len(data)))
        path = get_content_storage_file_path(local.get_filename())
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        lang = language and Language.objects.get_or_create(id=language, defaults=dict(lang_code=language[:2], lang_name=language))[0]
        File.objects.create(id=uuid.uuid4().hex, local_file=local, contentnode=made, preset=preset, priority=1, lang=lang,
            supplementary=preset.startswith("video_"))
    for child in node.get("nodes", []):
        add(child, channel, made, own)
    return made

ids = {}
for wanted in json.load(open(os.environ["WANTED"])):
    channel = identity(wanted["title"])
    root = add(dict(wanted, kind="topic"), channel, None, "")
    ChannelMetadata.objects.create(id=channel, name=wanted["title"], root=root, version=1, min_schema_version="5", public=True)
    ids["channel " + wanted["title"]] = channel
json.dump(ids, open(os.environ["WANTED"] + ".ids", "w"))
'''


def video(title, *more, high=True, low=True, **fields):
    files = [["high_res_video", "mp4", media.mp4(title, 5000).hex(), None]] if high else []
    files += [["low_res_video", "mp4", media.mp4("low " + title, 900).hex(), None]] if low else []
    return {"kind": "video", "title": title, "files": files + list(more), "duration": 12, **fields}


def topic(title, *nodes):
    return {"kind": "topic", "title": title, "nodes": list(nodes)}


class KolibriServer:
    """Kolibri with these channels, each as a topic."""

    def __init__(self, case, *channels):
        port, zipped = asking.free_port(), asking.free_port()
        environment = {
            "KOLIBRI_HOME": case.path("kolibri", ""), "KOLIBRI_ZEROCONF_ENABLED": "False", "KOLIBRI_LISTEN_ADDRESS": "127.0.0.1",
            "KOLIBRI_HTTP_PORT": str(port), "KOLIBRI_ZIP_CONTENT_PORT": str(zipped), "WANTED": case.path("wanted.json")}
        pathlib.Path(environment["WANTED"]).write_text(json.dumps(channels))
        done = subprocess.run([KOLIBRI, "shell"], input=FILL, env={**os.environ, **environment}, capture_output=True, text=True,
                              timeout=110, check=False)
        made = pathlib.Path(environment["WANTED"] + ".ids")
        assert made.exists(), done.stdout[-2000:] + done.stderr[-2000:]
        self.ids = json.loads(made.read_text())
        case.run_server([KOLIBRI, "start", "--foreground"], port, environment, "kolibri")
        self.url = f"http://127.0.0.1:{port}/"


CHANNELS = (
    topic("Physics &amp; more",
          video("Welcome"),
          topic("Mechanics",
                video("Motion", ["video_subtitle", "vtt", b"WEBVTT\n".hex(), "en"], ["video_subtitle", "vtt", b"WEBVTT \n".hex(), "pt-BR"],
                      ["video_thumbnail", "png", b"\x89PNG".hex(), None]),
                topic("Forces", *[video(name, low=False) for name in ODD]),
                video("Not here yet", available=False)),
          topic("Without videos"),
          {"kind": "audio", "title": "A song", "files": [["audio", "mp3", media.mp4("song", 700).hex(), None]]}),
    topic("Many", *[topic(f"Unit {u}", *[video(f"Lesson {u}.{n}", low=False) for n in range(30)]) for u in range(8)]))


class Kolibri(Case):
    provider_name = "kolibri"

    def start(self):
        server = KolibriServer(self, *CHANNELS)
        self.url, self.ids = server.url, server.ids
        return {"endpoint": self.url, "channel": self.ids["channel Physics &amp; more"]}

    def node(self, *names):
        return self.ids["/".join(["", "Physics &amp; more", *names])]

    def test_what_a_server_has(self):
        where = self.start()
        provider = self.provider()
        listing = provider.list(where)
        self.assertEqual(listing["title"], "Physics & more")
        self.assertEqual([c["title"] for c in listing["chapters"]], ["Mechanics", "Mechanics / Forces"])
        self.assertEqual([v["title"] for v in listing["videos"]], ["Welcome", "A song"])
        self.assertEqual([v["id"] for v in listing["chapters"][1]["videos"]], [self.node("Mechanics", "Forces", o) for o in ODD])
        for entry in listing["all"]:
            self.assertEqual(provider.resolve(where, entry), entry["resolved"])
            data = fetch(entry["resolved"])
            self.assertEqual(entry["resolved"]["checksums"], {"md5": hashlib.md5(data).hexdigest()})
            self.assertEqual(entry["resolved"]["size"], len(data))
        # What the catalog's quality chooses among has no size of its own.
        self.assertNotIn("size", listing["videos"][0])
        self.assertEqual(listing["videos"][1]["size"], 700)
        self.assertEqual(provider.page(where, known=listing["known"]), {"known": listing["known"], "unchanged": True})

        motion = self.node("Mechanics", "Motion")
        for quality, size in (("best", 5000), ("720p", 5000), ("480p", 900), ("worst", 900), ("2500k", 900), ("audio", 900)):
            got = provider.resolve(where, motion, quality=[quality])
            self.assertEqual((quality, len(fetch(got))), (quality, size))
        self.assertEqual([(s["lang"], fetch(s)) for s in got["subtitles"]], [("en", b"WEBVTT\n"), ("pt-BR", b"WEBVTT \n")])
        self.assertEqual(fetch({"url": got["cover"]}), b"\x89PNG")
        self.assertEqual((got["title"], got["duration"], got["extension"]), ("Motion", 12, "mp4"))

        beneath = provider.list({**where, "topic": self.node("Mechanics")})
        self.assertEqual(([v["title"] for v in beneath["videos"]], [c["title"] for c in beneath["chapters"]]), (["Motion"], ["Forces"]))
        many = provider.list({**where, "channel": self.ids["channel Many"].upper()})
        self.assertEqual([len(c["videos"]) for c in many["chapters"]], [30] * 8)
        self.assertEqual(many["ids"][-1], self.ids["/Many/Unit 7/Lesson 7.29"])

        # Kolibri itself says nothing of what isn't on the server.
        for video in (self.node("Mechanics", "Not here yet"), self.node("Without videos"), "0" * 32, "a b", "../../etc"):
            self.refused(lambda: provider.resolve(where, video), "not_found")
        for name in ("channel", "topic"):
            self.refused(lambda: provider.list({**where, name: "0" * 32}), "not_found")
        error = self.refused(lambda: provider.list({"endpoint": self.url}), "invalid_parameters")
        self.assertEqual(error.data["parameter"], "channel")

        courses = provider.ask("courses", {"parameters": {"endpoint": self.url}, "cursor": None})["courses"]
        self.assertEqual({c["title"]: c["parameters"] for c in courses}, {
            "Physics & more": {"channel": where["channel"]}, "Many": {"channel": self.ids["channel Many"]}})

        def recognised(address):
            return provider.ask("recognise", {"address": address})

        mechanics, learn = self.node("Mechanics"), self.url + "en/learn/#"
        self.assertEqual(recognised(f"{learn}/channels/{where['channel']}")["course"]["parameters"], where)
        self.assertEqual(recognised(f"{learn}/topics/t/{self.node()}/folders")["course"]["parameters"], where)
        self.assertEqual(recognised(f"{learn}/topics/t/{mechanics}/folders?last=HOME")["course"],
                         {"title": "Mechanics", "parameters": {**where, "topic": mechanics}})
        self.assertEqual(recognised(f"{learn}/topics/c/{motion}")["video"],
                         {"id": motion, "title": "Motion", "parameters": {"endpoint": self.url}})
        self.assertEqual(recognised(f"{learn}/topics/t/{mechanics.upper()}")["course"]["parameters"], {**where, "topic": mechanics})
        self.assertEqual([recognised(a) for a in (learn, self.url, f"{learn}/topics/c/{'0' * 32}", "file:///en/learn/")], [{}] * 4)

    def test_odd_answers_and_addresses_of_what_is_not_known(self):
        node, channel = "0eb3e4c04ce54507a172b767c2eb0228", "71039e6cde90565a8cd789b263271615"
        video = {"id": node, "channel_id": channel, "kind": "video", "title": "Motion", "parent": channel, "files": [
            {"preset": "audio", "storage_url": "/content/storage/a.mp3", "extension": "mp3"}]}
        nodes = [video]

        def answer(request):
            known = {"/api/public/info/": {"application": "kolibri"}, "/api/public/v1/channels/": [{"id": channel, "name": "Physics"}],
                     "/api/public/v2/contentnode/": {"more": None, "results": nodes}, f"/api/public/v2/contentnode/{node}/": video}
            found = known.get(request.path.partition("?")[0])
            request.reply(200 if found else 404, json.dumps(found), Content_Type="application/json")

        url = asking.Scripted(self, answer).url + "/"
        provider, where = self.provider(), {"endpoint": url, "channel": channel}
        self.assertEqual(provider.list(where)["ids"], [node])
        for odd in (None, "x", {}, {**video, "id": 7}, {**video, "id": "x"}, {**video, "files": None}, {**video, "kind": None}):
            nodes[:] = [video, odd]
            self.refused(lambda: provider.list(where), "unavailable")

        def recognised(path):
            return provider.ask("recognise", {"address": url + path})

        for path in ("", "en/learn/", "en/learn/#/home", "en/learn/#/topics", f"learn/#/topics/t/{channel.upper()}/folders"):
            self.assertEqual(recognised(path)["course"]["parameters"], where, path)
        for path in ("en/learn/#/topics/c/xyz", "en/learn/#/topics/c/" + "0" * 32, "en/learn/topics/c/xyz", "learn/#/home/classes/1"):
            self.assertEqual(recognised(path), {}, path)
        self.assertEqual(recognised(f"learn/#/topics/c/{node.upper()}")["video"]["id"], node)

    def test_each_channel_is_a_course_of_a_sync_and_a_second_one_asks_little(self):
        where = self.start()
        scene = stage.Stage()
        self.addCleanup(scene.close)
        scene.catalog.write_text(json.dumps({"version": 1, "courses_of": [{
            "provider": "kolibri", "parameters": {"endpoint": self.url}}]}))
        first = scene.sync(exit=0)
        self.assertEqual(first.of("sync_finished")[0]["finished_now"], 240 + 3 + len(ODD), first)
        files = scene.files()
        self.assertEqual(next(c for p, c in files.items() if p.endswith("Motion.mp4")), media.mp4("Motion", 5000))
        second = scene.sync(exit=0)
        self.assertEqual((second.of("download_started"), second.of("course_listed")), ([], []), second)
        self.assertEqual(scene.command("verify").exit, 0)
        added = scene.command("add", f"{self.url}en/learn/#/topics/c/{self.node('Welcome')}", "--catalog", scene.folder / "own.yaml")
        self.assertEqual(added.exit, 0, added)
        self.assertIn("provider: kolibri", (scene.folder / "own.yaml").read_text())
        self.assertEqual(where["endpoint"], self.url)

    test_what_a_server_has.seconds = test_each_channel_is_a_course_of_a_sync_and_a_second_one_asks_little.seconds = 300
