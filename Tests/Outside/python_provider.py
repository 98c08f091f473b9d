"""The Python module for authors of providers, contrib/python/coursefetch_provider.py: how it serves, and its HTTP."""

import datetime
import gzip
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

from pages import Pages, closed_port
from spoken import NOW, Plugin

MODULE = pathlib.Path(__file__).resolve().parents[2] / "contrib/python"
sys.path.insert(0, str(MODULE))

import coursefetch_provider  # noqa: E402
from coursefetch_provider import (  # noqa: E402
    Pace, Provider, ProviderError, Request, as_list, as_number, clean_title, format_time, parse_time, url)

PLUGIN = '''
import datetime, os, subprocess, sys, threading, time
from coursefetch_provider import Provider, ProviderError, log, run

barrier = threading.Barrier(4, timeout=20)

class Example(Provider):
    def resolve(self, request):
        what = request.video.id
        if what == "print":
            print("a stray print")
            sys.__stdout__.write("another one\\n")
            sys.__stdout__.flush()
            os.write(1, b"written\\n")
            subprocess.run(["sh", "-c", "echo from a program; cat"], check=True)
        if what == "together":
            barrier.wait()
        if what == "hang":
            log("info", "hanging")
            time.sleep(600)
        if what == "slow":
            time.sleep(0.3)
        if what == "raise":
            raise RuntimeError("the login " + request.credentials["password"] + " at http://u:pw@h/x?sig=abc failed")
        if what == "conceal":
            request.conceal("found-canary")
            log("info", "a token found-canary")
            raise ValueError("found-canary")
        if what == "refuse":
            raise ProviderError("rate_limited", "wait for " + request.credentials["password"], retry_after=1.2)
        if what == "exit":
            sys.exit(3)
        if what == "long":
            return {"url": "x" * 2_000_000}
        if what == "nan":
            return {"url": "http://h/", "duration": float("nan")}
        if what == "nothing":
            return None
        return {"url": "http://h/" + str(len(what)), "size": None, "subtitles": [{"lang": "en", "url": None}],
                "expires_at": request.now + datetime.timedelta(seconds=90), "credentials": {"kept": None}}

    def recognise(self, request):
        if request.address.endswith("/a"):
            return {"course": {"title": None, "parameters": {"endpoint": request.address}}}

run(Example(), concurrency=4)
'''


class ServingTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        program = pathlib.Path(folder.name) / "plugin.py"
        program.write_text(PLUGIN)
        self.plugin = Plugin([str(program)], PYTHONPATH=str(MODULE))
        self.addCleanup(self.plugin.stop)

    def test_an_answer_has_the_id_and_leaves_out_what_is_none(self):
        self.plugin.ask(7)
        self.assertEqual(self.plugin.line(), {"jsonrpc": "2.0", "id": 7, "result": {
            "url": "http://h/1", "subtitles": [{"lang": "en"}], "expires_at": "2026-11-20T23:01:30Z",
            "credentials": {"kept": None}}})
        self.assertEqual(self.plugin.end(), ([], ""))
        self.assertEqual(self.plugin.process.returncode, 0)

    def test_whatever_else_is_printed_goes_to_standard_error(self):
        self.plugin.ask(1, "print")
        self.plugin.ask(2)
        answers, err = self.plugin.end()
        self.assertEqual(sorted(answer["id"] for answer in answers), [1, 2])
        for words in ("a stray print", "another one", "written", "from a program"):
            self.assertIn(words, err)

    def test_requests_are_served_at_the_same_time(self):
        for id in range(4):
            self.plugin.ask(id, "together")
        self.assertEqual({self.plugin.line()["id"] for _ in range(4)}, {0, 1, 2, 3})

    def test_unknown_methods_are_refused_and_lines_without_id_ignored(self):
        self.plugin.ask(1, method="ping")
        self.plugin.ask(2, method="list")
        self.plugin.send({"method": "cancel", "params": {}}, {"id": True, "method": "resolve"})
        self.plugin.send({"id": 3, "method": "resolve"})
        answers, _ = self.plugin.end()
        self.assertEqual({a["id"]: a["error"]["code"] for a in answers}, {1: -32601, 2: -32601, 3: -32602})

    def test_an_address_is_known_or_it_isnt(self):
        self.plugin.ask(1, method="recognise", address="https://h/a")
        self.plugin.ask(2, method="recognise", address="https://h/b")
        answers, _ = self.plugin.end()
        self.assertEqual({a["id"]: a["result"] for a in answers}, {
            1: {"course": {"parameters": {"endpoint": "https://h/a"}}}, 2: {}})

    def test_lines_that_are_not_requests_are_reported_and_skipped(self):
        self.plugin.send(b"{nonsense", b"\xff\xfe", b"[1]", b"[" * 100_000)
        self.plugin.ask(5)
        answers, _ = self.plugin.end()
        logged = [a["params"]["message"] for a in answers if a.get("method") == "log"]
        self.assertEqual(logged, [
            "line 1 of the host isn't JSON", "line 2 of the host isn't JSON", "line 3 of the host isn't an object",
            "line 4 of the host isn't JSON"])
        self.assertEqual([a["id"] for a in answers if "id" in a], [5])

    def test_a_line_of_1_mib_is_served_and_a_longer_one_skipped(self):
        frame = len(json.dumps({"id": 1, "method": "resolve", "params": {"video": {"id": ""}}}))
        longest = "é" * 1000 + "x" * ((1 << 20) - frame - 6000)
        line = json.dumps({"id": 1, "method": "resolve", "params": {"video": {"id": longest}}}).encode()
        self.assertEqual(len(line), 1 << 20)
        self.plugin.send(line, line + b"x" * (3 << 20))
        self.plugin.ask(2)
        answers, _ = self.plugin.end()
        self.assertEqual({a["id"]: a["result"]["url"] for a in answers if "id" in a},
                         {1: f"http://h/{len(longest)}", 2: "http://h/1"})
        self.assertIn("longer than 1 MiB", str(answers))

    def test_an_exception_is_an_error_without_the_secret(self):
        for id, video in enumerate(["raise", "refuse", "conceal"]):
            self.plugin.ask(id, video, credentials={"password": "s3cr3t-canary"})
        answers, err = self.plugin.end()
        by = {a["id"]: a["error"] for a in answers if "id" in a}
        self.assertEqual(by[2]["message"], "ValueError: ***")
        self.assertNotIn("found-canary", str(answers))
        self.assertEqual(by[0], {"code": -32603, "message": "RuntimeError: the login *** at http://h/x failed"})
        self.assertEqual(by[1], {"code": -32000, "message": "wait for ***", "data": {"kind": "rate_limited", "retry_after": 2}})
        self.assertIn("in resolve", err)
        self.assertNotIn("s3cr3t", err + str(answers))
        self.assertNotIn("sig=", err)

    def test_answers_that_cannot_be_sent_are_errors(self):
        for id, video in enumerate(["exit", "long", "nan", "nothing", "v"]):
            self.plugin.ask(id, video)
        answers, _ = self.plugin.end()
        by = {a["id"]: a for a in answers}
        self.assertEqual(by[4]["result"]["url"], "http://h/1")
        self.assertEqual({by[id]["error"]["code"] for id in range(4)}, {-32603})
        self.assertIn("answer in pages", by[1]["error"]["message"])
        self.assertIn("returned NoneType", by[3]["error"]["message"])

    def test_it_ends_with_its_input_when_open_requests_are_answered(self):
        self.plugin.ask(1, "slow")
        answers, _ = self.plugin.end()
        self.assertEqual([a["id"] for a in answers], [1])
        self.assertEqual(self.plugin.process.returncode, 0)

    def test_term_ends_it_at_once(self):
        self.plugin.ask(1, "hang")
        self.assertEqual(self.plugin.line()["params"]["message"], "hanging")
        self.plugin.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.plugin.process.wait(5), -signal.SIGTERM)

    def test_a_thousand_requests_leave_nothing_behind(self):
        def state():
            folder = pathlib.Path(f"/proc/{self.plugin.process.pid}")
            resident = next(line for line in (folder / "status").read_text().splitlines() if line.startswith("VmRSS"))
            return len(list((folder / "fd").iterdir())), int(resident.split()[1])

        for id in range(1200):
            self.plugin.ask(id)
            self.plugin.line()
            if id == 199:
                before = state()
        after = state()
        self.assertEqual(after[0], before[0])
        self.assertLess(after[1] - before[1], 4096)


