"""Logins at real identity servers: a browser with a second factor, a code for another device, an address that is pasted,
tokens that are renewed, and the cookies of a browser."""

import base64
import json
import pathlib
import shutil
import time
import unittest
import urllib.parse
import urllib.request

import asking
import media
from host import File, Host
from identity_host import CLIENT_SECRET, CONFIDENTIAL, PASSWORD, USER, Browser, Campus, Glewlwyd, SimpleSAML, skip_without
from login_steps import Terminal
from opencast_host import Opencast
from stage import Stage, wait_until

CONTRIB = pathlib.Path(__file__).resolve().parents[2] / "contrib"

# As the author of a provider writes it, with what the module has.
PLUGIN = '''
import base64, binascii, datetime, hashlib, re, secrets
from urllib.parse import urlencode

from coursefetch_provider import Provider, ProviderError, format_time, parse_time, run, url

DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
SCOPES = "openid lectures"


class Campus(Provider):
    def login(self, request):
        ways = {"browser": self.by_browser, "device": self.by_device, "link": self.by_link}
        return ways[request.parameter("way")](request, self.site(request))

    def site(self, request):
        return request.get(url(request.parameter("endpoint"), "api", "login")).json()

    def by_browser(self, request, site):
        if request.redirect is None:
            state, verifier = secrets.token_urlsafe(24), secrets.token_urlsafe(48)
            digest = hashlib.sha256(verifier.encode()).digest()
            query = urlencode({
                "response_type": "code", "client_id": site["client_id"], "scope": SCOPES, "state": state,
                "nonce": secrets.token_urlsafe(16), "code_challenge_method": "S256",
                "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode()})
            page = site["authorization_endpoint"] + "?" + query + "&redirect_uri={redirect}"
            return {"open": page, "redirect": state, "state": {"verifier": verifier}}
        back = request.redirect["query"]
        if "code" not in back:
            raise ProviderError("forbidden", "the campus gives no access: " + back.get("error", "no reason"))
        said = self.token(
            request, site, grant_type="authorization_code", code=back["code"], redirect_uri=request.redirect["uri"],
            code_verifier=request.state["verifier"])
        if "access_token" not in said:
            raise ProviderError("auth_required", "the campus doesn't take the login")
        return {"credentials": self.credentials(request, said)}

    def by_device(self, request, site):
        told = request.state
        if not told:
            form = {"client_id": site["client_id"], "scope": SCOPES}
            told = request.post(site["device_authorization_endpoint"], form=form).json()
        else:
            said = self.token(request, site, grant_type=DEVICE, device_code=told["device_code"])
            if "access_token" in said:
                return {"credentials": self.credentials(request, said)}
            error = said.get("error")
            if error == "slow_down":
                told = {**told, "interval": told.get("interval", 5) + 5, "hasty": 0}
            elif error == "expired_token":
                raise ProviderError("auth_required", "the code has expired: log in again")
            elif error != "authorization_pending":
                raise ProviderError("forbidden", "the campus gives no access")
        page = told.get("verification_uri_complete") or told["verification_uri"]
        hasty = told.get("hasty", HASTY)
        wait = told.get("interval", 5) if hasty < 1 else 1
        return {"open": page, "show": told["user_code"], "wait": wait, "state": {**told, "hasty": hasty - 1}}

    def by_link(self, request, site):
        passport = (request.state or {}).get("passport") or secrets.token_urlsafe(12)
        found = re.search(r"token=([A-Za-z0-9+/=]+)", request.secrets.get("link", ""))
        try:
            sign, _, token = base64.b64decode(found[1] if found else "").decode().partition(":::")
        except (binascii.Error, ValueError):
            sign = token = ""
        expected = hashlib.sha256((request.parameter("endpoint") + passport).encode()).hexdigest()
        if token and sign == expected:
            return {"credentials": {"endpoint": request.parameter("endpoint"), "access": token}}
        page = url(request.parameter("endpoint"), "launch") + "?" + urlencode({"passport": passport})
        label = "address that the browser can't open (campusapp://...)"
        return {"open": page, "ask": [{"name": "link", "label": label}], "state": {"passport": passport}}

    def token(self, request, site, **form):
        """What the token endpoint says; an error has `error`, or nothing at all."""
        form = {"client_id": site["client_id"], **form}
        answer = request.post(site["token_endpoint"], form=form, accept=[400, 401, 403])
        return answer.json() if answer.body else {}

    def credentials(self, request, said):
        if "lectures" not in said.get("scope", SCOPES).split():
            raise ProviderError("forbidden", "the login gives no access to the lectures: allow it on the page")
        end = request.now + datetime.timedelta(seconds=said["expires_in"])
        return {"endpoint": request.parameter("endpoint"), "access": said["access_token"],
                "refresh": said.get("refresh_token"), "end": format_time(end)}

    def renewed(self, request, old):
        said = self.token(request, self.site(request), grant_type="refresh_token", refresh_token=old["refresh"]) \\
            if old.get("refresh") else {}
        if "access_token" not in said:
            raise ProviderError("auth_required", "the login at the campus has ended")
        return {**self.credentials(request, said), "refresh": said.get("refresh_token") or old["refresh"]}

    def get(self, request, address):
        for trial in range(2):
            headers = {"Authorization": "Bearer " + request.credentials["access"]}
            answer = request.get(address, headers=headers, accept=[] if trial else [401])
            if answer.status != 401:
                return answer
            request.renew(lambda old: self.renewed(request, old))

    def resolve(self, request):
        endpoint = request.parameter("endpoint")
        if (request.credentials or {}).get("endpoint") != endpoint:
            raise ProviderError("auth_required", "the lectures are for those who are logged in")
        file = self.get(request, url(endpoint, "api", "videos", request.video.id)).json()["file"]
        held = request.credentials
        token = {"value": held["access"], "in": "header", "name": "Authorization", "prefix": "Bearer "}
        return {"url": file, "token": token, "expires_at": held.get("end")}


HASTY = %r
run(Campus(), concurrency=8)
'''

