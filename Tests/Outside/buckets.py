"""The provider `s3` against moto's server, and its signatures against botocore's."""

import datetime
import sys
import urllib.parse
import urllib.request

import asking
from asking import CANARY, ODD, Case, Scripted
from folders import fetch

KEYS = {"access_key": "AKIDEXAMPLE", "secret_key": CANARY}


def stored(url, **more):
    return {"hosts": {url: {**KEYS, **more}}}


class Buckets(Case):
    provider_name = "s3"

    def moto(self, bucket="lectures", keys=(), acl="private", end=b""):
        import boto3
        port = asking.free_port()
        self.run_server([sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)], port,
                        name="moto")
        url = f"http://127.0.0.1:{port}"
        client = boto3.client("s3", endpoint_url=url, region_name="us-east-1", aws_access_key_id="a",
                              aws_secret_access_key="b")
        client.create_bucket(Bucket=bucket, ACL=acl)
        for key in keys:
            client.put_object(Bucket=bucket, Key=key, Body=f"content of {key}".encode() + end)
        return url

    def test_a_bucket_is_listed_and_its_odd_keys_are_fetched(self):
        odd = [f"physics/{o}/{o}.mp4" for o in ODD] + ["physics//empty.mp4", "physics/a//b.mp4",
                                                       "physics/ blanks .mp4", "physics/+%2B+.mp4"]
        keys = ["physics/Lecture 10.mp4", "physics/Lecture 2.mp4", "physics/Week 1/a.webm"] + odd
        url = self.moto(keys=[*keys, "physics/notes.pdf", "physics2/x.mp4", "other.mp4", "physics/Week 1/"])
        where = {"endpoint": url, "bucket": "lectures", "prefix": "physics"}
        credentials = stored(url)
        provider = self.provider()
        listing = provider.list(where, credentials=credentials)
        self.assertEqual(sorted(listing["ids"]), sorted(k.removeprefix("physics/") for k in keys))
        top = [v["id"] for v in listing["videos"] if v["id"].startswith("Lecture")]
        self.assertEqual(top, ["Lecture 2.mp4", "Lecture 10.mp4"])
        for video in listing["all"]:
            got = provider.resolve(where, video, credentials=credentials)
            body = fetch(got)
            self.assertEqual(body.decode(), "content of physics/" + video["id"])
            self.assertEqual(video["size"], len(body))
            self.assertEqual(got["expires_at"], "2026-11-21T00:00:00Z")
        self.assertTrue(provider.page(where, credentials=credentials, known=listing["known"])["unchanged"])

    def test_more_than_a_page_and_whole_buckets(self):
        url = self.moto(keys=[f"{n % 7}/v{n}.mp4" for n in range(1010)])
        where = {"endpoint": url, "bucket": "lectures"}
        listing = self.provider().list(where, credentials=stored(url))
        self.assertEqual(len(set(listing["ids"])), 1010)
        self.assertEqual([c["id"] for c in listing["chapters"]], list("0123456"))
        self.assertEqual(listing["ids"][:3], ["0/v0.mp4", "0/v7.mp4", "0/v14.mp4"])
        self.assertEqual(listing["pages"], 2)

    def test_signatures_are_those_of_botocore(self):
        import botocore.auth
        import botocore.awsrequest
        import botocore.credentials
        provider = self.provider()
        count = 0
        for now, text in ((datetime.datetime(2026, 11, 20, 23, tzinfo=datetime.timezone.utc), "2026-11-20T23:00:00.900Z"),
                          (datetime.datetime(2024, 2, 29, tzinfo=datetime.timezone.utc), "2024-02-29T00:00:00Z")):
            botocore.auth.get_current_datetime = lambda remove_tzinfo=True: now.replace(tzinfo=None)
            for endpoint, style, region, token in (
                    ("https://s3.eu-central-1.amazonaws.com", "path", "eu-central-1", None),
                    ("https://s3.amazonaws.com", "virtual", "us-east-1", "t0k/en+with=signs"),
                    ("http://127.0.0.1:9000", "path", "us-east-1", None)):
                host = endpoint.split("://")[1]
                base = (f"{endpoint.replace('://', '://lectures.')}/" if style == "virtual" else f"{endpoint}/lectures/")
                for key in [*ODD, "line\nend", "a//b", "!'()*", "$&+,/:;=?@ \"<>#%{}|\\^[]`", "\u007f\u00a0", "e" * 900]:
                    credentials = {"hosts": {endpoint: {**KEYS, **({"session_token": token} if token else {})}}}
                    got = provider.resolve(
                        {"endpoint": endpoint, "bucket": "lectures", "prefix": "p q", "region": region, "style": style,
                         "lifetime": 604800}, key, credentials=credentials, now=text)["url"]
                    request = botocore.awsrequest.AWSRequest(
                        method="GET", url=base + urllib.parse.quote("p q/" + key, safe="/~"), headers={"host": (
                            "lectures." + host if style == "virtual" else host)})
                    botocore.auth.S3SigV4QueryAuth(
                        botocore.credentials.Credentials("AKIDEXAMPLE", CANARY, token), "s3", region, 604800).add_auth(request)
                    ours, theirs = urllib.parse.urlsplit(got), urllib.parse.urlsplit(request.url)
                    self.assertEqual(ours[:3], theirs[:3])
                    self.assertEqual(dict(urllib.parse.parse_qsl(ours.query)), dict(urllib.parse.parse_qsl(theirs.query)), key)
                    count += 1
        self.assertEqual(count, 2 * 3 * (len(ODD) + 6))

    def test_a_public_bucket_needs_no_keys(self):
        url = self.moto(keys=["a b.mp4"], acl="public-read")
        where = {"endpoint": url, "bucket": "lectures"}
        provider = self.provider()
        self.assertEqual(provider.list(where)["ids"], ["a b.mp4"])
        self.assertEqual(provider.resolve(where, "a b.mp4"), {"url": url + "/lectures/a%20b.mp4", "kind": "file"})
        self.assertEqual(self.refused(lambda: provider.list({**where, "bucket": "none"}), "not_found").message,
                         f"{url[7:]} has no such bucket")
        # Keys of another server aren't used here.
        self.assertNotIn("X-Amz", provider.resolve(where, "a b.mp4", credentials=stored("http://other"))["url"])

    def test_what_s3_refuses_is_told_by_its_code(self):
        answers = {}
        server = Scripted(self, lambda r: r.reply(answers["status"], (
            f"<Error><Code>{answers['code']}</Code><Message>{CANARY}</Message><Region>eu-west-1</Region></Error>"),
            Content_Type="application/xml"))
        where = {"endpoint": server.url, "bucket": "lectures"}
        provider = self.provider()
        for status, code, kind, said in (
                (403, "InvalidAccessKeyId", "auth_required", "refuses these keys (InvalidAccessKeyId)"),
                (403, "SignatureDoesNotMatch", "auth_required", "refuses these keys"),
                (400, "ExpiredToken", "auth_required", "refuses these keys"),
                (403, "AccessDenied", "forbidden", "refuses access (403)"),
                (503, "SlowDown", "rate_limited", "asks for fewer requests (SlowDown)"),
                (400, "AuthorizationHeaderMalformed", "invalid_parameters", "another region: eu-west-1"),
                (500, "InternalError", "unavailable", "answers 500 (InternalError)"),
                (403, f"<x>{CANARY}</x>", "forbidden", "refuses access")):
            answers.update(status=status, code=code)
            error = self.refused(lambda: provider.list(where, credentials=stored(server.url)), kind)
            self.assertIn(said, error.message)
            # The same where the host was refused: it knows the status only.
            error = self.refused(lambda: provider.resolve(where, "v.mp4", credentials=stored(server.url), previous={
                "reason": "rejected", "status": status, "bytes": 0}), kind)
            self.assertIn(said, error.message)
        answers.update(status=403, code="AccessDenied")
        self.refused(lambda: provider.list(where), "auth_required")
        answers.update(status=403, code="InvalidAccessKeyId")
        self.refused(lambda: provider.login(where, KEYS), "auth_required")
        self.assertEqual(provider.login({"endpoint": server.url}, KEYS), stored(server.url))
        self.assertEqual(provider.login({"endpoint": server.url}, {**KEYS, "secret_key": CANARY + " t0k/en="}),
                         stored(server.url, session_token="t0k/en="))
