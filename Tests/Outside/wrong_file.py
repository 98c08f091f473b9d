"""A file under a final name is the one that was asked for (issue 8, items 1 to 7)."""

import hashlib
import os
import signal
import unittest

import media
from host import File, Host
from stage import Stage, wait_until

DATE = "Mon, 05 Jan 2026 10:00:00 GMT"


class Case(unittest.TestCase):
    maxDiff = 400

    def setUp(self):
        self.host, self.stage = Host(), Stage()
        self.addCleanup(self.stage.close)
        self.addCleanup(self.host.close)

    def has(self, name, body):
        """The one file of the library whose path ends so has these bytes."""
        found = [(path, data) for path, data in self.stage.files().items() if name in path]
        self.assertEqual(len(found), 1, f"{name}: {sorted(self.stage.files())}")
        self.assertTrue(found[0][1] == body, f"{found[0][0]} has other bytes: {len(found[0][1])}, not {len(body)}")

    def has_not(self, name):
        found = [path for path in self.stage.files() if name in path]
        self.assertEqual(found, [])


def cut(file, at, chunked=False):
    """Answers a first request with `at` bytes and then silence, each later one as `file` does."""
    def handler(x):
        if x.earlier:
            return file(x)
        if chunked:
            x.head(200, transfer_encoding="chunked", content_type=file.kind, **file.validators())
            x.chunk(file.body[:at])
        else:
            x.head(200, content_length=len(file.body), content_type=file.kind, accept_ranges="bytes",
                   **file.validators())
            x.send(file.body[:at])
        handler.sent = True
        x.stall()
        return False

    handler.sent = False
    return handler


