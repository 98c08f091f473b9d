"""The providers that sign addresses offline, against servers that check the signatures with openssl and Python's own hashes."""

import datetime
import json
import os
import re
import subprocess
import urllib.error
import urllib.parse
import urllib.request

import media
import signed_host
import stage
from asking import CANARY, ODD, Case
from botocore.signers import CloudFrontSigner
from host import File, Host
from signed_host import SignedHost, key_pair

NAMES = [name for name in ODD if "/" not in name]
HEX = "c0ffee" * 8
KEY_ID = "K2JCJMDEHXQW5F"
NOW = datetime.datetime(2026, 11, 20, 23, tzinfo=datetime.timezone.utc)


def asked(resolution, url=None):
    """The request of a host with the tokens of a resolution: those whose prefix has the address."""
    url = url or resolution["url"]
    headers, cookies, query = {}, [], {}
    for token in resolution.get("tokens", []):
        prefix = token["url_prefix"].rstrip("/")
        if url != prefix and not url.startswith(prefix + "/"):
            continue
        if token["in"] == "header":
            headers[token["name"]] = token["value"]
        elif token["in"] == "cookie":
            cookies.append(f"{token['name']}={token['value']}")
        else:
            query[token["name"]] = token["value"]
    if cookies:
        headers["Cookie"] = "; ".join(cookies)
    return urllib.request.Request(url + ("?" + urllib.parse.urlencode(query) if query else ""), headers=headers)


def download(resolution, url=None):
    """The body, or the status of a refusal."""
    try:
        with urllib.request.urlopen(asked(resolution, url), timeout=20) as response:
            return response.read()
    except urllib.error.HTTPError as error:
        return error.code


class Signed:
    """What is the same for all of them; a subclass says which one it is."""

    #: Parameters of a file and of a stream, besides the endpoint; the video's id in both.
    file, stream, video = {}, {}, "a b"
    file_path, stream_path = "/optics/a b.mp4", "/optics/waves/index.m3u8"
    # Whether the segments of a stream need the signature, and where they are if not beside their playlist.
    signs_segments, segments_path = True, None
    # Whether an address has the signature in its path.
    in_path = False

    def host(self):
        """The server, and its secret."""
        pem, public = key_pair("one")
        return SignedHost(self, self.checks(public)), pem

    def other_key(self):
        return key_pair("two")[0]

    def ready(self):
        self.server, self.secret = self.host()
        self.where = {"endpoint": self.server.url("")}

    def playlist(self, names):
        return media.playlist(names, vod=True)