SESSION = """# Netscape HTTP Cookie File
127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\tcanary-session
#HttpOnly_127.0.0.1\tFALSE\t/deep\tFALSE\t0\tdeep\tcanary-deep-\u00e9
127.0.0.1\tFALSE\t/\tTRUE\t0\ttls\tcanary-tls
127.0.0.1\tFALSE\t/\tFALSE\t1000\told\tcanary-old
localhost\tFALSE\t/\tFALSE\t0\tlocal\tcanary-local
.example.org\tTRUE\t/\tFALSE\t0\tbelow\t{"a": "b, c"}
.org\tTRUE\t/\tFALSE\t0\tall\tcanary-all
"""


class CookieTests(unittest.TestCase):
    """A browser's session with the requests of the module."""

    class Site(Provider):
        cookies = ["session"]

    def setUp(self):
        self.asked = []
        self.site = Pages({})
        self.addCleanup(self.site.stop)
        self.request = self.of({"session": SESSION})

    def of(self, credentials, method="resolve", **params):
        return Request(method, {"now": NOW, "credentials": credentials, **params}, self.Site())

    def page(self, path, location=None):
        def answer(handler):
            self.asked.append((handler.headers["Host"].partition(":")[0], path, handler.headers["Cookie"]))
            return (302, {"Location": location, "Set-Cookie": "new=1"}, "") if location else (200, {"Set-Cookie": "new=1"}, "x")
        self.site.pages[path] = answer
        return self.site.origin + path

    def test_each_request_and_redirect_gets_its_own_cookies(self):
        local = self.site.origin.replace("127.0.0.1", "localhost")
        self.page("/end")
        self.page("/deep/a", local + "/end")
        self.request.get(self.page("/a", "/deep/a"))
        self.request.get(self.site.origin + "/end", headers={"cookie": "own=1"})
        self.request.get(self.page("/own", local + "/end"), headers={"cookie": "own=1"})
        sid, deep = "sid=canary-session", "deep=canary-deep-\u00e9".encode().decode("latin-1")
        self.assertEqual(self.asked, [
            ("127.0.0.1", "/a", sid), ("127.0.0.1", "/deep/a", f"{deep}; {sid}"), ("localhost", "/end", "local=canary-local"),
            ("127.0.0.1", "/end", "own=1"), ("127.0.0.1", "/own", "own=1"), ("localhost", "/end", "local=canary-local")])

    def test_the_jar_matches_as_rfc_6265_has_it(self):
        jar = self.request.cookies
        for address, field in [
                ("https://127.0.0.1/deeper", "sid=canary-session; tls=canary-tls"), ("http://1.127.0.0.1/", None),
                ("http://127.0.0.2/", None), ("http://EXAMPLE.org:81/x", 'below={"a": "b, c"}'), ("http://a.b.example.org/", 'below={"a": "b, c"}'),
                ("http://badexample.org/", None), ("http://other.org/", None), ("http://org/", "all=canary-all"),
                ("http://a.localhost/", None), ("http://[::1]/", None), ("http://[", None)]:
            self.assertEqual(jar.field(address), field, address)
        self.assertEqual(jar.tokens("https://127.0.0.1/v.mp4", "https://127.0.0.1/", "http://h/"), [
            {"in": "header", "name": "Cookie", "value": "sid=canary-session; tls=canary-tls", "url_prefix": "https://127.0.0.1/"},
            {"in": "header", "name": "Cookie", "value": "deep=canary-deep-\u00e9; sid=canary-session; tls=canary-tls",
             "url_prefix": "https://127.0.0.1/deep/"}])

    def test_it_is_where_the_credentials_are_and_nothing_without(self):
        self.assertTrue(self.request.cookies)
        self.assertTrue(self.of(None, "login", secrets={"session": SESSION}).cookies)
        for other in (None, {}, {"session": None}, {"other": SESSION}, [SESSION], "x"):
            self.assertFalse(self.of(other).cookies)
        self.assertFalse(Request("resolve", {"now": NOW, "credentials": {"session": SESSION}}).cookies)
        coursefetch_provider._know({"credentials": {"session": SESSION}})
        self.addCleanup(coursefetch_provider._know, {})
        self.assertEqual(coursefetch_provider._clean("x canary-session, canary-all"), "x ***, ***")