class SameIdInTwoCourses(Case):
    """Item 1."""

    def two(self, physics, maths, courses=("physics", "maths"), **manifest):
        self.stage.urls({
            f"{courses[0]}/intro": self.host.at("/physics/intro.mp4", physics),
            f"{courses[1]}/intro": self.host.at("/maths/intro.mp4", maths)}, **manifest)
        self.stage.write({course: ["intro"] for course in courses})

    def test_same_id_in_two_courses_with_urls_from_the_course_each_gets_its_own_bytes(self):
        physics, maths = File(media.mp4(1, 50000), etag='"p"'), File(media.mp4(2, 50000), etag='"m"')
        self.two(physics, maths)
        self.stage.sync(exit=0)
        self.has("physics/", physics.body)
        self.has("maths/", maths.body)
        self.assertEqual(self.stage.command("verify").exit, 0)

    def test_same_id_without_validators_each_gets_its_own_bytes(self):
        physics, maths = File(media.mp4(1, 50000)), File(media.mp4(2, 50000))
        self.two(physics, maths)
        self.stage.sync(exit=0)
        self.has("physics/", physics.body)
        self.has("maths/", maths.body)

    def test_same_id_and_the_same_weak_etag_or_date_each_gets_its_own_bytes(self):
        physics = File(media.mp4(1, 50000), etag='W/"same"', date=DATE)
        maths = File(media.mp4(2, 50000), etag='W/"same"', date=DATE)
        self.two(physics, maths)
        self.stage.sync(exit=0)
        self.has("physics/", physics.body)
        self.has("maths/", maths.body)

    def test_same_id_when_the_donor_was_finished_by_an_earlier_sync(self):
        physics, maths = File(media.mp4(1, 50000), etag='"p"'), File(media.mp4(2, 50000), etag='"m"')
        self.two(physics, maths)
        self.stage.write({"physics": ["intro"]})
        self.stage.sync(exit=0)
        self.stage.write({"physics": ["intro"], "maths": ["intro"]})
        self.stage.sync(exit=0)
        self.has("physics/", physics.body)
        self.has("maths/", maths.body)

    def test_same_id_in_three_courses_two_of_which_have_one_file(self):
        one, other = File(media.mp4(1, 50000), etag='"one"'), File(media.mp4(2, 50000), etag='"other"')
        self.stage.urls({
            "a/intro": self.host.at("/a.mp4", one), "b/intro": self.host.at("/b.mp4", other),
            "c/intro": self.host.at("/c.mp4", File(one.body, etag='"one"'))})
        self.stage.write({"a": ["intro"], "b": ["intro"], "c": ["intro"]})
        self.stage.sync(exit=0)
        self.has("a/", one.body)
        self.has("b/", other.body)
        self.has("c/", one.body)
        self.host.forget()
        self.stage.sync(exit=0)
        self.assertEqual(self.host.asked(), [], "a second sync asks nobody")

    def test_an_equal_strong_etag_size_and_middle_are_proof_and_the_bytes_come_once(self):
        body, whole = media.mp4(1, 2_000_000), []

        def counted(file):
            def handler(x):
                if "range" not in x.request.headers:
                    whole.append(x.request.path)
                return file(x)
            return handler

        self.two(counted(File(body, etag='"same"')), counted(File(body, etag='"same"')))
        self.stage.sync("--jobs", 1, exit=0)
        self.has("physics/", body)
        self.has("maths/", body)
        self.assertEqual(len(whole), 1, self.host.asked())

    def test_an_equal_strong_etag_and_size_alone_are_no_proof(self):
        physics, maths = File(media.mp4(1, 2_000_000), etag='"same"'), File(media.mp4(2, 2_000_000), etag='"same"')
        self.two(physics, maths)
        self.stage.sync(exit=0)
        self.has("physics/", physics.body)
        self.has("maths/", maths.body)

    def test_the_very_same_url_and_headers_are_proof_and_the_host_is_asked_once(self):
        body = media.mp4(1, 50000)
        url = self.host.at("/intro.mp4", File(body, etag='"x"'))
        self.stage.urls({"intro": url})
        self.stage.write({"physics": ["intro"], "maths": ["intro"]})
        self.stage.sync(exit=0)
        self.has("physics/", body)
        self.has("maths/", body)
        self.assertEqual(len(self.host.asked("/intro.mp4")), 1)

    def test_the_same_url_with_other_headers_is_another_source(self):
        bodies = {"physics": media.mp4(1, 50000), "maths": media.mp4(2, 50000)}
        url = self.host.at("/intro.mp4", lambda x: File(bodies[x.request.headers["x-course"]])(x))
        self.stage.urls({f"{c}/intro": {"url": url, "headers": {"X-Course": c}} for c in bodies})
        self.stage.write({c: ["intro"] for c in bodies})
        self.stage.sync(exit=0)
        for course, body in bodies.items():
            self.has(f"{course}/", body)

    def test_the_same_url_with_another_token_is_another_source(self):
        bodies = {"Bearer physics": media.mp4(1, 50000), "Bearer maths": media.mp4(2, 50000)}
        url = self.host.at("/intro.mp4", lambda x: File(bodies[x.request.headers["authorization"]])(x))
        self.stage.urls({
            f"{c}/intro": {"url": url, "token": {
                "value": c, "in": "header", "name": "Authorization", "prefix": "Bearer "}} for c in ("physics", "maths")})
        self.stage.write({"physics": ["intro"], "maths": ["intro"]})
        self.stage.sync(exit=0)
        self.has("physics/", bodies["Bearer physics"])
        self.has("maths/", bodies["Bearer maths"])

    def test_an_equal_sha256_in_the_catalog_is_proof(self):
        body = media.mp4(1, 50000)
        digest = hashlib.sha256(body).hexdigest()
        self.two(File(body, etag='"p"'), File(body, etag='"m"'))
        videos = [{"id": "intro", "sha256": digest}]
        self.stage.write({"physics": videos, "maths": videos})
        self.stage.sync(exit=0)
        self.has("physics/", body)
        self.has("maths/", body)
        self.assertEqual(len(self.host.asked()), 1)

    def test_the_same_url_that_redirects_elsewhere_for_each_course_is_another_source(self):
        bodies = {"physics": media.mp4(1, 50000), "maths": media.mp4(2, 50000)}
        for course, body in bodies.items():
            self.host.at(f"/{course}/to", File(body, etag='"1"' if course == "physics" else '"2"'))
        for course in bodies:
            self.host.at(f"/{course}", lambda x: x.answer(302, location=x.request.path + "/to"))
        self.stage.urls({f"{c}/intro": self.host.url(f"/{c}") for c in bodies})
        self.stage.write({c: ["intro"] for c in bodies})
        self.stage.sync(exit=0)
        for course, body in bodies.items():
            self.has(f"{course}/", body)

    def test_killed_while_the_second_course_waits_for_the_first_each_gets_its_own_bytes(self):
        physics, maths = File(media.mp4(1, 400000), etag='"p"'), File(media.mp4(2, 400000), etag='"m"')
        first = cut(physics, 100000)
        self.two(first, maths)
        self.stage.partial(lambda: first.sent, "--jobs", 1, by=signal.SIGKILL)
        self.stage.sync(exit=0)
        self.has("physics/", physics.body)
        self.has("maths/", maths.body)

    def test_audio_tells_two_wishes_for_one_stream_apart(self):
        sounds = {}
        for lang in ("de", "en"):
            names = [f"{lang}{i}.ts" for i in range(2)]
            for index, name in enumerate(names):
                self.host.at(f"/{name}", File(media.ts(f"{lang}{index}", index * 4), kind="video/mp2t"))
            sounds[lang] = b"".join(media.ts(f"{lang}{i}", i * 4) for i in range(2))
            self.host.at(f"/{lang}.m3u8", File(media.playlist(names), kind="application/vnd.apple.mpegurl"))
        for index in range(2):
            self.host.at(f"/v{index}.ts", File(media.ts(f"v{index}", index * 4), kind="video/mp2t"))
        self.host.at("/v.m3u8", File(media.playlist(["v0.ts", "v1.ts"]), kind="application/vnd.apple.mpegurl"))
        master = "#EXTM3U\n" + "".join(
            f'#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="{lang}",LANGUAGE="{lang}",DEFAULT=NO,AUTOSELECT=YES,'
            f'URI="{lang}.m3u8"\n' for lang in ("de", "en")
        ) + '#EXT-X-STREAM-INF:BANDWIDTH=1000,CODECS="avc1.4d401f,mp4a.40.2",AUDIO="a"\nv.m3u8\n'
        self.stage.urls({"intro": {
            "url": self.host.at("/m.m3u8", File(master.encode(), kind="application/vnd.apple.mpegurl")), "kind": "hls"}})
        self.stage.write([
            {"id": "deutsch", "audio": ["de"], "videos": ["intro"]},
            {"id": "english", "audio": ["en"], "videos": ["intro"]}])
        self.stage.sync("--ffmpeg", "none", exit=0)
        files = self.stage.files()
        for course, lang in (("deutsch", "de"), ("english", "en")):
            mine = [data for path, data in files.items() if path.startswith(course)]
            self.assertIn(sounds[lang], mine, f"{course} hasn't its sound: {sorted(files)}")