class Forms(Signed):
    """The answers."""

    def test_every_name_and_every_form(self):
        self.ready()
        provider = self.provider()
        login = provider.login(self.where, {"key": self.secret})
        for parameters, path in self.forms():
            for name in [self.video, *self.names()]:
                self.server.files = {path.replace("{id}", name): media.mp4(name, 300)}
                got = provider.resolve({**self.where, **parameters}, name, credentials=login, now=now())
                self.assertEqual(download(got), media.mp4(name, 300), (parameters, name, self.server.refused[-1:]))
        self.assertEqual(self.server.refused, [])

    def names(self):
        return NAMES

    def test_a_signature_is_for_its_server_and_its_time(self):
        self.ready()
        provider = self.provider()
        where = {**self.where, **self.file}
        login = provider.login(self.where, {"key": self.secret})
        self.server.files = {self.file_path: media.mp4("a", 300)}
        at = now()
        got = provider.resolve({**where, "lifetime": 60}, self.video, credentials=login, now=at)
        self.assertEqual(got["expires_at"], now(60, at))
        self.assertEqual(download(got), media.mp4("a", 300))
        self.assertEqual(download(provider.resolve(where, self.video, credentials=login, now=now(-7200))), 403)
        # Another port is another server, which this login isn't for; nor is anything without one.
        other = {**where, "endpoint": "http://127.0.0.1:9"}
        self.refused(lambda: provider.resolve(other, self.video, credentials=login), "auth_required")
        self.refused(lambda: provider.resolve(where, self.video), "auth_required")
        both = provider.login({"endpoint": "http://127.0.0.1:9"}, {"key": self.secret}, credentials=login)
        self.assertEqual(set(both["hosts"]), {self.server.url(""), "http://127.0.0.1:9"})
        for wrong in self.wrong_keys():
            self.assertNotIn("c4n4ry", self.refused(
                lambda: provider.login(self.where, {"key": wrong}), "auth_required").message)

    def test_a_key_in_a_file_is_for_the_server_of_its_name(self):
        self.ready()
        self.server.files = {self.file_path: media.mp4("a", 300)}
        provider = self.provider(environment={"XDG_CONFIG_HOME": self.path("conf")})
        where = {**self.where, **self.file}
        name = self.where["endpoint"].replace("://", "_") + ".secret"
        file = self.write(self.secret + "\n", "conf", "coursefetch", self.provider_name, name)
        os.chmod(file, 0o644)
        self.assertIn("chmod 600", self.refused(lambda: provider.resolve(where, self.video), "auth_required").message)
        os.chmod(file, 0o600)
        self.assertEqual(download(provider.resolve(where, self.video, now=now())), media.mp4("a", 300))
        for other in (where["endpoint"].replace("http:", "https:"), "https://example.org"):
            self.refused(lambda: provider.resolve({**where, "endpoint": other}, self.video), "auth_required")
        self.write("", "conf", "coursefetch", self.provider_name, name)
        self.refused(lambda: provider.resolve(where, self.video), "auth_required")

    def wrong_keys(self):
        encrypted = subprocess.run(["openssl", "rsa", "-aes128", "-passout", "pass:x"], input=key_pair("one")[0].encode(),
                                   capture_output=True, check=True).stdout.decode()
        small = subprocess.run(["openssl", "genrsa", "1024"], capture_output=True, check=True).stdout.decode()
        return ["", CANARY, "-----BEGIN RSA PRIVATE KEY-----\nYzRuNHJ5\n-----END RSA PRIVATE KEY-----", encrypted, small]