MANIFEST = {
    "name": "campus", "protocol": 1, "run": ["python3", "-B", "campus.py"], "methods": ["resolve", "login"], "concurrency": 8,
    "parameters": {"type": "object", "properties": {
        "endpoint": {"type": "string"}, "way": {"enum": ["browser", "device", "link"], "default": "browser"}}}}


class IdentityCase(asking.Case):
    """A campus, its identity server, and a provider for it."""

    def setUp(self):
        super().setUp()
        skip_without("glewlwyd")
        self.stage = Stage()
        self.addCleanup(self.stage.close)

    def campus(self, checks="introspection", hasty=0, videos=("a",), **settings):
        self.identity = Glewlwyd(self, **settings)
        self.site = Campus(self, self.identity, checks)
        self.plugin(hasty)
        self.write(videos)

    def plugin(self, hasty=0):
        folder = self.stage.plugins / "campus"
        folder.mkdir(exist_ok=True)
        shutil.copy(CONTRIB / "python/coursefetch_provider.py", folder)
        (folder / "campus.py").write_text(PLUGIN % hasty)
        (folder / "plugin.yaml").write_text("".join(f"{k}: {json.dumps(v)}\n" for k, v in MANIFEST.items()))
        for path in folder.iterdir():
            path.chmod(0o644)

    def write(self, videos):
        for name in videos:
            if name not in self.site.films:
                self.site.film(name)
        self.stage.write([{"id": "c", "parameters": {"endpoint": self.site.url}, "videos": list(videos)}], provider="campus")

    def terminal(self, way="browser"):
        return Terminal(self.stage, "--provider", "campus", "--set", f"endpoint={self.site.url}", "--set", f"way={way}")

    def shown(self, terminal):
        """The page that a login shows."""
        return terminal.read(r"(http://127\.0\.0\.1\S+)\s")[1]

    def page_of(self, terminal):
        """The page, and where it returns to, which its administrator has let in."""
        page = self.shown(terminal)
        back = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(page).query))["redirect_uri"]
        self.identity.allow_return(back)
        return page, back

    def log_in(self):
        terminal, browser = self.terminal(), Browser()
        page, _ = self.page_of(terminal)
        self.identity.log_in(browser, browser.open(page))
        self.assertEqual(terminal.end(), 0, terminal.text)
        return terminal

    def ended(self, terminal, code):
        self.assertEqual(terminal.end(), code, terminal.text)
        for secret in (PASSWORD, CLIENT_SECRET):
            self.assertNotIn(secret, terminal.text)
        return terminal.text

    def arrives(self, *videos):
        run = self.stage.sync("-vv", exit=0)
        self.assertEqual(sorted(self.stage.files().values()), sorted(self.site.films[name] for name in videos))
        for token in self.site.tokens:
            self.assertNotIn(token, run.out + run.err)
        return run

    def stored(self):
        return json.loads(next(self.stage.state.rglob("credentials.json")).read_text())

    def nobody_is_logged_in(self):
        run = self.stage.command("sync", self.stage.catalog)
        self.assertEqual(run.exit, 77, run)
        self.assertEqual(self.stage.files(), {})
        self.assertIn("login --provider campus", run.out + run.err)