class AnotherSource(Case):
    """Item 2."""

    def switch(self, edit, **validators):
        """A cut download of one source, then an edit of the catalog to another; the file is the other's, whole."""
        one = File(media.mp4(1, 300000), date=DATE, **validators)
        other = File(media.mp4(2, 300000), date=DATE, **validators)
        first = cut(one, 120000)
        body = f'''
URLS = {{"one": {self.host.at("/one.mp4", first)!r}, "other": {self.host.at("/other.mp4", other)!r}}}
def answer(params):
    wish = params["video"]["parameters"].get("which") or {{"480p": "other"}}.get(params["quality"][0], DEFAULT)
    return {{"url": URLS[wish]}}
'''
        self.stage.plugin("lectures", "DEFAULT = 'one'" + body)
        self.stage.plugin("elsewhere", "DEFAULT = 'other'" + body)
        before, after = edit
        self.stage.write({"phys": [{"id": "intro", **before}]})
        self.stage.partial(lambda: first.sent)
        self.stage.write({"phys": [{"id": "intro", **after}]})
        self.stage.sync(exit=0)
        self.has("intro", other.body)

    PARAMETERS = ({"parameters": {"which": "one"}}, {"parameters": {"which": "other"}})

    def test_other_parameters_start_over_though_the_date_is_the_same(self):
        self.switch(self.PARAMETERS)

    def test_other_parameters_start_over_though_the_etag_is_the_same(self):
        self.switch(self.PARAMETERS, etag='"1"')

    def test_another_provider_starts_over(self):
        self.switch(({}, {"provider": "elsewhere"}))

    def test_another_quality_starts_over(self):
        self.switch(({"quality": "720p"}, {"quality": "480p"}))

    def test_another_source_and_back_again_is_never_spliced(self):
        one, other = File(media.mp4(1, 300000), date=DATE), File(media.mp4(2, 300000), date=DATE)
        first, second = cut(one, 120000), cut(other, 60000)
        self.stage.plugin("lectures", f'''
URLS = {{"one": {self.host.at("/one.mp4", first)!r}, "other": {self.host.at("/other.mp4", second)!r}}}
def answer(params): return {{"url": URLS[params["video"]["parameters"]["which"]]}}
''')
        self.stage.write({"phys": [{"id": "intro", "parameters": {"which": "one"}}]})
        self.stage.partial(lambda: first.sent, by=signal.SIGKILL)
        self.stage.write({"phys": [{"id": "intro", "parameters": {"which": "other"}}]})
        self.stage.partial(lambda: second.sent, by=signal.SIGKILL)
        self.stage.write({"phys": [{"id": "intro", "parameters": {"which": "one"}}]})
        self.stage.sync(exit=0)
        self.has("intro", one.body)

    def test_another_source_with_a_checksum_ends_with_the_file_of_the_checksum(self):
        body = media.mp4(1, 300000)
        digest = hashlib.sha256(body).hexdigest()
        first = cut(File(body, date=DATE), 120000)
        self.stage.plugin("lectures", f'''
URLS = {{"one": {self.host.at("/one.mp4", first)!r}, "other": {self.host.at("/other.mp4", File(body, date=DATE))!r}}}
def answer(params): return {{"url": URLS[params["video"]["parameters"]["which"]]}}
''')
        self.stage.write({"phys": [{"id": "intro", "sha256": digest, "parameters": {"which": "one"}}]})
        self.stage.partial(lambda: first.sent)
        self.stage.write({"phys": [{"id": "intro", "sha256": digest, "parameters": {"which": "other"}}]})
        self.stage.sync(exit=0)
        self.has("intro", body)


