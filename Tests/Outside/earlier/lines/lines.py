"""Answers with every key that an answer could have before tokens, checksums, tracks and streams: by the page alone."""

import datetime
import json
import sys
import urllib.parse


class Refusal(Exception):
    """What goes into `data` of an error."""


def address(params, name):
    endpoint = (params["video"].get("parameters") or {}).get("endpoint")
    if not isinstance(endpoint, str):
        raise Refusal({"kind": "invalid_parameters", "parameter": "endpoint"})
    return endpoint.rstrip("/") + "/media/" + urllib.parse.quote(name, safe="")


def later(now, seconds):
    then = datetime.datetime.fromisoformat(now.replace("Z", "+00:00")) + datetime.timedelta(seconds=seconds)
    return then.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def resolve(params):
    video = params["video"]["id"]
    if video == "lost":
        raise Refusal({"kind": "not_found"})
    if video == "late":
        raise Refusal({"kind": "not_ready", "retry_after": 1})
    if video.startswith("stream-"):
        return {"url": address(params, video)[:-len(video)] + video + "/main.m3u8", "kind": "hls", "duration": 8}
    answer = {"url": address(params, video + ".mp4")}
    if video == "velocity":
        origin = "{0.scheme}://{0.netloc}".format(urllib.parse.urlsplit(answer["url"]))
        answer.update(
            kind="file", expires_at=later(params["now"], 3600), headers={"Referer": "https://example.org/"},
            token={"value": "of-the-media", "in": "header", "name": "Authorization", "prefix": "Bearer ", "origins": [origin]},
            size=5000, extension="mp4", media_type="video/mp4", duration=1312.4, single_use=False, extendable=False,
            subtitles=[{"lang": "en", "url": address(params, "velocity.en.vtt")}],
            attachments=[{"title": "Slides", "url": address(params, "slides.pdf")},
                         {"title": "Lost notes", "url": address(params, "lost-notes.pdf")}],
            cover=address(params, "velocity.jpg"))
    return answer


def listing(params):
    if params.get("known") == "edition-1":
        return {"unchanged": True}
    if params.get("cursor") == "page-2":
        return {"known": "edition-1", "chapters": [
            {"id": "more", "title": "More", "season": 3, "videos": ["m1", {"id": "m2", "title": "Second", "episode": 7}]}]}
    return {"title": "All of it", "next": "page-2", "videos": [
        {"id": "a1", "title": "First", "published_at": "2026-10-05T08:00:00Z", "duration": 12.5, "description": "Begins",
         "parameters": {"lang": "en"}},
        {"id": "a2", "title": "Renamed", "formerly": "a-two", "published_at": "2026-10-06T08:00:00Z", "size": 5000}]}


def login(params):
    if (params.get("secrets") or {}).get("password") != "right":
        raise Refusal({"kind": "auth_required"})
    return {"credentials": {"session": "of " + str(params["secrets"].get("username"))}, "expires_at": later(params["now"], 86400)}


METHODS = {"resolve": resolve, "list": listing, "login": login}
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    method = METHODS.get(request.get("method"))
    try:
        reply = {"result": method(request["params"])} if method else {"error": {"code": -32601, "message": "unknown method"}}
    except Refusal as refusal:
        reply = {"error": {"code": -32000, "message": "it isn't there", "data": refusal.args[0]}}
    print(json.dumps({"id": request["id"], **reply}), flush=True)