class Syncs(Signed):
    """The program with them."""

    def on_stage(self, key):
        """A catalog of a file and a stream, and a login with this key."""
        scene = stage.Stage()
        self.addCleanup(scene.close)
        secrets = scene.folder / "secrets.json"
        secrets.write_text(json.dumps({"key": key}))
        secrets.chmod(0o600)
        run = scene.command("login", "--provider", self.provider_name, "--secrets-from", secrets, "--set",
                            "endpoint=" + self.where["endpoint"])
        self.assertEqual(run.exit, 0, run)
        scene.write([{"id": name, "provider": self.provider_name, "parameters": {**self.where, **parameters},
                      "videos": [{"id": self.video, "title": name}]}
                     for name, parameters in (("file", self.file), ("stream", self.stream))])
        return scene

    def test_a_file_and_a_stream_whose_signatures_expire_on_the_way(self):
        self.ready()
        other = Host()
        self.addCleanup(other.close)
        parts = [media.ts(n, 4 * n) for n in range(8)]
        names = [f"s{n}.ts" for n in range(6)] + [self.server.url("/open/s6.ts"), other.url("/s7.ts")]
        base = self.segments_path or self.stream_path.rsplit("/", 1)[0]
        self.server.files = {f"{base}/s{n}.ts": parts[n] for n in range(6)}
        big = media.mp4("big", 2_000_000)
        self.server.files |= {"/open/s6.ts": parts[6], self.file_path: big, self.stream_path: self.playlist(names)}
        other.at("/s7.ts", File(parts[7], etag='"7"', kind="video/mp2t"))
        self.server.cut = {self.file_path: 700_000}
        self.server.revoke_at = f"{base}/s4.ts" if self.signs_segments else None
        scene = self.on_stage(self.secret)
        run = scene.sync("--ffmpeg", "none", "--jobs", "1", "--segments-per-download", "1", exit=0)
        self.assertEqual(sorted(len(c) for c in scene.files().values()), sorted([len(big), sum(map(len, parts))]), run)
        self.assertEqual(set(scene.files().values()), {big, b"".join(parts)})
        # What is left of the file was asked for once more in vain, and then with another signature.
        ranges = [r for r in self.server.asked() if r.headers.get("range", "bytes=0-") != "bytes=0-"]
        self.assertTrue(ranges, "it goes on where it was")
        self.assertTrue(self.server.refused, "an old signature was refused")
        self.assertEqual({e["reason"] for e in run.of("resolved")} - {"first", "expired"}, {"rejected"}, run)
        for request in [r for r in self.server.asked() if r.path.startswith("/open/")] + other.asked():
            self.assertNotRegex(request.path + repr(request.headers), "(?i)token|signature|hmac|cookie|eyJ")
        self.quiet(scene, run)
        second = scene.sync("--ffmpeg", "none", exit=0)
        self.assertEqual(second.of("download_started"), [])

    def quiet(self, scene, run):
        """No secret, and no signature, is where somebody might read it."""
        said = run.out + run.err + "".join(
            p.read_text(errors="replace") for p in scene.state.rglob("*") if p.is_file() and p.name != "credentials.json")
        for line in [line for line in self.secret.splitlines() if "-----" not in line][:3]:
            self.assertNotIn(line, said)
        for request in self.server.asked():
            sent = re.split("[/?&=~; ]", " ".join([request.path, *(request.headers.get(n, "") for n in ("cookie", "__token__"))]))
            for signature in {part for part in sent if len(part) > 30}:
                self.assertNotIn(signature, said)

    def test_a_wrong_key_is_told_as_a_refusal_of_the_server(self):
        self.ready()
        self.server.files = {self.file_path: media.mp4("a", 300), self.stream_path: media.playlist(["s.ts"], vod=True)}
        scene = self.on_stage(self.other_key())
        # What is in a path is shown with -vv.
        run = scene.sync("--ffmpeg", "none", "--max-wait", "1s", *([] if self.in_path else ["-vv"]), exit=1)
        errors = [e["error"] for e in run.of("download_failed")]
        self.assertEqual([(e["kind"], e["status"]) for e in errors], 2 * [("url_refused", 403)], run)
        self.assertLess(len(self.server.asked()), 16)
        self.quiet(scene, run)


class OfCloudFront:
    provider_name = "cloudfront"
    file = {"path": "/optics/{id}.mp4", "key_id": KEY_ID}
    stream = {"path": "/optics/waves/index.m3u8", "key_id": KEY_ID, "kind": "hls"}

    def checks(self, public):
        return signed_host.cloudfront(KEY_ID, public)


class CloudFront(OfCloudFront, Forms, Syncs, Case):
    def forms(self):
        for more in ({}, {"in": "cookie"}, {"hash": "SHA256"}, {"hash": "SHA256", "in": "cookie"}, {"ip": "127.0.0.1"},
                     {"kind": "hls"}, {"kind": "hls", "in": "cookie", "folder": "/optics"}):
            yield {**self.file, **more}, "/optics/{id}.mp4"

    def test_it_signs_as_botocore_does(self):
        self.ready()
        provider = self.provider()
        login = provider.login(self.where, {"key": self.secret})
        key = self.write(self.secret, "key.pem")
        signer = CloudFrontSigner(KEY_ID, lambda message: subprocess.run(
            ["openssl", "dgst", "-sha1", "-sign", key], input=message, capture_output=True, check=True).stdout)
        expires = NOW + datetime.timedelta(hours=1)
        for name in ODD:
            url = self.server.url("/optics/" + urllib.parse.quote(name) + ".mp4")
            got = provider.resolve({**self.where, **self.file}, name, credentials=login)
            self.assertEqual(asked(got).full_url, signer.generate_presigned_url(url, date_less_than=expires))
            got = provider.resolve({**self.where, **self.file, "ip": "192.0.2.7"}, name, credentials=login)
            policy = signer.build_policy(url, expires, ip_address="192.0.2.7")
            self.assertEqual(asked(got).full_url, signer.generate_presigned_url(url, policy=policy))
            folder = self.server.url(f"/optics/{urllib.parse.quote(name)}/")
            where = {**self.where, **self.file, "path": "/optics/{id}/i.m3u8", "kind": "hls"}
            got = provider.resolve(where, name, credentials=login)
            self.assertEqual(asked(got).full_url, signer.generate_presigned_url(
                folder + "i.m3u8", policy=signer.build_policy(folder + "*", expires)))

    def test_a_folder_above_and_what_is_no_path(self):
        self.ready()
        provider = self.provider()
        login = provider.login(self.where, {"key": self.secret})
        where = {**self.where, **self.stream}
        self.server.files = {"/optics/waves/index.m3u8": b"#EXTM3U", "/optics/sound/s.ts": b"s", "/other/s.ts": b"s"}
        got = provider.resolve({**where, "folder": "/optics"}, "v", credentials=login, now=now())
        self.assertEqual((download(got), download(got, self.server.url("/optics/sound/s.ts"))), (b"#EXTM3U", b"s"))
        self.assertEqual(download(got, self.server.url("/other/s.ts")), 403)
        for more in ({"folder": "/other"}, {"folder": "/optics/../"}, {"path": "/../{id}"}, {"path": "/{nobody}"}):
            self.refused(lambda: provider.resolve({**where, **more}, "v", credentials=login), "invalid_parameters")
        self.refused(lambda: provider.resolve({**self.where, "path": "/{id}"}, "v", credentials=login), "invalid_parameters")