class TruncatedFiles(Case):
    """Item 3."""

    BODY = media.mp4(7, 300000)

    def resumed(self, lie, first=None):
        """A chunked 200 with an ETag that is cut, then what `lie` makes of each range; two syncs, then a retry."""
        file = File(self.BODY, etag='"v1"', chunked=True)

        def handler(x):
            start = file.start_for(x.request)
            if x.earlier == 0:
                x.head(200, transfer_encoding="chunked", etag='"v1"', content_type="video/mp4")
                x.chunk(self.BODY[:100000])
                return False
            return file(x) if start is None else lie(x, start)

        self.stage.urls({"intro": self.host.at("/intro.mp4", handler)})
        self.stage.write({"phys": ["intro"]})
        for _ in range(3):
            run = self.stage.sync("--max-wait", "30s")
            for path, data in self.stage.files().items():
                self.assertTrue(data == self.BODY, f"{path}: {len(data)} of {len(self.BODY)} bytes are finished")
            if run.exit == 0:
                return
            self.stage.command("retry", "--failed")
        self.has("intro", self.BODY)

    def test_a_206_without_a_total_that_is_capped_proves_the_part_only(self):
        def capped(x, start):
            if start >= len(self.BODY):
                return x.answer(416, content_range=f"bytes */{len(self.BODY)}", etag='"v1"')
            end = min(start + 50000, len(self.BODY))
            x.answer(206, self.BODY[start:end], etag='"v1"', content_type="video/mp4",
                     content_range=f"bytes {start}-{end - 1}/*")
        self.resumed(capped)

    def test_a_206_without_a_total_whose_chunked_body_ends_early_proves_nothing(self):
        def early(x, start):
            if start >= len(self.BODY):
                return x.answer(416, content_range=f"bytes */{len(self.BODY)}", etag='"v1"')
            x.head(206, transfer_encoding="chunked", etag='"v1"', content_type="video/mp4",
                   content_range=f"bytes {start}-{len(self.BODY) - 1}/*")
            x.chunk(self.BODY[start : start + 60000])
            x.send(b"0\r\n\r\n")
        self.resumed(early)

    def test_a_206_without_a_total_that_is_cut_by_a_close_proves_nothing(self):
        def close(x, start):
            if start >= len(self.BODY):
                return x.answer(416, content_range=f"bytes */{len(self.BODY)}", etag='"v1"')
            x.head(206, connection="close", etag='"v1"', content_type="video/mp4",
                   content_range=f"bytes {start}-{len(self.BODY) - 1}/*")
            x.send(self.BODY[start : start + 60000])
            return False
        self.resumed(close)

    def test_multipart_byteranges_never_finish_a_file(self):
        def multipart(x, start):
            part = (b"\r\n--b\r\nContent-Type: video/mp4\r\nContent-Range: bytes %d-%d/%d\r\n\r\n" % (
                start, len(self.BODY) - 1, len(self.BODY))) + self.BODY[start:] + b"\r\n--b--\r\n"
            x.answer(206, part, etag='"v1"', content_type="multipart/byteranges; boundary=b")
        self.resumed(multipart)

    def test_multipart_byteranges_with_a_content_range_never_finish_a_file(self):
        def multipart(x, start):
            x.answer(206, b"\r\n--b\r\n\r\n" + self.BODY[start + 8 :], etag='"v1"',
                     content_range=f"bytes {start}-{len(self.BODY) - 1}/*",
                     content_type="multipart/byteranges; boundary=b")
        self.resumed(multipart)

    def test_a_206_whose_star_total_and_length_disagree_is_never_finished(self):
        def short(x, start):
            if start >= len(self.BODY):
                return x.answer(416, content_range=f"bytes */{len(self.BODY)}", etag='"v1"')
            x.answer(206, self.BODY[start : start + 30000], etag='"v1"', content_type="video/mp4",
                     content_range=f"bytes {start}-{start + 99999}/*")
        self.resumed(short)


