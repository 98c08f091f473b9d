"""Servers of media that check signatures as the vendors' pages say, with openssl and Python's own hashes: no signature here is
made by the code under test.

Each kind of server is a function: of a request it tells the path of the media and when the signature expires, or raises Bad.
"""

import base64
import hashlib
import hmac
import json
import re
import subprocess
import tempfile
import threading
import time
import urllib.parse

from host import File, Host, Request
from samples import once


class Bad(Exception):
    """A signature that isn't there, or isn't good for this request."""


def key_pair(name):
    """A private key in PEM (PKCS #1), and the file of its public key."""
    def make(folder):
        folder.mkdir()
        for command in (["genrsa", "-traditional", "-out", folder / "key.pem", "2048"],
                        ["rsa", "-in", folder / "key.pem", "-pubout", "-out", folder / "public.pem"]):
            subprocess.run(["openssl", *command], check=True, capture_output=True)

    folder = once(("key pair", name), make)
    return (folder / "key.pem").read_text(), folder / "public.pem"


def is_signature(public, digest, message, signature):
    with tempfile.NamedTemporaryFile() as file:
        file.write(signature)
        file.flush()
        done = subprocess.run(["openssl", "dgst", f"-{digest}", "-verify", public, "-signature", file.name],
                              input=message, capture_output=True)
    return done.returncode == 0