class CloudFrontCookies(OfCloudFront, Syncs, Case):
    file, stream = {**OfCloudFront.file, "in": "cookie"}, {**OfCloudFront.stream, "in": "cookie"}


class WithKey:
    """Those whose key is a line of text."""

    def host(self):
        return SignedHost(self, self.checks(HEX)), HEX

    def other_key(self):
        return "ab" * 24


class OfBunny(WithKey):
    provider_name = "bunny"
    file = {"path": "/optics/{id}.mp4"}
    stream = {"path": "/optics/waves/index.m3u8", "kind": "hls"}
    in_path = True

    def checks(self, key):
        return signed_host.bunny(key)


class Bunny(OfBunny, Forms, Syncs, Case):
    def wrong_keys(self):
        return ["", " ", "\n"]

    def forms(self):
        more = [{"token": form, **rest} for form in ("hmac", "sha256") for rest in (
            {}, {"in": "path"}, {"ip": "127.0.0.1"}, {"countries": "CA,US"}, {"blocked_countries": "RU", "in": "path"},
            {"kind": "hls"}, {"kind": "hls", "in": "query", "folder": "/optics/", "countries": "US"})]
        return [({**self.file, **parameters}, "/optics/{id}.mp4") for parameters in [*more, {"token": "md5"}]]

    def test_a_token_of_one_file_is_none_of_a_stream(self):
        self.ready()
        provider = self.provider()
        login = provider.login(self.where, {"key": self.secret})
        where = {**self.where, **self.stream, "token": "md5"}
        self.refused(lambda: provider.resolve(where, "v", credentials=login), "invalid_parameters")


class BunnyQuery(OfBunny, Syncs, Case):
    file, stream = {**OfBunny.file, "token": "sha256", "in": "path"}, {**OfBunny.stream, "in": "query"}


class OfAkamai(WithKey):
    provider_name = "akamai"
    file = {"path": "/optics/{id}.mp4"}
    stream = {"path": "/optics/waves/index.m3u8", "kind": "hls"}

    def checks(self, key):
        return signed_host.akamai(key)


