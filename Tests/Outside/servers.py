"""Several servers of one provider, sidecars in trouble, and servers that don't say how long a file is."""

import random
import struct

import media
from feeds import podcast
from host import File, Host
from wrong_file import Case

ENDPOINT = '''
def answer(params):
    video = params["video"]
    endpoint = video["parameters"]["endpoint"]
    refusal = video["parameters"].get("refusal")
    if refusal: raise Refusal(**refusal)
    return {"url": endpoint + "/" + video["id"] + ".mp4"}
'''


def whole_mp4(seed, size):
    """An MP4 whose boxes end where it does."""
    def box(kind, body):
        return struct.pack(">I", len(body) + 8) + kind + body
    return box(b"ftyp", b"isom\0\0\0\0isom") + box(b"moov", bytes(100)) + box(b"mdat", random.Random(seed).randbytes(size))


class Servers(Case):
    """Of one provider."""

    def setUp(self):
        super().setUp()
        self.other = Host()
        self.addCleanup(self.other.close)
        self.body = media.mp4(1, 50000)

    def courses(self, refusal):
        """One course at each of two servers; the first one refuses, the second one serves."""
        self.stage.plugin("lectures", ENDPOINT)
        for name in "ab":
            self.other.at(f"/{name}.mp4", File(self.body, etag=f'"{name}"'))
        bad = {"endpoint": self.host.url(""), "refusal": refusal}
        good = {"endpoint": self.other.url("")}
        self.stage.write([{"id": "bad", "parameters": bad, "videos": ["a", "b"]},
                          {"id": "good", "parameters": good, "videos": ["a", "b"]}])

    def test_a_login_that_one_server_wants_stops_no_other_server(self):
        self.courses({"kind": "auth_required"})
        run = self.stage.sync("--jobs", 1, exit=77)
        self.assertEqual(len(self.stage.files()), 2, run)
        end = run.of("sync_finished")[0]
        self.assertEqual(end["logins_needed"], [{"provider": "lectures", "server": self.host.url("")}], run)
        self.assertEqual((end["downloads"]["finished"], end["downloads"]["suspended"]), (2, 2))
        self.assertEqual(sum(a["params"]["course"]["id"] == "bad" for a in self.stage.asked()), 1, "asked once for all")

    def test_a_pause_of_hours_of_one_server_stops_no_other_one_and_is_told_at_the_end(self):
        self.courses({"kind": "rate_limited", "retry_after": 7200})
        run = self.stage.sync(exit=75)
        self.assertEqual(len(self.stage.files()), 2, run)
        left = run.of("sync_finished")[0]["left_alone"]
        self.assertEqual([(l["provider"], l["server"], l["videos"]) for l in left],
                         [("lectures", self.host.url(""), 2)], run)

    def test_an_error_that_names_a_third_server_is_about_that_one(self):
        self.courses({"kind": "rate_limited", "retry_after": 7200, "server": "https://third.example.org/x?y"})
        run = self.stage.sync(exit=75)
        self.assertEqual(run.of("sync_finished")[0]["left_alone"][0]["server"], "https://third.example.org", run)

    def test_a_503_with_retry_after_stops_its_port_and_the_last_line_says_why(self):
        self.stage.urls({"a": self.host.at("/a.mp4", lambda x: x.answer(503, b"", retry_after="7200")),
                         "b": self.other.at("/b.mp4", File(self.body, etag='"b"'))}, concurrency=1)
        self.stage.write({"c": ["a", "b"]})
        run = self.stage.command("sync", self.stage.catalog)
        self.assertEqual(run.exit, 75, run)
        self.has("b.mp4", self.body)
        self.assertIn(f"127.0.0.1:{self.host.port} is left alone for another", run.err, run)

    def test_each_request_of_a_bundled_provider_is_a_line_with_v(self):
        feed = podcast([{"id": "a", "url": self.host.at("/a.mp4", File(self.body, etag='"1"'))}], self.host.url("")).rss_str()
        self.host.at("/feed.xml", lambda x: x.answer(302, b"", Location="/moved.xml?key=s3cr3t"))
        self.host.at("/moved.xml", lambda x: x.answer(200, feed, content_type="application/rss+xml"))
        self.stage.write([{"id": "pod", "discover": True,
                           "parameters": {"endpoint": self.host.url("/feed.xml?key=s3cr3t")}}], provider="feed")
        run = self.stage.sync("-vv", exit=0)
        self.assertRegex(run.err, rf"GET {self.host.url('/feed.xml')}: 302, 0 bytes, \d+ ms")
        self.assertRegex(run.err, rf"GET {self.host.url('/moved.xml')}: 200, {len(feed)} bytes, \d+ ms")
        self.host.at("/moved.xml", lambda x: x.answer(404, b"no"))
        run = self.stage.sync("-vv")
        self.assertRegex(run.err, rf"GET {self.host.url('/moved.xml')}: 404, 2 bytes, \d+ ms")
        self.assertNotIn("s3cr3t", run.out + run.err)
        self.assertNotIn(": 302, 0 bytes", self.stage.sync().err)

    def test_an_enclosure_on_a_foreign_server_that_wants_a_login_is_forbidden(self):
        episodes = [{"id": "mine", "url": self.host.at("/mine.mp4", File(self.body, etag='"1"'))},
                    {"id": "theirs", "url": self.other.at("/theirs.mp4", lambda x: x.answer(401, b""))}]
        feed = podcast(episodes, self.host.url("")).rss_str()
        self.host.at("/feed.xml", lambda x: x.answer(200, feed, content_type="application/rss+xml"))
        self.stage.write([{"id": "pod", "discover": True, "parameters": {"endpoint": self.host.url("/feed.xml")}}],
                         provider="feed")
        run = self.stage.sync(exit=1)
        self.assertEqual([e["error"]["kind"] for e in run.of("download_failed")], ["forbidden"], run)
        self.has("mine", self.body)
        self.assertNotIn("logins_needed", run.of("sync_finished")[0])


