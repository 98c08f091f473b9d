"""A provider plugin that is right, and wrong in one way with --fault NAME.

It signs URLs by itself and lists a course of three pages. Each fault is one `if`: what a plugin's author might do.
"""
import datetime, hashlib, json, os, queue, signal, sys, threading, time

FAULT = sys.argv[sys.argv.index("--fault") + 1] if "--fault" in sys.argv else ""
STARTED = time.time()
KINDS = "auth_required forbidden geo_blocked not_found gone drm not_ready rate_limited unavailable invalid_parameters"
state = {"count": 0, "cache": {}, "kept": [], "files": [], "asked": set(), "held": []}
lock = threading.Lock()


def say(message, flush=True):
    with lock:
        text = json.dumps(message)
        if FAULT == "pretty":
            text = json.dumps(message, indent=1)
        if FAULT == "single-quotes":
            text = repr(message)
        sys.stdout.write(text + "\n")
        if flush and FAULT != "no-flush":
            sys.stdout.flush()


def failure(kind, message, **data):
    return {"code": -32000, "message": message, "data": {"kind": kind, **data}}


def percent(text):
    return "".join(chr(b) if chr(b).isalnum() and b < 128 or b in b"-._~" else "%%%02X" % b for b in text.encode())


def moment(now):
    if FAULT in ("own-clock", "own-clock-in-url"):
        return datetime.datetime.now(datetime.timezone.utc)
    return datetime.datetime.fromisoformat(now.replace("Z", "+00:00"))