class CutPlaylists(Case):
    """Item 4."""

    def stream(self, count=10):
        names = [f"s{i}.ts" for i in range(count)]
        for index, name in enumerate(names):
            self.host.at(f"/{name}", File(media.ts(index, index * 4), kind="video/mp2t"))
        self.whole = b"".join(media.ts(i, i * 4) for i in range(count))
        return names

    def lectures(self, handler):
        self.stage.urls({"intro": {"url": self.host.at("/p.m3u8", handler), "kind": "hls"}})
        self.stage.write({"phys": ["intro"]})

    def test_a_vod_playlist_that_is_cut_by_a_close_is_not_the_whole_stream(self):
        names = self.stream()
        whole = media.playlist(names, end=False, vod=True)
        short = media.playlist(names[:3], end=False, vod=True)

        def handler(x):
            if x.earlier < 2:
                x.head(200, connection="close", content_type="application/vnd.apple.mpegurl")
                x.send(short)
                return False
            x.answer(200, whole, content_type="application/vnd.apple.mpegurl")

        self.lectures(handler)
        for _ in range(4):
            run = self.stage.sync("--ffmpeg", "none", "--max-wait", "3s")
            for data in self.stage.files().values():
                self.assertEqual(len(data), len(self.whole), "a stream of three segments out of ten is finished")
            if run.exit == 0 and self.stage.files():
                break
            self.stage.command("retry", "--all")
        self.has("intro", self.whole)

    def test_a_vod_playlist_with_a_length_is_whole_without_an_end_mark(self):
        self.lectures(File(media.playlist(self.stream(), end=False, vod=True), kind="application/vnd.apple.mpegurl"))
        self.stage.sync("--ffmpeg", "none", exit=0)
        self.has("intro", self.whole)

    def test_a_playlist_with_its_end_mark_is_whole_without_a_length(self):
        text = media.playlist(self.stream(), end=True)

        def handler(x):
            x.head(200, connection="close", content_type="application/vnd.apple.mpegurl")
            x.send(text)
            return False

        self.lectures(handler)
        self.stage.sync("--ffmpeg", "none", exit=0)
        self.has("intro", self.whole)


class EqualIds(Case):
    """Item 5."""

    def pairs(self, one, other):
        bodies = {one: media.mp4(1, 40000), other: media.mp4(2, 40000)}
        self.stage.plugin("lectures", f'''
def answer(params):
    return {{"url": {self.host.url("/")!r} + params["video"]["id"].encode().hex()}}
''')
        for id, body in bodies.items():
            self.host.at("/" + id.encode().hex(), File(body))
        self.stage.write({"phys": [{"id": one, "title": "first"}, {"id": other, "title": "second"}]})
        checked, run = self.stage.command("check", self.stage.catalog), self.stage.sync()
        if run.exit == 65:
            return
        self.assertEqual((checked.exit, run.exit), (0, 0), run)
        self.has("first", bodies[one])
        self.has("second", bodies[other])

    def test_a_kelvin_sign_and_a_k_are_refused_or_are_two_videos(self):
        self.pairs("K", "\u212a")

    def test_an_angstrom_sign_and_a_letter_are_refused_or_are_two_videos(self):
        self.pairs("\u00c5", "\u212b")

    def test_a_ligature_is_another_id_than_its_letters(self):
        self.pairs("\ufb01n", "fin")

    def test_an_id_spelled_in_another_way_is_the_same_video_and_nobody_is_asked(self):
        self.stage.plugin("lectures", f'def answer(params): return {{"url": {self.host.url("/v")!r}}}')
        body = media.mp4(1, 40000)
        self.host.at("/v", File(body))
        for id in ("\u212a1", "K1", "\u212a1"):
            self.stage.write({"phys": [{"id": id, "title": "kelvin"}]})
            self.stage.sync(exit=0)
            self.has("kelvin", body)
        self.assertEqual(len(self.host.asked()), 1)