class Browsers(IdentityCase):
    """The authorization code with PKCE: RFC 6749, 7636 and 8252."""

    def test_a_browser_logs_in_with_a_second_factor(self):
        self.campus()
        self.nobody_is_logged_in()
        terminal, browser = self.terminal(), Browser()
        page, back = self.page_of(terminal)
        form = browser.open(page)
        self.assertEqual(self.identity.type_password(browser, "wrong"), 401)
        self.assertEqual(self.identity.type_password(browser), 200)
        self.assertEqual(self.identity.type_code(browser, "000000"), 401)
        self.identity.grant(browser)
        # With the password alone it asks on.
        again = browser.open(form.query["callback_url"] + "&g_continue")
        self.assertTrue(again.url.startswith(self.identity.url + "/login.html?"), again.url)
        self.assertFalse(terminal.ended())
        arrival = self.identity.log_in(browser, form)
        self.assertEqual((arrival.status, arrival.url.split("?")[0]), (200, back))
        self.assertIn("You can close this page", arrival.text)
        self.ended(terminal, 0)
        with self.assertRaises(OSError):
            urllib.request.urlopen(back, timeout=3)
        self.arrives("a")

    def test_the_token_is_one_that_the_server_has_signed(self):
        self.campus("signature")
        self.log_in()
        self.arrives("a")
        # A key of somebody else, and a token that was changed.
        head, body, signature = self.site.tokens[-1].split(".")
        for forged in (f"{head}.{body}.{signature[::-1]}", f"{head}.{body[:-4]}AAAA.{signature}"):
            self.assertIsNone(self.identity.signed(forged))

    def test_another_state_is_not_this_login(self):
        self.campus()
        terminal, browser = self.terminal(), Browser()
        page, back = self.page_of(terminal)
        # Somebody else's login, whose browser is sent to this machine.
        other = page.replace("state=", "state=of-somebody-else-")
        arrival = self.identity.log_in(browser, browser.open(other))
        self.assertEqual((arrival.status, arrival.url.split("?")[0]), (404, back))
        self.assertFalse(terminal.ended())
        arrival = browser.open(page + "&g_continue")
        self.assertEqual(arrival.status, 200)
        self.ended(terminal, 0)
        self.arrives("a")

    def test_an_error_in_the_place_of_a_code_ends_the_login_with_its_name(self):
        self.campus()
        terminal = self.terminal()
        page, _ = self.page_of(terminal)
        # The server's own words to a browser in which nobody is logged in.
        arrival = Browser().open(page + "&prompt=none")
        self.assertEqual(arrival.query["error"], "interaction_required")
        text = self.ended(terminal, 77)
        self.assertIn("the campus gives no access: interaction_required", text)
        terminal = self.terminal()
        page, back = self.page_of(terminal)
        state = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(page).query))["state"]
        Browser().open(f"{back}?error=access_denied&error_description=not+today&state={state}")
        text = self.ended(terminal, 77)
        self.assertIn("the campus gives no access: access_denied", text)
        self.nobody_is_logged_in()

    def test_a_browser_that_does_not_come_back(self):
        self.campus()
        terminal = self.terminal()
        # Its port is unknown to the server, so the page is an error there, and nobody comes.
        self.assertEqual(Browser().open(self.shown(terminal)).status, 403)
        terminal.read("Ctrl-C gives up")
        time.sleep(0.7)
        self.assertFalse(terminal.ended())
        terminal.type("\x03")
        self.assertIn(terminal.end(), (-2, 130), terminal.text)
        self.nobody_is_logged_in()
        run = self.stage.command(
            "login", "--provider", "campus", "--set", f"endpoint={self.site.url}", before=("setsid", "--wait"))
        self.assertEqual(run.exit, 77, run)
        self.assertIn("needs a person at a terminal", run.err)

    def test_who_allows_only_a_part_gets_no_credentials(self):
        self.campus()
        terminal, browser = self.terminal(), Browser()
        page, _ = self.page_of(terminal)
        self.identity.log_in(browser, browser.open(page), scopes="openid")
        text = self.ended(terminal, 77)
        self.assertIn("allow it on the page", text)
        self.nobody_is_logged_in()


