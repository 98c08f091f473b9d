"""Identity servers as campuses run them, a browser without a window, and a person who logs in with it.

glewlwyd is a server of OAuth 2 and OpenID Connect: https://github.com/babelouest/glewlwyd. `contrib/needs test` unpacks its
package into .build/glewlwyd: to install it would start it, with a password that is known to everybody.
"""

import base64
import dataclasses
import email.utils
import gzip
import hashlib
import hmac
import html.parser
import http.client
import json
import os
import pathlib
import sqlite3
import struct
import subprocess
import time
import unittest
import urllib.parse

import asking
import media
from host import File, Host

BUILD = pathlib.Path(__file__).resolve().parents[2] / ".build"
USER, PASSWORD = "anna", "c4n4ry correct horse"
SCOPES = "openid lectures"
PROGRAMS = {"glewlwyd": "usr/bin/glewlwyd", "simplesamlphp": "usr/bin/php8*"}
OTP = {"scheme_type": "otp", "scheme_name": "otp"}
PUBLIC, CONFIDENTIAL, CLIENT_SECRET = "coursefetch", "campus", "c4n4ry-client-secret"


@dataclasses.dataclass
class Page:
    status: int
    url: str
    text: str
    headers: http.client.HTTPMessage

    @property
    def location(self):
        return urllib.parse.urljoin(self.url, self.headers["location"]) if self.headers["location"] else None

    @property
    def query(self):
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.location or self.url).query, True))

    def json(self):
        return json.loads(self.text)


@dataclasses.dataclass
class Cookie:
    host: str
    path: str
    secure: bool
    end: int
    name: str
    value: str
    hidden: bool

    @property
    def line(self):
        """As extensions of browsers export it."""
        mark = "#HttpOnly_" if self.hidden else ""
        secure = "TRUE" if self.secure else "FALSE"
        return "\t".join([mark + self.host, "FALSE", self.path, secure, str(self.end), self.name, self.value]) + "\n"


class Browser:
    """Keeps cookies, of hosts whatever their port, and follows redirects if told so."""

    def __init__(self):
        self.cookies, self.visited = [], []

    def ask(self, method, url, form=None, body=None, headers=None):
        """One request, without following what it answers."""
        parts = urllib.parse.urlsplit(url)
        sent, data = dict(headers or {}), None
        if form is not None:
            data, sent["Content-Type"] = urllib.parse.urlencode(form), "application/x-www-form-urlencoded"
        if body is not None:
            data, sent["Content-Type"] = json.dumps(body), "application/json"
        if field := "; ".join(f"{c.name}={c.value}" for c in self.sent_to(parts)):
            sent["Cookie"] = field
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=20)
        try:
            connection.request(method, urllib.parse.urlunsplit(("", "", parts.path or "/", parts.query, "")), data, sent)
            answer = connection.getresponse()
            page = Page(answer.status, url, answer.read().decode("utf-8", "replace"), answer.headers)
        finally:
            connection.close()
        self.visited.append((method, url, page.status))
        self.keep(parts, answer.headers.get_all("set-cookie") or [])
        return page

    def open(self, url, form=None, until=None):
        """Opens a page, or sends a form, and follows redirects. `until`: where not to follow any more."""
        page = self.ask("GET" if form is None else "POST", url, form)
        for _ in range(20):
            if page.location is None or until and page.location.startswith(until):
                return page
            page = self.ask("GET", page.location)
        raise AssertionError(f"it redirects without end: {self.visited[-6:]}")

    def sent_to(self, parts):
        path = parts.path or "/"
        return [c for c in self.cookies if c.host == parts.hostname and path.startswith(c.path)
                and (not c.secure or parts.scheme == "https")]

    def keep(self, parts, lines):
        for line in lines:
            first, *rest = [part.strip() for part in line.split(";")]
            name, _, value = first.partition("=")
            flags = {k.strip().lower(): v.strip() for k, _, v in (part.partition("=") for part in rest)}
            path, end = flags.get("path") or "/", 0
            if "expires" in flags:
                end = int(email.utils.parsedate_to_datetime(flags["expires"]).timestamp())
            if "max-age" in flags:
                end = int(time.time()) + int(flags["max-age"])
            self.cookies = [c for c in self.cookies if (c.host, c.path, c.name) != (parts.hostname, path, name)]
            if not end or end > time.time():
                self.cookies.append(Cookie(parts.hostname, path, "secure" in flags, end, name, value, "httponly" in flags))

    def export(self, path, host):
        """Writes cookies.txt, as an extension does it for the site that is open."""
        lines = [cookie.line for cookie in self.cookies if cookie.host == host]
        path.write_text("# Netscape HTTP Cookie File\n\n" + "".join(lines))
        path.chmod(0o600)
        return path