class Akamai(OfAkamai, Forms, Syncs, Case):
    def wrong_keys(self):
        return ["", "c4n4ry", "abc"]

    def forms(self):
        for more in ({}, {"in": "cookie"}, {"in": "header"}, {"token": "url"}, {"start_time": True, "session_id": "anna.1"},
                     {"ip": "127.0.0.1", "payload": "k=v", "escape": True}, {"kind": "hls"}, {"kind": "hls", "in": "cookie"}):
            yield {**self.file, **more}, "/optics/{id}.mp4"

    def test_what_a_property_may_be_set_to(self):
        for settings, parameters in (
                ({"escape": True}, {"escape": True, "token": "url"}), ({"algorithm": "sha1"}, {"algorithm": "sha1"}),
                ({"algorithm": "md5", "name": "hdnts"}, {"algorithm": "md5", "token_name": "hdnts", "in": "cookie"})):
            with self.subTest(str(parameters)):
                self.server = SignedHost(self, signed_host.akamai(HEX, **settings))
                where, provider = {"endpoint": self.server.url("")}, self.provider()
                login = provider.login(where, {"key": HEX})
                for name in ODD:
                    self.server.files = {f"/optics/{name}.mp4": b"a"}
                    got = provider.resolve({**where, **self.file, **parameters}, name, credentials=login, now=now())
                    self.assertEqual(download(got), b"a", self.server.refused)
                self.refused(lambda: provider.resolve({**where, **self.stream, "token": "url"}, "v", credentials=login),
                             "invalid_parameters")


class AkamaiCookie(OfAkamai, Syncs, Case):
    file, stream = {**OfAkamai.file, "in": "header"}, {**OfAkamai.stream, "in": "cookie"}


class AkamaiInURI(OfAkamai, Syncs, Case):
    """The edge server writes a token of its own into the addresses of a playlist."""

    file = {**OfAkamai.file, "token_name": "hdnts"}
    stream = {"path": "/optics/waves/master.m3u8", "kind": "hls", "token_name": "hdnts"}
    stream_path, in_path = "/optics/waves/master.m3u8", True

    def host(self):
        return signed_host.AkamaiEdge(self, HEX), HEX

    def playlist(self, names):
        self.server.files["/optics/waves/v.m3u8"] = media.playlist(names, vod=True)
        return b"#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000000\n/SESSION/optics/waves/v.m3u8\n"


class Mux(Forms, Syncs, Case):
    provider_name = "mux"
    file, stream = {"key_id": "signing key", "rendition": "highest.mp4"}, {"key_id": "signing key"}
    file_path, stream_path = "/a b/highest.mp4", "/a b.m3u8"
    # Mux signs the addresses in its playlists itself.
    signs_segments, segments_path = False, "/open"

    def checks(self, public):
        return signed_host.mux("signing key", public)

    def names(self):
        return NAMES

    def forms(self):
        yield self.file, "/{id}/highest.mp4"
        yield {**self.file, "rendition": "audio.m4a"}, "/{id}/audio.m4a"
        yield self.stream, "/{id}.m3u8"

    def playlist(self, names):
        return media.playlist([name if "/" in name else self.server.url("/open/" + name) for name in names], vod=True)

    def test_the_host_is_that_of_mux(self):
        provider = self.provider()
        where = {"endpoint": "https://stream.mux.com", "key_id": "k"}
        login = provider.login(where, {"key": key_pair("one")[0]})
        got = provider.resolve(where, "abc", credentials=login)
        self.assertEqual((got["url"], got["kind"]), ("https://stream.mux.com/abc.m3u8", "hls"))
        self.refused(lambda: provider.resolve(where, "", credentials=login), "not_found")


class CloudflareStream(Forms, Syncs, Case):
    provider_name = "cloudflare-stream"
    file, stream = {"key_id": "8f926b2b", "download": "default.mp4"}, {"key_id": "8f926b2b"}
    file_path, stream_path = "/a b/downloads/default.mp4", "/a b/manifest/video.m3u8"
    in_path = True

    def checks(self, public):
        return signed_host.cloudflare_stream("8f926b2b", public)

    def forms(self):
        yield self.file, "/{id}/downloads/default.mp4"
        yield {**self.file, "download": "audio.m4a"}, "/{id}/downloads/audio.m4a"
        yield self.stream, "/{id}/manifest/video.m3u8"


def now(after=0, at=None):
    """A time of requests, so many seconds after now."""
    time = datetime.datetime.fromisoformat(at) if at else datetime.datetime.now(datetime.timezone.utc)
    return (time + datetime.timedelta(seconds=after)).strftime("%Y-%m-%dT%H:%M:%SZ")