class Devices(IdentityCase):
    """The code for another device: RFC 8628."""

    def start(self):
        """A login that shows a page and a code, which it leads to."""
        terminal = self.terminal("device")
        page = self.shown(terminal)
        code = terminal.read(r"(?m)^\W*(?:.* )?([A-Z0-9]{4}-[A-Z0-9]{4})\W*$")[1]
        self.assertEqual(dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(page).query)), {"code": code})
        return terminal, page

    def asks(self):
        """How often the provider has asked on so far; each time it reads the campus's addresses first."""
        return len(self.site.host.asked("/api/login")) - 1

    def test_a_code_is_confirmed_in_a_browser_while_it_waits(self):
        self.campus()
        terminal, page = self.start()
        wait_until(lambda: self.asks() >= 2, 20)
        self.assertFalse(terminal.ended())
        browser = Browser()
        done = self.identity.log_in(browser, browser.open(page))
        self.assertEqual(done.query["prompt"], "deviceComplete")
        text = self.ended(terminal, 0)
        self.assertEqual(text.count(page), 1, text)
        self.arrives("a")

    def test_who_asks_too_often_is_told_to_slow_down(self):
        self.campus(hasty=20, **{"device-authorization-interval": 4})
        terminal, page = self.start()
        # It asks each second until it is told.
        wait_until(lambda: self.asks() >= 2 and time.monotonic() - self.site.host.asked("/api/login")[-1].at > 3, 40)
        browser = Browser()
        self.identity.log_in(browser, browser.open(page))
        self.ended(terminal, 0)
        # The interval and 5 s, as RFC 8628 section 3.5 has it.
        times = [request.at for request in self.site.host.asked("/api/login")[-2:]]
        self.assertGreater(times[1] - times[0], 8.5)
        self.arrives("a")

    def test_a_code_that_nobody_confirms_expires(self):
        self.campus(**{"device-authorization-expiration": 3})
        terminal, _ = self.start()
        self.assertIn("the code has expired: log in again", self.ended(terminal, 77))
        self.nobody_is_logged_in()

    def test_a_code_that_is_refused(self):
        self.campus(**{"device-authorization-interval": 3})
        terminal, _ = self.start()
        # Its pages have no button for that; the administrator takes the code back.
        self.identity.change("UPDATE gpo_device_authorization SET gpoda_status = 3")
        self.assertIn("the campus gives no access", self.ended(terminal, 77))
        self.nobody_is_logged_in()