class Sidecars(Case):
    """Their trouble is that of a video."""

    def lecture(self, handler):
        url = self.host.at("/v.mp4", File(media.mp4(1, 50000), etag='"1"'))
        self.stage.urls({"intro": {"url": url, "attachments": [
            {"title": "Slides", "url": self.host.at("/folder/slides.pdf?key=s3cr3t", handler)}]}})
        self.host.at("/folder/slides.pdf", handler)
        self.stage.write({"phys": ["intro"]})

    def test_a_503_is_tried_by_the_next_sync_and_ends_with_75(self):
        pdf = File(b"%PDF-1.4 slides", kind="application/pdf")
        self.lecture(lambda x: pdf(x) if x.earlier >= 3 else x.answer(503, b""))
        run = self.stage.sync(exit=75)
        self.assertEqual(run.of("sync_finished")[0]["sidecars_wanted"], 1, run)
        row = self.stage.status()[("phys", "intro")]["sidecars"][0]
        self.assertEqual((row["kind"], row["name"], row["state"], row["error"]["status"]),
                         ("attachment", "Slides", "wanted", 503))
        self.assertIn("/folder/slides.pdf", row["error"]["message"])
        self.assertNotIn("s3cr3t", str(self.stage.status()))
        self.stage.sync(exit=0)
        self.has("Slides", b"%PDF-1.4 slides")

    def refused(self):
        """A refused one; from then on it is there."""
        pdf = File(b"%PDF-1.4 slides", kind="application/pdf")
        is_open = []
        self.lecture(lambda x: pdf(x) if is_open else x.answer(403, b""))
        self.stage.sync(exit=1)
        is_open.append(True)

    def test_status_names_a_refused_one_and_retry_failed_takes_it(self):
        self.refused()
        shown = self.stage.command("status", "--failed")
        self.assertIn("attachment Slides: access denied (403) at", shown.out, shown)
        self.assertIn("/folder/slides.pdf", shown.out)
        self.stage.sync(exit=1)
        self.stage.sync("--retry-failed", exit=0)
        self.has("Slides", b"%PDF-1.4 slides")

    def test_the_command_retry_takes_a_refused_one(self):
        self.refused()
        self.assertEqual(self.stage.command("retry", "--failed").exit, 0)
        self.stage.sync(exit=0)
        self.has("Slides", b"%PDF-1.4 slides")


class WithoutLength(Case):
    """Servers whose answers end with their connections."""

    def serve(self, bodies, **more):
        """Answers in turn, each without a length; the last one for ever."""
        def handler(x):
            x.send(b"HTTP/1.0 200 OK\r\nContent-Type: video/mp4\r\n\r\n" + bodies[min(x.earlier, len(bodies) - 1)])
            return False
        url = self.host.at("/v.mp4", handler)
        self.stage.urls({"intro": {"url": url, **more}})
        self.stage.write({"phys": ["intro"]})

    def test_two_equal_answers_of_a_whole_file_are_accepted(self):
        body = whole_mp4(1, 60000)
        self.serve([body])
        self.stage.sync(exit=0)
        self.has("intro", body)
        self.assertEqual(len(self.host.asked("/v.mp4")), 2)

    def test_a_cut_answer_is_never_a_file_but_waits(self):
        body = whole_mp4(1, 60000)
        self.serve([body[:30000]])
        run = self.stage.sync(exit=75)
        self.assertEqual(self.stage.files(), {}, run)
        self.assertEqual(self.stage.status()[("phys", "intro")]["state"], "waiting")

    def test_cut_once_then_whole_is_accepted(self):
        body = whole_mp4(1, 60000)
        self.serve([body[:30000], body])
        self.stage.sync(exit=0)
        self.has("intro", body)

    def test_the_providers_size_is_enough(self):
        body = media.mp4(1, 60000)
        self.serve([body], size=60000)
        self.stage.sync(exit=0)
        self.has("intro", body)
        self.assertEqual(len(self.host.asked("/v.mp4")), 1)

    def test_an_unexpected_status_is_asked_again_once(self):
        for status in (201, 205, 304, 412):
            with self.subTest(status):
                good = File(media.mp4(status, 50000), etag='"1"')
                self.stage.urls({"intro": self.host.at(f"/{status}.mp4", lambda x: good(x) if x.earlier else x.answer(status))})
                self.stage.write({f"c{status}": ["intro"]})
                self.stage.sync(exit=0)
                self.has(f"c{status}", good.body)