def resolve(p):
    video = p["video"]["id"]
    secret = ((p.get("credentials") or {}).get("token") or "none")
    if FAULT == "needs-data-folder":
        os.listdir(p["data_folder"] + "/")
    if FAULT == "needs-chapter":
        p["chapter"]["id"]
    if FAULT == "strict-keys" and ("x_later" in p or "x_later" in p["video"]):
        return None, failure("invalid_parameters", "unknown key", parameter="x_later")
    if FAULT == "ascii-only":
        video.encode("ascii")
    if FAULT == "bmp-only" and any(ord(c) > 0xFFFF for c in video):
        video = video.encode("utf-16", "surrogatepass").decode("latin-1")
        raise ValueError("character beyond the basic plane")
    if FAULT == "short-ids" and len(video) > 10000:
        os._exit(9)
    if FAULT == "remembers" and not state["asked"]:
        return None, failure("not_found", "list me first")
    if FAULT == "secret-in-message" and p["settings"].get("proxy"):
        return None, failure("unavailable", "no connection through " + p["settings"]["proxy"].split("@")[0])
    if FAULT == "secret-on-stderr":
        print("token is", secret, file=sys.stderr, flush=True)
    if FAULT == "secret-in-base64":
        import base64
        print("Basic", base64.b64encode(("anna:" + secret).encode()).decode(), file=sys.stderr, flush=True)
    if FAULT == "secret-in-log":
        say({"method": "log", "params": {"level": "debug", "message": "signing with " + secret}})
    if FAULT == "writes-cache":
        open("cache.json", "a").write("x")
    if FAULT == "print":
        print("resolving", repr(video))
    if FAULT == "bare-notification":
        say({"progress": 1})
    if FAULT == "latin-1":
        sys.stdout.buffer.write(b'{"log": "caf\xe9"}\n')
    if FAULT == "huge-line":
        sys.stdout.write("x" * (3 << 20))
    if FAULT == "leak":
        state["kept"].append(os.urandom(32768))
    if FAULT == "leak-files":
        state["files"].append(open("/dev/null"))
    if FAULT == "slow":
        time.sleep(1.3)
    if FAULT == "hang":
        time.sleep(60)
    if FAULT == "crash":
        raise KeyError("video")
    if video.startswith("no-such"):
        if FAULT == "unknown-kind":
            return None, failure("oops", "there is no such video")
        if FAULT == "no-kind":
            return None, {"code": -32000, "message": "there is no such video"}
        if FAULT == "empty-message":
            return None, failure("not_found", "")
        if FAULT == "retry-text":
            return None, failure("not_ready", "later", retry_after="soon")
        return None, failure("not_found", "there is no such video")
    if FAULT == "best-only" and p["quality"] != ["best"]:
        return None, failure("not_found", "there is no such quality")
    expires = moment(p["now"]) + datetime.timedelta(hours=-1 if FAULT == "expired" else 1)
    stamp = int(expires.timestamp())
    signature = hashlib.sha256(("%s %s" % (percent(video), stamp)).encode()).hexdigest()[:16]
    path = video if FAULT == "unquoted" else percent(video)
    base = "https://media.example.org/%s.mp4" % path
    result = {
        "url": "%s?e=%d&s=%s" % (base, stamp, signature),
        "expires_at": expires.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    if FAULT == "local-clock":
        result["expires_at"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.localtime(stamp))
    if FAULT == "no-zone":
        result["expires_at"] = result["expires_at"].rstrip("Z")
    if (p.get("credentials") or {}).get("age") == 0:
        if FAULT == "renewal-refused" and p.get("renew") is False:
            return None, failure("auth_required", "the login has to be renewed")
        if p.get("renew") is False:
            return None, failure("renewal_needed", "the login has to be renewed")
        state["count"] += 1
        result["credentials"] = dict(p["credentials"], age=state["count"] if FAULT == "renews-each" else 1)
    if FAULT == "own-clock-in-url":
        del result["expires_at"]
    if FAULT == "course-in-url":
        result["url"] += "&c=" + percent(p["course"]["id"])
    if FAULT == "cached":
        result = state["cache"].setdefault(video, result)
    if FAULT == "no-url":
        del result["url"]
    if FAULT == "no-subtitle-url":
        result["subtitles"] = [{"lang": "en"}]
    if FAULT == "relative-url":
        result["url"] = "/" + path
    if FAULT == "all-cookies":
        lines = [line.split("\t") for line in ((p.get("credentials") or {}).get("session") or "").splitlines()]
        result["headers"] = {"Cookie": "; ".join("=".join(f[5:]) for f in lines if len(f) == 7)}
    if FAULT == "host-header":
        result["headers"] = {"Host": "example.org"}
    if FAULT == "number-as-text":
        result["size"] = "1000"
    return result, None


PAGES = {None: ("a1 a2", "2"), "2": ("b1 b2", "3"), "3": ("c1 c2", None)}


def listing(p):
    state["asked"].add("list")
    if p.get("known") == "etag-1" and not p.get("cursor"):
        return {"unchanged": True, "known": "etag-1"}, None
    if FAULT == "list-error":
        return None, failure("drm", "the course is protected")
    names, following = PAGES[p.get("cursor")]
    videos = [{"id": n, "title": n.upper(), "parameters": {"n": n}} for n in names.split()]
    result = {"videos": videos}
    if following:
        result["next"] = int(following) if FAULT == "numeric-next" else following
    else:
        result["known"] = "etag-1"
    if FAULT == "repeated-cursor" and p.get("cursor") == "3":
        result["next"] = "2"
    if FAULT == "endless-pages":
        result = {"videos": [], "next": "p%d" % len(state["kept"])}
        state["kept"].append(0)
        PAGES[result["next"]] = ("", None)
    if FAULT == "repeated-id" and p.get("cursor"):
        videos.append({"id": "a1"})
    if FAULT == "long-known":
        result["known"] = "k" * 5000
    if FAULT == "odd-episode":
        videos.append({"id": "e", "episode": -1})
    if FAULT == "odd-season":
        result["chapters"] = [{"id": "s", "season": 100_000_000, "videos": ["s1"]}]
    if FAULT == "always-unchanged":
        result["unchanged"] = True
    if FAULT == "empty-id":
        videos.append({"id": ""})
    if FAULT == "secret-in-listing":
        videos[0]["parameters"]["token"] = (p.get("credentials") or {}).get("token", "")
    if FAULT == "cursor-in-memory" and p.get("cursor") == "2" and "2" not in state["asked"] and "first" not in state["asked"]:
        return None, failure("not_found", "unknown cursor")
    state["asked"].add("first")
    return result, None


def login(p):
    if FAULT == "login-null":
        return {"credentials": None}, None
    if FAULT == "useless-login":
        return {"credentials": {"other": 1}}, None
    return {"credentials": {"token": "t-" + hashlib.sha256(p["secrets"]["password"].encode()).hexdigest()[:20],
                            "session": p["secrets"].get("session"), "age": 0}}, None


def courses(p):
    if p.get("cursor") != "2":
        return {"courses": [{"id": "c1", "title": "One", "parameters": {"n": "c1"}}], "next": "2"}, None
    id = "c1" if FAULT == "repeated-course" else "c2"
    return {"courses": [{"id": id, "begins": "2026-10-01T00:00:00Z"}]}, None


def recognise(p):
    if p["address"] != "coursefetch:nothing" or FAULT == "takes-every-address":
        return {"course": {"parameters": {"n": "a1"}}}, None
    return {}, None


METHODS = {"resolve": resolve, "list": listing, "courses": courses, "recognise": recognise, "login": login}


def answer(request):
    method, params = request["method"], request.get("params", {})
    if method not in METHODS:
        if FAULT == "accepts-anything":
            return {"result": {}}
        if FAULT == "wrong-code":
            return {"error": {"code": -32000, "message": "unknown method"}}
        if FAULT == "silent-on-unknown":
            return None
        return {"error": {"code": -32601, "message": "unknown method"}}
    if FAULT == "useless-login" and method == "resolve" and "token" not in (params.get("credentials") or {}):
        return {"error": failure("auth_required", "log in first")}
    result, error = METHODS[method](params)
    return {"error": error} if error else {"result": result}


def handle(request):
    id = request.get("id")
    if id is None and FAULT != "answers-notifications":
        return
    if id is None:
        return say({"id": None, "error": {"code": -32600, "message": "invalid request"}})
    if FAULT == "id-as-text":
        id = str(id)
    if FAULT == "constant-id":
        id = 1
    body = answer(request)
    if body is None:
        return
    if FAULT == "mixes-up":
        state["held"].append((id, body))
        return
    say({"jsonrpc": "2.0", "id": id, **body})
    if FAULT == "answers-twice":
        say({"jsonrpc": "2.0", "id": id, **body})


def flush_held():
    """Answers what is held, each with the answer of its neighbour."""
    held, state["held"] = state["held"], []
    for n, (id, _) in enumerate(held):
        say({"id": id, **held[(n + 1) % len(held)][1]})


def reader():
    limit = 65536 if FAULT == "short-lines" else -1
    while True:
        line = sys.stdin.buffer.readline(limit)
        if not line:
            break
        yield line


def main():
    if FAULT == "banner":
        print("provider 1.0 ready", flush=True)
    if FAULT == "ends-at-once":
        sys.exit(3)
    if FAULT == "one-answer":
        handle(json.loads(sys.stdin.readline()))
        sys.exit(0)
    if FAULT == "ignores-term":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if FAULT == "mixes-up":
        import select
        buffer = b""
        while True:
            ready = select.select([0], [], [], 0.02)[0]
            if not ready:
                if state["held"]:
                    flush_held()
                continue
            data = os.read(0, 1 << 16)
            if not data:
                return
            buffer += data
            while b"\n" in buffer:
                line, buffer = buffer.split(b"\n", 1)
                handle(json.loads(line))
    for line in reader():
        handle(json.loads(line))
    if FAULT == "outlives-stdin":
        time.sleep(60)


main()