class HeldBack(File):
    """Sends half of itself, and breaks off when the token that it was asked with has expired."""

    def __init__(self, body, site):
        super().__init__(body, etag='"held"')
        self.site, self.is_cut = site, False

    def pour(self, x, data):
        if self.is_cut:
            return super().pour(x, data)
        self.is_cut = True
        x.send(data[: len(data) // 2])
        token = x.request.headers["authorization"].removeprefix("Bearer ")
        wait_until(lambda: self.site.good(token) is None or x.host.closing.is_set(), 40)
        raise OSError("broken off")


class Renewals(IdentityCase):
    """Refresh tokens that are good once, RFC 6749 section 6."""

    def renewals(self):
        return self.identity.rows("SELECT count(*) FROM gpo_refresh_token")[0][0] - 1

    def test_downloads_at_the_same_time_renew_once(self):
        names = [f"v{number}" for number in range(6)]
        self.campus(videos=(), **{"access-token-duration": 6})
        for name in names:
            self.site.film(name, file=HeldBack(media.mp4(name, 40_000), self.site))
            self.site.films[name] = media.mp4(name, 40_000)
        self.write(names)
        self.log_in()
        before = self.stored()
        run = self.arrives(*names)
        self.assertEqual(len(run.of("download_finished")), len(names), run)
        # Once in the middle; on a slow machine the first token has expired before the first request, too.
        renewals = self.renewals()
        self.assertIn(renewals, (1, 2), self.identity.said())
        self.assertEqual(len({token for token in self.site.tokens if token}), renewals + 1)
        self.assertNotEqual(before, self.stored())
        # All of the chain but its end is used up: a second use of one would have ended it.
        chain = self.identity.rows("SELECT gpor_enabled FROM gpo_refresh_token ORDER BY gpor_id")
        self.assertEqual(chain, [(0,)] * renewals + [(1,)])
        wait_until(lambda: self.site.good(self.site.tokens[-1]) is None, 20)
        self.write([*names, "later"])
        self.arrives(*names, "later")
        self.assertGreater(self.renewals(), renewals)

    def test_a_login_that_was_ended_at_the_server_asks_for_another_one(self):
        self.campus(videos=["a"])
        self.log_in()
        self.arrives("a")
        self.identity.end_logins()
        self.write(["a", "b"])
        run = self.stage.command("sync", self.stage.catalog)
        self.assertEqual(run.exit, 77, run)
        self.assertIn("the login at the campus has ended", run.out + run.err)
        self.assertIn("login --provider campus", run.out + run.err)
        self.assertEqual(list(self.stage.files().values()), [self.site.films["a"]])
        self.log_in()
        self.arrives("a", "b")


class Links(IdentityCase):
    """A single sign-on that ends at an address with a token, as Moodle's for its app."""

    def test_the_address_is_pasted(self):
        self.campus()
        self.identity.allow_return(self.site.url + "/callback", CONFIDENTIAL)
        terminal, browser = self.terminal("link"), Browser()
        page = self.shown(terminal)
        self.assertTrue(page.startswith(self.site.url + "/launch?passport="), page)
        label = r"campus address that the browser can't open \(campusapp://...\): "
        terminal.read(label)
        link = self.identity.log_in(browser, browser.open(page), CONFIDENTIAL, until="campusapp:").location
        # The address of somebody else's login, and what isn't one.
        terminal.type("campusapp://token=bm90aGluZw==\n")
        terminal.read(f"(?s){label}.*{label}")
        terminal.type(link + "\n")
        text = self.ended(terminal, 0)
        self.assertNotIn(link, text)
        self.assertEqual(text.count("/launch?passport="), 1, text)
        self.arrives("a")
        self.assertEqual(set(self.site.tokens), set(self.site.own))



# What the campus's own page has for those who are logged in.
WITH_COOKIES = '''
from coursefetch_provider import Provider, run, url

class Behind(Provider):
    cookies = ["session"]

    def list(self, request):
        return {"videos": request.get(url(request.parameter("endpoint"), "lectures.json")).json()}

    def resolve(self, request):
        page = request.get(url(request.parameter("endpoint"), "lectures", request.video.id)).json()
        return {"url": page["file"], "tokens": request.cookies.tokens(page["file"])}

run(Behind())
'''


class Sessions(asking.Case):
    """The cookies of a browser that has logged in with SAML, at simplesamlphp: a password, and a page that asks on."""

    def setUp(self):
        super().setUp()
        skip_without("simplesamlphp")
        self.stage, self.browser = Stage(), Browser()
        self.addCleanup(self.stage.close)

    def log_in(self, provider):
        """A person logs in with a browser, and gives its cookies."""
        self.saml.log_in(self.browser, self.saml.service + "/lectures.html")
        cookies = self.browser.export(self.stage.folder / "cookies.txt", "127.0.0.1")
        run = self.stage.command("login", "--provider", provider, "--cookies", cookies, "--set", f"endpoint={self.saml.service}",
                                 before=("setsid", "--wait"))
        self.assertEqual(run.exit, 0, run)
        self.assertIn("until", run.out)

    def wants_login(self, provider, *names):
        """A sync asks for a login, and has only these files, which it doesn't take for gone."""
        run = self.stage.command("sync", self.stage.catalog)
        self.assertEqual(run.exit, 77, run)
        said = run.out + run.err
        self.assertIn(f"login --provider {provider}", said)
        for cookie in self.browser.cookies:
            self.assertNotIn(cookie.value, said)
        self.has(*names)
        self.assertEqual([e for e in self.stage.status().values() if e["state"] in ("failed", "gone", "cancelled")], [])
        return said

    def has(self, *names):
        self.assertEqual(sorted(self.stage.files().values()), sorted(media.mp4(name, 60_000) for name in names))

    def test_opencast_behind_a_single_sign_on(self):
        opencast = Opencast(self)
        opencast.user(USER, PASSWORD)
        series = opencast.series("Optics", read=("ROLE_USER",))
        # Opencast believes what stands before it.
        login = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        self.saml = SimpleSAML(self, opencast.base, f'proxy_set_header Authorization "Basic {login}";')
        opencast.base = self.saml.service
        self.stage.write([{"id": "optics", "provider": "opencast", "discover": True,
                           "parameters": {"endpoint": self.saml.service, "series": series.id}}])
        series.event("a", start=1790000000).track("presenter/delivery", media.mp4("a", 60_000))
        self.wants_login("opencast")
        self.log_in("opencast")
        self.stage.sync(exit=0)
        self.has("a")
        self.saml.log_out(self.browser)
        series.event("b", start=1790100000).track("presenter/delivery", media.mp4("b", 60_000))
        self.wants_login("opencast", "a")
        self.log_in("opencast")
        run = self.stage.sync(exit=0)
        self.assertEqual([e["bytes"] for e in run.of("download_finished")], [60_000], run)
        self.has("a", "b")

    def test_a_session_that_ends_in_the_middle_of_a_download(self):
        self.host = Host()
        self.addCleanup(self.host.close)
        self.saml = SimpleSAML(self, self.host.url(""))
        self.behind()
        self.lectures("a")
        self.wants_login("behind")
        self.log_in("behind")
        self.stage.sync(exit=0)
        self.has("a")
        # The page to log in at comes in the place of the second half.
        self.lectures("a", "b", cut="b")
        said = self.wants_login("behind", "a")
        self.assertIn("page to log in at", said)
        self.assertEqual([path.stat().st_size for path in self.stage.partials() if path.stat().st_size], [30_000])
        self.host.forget()
        self.log_in("behind")
        self.stage.sync(exit=0)
        self.has("a", "b")
        self.assertEqual([r.range_start for r in self.host.asked("/media/b.mp4")], [30_000])

    def behind(self):
        folder = self.stage.plugins / "behind"
        folder.mkdir()
        shutil.copy(CONTRIB / "python/coursefetch_provider.py", folder)
        (folder / "behind.py").write_text(WITH_COOKIES)
        manifest = {"name": "behind", "protocol": 1, "run": ["python3", "-B", "behind.py"], "methods": ["resolve", "list"],
                    "credentials": ["session"], "cookies": ["session"], "concurrency": 4,
                    "parameters": {"type": "object", "properties": {"endpoint": {"type": "string"}}}}
        (folder / "plugin.yaml").write_text("".join(f"{k}: {json.dumps(v)}\n" for k, v in manifest.items()))
        for path in folder.iterdir():
            path.chmod(0o644)
        self.stage.write([{"id": "c", "provider": "behind", "discover": True, "parameters": {"endpoint": self.saml.service}}])

    def lectures(self, *names, cut=None):
        self.host.at("/lectures.html", lambda x: x.answer(200, b"<h1>Lectures</h1>"))
        self.host.at("/lectures.json", lambda x: x.answer(200, json.dumps(names).encode()))
        for name in names:
            described = json.dumps({"file": f"{self.saml.service}/media/{name}.mp4"}).encode()
            self.host.at(f"/lectures/{name}", lambda x, described=described: x.answer(200, described))
            file = File(media.mp4(name, 60_000), etag=f'"{name}"')
            self.host.at(f"/media/{name}.mp4", Ending(file, self) if name == cut else file)


class Ending:
    """A file whose first half comes, and then the end of the session."""

    def __init__(self, file, case):
        self.file, self.case, self.is_over = file, case, False

    def __call__(self, x):
        if self.is_over:
            return self.file(x)
        self.is_over = True
        body = self.file.body
        x.head(200, content_length=len(body), content_type="video/mp4", accept_ranges="bytes", etag=self.file.etag)
        x.send(body[: len(body) // 2])
        self.case.saml.log_out(self.case.browser)
        return False


if __name__ == "__main__":
    unittest.main()