def one_time_code(secret):
    """TOTP, RFC 6238: six digits for 30 seconds."""
    count = struct.pack(">Q", int(time.time()) // 30)
    digest = hmac.new(base64.b32decode(secret), count, hashlib.sha1).digest()
    start = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[start:start + 4])[0] & 0x7fffffff) % 10 ** 6:06d}"


class Glewlwyd:
    """The server with a user who has a one-time code, a public and a confidential client. `settings` are those of its
    plugin for OpenID Connect."""

    def __init__(self, case, **settings):
        self.case, self.folder = case, pathlib.Path(case.path("glewlwyd", "x")).parent
        self.root = installed("glewlwyd")
        self.port = asking.free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.database = self.folder / "glewlwyd.db"
        self.fill()
        (self.folder / "glewlwyd.conf").write_text(self.configuration())
        command = [str(self.root / "usr/bin/glewlwyd"), "-c", str(self.folder / "glewlwyd.conf")]
        case.run_server(command, self.port, libraries(self.root), "glewlwyd")
        self.administrator = Browser()
        self.configure(settings)

    def fill(self):
        with gzip.open(next(self.root.glob("usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz")), "rt") as file:
            statements = file.read()
        database = sqlite3.connect(self.database)
        # What is lost with a crash doesn't matter here.
        database.executescript(f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;\n{statements}\nCOMMIT;")
        database.close()

    def configuration(self):
        kinds = ("user", "user_middleware", "client", "plugin")
        (self.folder / "user_middleware").mkdir()
        modules = {f"{kind}_module_path": self.root / "usr/lib/glewlwyd" / kind for kind in kinds}
        modules["user_middleware_module_path"] = self.folder / "user_middleware"
        texts = {
            "bind_address": "127.0.0.1", "external_url": self.url, "login_url": "login.html", "api_prefix": "api",
            "static_files_path": f"{self.root}/usr/share/glewlwyd/webapp/", "log_mode": "console", "log_level": "DEBUG",
            "cookie_domain": "127.0.0.1", "session_key": "GLEWLWYD2_SESSION_ID", "admin_scope": "g_admin",
            "profile_scope": "g_profile", "hash_algorithm": "SHA512",
            "user_auth_scheme_module_path": self.root / "usr/lib/glewlwyd/scheme", **modules}
        lines = [f'{name}="{value}"' for name, value in texts.items()]
        return "\n".join([f"port={self.port}", "cookie_secure=0", *lines,
                          f'database = {{ type = "sqlite3"; path = "{self.database}"; }};',
                          'static_files_mime_types = ( { extension = ".html"; mime_type = "text/html"; compress = 0; } )', ""])

    def configure(self, settings):
        self.manage("POST", "auth/", {"username": "admin", "password": "password"})
        self.manage("POST", "mod/scheme/", {
            "module": "otp", "name": "otp", "display_name": "one-time code", "expiration": 600, "max_use": 0,
            "allow_user_register": True, "parameters": {
                "issuer": "campus", "secret-minimum-size": 16, "otp-length": 6, "hotp-allow": False, "totp-allow": True,
                "totp-window": 30, "totp-start-offset": 0}})
        self.manage("POST", "scope/", {"name": "introspect", "display_name": "Introspection", "password_required": False})
        self.manage("POST", "scope/", {
            "name": "lectures", "display_name": "Lectures", "description": "Lectures of the campus", "password_required": True,
            "password_max_age": 0, "scheme": {"2": [OTP]}, "scheme_required": {"2": 1}})
        self.manage("POST", "mod/plugin/", {
            "module": "oidc", "name": "oidc", "display_name": "OIDC", "parameters": {**self.defaults(), **settings}})
        self.manage("POST", "user/", {
            "username": USER, "password": PASSWORD, "name": "Anna", "enabled": True,
            "scope": ["g_profile", "openid", "lectures"]})
        self.clients = {
            PUBLIC: {"confidential": False, "scope": [], "redirect_uri": ["http://127.0.0.1/"],
                     "authorization_type": ["code", "refresh_token", "device_authorization"]},
            CONFIDENTIAL: {"confidential": True, "password": CLIENT_SECRET, "client_secret": CLIENT_SECRET,
                           "token_endpoint_auth_method": ["client_secret_basic"], "scope": ["introspect"],
                           "redirect_uri": ["http://127.0.0.1/"],
                           "authorization_type": ["code", "refresh_token", "client_credentials"]}}
        for name, client in self.clients.items():
            self.manage("POST", "client/", {"client_id": name, "name": name, "enabled": True, **client})
        self.register_code()

    def defaults(self):
        key, cert = self.folder / "key.pem", self.folder / "cert.pem"
        subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
        subprocess.run(["openssl", "rsa", "-in", key, "-pubout", "-out", cert], check=True, capture_output=True)
        return {
            "iss": self.url + "/api/oidc", "jwt-type": "rsa", "jwt-key-size": "256", "key": key.read_text(),
            "cert": cert.read_text(), "jwks-show": True, "jwks-x5c": [], "subject-type": "public", "name-claim": "no",
            "access-token-duration": 3600, "refresh-token-duration": 86400, "code-duration": 600,
            "refresh-token-rolling": False, "refresh-token-one-use": "always", "allow-non-oidc": True,
            "auth-type-code-enabled": True, "auth-type-token-enabled": False, "auth-type-password-enabled": False,
            "auth-type-client-enabled": True, "auth-type-device-enabled": True, "auth-type-refresh-enabled": True,
            "scope": [], "additional-parameters": [], "claims": [],
            "pkce-allowed": True, "pkce-method-plain-allowed": False, "pkce-required": False, "pkce-required-public-client": True,
            "introspection-revocation-allowed": True, "introspection-revocation-allow-target-client": True,
            "introspection-revocation-auth-scope": ["introspect"], "device-authorization-expiration": 600,
            "device-authorization-interval": 1, "session-management-allowed": True,
            "session-cookie-name": "GLEWLWYD2_OIDC_SESSION", "session-cookie-expiration": 86400}

    def manage(self, method, path, body):
        page = self.administrator.ask(method, f"{self.url}/api/{path}", body=body)
        assert page.status == 200, (method, path, page.status, page.text)

    def allow_return(self, uri, client=PUBLIC):
        """Lets browsers return to this address, as its administrator enters it: it takes no other port than those entered,
        also on loopback, other than RFC 8252 section 7.3 has it."""
        described = {"client_id": client, "name": client, "enabled": True, **self.clients[client]}
        self.manage("PUT", f"client/{client}", {**described, "redirect_uri": [uri]})

    def register_code(self):
        """What a person does once, with an app on the telephone."""
        browser, self.code_is_used = Browser(), False
        self.otp_secret = base64.b32encode(os.urandom(20)).decode()
        self.expect(browser, "auth/", username=USER, password=PASSWORD)
        # The second registration would go on with the time at which the first one's code was used.
        for value in ({"type": "NONE"}, {"type": "TOTP", "secret": self.otp_secret, "time_step_size": 30}):
            self.expect(browser, "profile/scheme/register/", username=USER, **OTP, value=value)

    def expect(self, browser, path, **body):
        page = browser.ask("POST", f"{self.url}/api/{path}", body=body)
        assert page.status == 200, (path, page.status, page.text)

    def said(self):
        return pathlib.Path(self.case.path("glewlwyd.log")).read_text()

    def rows(self, query):
        database = sqlite3.connect(f"file:{self.database}?mode=ro", uri=True, timeout=10)
        try:
            return database.execute(query).fetchall()
        finally:
            database.close()

    def change(self, statement):
        database = sqlite3.connect(self.database, timeout=10)
        with database:
            database.execute(statement)
        database.close()

    def end_logins(self):
        """A person ends on the page of the profile what programs may do; what they have in hand ends, too."""
        browser = Browser()
        self.type_password(browser)
        for login in browser.ask("GET", self.url + "/api/oidc/token").json():
            named = urllib.parse.quote(login["token_hash"], safe="")
            page = browser.ask("DELETE", f"{self.url}/api/oidc/token/{named}")
            assert page.status == 200, (page.status, page.text)
        self.change("UPDATE gpo_access_token SET gpoa_enabled = 0")

    # What login.html does for a person.

    def type_password(self, browser, password=PASSWORD):
        return browser.ask("POST", f"{self.url}/api/auth/", body={"username": USER, "password": password}).status

    def type_code(self, browser, code=None):
        """The code on the telephone. Each is good once: so that nobody waits for the next one, the telephone is a new one
        after that."""
        if self.code_is_used:
            self.register_code()
        self.code_is_used = code is None
        value = {"value": code or one_time_code(self.otp_secret)}
        return browser.ask("POST", f"{self.url}/api/auth/", body={
            "username": USER, **OTP, "value": value}).status

    def grant(self, browser, client=PUBLIC, scopes=SCOPES):
        page = browser.ask("PUT", f"{self.url}/api/auth/grant/{client}", body={"scope": scopes})
        assert page.status == 200, (page.status, page.text)

    def log_in(self, browser, page, client=PUBLIC, scopes=SCOPES, until=None):
        """A person logs in at the page with a password and a code, grants, and goes on to where the page leads."""
        assert page.url.startswith(self.url + "/login.html?"), page
        assert "<title>Glewlwyd login</title>" in page.text, page
        statuses = self.type_password(browser), self.type_code(browser)
        assert statuses == (200, 200), statuses
        self.grant(browser, client, scopes)
        target = page.query["callback_url"]
        return browser.open(target + ("&" if "?" in target else "?") + "g_continue", until=until)

    # What a server of files does with a token.

    def introspect(self, token):
        """What the server says of a token, RFC 7662; None if it is good no more."""
        login = base64.b64encode(f"{CONFIDENTIAL}:{CLIENT_SECRET}".encode()).decode()
        own = Browser().ask("POST", self.url + "/api/oidc/token", headers={"Authorization": "Basic " + login},
                            form={"grant_type": "client_credentials", "scope": "introspect"})
        assert own.status == 200, (own.status, own.text, self.said()[-1500:])
        own = own.json()["access_token"]
        answer = Browser().ask("POST", self.url + "/api/oidc/introspect", form={"token": token},
                               headers={"Authorization": "Bearer " + own})
        assert answer.status == 200, (answer.status, answer.text)
        return answer.json() if answer.json().get("active") else None

    def signed(self, token):
        """The claims of a token that the server has signed with a key of its JWKS, RFC 7515; None if it isn't good now."""
        try:
            head, body, signature = token.split(".")
            kid = json.loads(plain(head))["kid"]
            keys = Browser().ask("GET", self.url + "/api/oidc/jwks").json()["keys"]
            key = next(key for key in keys if key["kid"] == kid and key["kty"] == "RSA")
        except (ValueError, KeyError, StopIteration):
            return None
        modulus, exponent = (int.from_bytes(plain(key[name]), "big") for name in "ne")
        found = pow(int.from_bytes(plain(signature), "big"), exponent, modulus).to_bytes((modulus.bit_length() + 7) // 8, "big")
        # RFC 8017, 9.2: what is signed is the digest with its name before it.
        digest = bytes.fromhex("3031300d060960864801650304020105000420") + hashlib.sha256(f"{head}.{body}".encode()).digest()
        if found != b"\0\1" + b"\xff" * (len(found) - 3 - len(digest)) + b"\0" + digest:
            return None
        claims = json.loads(plain(body))
        return claims if claims["exp"] > time.time() else None


def plain(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def installed(program):
    """The folder that has `usr/…` of a package: unpacked by contrib/needs, or the system itself; None if neither has it."""
    for root in (BUILD / program, pathlib.Path("/")):
        if (root / "usr/share" / program).exists() and any(root.glob(PROGRAMS[program])):
            return root
    return None


def libraries(root):
    """The variables with which the programs of a folder find the libraries that were unpacked with them."""
    folders = [str(path) for path in root.glob("usr/lib/*-linux-gnu*")] if root != pathlib.Path("/") else []
    return {"LD_LIBRARY_PATH": os.pathsep.join(folders)} if folders else {}


def skip_without(*programs):
    for program in programs:
        if installed(program) is None:
            raise unittest.SkipTest(f"{program} is missing: contrib/needs test, on Debian or Ubuntu")


class Campus:
    """A server of lectures that gives them for a token only, which glewlwyd has to confirm, and whose own page logs in there."""

    def __init__(self, case, identity, checks="introspection"):
        self.identity, self.host = identity, Host()
        case.addCleanup(self.host.close)
        self.url, self.good = self.host.url(""), identity.introspect if checks == "introspection" else identity.signed
        # Tokens of its own, as the launch gives them, and what it was asked with.
        self.own, self.tokens, self.films = {}, [], {}
        for path, answer in (("/api/login", self.logins), ("/launch", self.launch), ("/callback", self.callback)):
            self.host.at(path, answer)

    def film(self, name, size=3000, file=None):
        """Adds a lecture."""
        self.films[name] = media.mp4(name, size)
        media_file = file or File(self.films[name], etag=f'"{name}"')
        self.host.at(f"/media/{name}.mp4", lambda x: self.guarded(x, media_file))
        described = json.dumps({"file": self.host.url(f"/media/{name}.mp4")}).encode()
        self.host.at(f"/api/videos/{name}", lambda x: self.guarded(x, lambda x: x.answer(200, described)))

    def guarded(self, x, answer):
        token = x.request.headers.get("authorization", "").removeprefix("Bearer ")
        self.tokens.append(token)
        claims = self.own.get(token) or (self.good(token) if token else None)
        if claims is None:
            return x.answer(401, b'{"error":"invalid_token"}', www_authenticate='Bearer error="invalid_token"')
        if "lectures" not in claims["scope"].split():
            return x.answer(403, b'{"error":"insufficient_scope"}')
        return answer(x)

    def logins(self, x):
        base = self.identity.url + "/api/oidc/"
        x.answer(200, json.dumps({
            "client_id": PUBLIC, "authorization_endpoint": base + "auth", "token_endpoint": base + "token",
            "device_authorization_endpoint": base + "device_authorization"}).encode())

    def launch(self, x):
        """As admin/tool/mobile/launch.php of Moodle: to the single sign-on, and then back to an app."""
        passport = urllib.parse.parse_qs(urllib.parse.urlsplit(x.request.path).query)["passport"][0]
        query = urllib.parse.urlencode({
            "response_type": "code", "client_id": CONFIDENTIAL, "redirect_uri": self.url + "/callback", "scope": SCOPES,
            "state": passport, "nonce": "n-" + passport})
        x.answer(302, location=f"{self.identity.url}/api/oidc/auth?{query}")

    def callback(self, x):
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(x.request.path).query))
        login = base64.b64encode(f"{CONFIDENTIAL}:{CLIENT_SECRET}".encode()).decode()
        answer = Browser().ask("POST", self.identity.url + "/api/oidc/token", headers={"Authorization": "Basic " + login}, form={
            "grant_type": "authorization_code", "code": query["code"], "redirect_uri": self.url + "/callback"})
        claims = self.good(answer.json()["access_token"])
        token = "c4n4ry" + os.urandom(16).hex()
        self.own[token] = claims
        sign = hashlib.sha256((self.url + query["state"]).encode()).hexdigest()
        x.answer(302, location="campusapp://token=" + base64.b64encode(f"{sign}:::{token}".encode()).decode())


class SimpleSAML:
    """simplesamlphp as an identity provider with two steps, and as a service provider for what is behind nginx."""

    MODULES = ("ctype", "dom", "iconv", "mbstring", "posix", "simplexml", "tokenizer", "xml", "xmlreader", "xmlwriter")
    COMMON = """<?php
$config = [
    'baseurlpath' => '%(url)s/simplesaml/', 'certdir' => '%(folder)s/', 'loggingdir' => '%(folder)s/',
    'datadir' => '%(folder)s/', 'tempdir' => '%(folder)s/tmp/', 'debug' => null, 'showerrors' => true, 'errorreporting' => false,
    'technicalcontact_email' => 'na@example.org', 'secretsalt' => '%(name)s-salt', 'auth.adminpassword' => '%(name)s-admin',
    'timezone' => 'UTC', 'logging.level' => SimpleSAML\\Logger::INFO, 'logging.handler' => 'errorlog',
    'enable.saml20-idp' => %(is_idp)s,
    'module.enable' => ['exampleauth' => true, 'consent' => true, 'core' => true, 'saml' => true],
    'session.duration' => 28800, 'session.datastore.timeout' => 14400, 'session.state.timeout' => 3600,
    'session.cookie.name' => '%(name)sSession', 'session.cookie.lifetime' => 28800, 'session.cookie.path' => '/',
    'session.cookie.domain' => null, 'session.cookie.secure' => false, 'session.cookie.samesite' => null,
    'session.authtoken.cookiename' => '%(name)sAuthToken', 'session.rememberme.enable' => false, 'enable.http_post' => true,
    'session.phpsession.cookiename' => '%(name)sPHP', 'session.phpsession.savepath' => '%(folder)s/tmp',
    'session.phpsession.httponly' => true, 'language.available' => ['en'], 'language.default' => 'en',
    'theme.use' => 'default', 'store.type' => 'phpsession', 'trusted.url.domains' => null,
    'metadata.sources' => [['type' => 'flatfile', 'directory' => '%(folder)s/metadata']],
    'authproc.idp' => %(steps)s, 'authproc.sp' => [],
];
"""

    def __init__(self, case, behind, fields=""):
        """`behind` is the address of what nginx gives to those only who are logged in, with more `fields`."""
        self.case, self.root = case, installed("simplesamlphp")
        self.identity_port, self.service_port = asking.free_port(), asking.free_port()
        # Of two names, since cookies don't tell ports apart.
        self.identity, self.service = f"http://localhost:{self.identity_port}", case.nginx(self.locations(behind, fields))
        self.entity, self.own = self.identity + "/simplesaml/saml2/idp/metadata.php", self.service + "/simplesaml/sp"
        self.install("idp", self.identity, self.identity_port)
        self.install("sp", self.service, self.service_port)

    def install(self, name, url, port):
        folder = pathlib.Path(self.case.path("saml", name, "metadata", "x")).parent.parent
        for made in ("tmp", "www"):
            (folder / made).mkdir()
        (folder / "www/simplesaml").symlink_to(self.root / "usr/share/simplesamlphp/www")
        is_idp = name == "idp"
        steps = "[90 => ['class' => 'consent:Consent', 'store' => null]]" if is_idp else "[]"
        values = {"url": url, "folder": folder, "name": name, "is_idp": str(is_idp).lower(), "steps": steps}
        (folder / "config.php").write_text(self.COMMON % values)
        self.write_identity(folder) if is_idp else self.write_service(folder)
        self.serve(name, folder, port)

    def write_identity(self, folder):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=idp",
                        "-keyout", folder / "idp.pem", "-out", folder / "idp.crt"], check=True, capture_output=True)
        self.certificate = "".join((folder / "idp.crt").read_text().splitlines()[1:-1])
        (folder / "authsources.php").write_text(f"""<?php
$config = ['people' => ['exampleauth:UserPass', '{USER}:{PASSWORD}' => ['uid' => ['{USER}'], 'role' => ['student']]]];
""")
        (folder / "metadata/saml20-idp-hosted.php").write_text(f"""<?php
$metadata['{self.entity}'] = ['host' => '__DEFAULT__', 'privatekey' => 'idp.pem', 'certificate' => 'idp.crt', 'auth' => 'people'];
""")
        acs = self.service + "/simplesaml/module.php/saml/sp/saml2-acs.php/sp"
        (folder / "metadata/saml20-sp-remote.php").write_text(f"""<?php
$metadata['{self.own}'] = ['AssertionConsumerService' => '{acs}', 'name' => ['en' => 'Lectures'],
    'SingleLogoutService' => '{self.service}/simplesaml/module.php/saml/sp/saml2-logout.php/sp'];
""")

    def write_service(self, folder):
        (folder / "authsources.php").write_text(f"""<?php
$config = ['sp' => ['saml:SP', 'entityID' => '{self.own}', 'idp' => '{self.entity}']];
""")
        base = self.identity + "/simplesaml/saml2/idp/"
        (folder / "metadata/saml20-idp-remote.php").write_text(f"""<?php
$metadata['{self.entity}'] = ['SingleSignOnService' => '{base}SSOService.php',
    'SingleLogoutService' => '{base}SingleLogoutService.php', 'certData' => '{self.certificate}'];
""")
        start = f"""<?php
require_once '{self.root}/usr/share/simplesamlphp/lib/_autoload.php';
$login = new \\SimpleSAML\\Auth\\Simple('sp');
"""
        (folder / "www/check.php").write_text(start + "http_response_code($login->isAuthenticated() ? 204 : 401);\n")
        (folder / "www/login.php").write_text(start + "$login->requireAuth(['ReturnTo' => $_GET['to']]);\n"
                                              "header('Location: ' . $_GET['to']);\n")

    def serve(self, name, folder, port):
        modules = next(self.root.glob("usr/lib/php/20*"))
        loads = [f"-dextension={module}" for module in self.MODULES if (modules / f"{module}.so").exists()]
        # Its files are older than this PHP, which says so in the middle of a page.
        program = [str(max(self.root.glob(PROGRAMS["simplesamlphp"]))), "-n", "-ddisplay_errors=0", f"-dextension_dir={modules}", *loads]
        variables = {"SIMPLESAMLPHP_CONFIG_DIR": str(folder), **libraries(self.root)}
        self.case.run_server([*program, "-S", f"127.0.0.1:{port}", "-t", str(folder / "www")], port, variables, name)

    def locations(self, behind, fields):
        service = f"proxy_pass http://127.0.0.1:{self.service_port}"
        return f"""
    proxy_set_header Host $http_host;
    location /simplesaml/ {{ {service}; }}
    location = /login.php {{ {service}; }}
    location = /check {{ internal; {service}/check.php; proxy_pass_request_body off; proxy_set_header Host $http_host;
        proxy_set_header Content-Length ""; }}
    location @login {{ return 302 $scheme://$http_host/login.php?to=$scheme://$http_host$request_uri; }}
    location / {{ auth_request /check; error_page 401 = @login; proxy_pass {behind}; proxy_set_header Host $http_host;
        proxy_buffering off; proxy_set_header Cookie ""; {fields} }}"""

    def log_in(self, browser, address, password=PASSWORD):
        """A person opens the address, types a password, says yes to what is asked after it, and is where they wanted to be."""
        page = browser.open(address)
        assert page.url.startswith(self.identity) and 'type="password"' in page.text, (page.url, page.text[-3000:])
        page = browser.open(*submitted(page, username=USER, password=password))
        if password != PASSWORD:
            return page
        assert "consent" in page.url, (page.url, page.text[-3000:])
        page = browser.open(*submitted(page, yes=""))
        # What a script on the page does.
        assert "SAMLResponse" in page.text, (page.url, page.text[-3000:])
        return browser.open(*submitted(page))

    def log_out(self, browser):
        """At the identity provider, which tells the service so through the browser."""
        return browser.open(f"{self.identity}/simplesaml/saml2/idp/initSLO.php?RelayState={self.identity}/simplesaml/logout.php")


class Forms(html.parser.HTMLParser):
    """The forms of a page: where they go, and their fields."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "form":
            self.found.append((values.get("action") or "", (values.get("method") or "get").lower(), {}))
        elif tag == "input" and self.found and values.get("name") and values.get("type") != "submit":
            self.found[-1][2][values["name"]] = values.get("value") or ""


def submitted(page, **typed):
    """The address and the fields of the form on a page that has the fields that are typed, for `Browser.open`."""
    forms = Forms(page.text).found
    wanted = set(typed) - {"yes"}
    action, method, fields = next(form for form in forms if wanted <= set(form[2]))
    address, fields = urllib.parse.urljoin(page.url, action), {**fields, **typed}
    if method == "post":
        return address, fields
    return address + ("&" if "?" in address else "?") + urllib.parse.urlencode(fields), None