class MediaTypes(Case):
    """Item 6."""

    def arrives(self, resolution=None, by=signal.SIGTERM):
        body = media.webm(1, 200000)

        def handler(x):
            start = x.request.range_start
            if start is not None:
                if start >= len(body):
                    return x.answer(416, content_range=f"bytes */{len(body)}", etag='"w"')
                return x.answer(206, body[start:], etag='"w"', content_range=f"bytes {start}-{len(body) - 1}/{len(body)}")
            x.head(200, transfer_encoding="chunked", etag='"w"', content_type="video/webm")
            x.chunk(body)
            handler.sent = True
            # All bytes are there, and nobody says so yet.
            x.stall()
            return False

        handler.sent = False
        self.stage.urls({"intro": {"url": self.host.at("/watch", handler), **(resolution or {})}})
        self.stage.write({"phys": ["intro"]})
        self.stage.partial(lambda: handler.sent, by=by, least=len(body))
        self.stage.sync(exit=0)
        self.assertEqual([path.rsplit(".", 1)[1] for path in self.stage.files()], ["webm"])
        self.has("intro", body)

    def test_a_resumed_webm_whose_bytes_were_all_there_stays_a_webm(self):
        self.arrives()

    def test_a_killed_webm_whose_bytes_were_all_there_stays_a_webm(self):
        self.arrives(by=signal.SIGKILL)

    def test_a_webm_that_goes_on_with_a_206_without_a_type_stays_a_webm(self):
        body = media.webm(2, 200000)

        def handler(x):
            start = x.request.range_start
            if start is not None:
                return x.answer(206, body[start:], etag='"w"', content_range=f"bytes {start}-{len(body) - 1}/{len(body)}")
            x.head(200, content_length=len(body), etag='"w"', content_type="video/webm")
            x.send(body[:100000])
            handler.sent = True
            x.stall()
            return False

        handler.sent = False
        self.stage.urls({"intro": self.host.at("/watch", handler)})
        self.stage.write({"phys": ["intro"]})
        self.stage.partial(lambda: handler.sent)
        self.stage.sync(exit=0)
        self.has("intro.webm", body)

    def test_a_webm_of_a_size_that_the_provider_tells_stays_a_webm(self):
        self.arrives({"size": 200000})


class LocalCovers(Case):
    """Item 7."""

    SECRET = b"root:x:0:0: a file of the person's own\n" * 20

    def clone(self, cover, make):
        folder = self.stage.folder / "repository"
        folder.mkdir()
        (self.stage.folder / "secret").write_bytes(self.SECRET)
        self.stage.catalog = folder / "catalog.yaml"
        make(folder, self.stage.folder / "secret")
        self.stage.urls({"intro": self.host.at("/i.mp4", File(media.mp4(1, 30000)))})
        self.stage.write([{"id": "phys", "cover": cover, "videos": [{"id": "intro", "cover": cover}]}])
        run = self.stage.sync()
        for path, data in self.stage.files().items():
            self.assertNotIn(self.SECRET[:30], data, f"{path} is the person's own file")
        return run

    def test_a_cover_that_is_a_link_is_not_copied(self):
        self.clone("cover.jpg", lambda folder, secret: (folder / "cover.jpg").symlink_to(secret))

    def test_a_cover_in_a_folder_that_is_a_link_is_not_copied(self):
        def make(folder, secret):
            (self.stage.folder / "elsewhere").mkdir()
            (self.stage.folder / "elsewhere/cover.jpg").write_bytes(self.SECRET)
            (folder / "covers").symlink_to("../elsewhere")
        self.clone("covers/cover.jpg", make)

    def test_a_cover_that_is_a_relative_link_is_not_copied(self):
        self.clone("cover.jpg", lambda folder, secret: (folder / "cover.jpg").symlink_to("../secret"))

    def test_a_cover_that_is_a_pipe_stops_nothing(self):
        self.clone("cover.jpg", lambda folder, secret: os.mkfifo(folder / "cover.jpg"))
        self.has("intro", media.mp4(1, 30000))

    def test_a_cover_that_is_a_file_comes_along(self):
        picture = bytes.fromhex("ffd8ffe000104a46494600010100000100010000") + bytes(500) + bytes.fromhex("ffd9")
        self.clone("cover.jpg", lambda folder, secret: (folder / "cover.jpg").write_bytes(picture))
        self.assertIn(picture, self.stage.files().values())
