"""A provider plugin that asks a host: a JSON listing behind a login, with a token for the media."""
import json, sys, urllib.error, urllib.parse, urllib.request


def ask(params, path, headers={}):
    endpoint = params["endpoint"].rstrip("/")
    request = urllib.request.Request(endpoint + path, headers=headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=5) as response:
        return json.load(response), response.headers


def authorization(p):
    token = (p.get("credentials") or {}).get("token")
    return {"Authorization": "Bearer " + token} if token else {}


def login(p):
    query = urllib.parse.urlencode({"user": p["secrets"]["username"], "password": p["secrets"]["password"]})
    body, _ = ask(p["parameters"], "/login?" + query)
    return {"credentials": {"token": body["access_token"]}}


def listing(p):
    headers = authorization(p)
    if p.get("known"):
        headers["If-None-Match"] = p["known"]
    try:
        body, got = ask(p["course"]["parameters"], "/videos", headers)
    except urllib.error.HTTPError as error:
        if error.code == 304:
            return {"unchanged": True}
        raise
    return {"title": body["title"], "videos": body["videos"], "known": got["ETag"]}


def resolve(p):
    name = urllib.parse.quote(p["video"]["id"], safe="")
    body, _ = ask(p["video"]["parameters"], "/videos/" + name, authorization(p))
    return {"url": body["url"]}


KINDS = {401: "auth_required", 403: "forbidden", 404: "not_found", 410: "gone"}
for line in sys.stdin:
    request = json.loads(line)
    if request.get("id") is None:
        continue
    method = {"login": login, "list": listing, "resolve": resolve}.get(request["method"])
    answer = {"id": request["id"]}
    try:
        if method:
            answer["result"] = method(request["params"])
        else:
            answer["error"] = {"code": -32601, "message": "unknown method"}
    except urllib.error.HTTPError as error:
        kind = KINDS.get(error.code, "unavailable")
        answer["error"] = {"code": -32000, "message": "the host answers %d" % error.code, "data": {"kind": kind}}
    except OSError:
        answer["error"] = {"code": -32000, "message": "no connection", "data": {"kind": "unavailable"}}
    print(json.dumps(answer), flush=True)