RENEWING = '''
import threading, time
from coursefetch_provider import Provider, ProviderError, log, run

together = threading.Barrier(4, timeout=20)

class Renewing(Provider):
    """A token that is good once: each renewal takes the one before."""
    def renewed(self, old):
        log("info", "renewing " + str(old["n"]))
        time.sleep(0.2)
        if old["n"] >= 10:
            raise ProviderError("auth_required", "the refresh token is used up")
        return {**old, "n": old["n"] + 1, "refresh": f"refresh-canary-{old['n'] + 1}"}

    def resolve(self, request):
        what, credentials = request.video.id, request.credentials
        if what == "refuse":
            raise ProviderError("not_found", "no such video")
        if what == "plain":
            return {"url": f"http://h/{credentials['n']}"}
        if what.startswith("all"):
            together.wait()
        if what == "first":
            credentials = request.renew(lambda old: {"n": 1, "refresh": "refresh-canary-1"})
        else:
            credentials = request.renew(self.renewed, server=request.video.parameters.get("server"))
        if what == "fault":
            raise RuntimeError("after " + credentials["refresh"])
        return {"url": f"http://h/{credentials['n']}"}

run(Renewing(), concurrency=4)
'''


class RenewalTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        program = pathlib.Path(folder.name) / "plugin.py"
        program.write_text(RENEWING)
        self.plugin = Plugin([str(program)], PYTHONPATH=str(MODULE))
        self.addCleanup(self.plugin.stop)

    def ask(self, id, video, n=1, params=None, **parameters):
        credentials = None if n is None else {"n": n, "refresh": f"refresh-canary-{n}"}
        self.plugin.ask(id, {"id": video, "parameters": parameters}, credentials=credentials, **(params or {}))

    def credentials(self, answer):
        place = answer.get("result") or answer["error"]["data"]
        return place.get("credentials")

    def test_one_request_renews_and_the_others_use_its_result(self):
        for id in range(4):
            self.ask(id, f"all{id}")
        answers = [self.plugin.answer() for _ in range(4)]
        self.assertEqual({answer["result"]["url"] for answer in answers}, {"http://h/2"})
        self.assertEqual([self.credentials(answer)["n"] for answer in answers], [2] * 4)
        self.assertEqual(self.plugin.logged, ["renewing 1"])

    def test_a_request_that_may_not_renew_says_so_and_uses_what_another_one_renews(self):
        for id in range(2):
            self.ask(id, f"v{id}", params={"renew": False})
            error = self.plugin.answer()["error"]
            self.assertEqual((error["data"], self.plugin.logged), ({"kind": "renewal_needed"}, []))
        # One of four that come together may: those that come before it begins are refused.
        for id in range(4):
            self.ask(id, f"all{id}", params={"renew": False} if id else {})
        answers = [self.plugin.answer() for _ in range(4)]
        self.assertEqual(self.plugin.logged, ["renewing 1"])
        for answer in answers:
            self.assertTrue(answer.get("error", {}).get("data", {}).get("kind") == "renewal_needed"
                            or answer["result"]["url"] == "http://h/2", answer)
        self.assertEqual(next(a for a in answers if a["id"] == 0)["result"]["url"], "http://h/2")
        self.ask(9, "plain", params={"renew": False})
        self.assertEqual(self.plugin.answer()["result"]["url"], "http://h/2")
        # Of another login, which nobody has renewed.
        self.ask(10, "v", n=5, params={"renew": False})
        self.assertEqual(self.plugin.answer()["error"]["data"]["kind"], "renewal_needed")
        self.assertEqual(self.plugin.logged, ["renewing 1"])

    def test_one_refusal_is_that_of_all_who_wait(self):
        for id in range(4):
            self.ask(id, f"all{id}", n=10)
        answers = [self.plugin.answer() for _ in range(4)]
        self.assertEqual({answer["error"]["data"]["kind"] for answer in answers}, {"auth_required"})
        self.assertEqual(self.plugin.logged, ["renewing 10"])

    def test_renewed_credentials_go_with_faults_and_errors_and_what_follows(self):
        for video in ("fault", "refuse", "plain"):
            self.ask(1, video)
            answer = self.plugin.answer()
            self.assertEqual(self.credentials(answer), {"n": 2, "refresh": "refresh-canary-2"}, video)
            self.assertNotIn("canary", answer.get("error", {}).get("message", ""))
        self.assertEqual(self.plugin.logged, ["renewing 1"])
        # The host has them now.
        self.ask(1, "plain", n=2)
        self.assertEqual(self.plugin.answer()["result"], {"url": "http://h/2"})

    def test_another_login_is_not_mixed_with_what_was_renewed(self):
        self.ask(1, "renew")
        self.assertEqual(self.credentials(self.plugin.answer())["n"], 2)
        self.ask(1, "plain", n=7)
        self.assertEqual(self.plugin.answer()["result"], {"url": "http://h/7"})
        self.ask(1, "plain", n=1)
        self.assertEqual(self.plugin.answer()["result"], {"url": "http://h/1"})
        self.ask(1, "first", n=None)
        self.assertEqual(self.credentials(self.plugin.answer())["n"], 1)

    def test_each_server_has_its_own_renewal(self):
        def renewed(server):
            request = Request("resolve", {"user": "one", "now": NOW, "credentials": {"n": 1}})
            return request.renew(lambda old: {"n": old["n"] + 1}, server)["n"]

        self.assertEqual([renewed(server) for server in ("http://a/x", "http://b", "http://a/y", "http://b")], [2, 3, 3, 3])

    def test_what_two_servers_renew_at_a_time_is_merged(self):
        request = [Request("resolve", {"user": "two", "now": NOW, "credentials": {"a": 1, "b": {"x": 1, "y": 1}}}) for _ in "ab"]
        both = threading.Barrier(2, timeout=20)

        def make(change):
            def made(old):
                both.wait()
                return {**old, **change(old)}
            return made

        threads = [threading.Thread(target=request[0].renew, args=(make(lambda old: {"a": 2}), "http://a")),
                   threading.Thread(target=request[1].renew, args=(make(lambda old: {"b": {**old["b"], "y": 2}}), "http://b"))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        third = Request("resolve", {"user": "two", "now": NOW, "credentials": {"a": 1, "b": {"x": 1, "y": 1}}})
        self.assertEqual(third.renew(lambda old: None, "http://a"), {"a": 2, "b": {"x": 1, "y": 2}})

    def test_each_http_request_is_a_line_of_the_log_without_its_query(self):
        host = Pages({"/x": "12345"})
        self.addCleanup(host.stop)
        program = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "plugin.py"
        program.write_text("from coursefetch_provider import Provider, run\nclass A(Provider):\n    def resolve(self, request):\n"
                           "        request.get(request.video.id, accept=[404])\n        return {'url': 'http://h/'}\nrun(A())")
        plugin = Plugin([str(program)], PYTHONPATH=str(MODULE))
        self.addCleanup(plugin.stop)
        for path in ("/x?sig=abc", "/refresh-canary-1"):
            plugin.ask(1, host.origin + path, credentials={"n": "refresh-canary-1"})
            plugin.answer()
        self.assertRegex(plugin.logged[0], rf"^GET {host.origin}/x: 200, 5 bytes, \d\.\d\d\d s$")
        self.assertRegex(plugin.logged[1], rf"^GET {host.origin}/\*\*\*: 404, 12 bytes, \d\.\d\d\d s$")


class HTTPTests(unittest.TestCase):
    def setUp(self):
        self.host = Pages()
        self.addCleanup(self.host.stop)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def request(self, **params):
        return Request("resolve", {"now": NOW, "video": {"id": "v", "parameters": {"n": 1}}, **params})

    def refusal(self, path="/x?sig=s3cr3t", host=None, request=None, **how):
        with self.assertRaises(ProviderError) as raised:
            (request or self.request()).get((host or self.host).origin + path, **how)
        self.assertNotIn("s3cr3t", raised.exception.message)
        return raised.exception

    def test_each_status_is_an_error_of_its_kind(self):
        kinds = {401: "auth_required", 403: "forbidden", 404: "not_found", 410: "gone", 429: "rate_limited", 408: "unavailable",
                 451: "geo_blocked", 500: "unavailable", 503: "unavailable", 599: "unavailable", 400: "not_found",
                 402: "forbidden", 414: "not_found", 422: "not_found",
                 **dict.fromkeys((405, 406, 407, 409, 412, 413, 415, 418, 421, 423, 425, 426, 431, 499), "unavailable"),
                 304: None, 302: None}
        for status, kind in kinds.items():
            self.host.pages["/x"] = status, {}, "no"
            error = self.refusal()
            self.assertEqual(error.kind, kind, status)
            self.assertIn(f"{self.host.origin}/x answers {status}", error.message)
        self.assertEqual(self.request().get(self.host.origin + "/x", accept=[302]).status, 302)

    def test_a_step_of_a_login_has_its_state_and_how_the_browser_came_back_and_shows_neither(self):
        back = {"uri": "http://127.0.0.1:4199/", "query": {"code": "c0de-of-the-browser", "state": "x"}}
        params = {"now": NOW, "secrets": {}, "state": {"verifier": "v3rifier-of-this"}, "redirect": back}
        request = Request("login", params)
        self.assertEqual((request.state, request.redirect), (params["state"], back))
        self.assertEqual((Request("login", {"now": NOW}).state, Request("login", {"now": NOW}).redirect), (None, None))

        class Steps(Provider):
            def login(self, request):
                raise ProviderError("auth_required", f"{request.state['verifier']} {request.redirect['query']['code']}")

        coursefetch_provider._know(params)
        answer = coursefetch_provider._answer(Steps(), "login", params)
        self.assertEqual(answer["error"]["message"], "*** ***")

    def test_why_a_browser_came_back_without_a_code_can_be_read(self):
        class Steps(Provider):
            def login(self, request):
                query = request.redirect["query"]
                raise ProviderError("forbidden", f"{query['error']}, {query['error_description']}, {query['state']}")

        query = {"error": "access_denied", "error_description": "not today", "state": "state-of-this"}
        params = {"now": NOW, "secrets": {}, "redirect": {"uri": "http://127.0.0.1:4199/", "query": query}}
        coursefetch_provider._know(params)
        self.addCleanup(coursefetch_provider._know, {})
        answer = coursefetch_provider._answer(Steps(), "login", params)
        self.assertEqual(answer["error"]["message"], "access_denied, not today, ***")

    def test_a_renewal_is_told_no_kind_that_is_about_a_video(self):
        request = Request("resolve", {"now": NOW, "credentials": {"refresh": "used"}})
        for status, kind in {400: "auth_required", 401: "auth_required", 404: "unavailable", 410: "unavailable", 422: "unavailable",
                             503: "unavailable"}.items():
            self.host.pages["/x"] = status, {}, ""
            with self.assertRaises(ProviderError) as caught:
                request.renew(lambda old: request.post(self.host.origin + "/x", form={"refresh_token": "used"}))
            self.assertEqual(caught.exception.kind, kind, status)
        self.host.pages["/x"] = 400, {}, ""
        self.assertEqual(self.refusal(request=request).kind, "not_found")

    def test_a_login_is_told_no_kind_that_is_about_a_video(self):
        for status, kind in {400: "unavailable", 404: "unavailable", 410: "unavailable", 451: "unavailable", 403: "forbidden",
                             401: "auth_required"}.items():
            self.host.pages["/x"] = status, {}, "no"
            self.assertEqual(self.refusal(request=Request("login", {"now": NOW})).kind, kind, status)

    def test_a_refused_grant_of_oauth_wants_a_login(self):
        self.host.pages["/x"] = 400, {}, '{"error": "invalid_grant", "error_description": "used"}'
        self.assertEqual(self.refusal().kind, "auth_required")
        self.host.pages["/x"] = 400, {}, '{"error": "invalid_request"}'
        self.assertEqual(self.refusal().kind, "not_found")

    def test_the_judge_sees_a_response_before_its_status_counts(self):
        class Host(Provider):
            def judge(self, request, response):
                if response.status == 403 and b"Rate Limit" in response.body:
                    raise ProviderError("rate_limited", "the host asks for a pause")
                if response.status == 200 and b"errorcode" in response.body:
                    raise ProviderError("auth_required", response.json()["errorcode"])
                return response.status == 418

        request = Request("resolve", {"now": NOW, "video": {"id": "v"}}, Host())
        self.host.pages["/slow"] = 403, {"Retry-After": "9"}, "403 Forbidden (Rate Limit Exceeded)"
        self.host.pages["/no"] = 403, {}, "no"
        self.host.pages["/token"] = '{"errorcode": "invalidtoken"}'
        self.host.pages["/tea"] = 418, {}, "tea"
        self.host.pages["/moved"] = 302, {"Location": "/token"}, ""
        error = self.refusal("/slow", request=request)
        self.assertEqual((error.kind, error.retry_after, error.server), ("rate_limited", 9, self.host.origin))
        self.assertEqual(self.refusal("/no", request=request).kind, "forbidden")
        for path in ("/token", "/moved"):
            error = self.refusal(path, request=request)
            self.assertEqual((error.kind, error.message), ("auth_required", "invalidtoken"))
        self.assertEqual(request.get(self.host.origin + "/tea").text, "tea")
        self.assertEqual(request.get(self.host.origin + "/no", judge=lambda _, response: True).status, 403)

    def test_a_page_to_log_in_at_in_place_of_data_wants_a_login(self):
        idp = Pages({"/idp/profile/SAML2": "<!DOCTYPE html><html>This is XML, too</html>"})
        self.addCleanup(idp.stop)
        form = "<!-- x -->\n<!doctype html><html><form><input name=p type='password'></form></html>"
        self.host.pages.update({"/form": form, "/down": "<html>back<br>at noon", "/login/index.php": "<html>who?<br>"})
        self.host.pages["/elsewhere"] = 302, {"Location": idp.origin + "/idp/profile/SAML2"}, ""
        self.host.pages["/here"] = 303, {"Location": "/login/index.php"}, ""
        self.host.pages["/moved"] = 302, {"Location": "/down"}, ""
        # Who keeps no cookies gets to no form of some identity servers, but was sent there with a request for one.
        self.host.pages["/saml"] = 302, {"Location": "/begin?SAMLRequest=x&RelayState=y"}, ""
        self.host.pages["/oidc"] = 302, {"Location": "/begin?client_id=x&response_type=code"}, ""
        self.host.pages["/begin"] = 302, {"Location": "/down"}, ""
        self.host.pages["/post"] = '<!doctype html><html><form method="post"><input type="hidden" name="SAMLRequest" value="x"></form>'
        self.host.pages["/other"] = 302, {"Location": "/down?client_id=x"}, ""
        for path, kind in {"/form": "auth_required", "/saml": "auth_required", "/oidc": "auth_required",
                           "/post": "auth_required", "/other": "unavailable", "/elsewhere": "auth_required", "/here": "auth_required",
                           "/down": "unavailable", "/moved": "unavailable", "/login/index.php": "unavailable"}.items():
            for read in ("json", "xml"):
                with self.assertRaises(ProviderError) as raised:
                    getattr(self.request().get(self.host.origin + path), read)()
                self.assertEqual(raised.exception.kind, kind, path)
                self.assertEqual(raised.exception.server, self.host.origin, path)

    def test_pages_follow_the_link_header(self):
        self.host.pages["/p?page=1"] = 200, {"Link": '</p?page=1>; rel="current",</p?page=2>; rel="next", </p>; rel="last"'}, "one"
        self.host.pages["/p?page=2"] = 200, {"Link": "<p?page=3>; title=x; REL=next"}, "two"
        self.host.pages["/p?page=3"] = 200, {"Link": '</p?page=9>; rel="prev"; title="the next one"'}, "three"
        pages = list(self.request().pages(self.host.origin + "/p?page=1", headers={"Authorization": "Bearer t"}))
        self.assertEqual([page.text for page in pages], ["one", "two", "three"])
        self.assertEqual([asked.headers["Authorization"] for asked in self.host.asked], ["Bearer t"] * 3)

    def test_pages_end_and_a_next_one_elsewhere_gets_no_login(self):
        other = Pages({"/two": "two"})
        self.addCleanup(other.stop)
        self.host.pages["/one"] = 200, {"Link": f'<{other.origin}/two>; rel="next"'}, "one"
        pages = self.request().pages(self.host.origin + "/one", auth=("a", "b"), headers={"X-Key": "k", "accept-language": "de"})
        self.assertEqual([page.text for page in pages], ["one", "two"])
        self.assertEqual(other.asked[0].headers["Accept-Language"], "de")
        self.assertEqual((other.asked[0].headers["Authorization"], other.asked[0].headers["X-Key"]), (None, None))
        self.host.pages["/round"] = 200, {"Link": '</round>; rel="next"'}, "again"
        with self.assertRaisesRegex(ProviderError, "don't end"):
            list(self.request().pages(self.host.origin + "/round"))

    def test_json_in_the_call_of_a_function_is_read(self):
        for body in ('cb({"a": [1]});', '/**/ jQuery.x_1 ( {"a": [1]} ) ;\n', '{"a": [1]}'):
            self.host.pages["/x"] = body
            self.assertEqual(self.request().get(self.host.origin + "/x").jsonp(), {"a": [1]})
        self.host.pages["/x"] = "cb(oops)"
        with self.assertRaisesRegex(ProviderError, "isn't JSON"):
            self.request().get(self.host.origin + "/x").jsonp()

    def test_a_request_beyond_the_pace_waits_or_is_refused(self):
        class Slow(Provider):
            pace = Pace(2, 1000)

        self.host.pages["/x"] = "x"
        request = Request("resolve", {"now": NOW, "video": {"id": "v"}}, Slow())
        for _ in range(2):
            request.get(self.host.origin + "/x")
        error = self.refusal(request=request)
        self.assertEqual((error.kind, error.server), ("rate_limited", self.host.origin))
        self.assertGreater(error.retry_after, 900)
        self.assertEqual(len(self.host.asked), 2)

    def test_retry_after_is_in_seconds_or_a_date_by_the_clock_of_the_host(self):
        for text, seconds in {"120": 120, "Fri, 20 Nov 2026 23:00:30 GMT": 30, "Fri, 20 Nov 2026 22:00:00 GMT": 0,
                              "soon": None, "-3": None}.items():
            self.host.pages["/x"] = 429, {"Retry-After": text}, ""
            self.assertEqual(self.refusal().retry_after, seconds, text)
        self.host.pages["/x"] = 503, {"Retry-After": "7"}, ""
        self.assertEqual(self.refusal().retry_after, 7)

    def test_json_forms_login_and_user_agent_are_sent(self):
        self.host.pages["/x"] = '{"a": [1]}'
        request = self.request(settings={"user_agent": "coursefetch/1 (test)"})
        self.assertEqual(request.post(self.host.origin + "/x", json={"k": "ü"}).json(), {"a": [1]})
        request.post(self.host.origin + "/x", form={"a": "1 & 2", "b": ["x", "y"]}, auth=("anna", "pässword"))
        request.http("PROPFIND", self.host.origin + "/x", data=b"<p/>", headers={"depth": "1"})
        one, two, three = self.host.asked
        self.assertEqual((one.command, one.body, one.headers["Content-Type"]), ("POST", '{"k":"ü"}'.encode(), "application/json"))
        self.assertEqual(one.headers["User-Agent"], "coursefetch/1 (test)")
        self.assertEqual(two.body, b"a=1+%26+2&b=x&b=y")
        self.assertEqual(two.headers["Authorization"], "Basic YW5uYTpww6Rzc3dvcmQ=")
        self.assertEqual((three.command, three.body, three.headers["Depth"]), ("PROPFIND", b"<p/>", "1"))

    def test_credentials_follow_a_redirect_only_within_their_origin(self):
        other = Pages({"/there": "found"})
        self.addCleanup(other.stop)
        self.host.pages["/a"] = 302, {"Location": "/b"}, ""
        self.host.pages["/b"] = 307, {"Location": other.origin + "/there"}, ""
        answer = self.request().get(self.host.origin + "/a", auth=("anna", "pw"), headers={
            "Cookie": "s=1", "X-Api-Key": "k", "Accept-Language": "de"})
        self.assertEqual((answer.text, answer.url), ("found", other.origin + "/there"))
        self.assertIn("Authorization", self.host.asked[1].headers)
        self.assertEqual(other.asked[0].headers["Accept-Language"], "de")
        for name in ("Authorization", "Cookie", "X-Api-Key"):
            self.assertNotIn(name, other.asked[0].headers)

    def test_a_body_goes_to_no_other_host(self):
        other = Pages({"/there": "found"})
        self.addCleanup(other.stop)
        self.host.pages["/a"] = 307, {"Location": other.origin + "/there"}, ""
        with self.assertRaisesRegex(ProviderError, "wants the data at another host"):
            self.request().post(self.host.origin + "/a", form={"password": "pw"})
        self.assertEqual(other.asked, [])
        self.host.pages["/a"] = 303, {"Location": other.origin + "/there"}, ""
        self.request().post(self.host.origin + "/a", form={"password": "pw"})
        self.assertEqual((other.asked[0].command, other.asked[0].body), ("GET", b""))

    def test_redirects_are_bounded_and_lead_to_http_only(self):
        self.host.pages["/a"] = 302, {"Location": "/a"}, ""
        self.assertIn("redirects more than 3 times", self.refusal("/a", redirects=3).message)
        self.assertEqual(len(self.host.asked), 4)
        for target in ("file:///etc/passwd", "ftp://127.0.0.1/", "http://anna:pw@127.0.0.1/", "http://[", "http://h:99999/"):
            self.host.pages["/a"] = 302, {"Location": target}, ""
            self.assertNotIn("root:", self.refusal("/a").message)

    def test_time_is_bounded_whatever_the_server_sends(self):
        done = threading.Event()
        self.addCleanup(done.set)
        drip = lambda: done.wait(0.1)  # noqa: E731
        begun = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
        self.host.pages["/headers"] = lambda h: h.raw(b"HTTP/1.1 200 OK\r\n", *[b"X: y\r\n"] * 80, until=drip)
        self.host.pages["/body"] = lambda h: h.raw(begun, *[b"z"] * 80, until=drip)
        self.host.pages["/last"] = lambda h: h.raw(b"HTTP/1.0 200 OK\r\n\r\n", *[b"z"] * 80, until=drip)
        self.host.pages["/silence"] = lambda h: h.raw(b"", until=lambda: done.wait(8))
        for path in ("/headers", "/body", "/last", "/silence"):
            error = self.refusal(path, timeout=0.5)
            self.assertEqual((error.kind, error.message), ("unavailable", f"{self.host.origin}{path} takes longer than 0.5 s"))

    def test_sizes_are_bounded_packed_ones_too(self):
        self.host.pages["/plain"] = "x" * (2 << 20)
        self.host.pages["/packed"] = 200, {"Content-Encoding": "gzip"}, gzip.compress(b"x" * (200 << 20), 1)
        self.host.pages["/small"] = 200, {"Content-Encoding": "gzip"}, gzip.compress(b"hello")
        for path in ("/plain", "/packed"):
            self.assertIn("sends more than 1 MiB", self.refusal(path, limit=1 << 20).message)
        self.assertEqual(self.request().get(self.host.origin + "/small").text, "hello")

    def test_half_a_body_is_not_taken_for_all_of_it(self):
        halves = {
            "/length": (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", b"12345"),
            "/chunked": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"5\r\n12345\r\n"),
            "/packed": (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", gzip.compress(random.randbytes(500))[:400]),
        }
        for path, parts in halves.items():
            self.host.pages[path] = lambda h, parts=parts: h.raw(*parts)
            self.assertIn("breaks its answer off", self.refusal(path).message, path)
        self.host.pages["/nothing"] = lambda h: h.raw()
        self.assertIn("without an answer", self.refusal("/nothing").message)
        self.host.pages["/other"] = lambda h: h.raw(b"220 ready\r\n\r\n")
        self.assertIn("isn't valid HTTP", self.refusal("/other").message)

    def test_a_server_that_is_not_there_is_unavailable(self):
        with self.assertRaises(ProviderError) as raised:
            self.request().get(f"http://127.0.0.1:{closed_port()}/x?sig=s3cr3t")
        self.assertEqual(raised.exception.kind, "unavailable")
        self.assertRegex(raised.exception.message, r"^there is no connection to http://127.0.0.1:\d+/x: Connection refused$")

    def test_bodies_that_do_not_decode_are_located(self):
        self.host.pages.update({
            "/json": '{"token": "s3cr3t",\n  oops}', "/html": "<!doctype HTML><html>s3cr3t</html>", "/xml": "<a>\n<b></a>",
            "/latin": 200, "/bytes": b'{"a": "\xff"}', "/deep": "[" * 200_000})
        self.host.pages["/latin"] = 200, {"Content-Type": "text/plain; charset=iso-8859-1"}, b"\xfc"
        for path, kind, words in [
                ("/json", "json", "isn't JSON: see line 2, column 3"), ("/html", "json", "and looks like a page for people"),
                ("/xml", "xml", "isn't XML: see line 2, column 6"), ("/bytes", "json", "byte 7 isn't UTF-8"),
                ("/deep", "json", "isn't JSON")]:
            answer = self.request().get(self.host.origin + path)
            with self.assertRaises(ProviderError) as raised:
                getattr(answer, kind)()
            self.assertIn(words, raised.exception.message)
            self.assertNotIn("s3cr3t", raised.exception.message)
            self.assertEqual(raised.exception.kind, "unavailable")
        self.assertEqual(self.request().get(self.host.origin + "/latin").text, "ü")

    def test_xml_is_read_with_namespaces_and_bombs_are_refused(self):
        self.host.pages["/feed"] = (
            '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE rss PUBLIC "-//N//DTD RSS 0.91//EN" "http://h/rss.dtd">'
            '<rss xmlns:m="urn:m"><m:item m:id="1" k="2">ü &amp; x</m:item></rss>')
        item = self.request().get(self.host.origin + "/feed").xml().find("{urn:m}item")
        self.assertEqual((item.text, item.attrib), ("ü & x", {"{urn:m}id": "1", "k": "2"}))
        bomb = '<!DOCTYPE a [<!ENTITY x "' + "x" * 1000 + '">' + "".join(
            f'<!ENTITY x{i} "{f"&x{i - 1 if i else str()};" * 10}">' for i in range(9)) + "]><a>&x8;</a>"
        self.host.pages["/bomb"] = bomb
        self.host.pages["/deep"] = "<a>" * 5000
        self.host.pages["/outside"] = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'
        self.host.pages["/defaults"] = '<!DOCTYPE a [<!ATTLIST x a CDATA "' + "A" * 60_000 + '">]><a>' + "<x/>" * 200_000 + "</a>"
        own = "its DOCTYPE has declarations of its own"
        for path, words in {"/bomb": own, "/deep": "1000 deep", "/outside": own, "/defaults": own}.items():
            with self.assertRaisesRegex(ProviderError, words):
                self.request().get(self.host.origin + path).xml()

    def test_a_proxy_is_used_with_its_login(self):
        proxy = Pages({"http://media.example/x?y=1": "through the proxy"})
        self.addCleanup(proxy.stop)
        settings = {"proxy": proxy.origin.replace("//", "//me:p%40ss@")}
        self.assertEqual(self.request(settings=settings).get("http://media.example/x?y=1").text, "through the proxy")
        self.assertEqual(proxy.asked[0].headers["Host"], "media.example")
        self.assertEqual(proxy.asked[0].headers["Proxy-Authorization"], "Basic bWU6cEBzcw==")
        refused = self.refusal(request=self.request(settings={"proxy": "socks5://127.0.0.1:1"}))
        self.assertIn("http proxies only", refused.message)

    def test_only_certificates_of_the_ca_file_are_trusted(self):
        key, certificate = self.folder / "key.pem", self.folder / "certificate.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test", "-addext",
             "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
        host = Pages({"/x": "secure"}, certificate=(certificate, key))
        self.addCleanup(host.stop)
        trusting = self.request(settings={"ca_file": str(certificate)})
        self.assertEqual(trusting.get(host.origin + "/x").text, "secure")
        self.assertRegex(self.refusal(host=host).message, r"^the certificate of https://127.0.0.1:\d+/x isn't trusted: ")
        self.assertIn("can't be read", self.refusal(host=host, request=self.request(settings={"ca_file": "/none"})).message)

    def test_parameters_are_checked(self):
        request = self.request()
        self.assertEqual(request.parameter("n", kind=int), 1)
        self.assertEqual(request.parameter("other", "x"), "x")
        for name in ("n", "missing"):
            with self.assertRaises(ProviderError) as raised:
                request.parameter(name)
            self.assertEqual((raised.exception.kind, raised.exception.parameter), ("invalid_parameters", name))


class ValueTests(unittest.TestCase):
    def test_ids_of_any_kind_make_valid_urls(self):
        for expected, made in {
            "https://h/v/a%20b%22%0A%2F..%2F%3F%23%25.mp4": url("https://h/v/", 'a b"\n/../?#%.mp4'),
            "http://h:81/%C3%BC%F0%9D%84%9E/": url("http://h:81", "ü𝄞", ""),
            "http://h/a%20b/c?k=v&q=1%202&b=true": url("http://h/a b?k=v#f", "c", q="1 2", b=True, none=None),
            "http://h/?l=1&l=2": url("http://h/", l=[1, 2]),
        }.items():
            self.assertEqual(made, expected)
        for wrong in [("/relative", "x"), ("ftp://h", "x"), ("http://h:x/",), ("http://[",), ("http://h", ".."),
                      ("http://h", "\ud800")]:
            with self.assertRaises(ProviderError) as raised:
                url(*wrong)
            self.assertEqual(raised.exception.kind, "invalid_parameters")

    def test_times_are_those_of_rfc_3339(self):
        utc = datetime.timezone.utc
        for text, expected in {
            "2026-11-20T23:00:00Z": datetime.datetime(2026, 11, 20, 23, tzinfo=utc),
            "2026-11-20t23:00:00.123456789+01:30": datetime.datetime(2026, 11, 20, 21, 30, 0, 123456, utc),
            "2016-12-31T23:59:60Z": datetime.datetime(2016, 12, 31, 23, 59, 59, tzinfo=utc),
        }.items():
            self.assertEqual(parse_time(text), expected)
        for wrong in ("2026-11-20", "2026-13-20T23:00:00Z", "2026-11-20T23:00:00", "now"):
            with self.assertRaises(ValueError):
                parse_time(wrong)
        self.assertEqual(format_time(parse_time("2026-11-20T23:00:00+02:00")), "2026-11-20T21:00:00Z")
        self.assertEqual(format_time(0), "1970-01-01T00:00:00Z")

    def test_titles_are_cleaned(self):
        for text, expected in {
            "Optics &amp; Light": "Optics & Light", " <p>Week\u00a01</p>\n<p><b>In</b>tro</p> ": "Week 1 Intro",
            "a < b &lt;i&gt; c > d": "a < b <i> c > d", "x<br/>y<script>alert(1)</script>\x00z": "x y z", "<p> </p>": None, "": None,
            "é" * 600: "é" * 510 + "…", "a\ud800b": "ab"}.items():
            self.assertEqual(clean_title(text), expected)
        self.assertEqual(len(clean_title("é" * 600).encode()), 1023)
        self.assertIsNone(clean_title(None))

    def test_an_object_or_an_array_is_a_list(self):
        for value, expected in [(None, []), ("", []), ({}, [{}]), ([], []), ([1], [1]), ({"a": 1}, [{"a": 1}]), ("x", ["x"])]:
            self.assertEqual(as_list(value), expected)

    def test_numbers_as_text_are_numbers(self):
        for value, expected in [("12", 12), (" 4955801.0 ", 4955801), (3.0, 3), (2.5, 2.5), ("1.5e3", 1500), (10 ** 400, 10 ** 400),
                                ("", None), (True, None), (None, None), ("1:30", None), ("nan", None), (float("inf"), None)]:
            self.assertEqual(as_number(value), expected, value)
            self.assertIs(type(as_number(value)), type(expected), value)
        self.assertEqual(as_number("x", 0), 0)

    def test_the_pace_is_that_of_each_server(self):
        pace = Pace(3, 0.2)
        begin = coursefetch_provider.time.monotonic()
        threads = [threading.Thread(target=pace.wait, args=("a",)) for _ in range(7)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertGreaterEqual(coursefetch_provider.time.monotonic() - begin, 0.4)
        long = Pace(1, 1000)
        for server in ("a", "b"):
            long.wait(server, longest=0)
        with self.assertRaises(ProviderError):
            long.wait("a")
        with self.assertRaises(ValueError):
            Pace(0, 1)

    def test_only_kinds_of_the_protocol_are_errors(self):
        with self.assertRaises(ValueError):
            ProviderError("missing", "x")


if __name__ == "__main__":
    unittest.main()