def un64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def b64(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def cookies(request):
    """Of a request, as they are sent."""
    field = request.headers.get("cookie", "")
    return dict(part.split("=", 1) for part in field.split("; ") if "=" in part)


class SignedHost(Host):
    """Serves `files`, by their paths, for good signatures only; what is below /open/ needs none."""

    def __init__(self, case, check):
        super().__init__()
        case.addCleanup(self.close)
        self.check, self.files, self.fallback = check, {}, self.serve_file
        # From which answer of which path on older signatures are refused; how many bytes are sent before a cut.
        self.revoke_at, self.cut, self.refused, self.revoked, self.turn = None, {}, [], 0, threading.Lock()

    def serve_file(self, x):
        path = urllib.parse.unquote(x.request.path.split("?")[0])
        if path.startswith("/open/"):
            return File(self.files[path], etag='"1"')(x)
        try:
            path, expires = self.check(self, x.request)
            with self.turn:
                if self.revoke_at and path == self.revoke_at:
                    self.revoke(expires)
            if expires < time.time() or expires <= self.revoked:
                raise Bad("it has expired")
        except (Bad, KeyError, ValueError) as why:
            self.refused.append((x.request.path, repr(why)))
            return x.answer(403, b"<html>Forbidden</html>", content_type="text/html")
        if path not in self.files:
            return x.answer(404, b"", content_type="text/plain")
        body = self.content(path)
        if path in self.cut:
            with self.turn:
                self.revoke(expires)
            x.head(200, content_length=len(body), content_type="video/mp4", etag='"1"', accept_ranges="bytes")
            x.send(body[:self.cut.pop(path)])
            return False
        kind = {"m3u8": "application/vnd.apple.mpegurl", "ts": "video/mp2t"}.get(path.split(".")[-1], "video/mp4")
        return File(body, etag='"1"', kind=kind)(x)

    def content(self, path):
        return self.files[path]

    def revoke(self, expires):
        """Signatures as old as this one are refused from now on; one of the next second is newer."""
        self.revoke_at, self.revoked = None, expires
        time.sleep(1.1)


def cloudfront(key_id, public):
    """A distribution with a trusted key group."""
    def check(host, request):
        path, _, query = request.path.partition("?")
        given = dict(urllib.parse.parse_qsl(query))
        given.update({name.removeprefix("CloudFront-"): value for name, value in cookies(request).items()})
        if given["Key-Pair-Id"] != key_id:
            raise Bad("another key")
        url = host.url(path)

        def decoded(name):
            return base64.b64decode(given[name].translate(str.maketrans("-_~", "+=/")))

        if "Policy" in given:
            policy = decoded("Policy")
            # Wildcards of a policy are * and ?.
            statement, = json.loads(policy)["Statement"]
            pattern = re.escape(statement["Resource"]).replace(r"\*", ".*").replace(r"\?", ".")
            if not re.fullmatch(pattern, url):
                raise Bad(f"{url} isn't {statement['Resource']}")
            condition = statement["Condition"]
            if condition.get("IpAddress", {"AWS:SourceIp": "127.0.0.1/32"})["AWS:SourceIp"] != "127.0.0.1/32":
                raise Bad("another address")
            expires = condition["DateLessThan"]["AWS:EpochTime"]
        else:
            expires = int(given["Expires"])
            policy = ('{"Statement":[{"Resource":"' + url + '","Condition":{"DateLessThan":{"AWS:EpochTime":'
                      + str(expires) + "}}}]}").encode()
        digest = {"SHA1": "sha1", "SHA256": "sha256"}[given.get("Hash-Algorithm", "SHA1")]
        if not is_signature(public, digest, policy, decoded("Signature")):
            raise Bad("the signature is another one's")
        return urllib.parse.unquote(path), expires

    return check


def bunny(key):
    """A pull zone with token authentication, which knows all three forms of tokens."""
    def check(host, request):
        path, _, query = request.path.partition("?")
        if path.startswith("/bcdn_token="):
            query, path = path[len("/bcdn_"):].split("/", 1)
            path = "/" + path
        given = dict(urllib.parse.parse_qsl(query))
        token, expires = given.pop("token"), given.pop("expires")
        signed = given.get("token_path", path)
        if not path.startswith(signed):
            raise Bad("another folder")
        if "US" in given.get("token_countries_blocked", "") or "US" not in given.get("token_countries", "US"):
            raise Bad("another country")
        fields = "&".join(f"{name}={given[name]}" for name in sorted(given))
        message = f"{signed}{expires}".encode()
        digests = {
            "HS256-" + b64(hmac.new(key.encode(), message + fields.encode(), "sha256").digest()),
            "HS256-1-" + b64(hmac.new(key.encode(), message + bytes([127, 0, 0, 1]) + fields.encode(), "sha256").digest()),
            b64(hashlib.sha256(key.encode() + message + fields.encode()).digest()),
            b64(hashlib.sha256(key.encode() + message + fields.encode() + b"127.0.0.1").digest())}
        if not given:
            digests.add(b64(hashlib.md5(key.encode() + message).digest()))
        if token not in digests:
            raise Bad("the token is another one's")
        return urllib.parse.unquote(path), int(expires)

    return check


def akamai(key, name="__token__", escape=False, algorithm="sha256"):
    """A property with Auth Token 2.0 Verification."""
    def check(host, request):
        path, _, query = request.path.partition("?")
        given = {**{k.lower(): v for k, v in request.headers.items()}, **cookies(request), **dict(urllib.parse.parse_qsl(query))}
        token, _, code = given[name if name in given else name.lower()].rpartition("~hmac=")
        fields = dict(part.split("=", 1) for part in token.split("~"))
        url = urllib.parse.quote_plus(path) if escape else path
        message = token if "acl" in fields else f"{token}~url=" + (re.sub("%..", lambda m: m[0].lower(), url) if escape else url)
        if not hmac.compare_digest(code, hmac.new(bytes.fromhex(key), message.encode(), algorithm).hexdigest()):
            raise Bad("the token is another one's")
        patterns = [re.escape(acl).replace(r"\*", ".*").replace(r"\?", ".") for acl in fields.get("acl", "*").split("!")]
        if not any(re.fullmatch(pattern, path) for pattern in patterns):
            raise Bad("another path")
        if int(fields.get("st", 0)) > time.time() + 1 or fields.get("ip", "127.0.0.1") != "127.0.0.1":
            raise Bad("too early, or another address")
        return urllib.parse.unquote(path), int(fields["exp"])

    return check


class AkamaiEdge(SignedHost):
    """A property with "Token in URI": the token of the query is good for the master playlist only, whose addresses get one of
    the session before their path."""

    def __init__(self, case, key):
        token = akamai(key, name="hdnts")
        session = akamai(key, name="hdntl")

        def check(host, request):
            if not request.path.startswith("/hdntl="):
                path, expires = token(host, request)
                host.expires = expires
                if path.endswith((".ts", "/v.m3u8")):
                    raise Bad("no token of a session")
                return path, expires
            value, path = request.path[1:].split("/", 1)
            return session(host, Request(request.method, f"/{path}?{value}", request.headers))

        super().__init__(case, check)
        self.key = bytes.fromhex(key)

    def content(self, path):
        fields = f"exp={self.expires}~acl=*"
        token = f"hdntl={fields}~hmac={hmac.new(self.key, fields.encode(), 'sha256').hexdigest()}"
        return self.files[path].replace(b"/SESSION/", f"/{token}/".encode())


def web_token(text, key_id, public):
    """The claims of a token that the key of this id has signed."""
    head, claims, signature = text.split(".")
    header = json.loads(un64(head))
    if header["alg"] != "RS256" or header["kid"] != key_id:
        raise Bad("another key")
    if not is_signature(public, "sha256", f"{head}.{claims}".encode(), un64(signature)):
        raise Bad("the signature is another one's")
    return json.loads(un64(claims))


def mux(key_id, public):
    """Where playback ids with the policy `signed` are served."""
    def check(host, request):
        path, _, query = request.path.partition("?")
        claims = web_token(dict(urllib.parse.parse_qsl(query))["token"], key_id, public)
        name = urllib.parse.unquote(path)[1:]
        if claims["aud"] != "v" or not name.startswith((claims["sub"] + ".m3u8", claims["sub"] + "/")):
            raise Bad("another video")
        return urllib.parse.unquote(path), claims["exp"]

    return check


def cloudflare_stream(key_id, public):
    """The host of an account whose videos require signed URLs."""
    def check(host, request):
        token, path = request.path.split("?")[0][1:].split("/", 1)
        claims = web_token(token, key_id, public)
        if claims["kid"] != key_id or (path.startswith("downloads/") and claims.get("downloadable") is not True):
            raise Bad("no download")
        if not time.time() < claims["exp"] <= time.time() + 86400:
            raise Bad("not within a day")
        return f"/{claims['sub']}/{urllib.parse.unquote(path)}", claims["exp"]

    return check

