"""A stand-in of an Opencast server (15 to 17): search, external API, signed URLs, logins and files in its forms."""

import base64
import binascii
import collections
import decimal
import email.utils
import hashlib
import hmac
import http.cookies
import http.server
import itertools
import json
import re
import secrets
import threading
import time
import urllib.parse
import uuid
import zlib

from stand_in import Connection, StandIn

# modules/common/.../util/MimeTypes.xml; what isn't there has no Content-Type.
TYPES = {"mp4": "video/mp4", "webm": "video/webm", "m4a": "audio/mp4", "mp3": "audio/mpeg", "m3u8": "application/x-mpegURL",
         "vtt": "text/vtt", "xml": "text/xml", "jpg": "image/jpeg", "png": "image/png", "pdf": "application/pdf"}
# etc/workflows/partial-publish.xml, etc/encoding/opencast.properties (480p-quality … 1440p-quality).
DELIVERED = ("engage-download", "engage-streaming")
# modules/external-api/.../common/ApiMediaType.java: 1.0.0 to 1.11.0.
VERSIONS = [f"1.{minor}.0" for minor in range(12)]
SECRET_NAMES = ("jwt", "policy", "signature", "keyId", "j_password", "oauth_signature")
# modules/urlsigning-service-impl/…/GenericUrlSigningProviderTest.java, urlsigning-common/…/{SHA256Util,PolicyUtils}Test.java:
# address, id of the key, key, DateLessThan, signature.
GOLDEN = [
    ("http://www.opencast.org/path/to/resource.mp4", "theId", "0123456789abcdef", 1583023577000,
     "5b45e678275e6bc7b06a579f7f42e9a7ea5c58f1da130701db532f121e363e98"),
    ("http://www.opencast.org/path/to/resource.mp4?queryparam=this", "theId", "0123456789abcdef", 1583023577000,
     "0f9cab4393a5d0ebe2683124a92094c3ccf06ed07e87b8f60fa2bab3963bd462"),
    ("rtmp://www.opencast.org/path/to/resource.mp4", "theSecondId", "0123456789abcdef", 1583023577000,
     "0464d9672fa5cb62ed82e7a6c46db5552dcd76590cf11efa5ba5222f53f5bbaa"),
    ("http://organization-a.opencast.org/path/to/resource.mp4", "key-id-organization-a", "secret-organization-a", 1583023577000,
     "7dce4419738aba73b20a3e9aea02dc8921532243e87635465f67cedac8a7b993"),
    ("rtmp://mh-wowza.localdomain/matterhorn-engage/mp4:engage-player/2c2c438d-bb4d-404c-a677-0ebc072d91e2/"
     "5dbfdbcd-a983-44ea-93b6-e1c457acb61f/short", None, "abc123", 1425768129644,
     "bf344862e1d317b246cb4336525146a4312081925c9641efaa5ebf272b944d78")]

Asked = collections.namedtuple("Asked", "method path query status range")
Answer = collections.namedtuple("Answer", "status body headers media", defaults=(None,))
Person = collections.namedtuple("Person", "name password roles")
Who = collections.namedtuple("Who", "name roles cookies")
Element = collections.namedtuple("Element", "kind id path content flavor mimetype tags fields modified streams")


def stamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def java_double(number):
    """Double.toString: 4160.0, but 1.86376983E8 from ten million on."""
    if not number or 1e-3 <= abs(number) < 1e7:
        return repr(float(number))
    sign, digits, exponent = decimal.Decimal(repr(float(number))).normalize().as_tuple()
    digits = "".join(map(str, digits))
    return f"{'-' * sign}{digits[0]}.{digits[1:] or '0'}E{exponent + len(digits) - 1}"


def gson(value):
    """com.google.gson.Gson: nulls are left out, and <, >, &, =, ' are written as \\u003c … (also in URLs)."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{gson(k)}:{gson(v)}" for k, v in value.items() if v is not None) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(gson, value)) + "]"
    if isinstance(value, float):
        return java_double(value)
    text = json.dumps(value, ensure_ascii=False)
    return re.sub("[<>&=']", lambda m: f"\\u{ord(m[0]):04x}", text) if isinstance(value, str) else text


def primitive(text):
    """org.codehaus.jettison.mapped.DefaultConverter: text that reads as a number or boolean is one, also an id or a title."""
    if re.fullmatch(r"-?\d{1,18}", text) and str(int(text)) == text:
        return int(text)
    if re.fullmatch(r"-?\d+\.?\d*(E\d+)?", text) and java_double(float(text)) == text:
        return float(text)
    return text == "true" if text in ("true", "false") else text


def wrapped(name, items):
    """Jettison's mapped writer: an empty wrapper is "", one entry stands for itself, several are an array."""
    return {name: items[0] if len(items) == 1 else items} if items else ""


def numbers(value, change):
    if isinstance(value, dict):
        return {k: numbers(v, change) for k, v in value.items()}
    if isinstance(value, list):
        return [numbers(v, change) for v in value]
    return change(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def policy_json(resource, until, after=None, address=None):
    """urlsigning-common/.../PolicyUtils.java toJson: keys in this order, slashes escaped, times in milliseconds."""
    condition = {"DateGreaterThan": after, "DateLessThan": until, "IpAddress": address}
    policy = {"Statement": {"Condition": {k: v for k, v in condition.items() if v is not None}, "Resource": resource}}
    return json.dumps(policy, separators=(",", ":"), ensure_ascii=False).replace("/", "\\/")


def signature_of(policy, secret):
    """urlsigning-common/.../SHA256Util.java: HMAC-SHA256 of the JSON, in hex."""
    return hmac.new(secret.encode(), policy.encode(), hashlib.sha256).hexdigest()


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_base64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def oauth_signature(address, fields, secret):
    """OAuth 1.0 with HMAC-SHA1 and no token, as an LTI 1.1 launch has it (RFC 5849, 3.4)."""
    quoted = sorted((urllib.parse.quote(k, "~"), urllib.parse.quote(v, "~")) for k, v in fields.items() if k != "oauth_signature")
    text = "&".join(urllib.parse.quote(part, "~") for part in ("POST", address, "&".join("=".join(pair) for pair in quoted)))
    key = f"{urllib.parse.quote(secret, '~')}&".encode()
    return base64.b64encode(hmac.new(key, text.encode(), hashlib.sha1).digest()).decode()


class Event:
    """An episode. `state` is PROCESSED, PROCESSING or SCHEDULED; only what is published is in the search."""

    def __init__(self, series, title, id=None, read=None, start=None, duration=60000, published=True, state="PROCESSED",
                 creators=("Ada Teacher",), description="", channel="engage-player"):
        self.series, self.opencast, self.title, self.id = series, series.opencast, title, id or str(uuid.uuid4())
        self.read, self.start, self.duration, self.published = read, start or self.opencast.now, duration, published
        self.state, self.creators, self.description, self.channel = state, list(creators), description, channel
        # `vanished`: still in listings, but not when asked for by its id, and its files are refused.
        self.modified, self.elements, self.vanished = self.opencast.now, [], False
        dc = f'<dublincore xmlns="http://www.opencastproject.org/xsd/1.0/dublincore/"><title>{self.id}</title></dublincore>'
        self.add("catalog", "dublincore/episode", dc.encode(), "dublincore.xml", tags=("archive",))

    @property
    def readers(self):
        return set(self.series.read if self.read is None else self.read)

    @property
    def addresses(self):
        """What people have in their browsers for it; `lti` is the parameter `custom_tool` of a launch."""
        base, id = self.opencast.base, urllib.parse.quote_plus(self.id)
        return {"play": f"{base}/play/{id}", "paella7": f"{base}/paella7/ui/watch.html?id={id}&time=3m30s",
                "paella": f"{base}/paella/ui/watch.html?id={id}",
                "theodul": f"{base}/engage/theodul/ui/core.html?id={id}&autoplay=true",
                "player": f"{base}/engage/ui/player.html?id={id}", "watch": f"{base}/engage/ui/watch.html?id={id}",
                "editor": f"{base}/editor-ui/index.html?id={id}", "tobira": f"{base}/lectures/biology/v/:{id}",
                "tobira_direct": f"{base}/!v/:{id}", "tobira_embed": f"{base}/~embed/!v/:{id}",
                "api": f"{base}/api/events/{id}", "lti": f"/play/{id}"}

    def address(self, element):
        return self.opencast.base + urllib.parse.quote(element.path)

    def add(self, kind, flavor, content, name, mimetype=None, tags=(), streams=(), checksum=True, size=True, **fields):
        """An element with a file of its own below /static/ORG/CHANNEL/EVENT/ELEMENT/NAME."""
        id = str(uuid.uuid4())
        path = f"/static/mh_default_org/{self.channel}/{self.id}/{id}/{name}"
        fields = {**({"size": len(content)} if size else {}),
                  **({"checksum": {"type": "md5", "$": hashlib.md5(content).hexdigest()}} if checksum else {}), **fields}
        kept = Element(kind, id, path, content, flavor, mimetype or TYPES.get(name.rpartition(".")[2], ""), sorted(tags), fields,
                       self.modified, list(streams))
        self.elements.append(kept)
        self.opencast.files[path] = self, kept
        return kept

    def track(self, flavor, content, height=720, sound=True, picture=True, tags=None, name="lecture.mp4", mimetype=None,
              live=False, master=False, **more):
        """A file with picture and sound; the tag of a quality is added: tags of partial-publish.xml."""
        tags = (*DELIVERED, f"{height}p-quality") if tags is None else tags
        streams = [*([("audio", None)] if sound else []), *([("video", height)] if picture else [])]
        return self.add("track", flavor, content, name, mimetype, tags, streams, duration=self.duration, live=live,
                        master=master, **more)

    def hls(self, flavor, variants, tags=DELIVERED):
        """A master, its variants and their fragmented files, all tracks: docs/.../{multiencode-woh,events-api}.md."""
        lines = ["#EXTM3U", "#EXT-X-VERSION:7"]
        for number, (height, content) in enumerate(variants.items()):
            file = self.track(flavor, content, height, tags=tags, name=f"segment_{number}.mp4",
                              logicalname=f"segment_{number}.mp4")
            head, name = max(1, len(content) // 4), f"../{file.id}/segment_{number}.mp4"
            text = (f'#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:6\n#EXT-X-PLAYLIST-TYPE:VOD\n'
                    f'#EXT-X-MAP:URI="{name}",BYTERANGE="{head}@0"\n#EXTINF:6.0,\n'
                    f"#EXT-X-BYTERANGE:{len(content) - head}@{head}\n{name}\n#EXT-X-ENDLIST\n")
            variant = self.track(flavor, text.encode(), height, tags=tags, name=f"variant_{number}.m3u8")
            lines += [f"#EXT-X-STREAM-INF:BANDWIDTH={height * 2000},RESOLUTION={height * 16 // 9}x{height}",
                      f"../{variant.id}/variant_{number}.m3u8"]
        streams = [(kind, height) for kind in ("audio", "video") for height in variants]
        return self.add("track", flavor, ("\n".join(lines) + "\n").encode(), "lecture-master.m3u8", tags=tags, streams=streams,
                        duration=self.duration, live=False, master=True)

    def live(self, flavor="presenter/delivery"):
        """What a live event has before it is recorded: modules/live-schedule-impl/.../LiveScheduleServiceImpl.java."""
        kept = Element("track", str(uuid.uuid4()), f"/live/{self.id}/playlist.m3u8", b"#EXTM3U\n#EXT-X-TARGETDURATION:6\n",
                       flavor, "application/x-mpegURL", [], {"duration": self.duration, "live": True},
                       self.modified, [("video", 1080)])
        self.elements.append(kept)
        self.opencast.files[kept.path] = self, kept
        return kept

    def caption(self, lang, content, old=False, tags=None, **more):
        """From 15 on a track with tags (docs/.../configuration/subtitles.md), before an attachment captions/vtt+en."""
        if old:
            return self.add("attachment", f"captions/vtt+{lang}", content, f"captions-{lang}.vtt", tags=DELIVERED[:1], **more)
        tags = (DELIVERED[0], f"lang:{lang}", "generator-type:auto", "type:subtitle") if tags is None else tags
        return self.add("track", "captions/delivery", content, f"captions_{lang}.vtt", tags=tags, live=False, **more)

    def attachment(self, flavor, content, name="image.jpg", tags=DELIVERED[:1], **more):
        return self.add("attachment", flavor, content, name, tags=tags, checksum=False, **more)

    def slides(self, images, flavor="presentation/segment+preview"):
        """Seconds to pictures; the second is in `ref`."""
        of = next((e.id for e in self.elements if e.flavor.startswith("presentation/")), uuid.uuid4())
        for second, content in images.items():
            at = time.strftime("T%H:%M:%S", time.gmtime(second)) + ":0F1000"
            self.attachment(flavor, content, f"slide_{second}.jpg", ref=f"track:{of};time={at}")

    def described(self, element):
        """modules/common/.../mediapackage/{AbstractMediaPackageElement,track/TrackImpl}.java as JSON."""
        entry = {"id": element.id, "type": element.flavor}
        fields = dict(element.fields)
        entry |= {k: fields.pop(k) for k in ("ref", "transport") if k in fields}
        entry |= {"mimetype": element.mimetype, "tags": wrapped("tag", element.tags), "url": self.address(element)}
        entry |= {k: fields.pop(k) for k in ("size", "checksum", "duration") if k in fields}
        for kind in ("audio", "video"):
            if found := [s for s in element.streams if s[0] == kind]:
                entry[kind] = wrapped(kind, [self.stream(n, *s) for n, s in enumerate(found, 1)])[kind]
        return {**entry, **fields}

    @staticmethod
    def stream(number, kind, height):
        base = {"id": f"{kind}-{number}", "device": ""}
        if kind == "audio":
            return {**base, "encoder": {"type": "AAC (Advanced Audio Coding)"}, "framecount": 196, "channels": 2,
                    "samplingrate": 48000, "bitrate": 126382}
        return {**base, "encoder": {"type": "H.264 / AVC / MPEG-4 AVC / MPEG-4 part 10"}, "framecount": 208,
                "bitrate": 9390780, "framerate": 25, "resolution": f"{height * 16 // 9}x{height}"}

    def mediapackage(self):
        """modules/common/.../MediaPackageImpl.java through MediaPackageParser.getAsJSON."""
        creators = {"creators": wrapped("creator", list(map(primitive, self.creators)))} if self.creators else {}
        series = {"series": primitive(self.series.id), "seriestitle": primitive(self.series.title)} if self.series.id else {}
        lists = {plural: wrapped(kind, [self.described(e) for e in self.elements if e.kind == kind])
                 for plural, kind in (("media", "track"), ("metadata", "catalog"), ("attachments", "attachment"))}
        return {"duration": self.duration, "id": primitive(self.id), "start": stamp(self.start), "title": primitive(self.title),
                **series, **creators, **lists, "publications": ""}

    def found(self):
        """modules/search-service-api/.../SearchResult.java dehydrateForREST: what went through Gson's Map has doubles only."""
        dc = {"identifier": [self.id], "title": [self.title], "creator": self.creators or None, "created": [stamp(self.start)],
              "description": [self.description] if self.description else None, "extent": [f"PT{self.duration / 1000:.3f}S"],
              "isPartOf": [self.series.id] if self.series.id else None}
        acl = [{"action": "read", "allow": True, "role": role} for role in sorted(self.readers)]
        return {"mediapackage": numbers(self.mediapackage(), float), "org": "mh_default_org", "modified": stamp(self.modified),
                "acl": acl, "type": "Episode", "dc": dc}

    def found_of_old(self):
        """15.11: modules/search-service-api/.../SearchResultItemImpl.java."""
        more = {"dcCreator": primitive(", ".join(self.creators)) if self.creators else None,
                "dcIsPartOf": primitive(self.series.id) if self.series.id else None}
        return {"id": primitive(self.id), "org": "mh_default_org", "mediapackage": self.mediapackage(), "dcExtent": self.duration,
                "dcTitle": primitive(self.title), "dcCreated": stamp(self.start),
                **{k: v for k, v in more.items() if v is not None}, "mediaType": "AudioVisual",
                "keywords": "", "modified": stamp(self.modified), "score": 0.96}

    def told(self, version, sign, fields):
        """modules/external-api/.../EventsEndpoint.java eventToJSON; empty text stands for null, and lists are always arrays."""
        told = {"archive_version": 1, "created": stamp(self.start), "creator": "Opencast Administrator", "contributor": [],
                "description": self.description, "has_previews": any("preview" in e.flavor for e in self.elements),
                "identifier": self.id, "location": "", "presenter": self.creators}
        if version >= (1, 1):
            told |= {"language": "", "rightsholder": "", "license": "", "is_part_of": self.series.id or "",
                     "series": self.series.title or "", "source": "", "status": f"EVENTS.EVENTS.STATUS.{self.state}"}
        states = {"PROCESSED": "SUCCEEDED", "PROCESSING": "RUNNING"}
        told |= {"publication_status": self.channels,
                 "processing_state": states.get(self.state, ""), "start": stamp(self.start), "duration": self.duration,
                 "subjects": [], "title": self.title}
        if "withscheduling" in fields and version >= (1, 1) and self.state == "SCHEDULED":
            told["scheduling"] = {"agent_id": "hall-1", "start": stamp(self.start), "inputs": ["default"],
                                  "end": stamp(self.start + self.duration / 1000)}
        return {**told, **({"publications": self.publications(version, sign)} if "withpublications" in fields else {})}

    @property
    def channels(self):
        """`internal` is in publication_status, but not among the publications: EventUtils.java internalChannelFilter."""
        live = any(e.fields.get("live") for e in self.elements)
        return ["engage-live" if live else self.channel, "internal"] if self.published else []

    def publications(self, version, sign):
        """EventsEndpoint.java getPublication: numbers are numbers here, lists lists."""
        if not self.published:
            return []
        lists = {kind: [self.published_element(e, version, sign) for e in self.elements if e.kind == kind]
                 for kind in ("track", "attachment", "catalog")}
        return [{"id": str(uuid.uuid5(uuid.NAMESPACE_URL, self.id)), "channel": self.channels[0], "mediatype": "text/html",
                 "url": f"{self.opencast.base}/play/{self.id}", "media": lists["track"], "attachments": lists["attachment"],
                 "metadata": lists["catalog"]}]

    def published_element(self, element, version, sign):
        address, checksum = self.address(element), element.fields.get("checksum")
        video = dict(element.streams).get("video")
        entry = {"id": element.id, "mediatype": element.mimetype, "url": self.opencast.signed(address) if sign else address,
                 "flavor": element.flavor}
        if element.kind == "attachment":
            entry["ref"] = element.fields.get("ref", "")
        # getSize is -1 where it isn't known; a checksum is "VALUE (TYPE)": util/Checksum.java.
        entry |= {"size": element.fields.get("size", -1), "checksum": f"{checksum['$']} (md5)" if checksum else "",
                  "tags": element.tags}
        if element.kind != "track":
            return entry
        entry |= {"has_audio": "audio" in dict(element.streams), "has_video": video is not None,
                  "duration": element.fields.get("duration"), "description": ""}
        if video:
            entry |= {"bitrate": 9390780.0, "framerate": 25.0, "framecount": 208, "width": video * 16 // 9, "height": video}
        live = {"is_master_playlist": bool(element.fields.get("master")), "is_live": bool(element.fields.get("live"))}
        return {**entry, **(live if version >= (1, 7) else {})}


class Series:
    """A series; `id` None is the place of events without one."""

    def __init__(self, opencast, title, id, read=("ROLE_ANONYMOUS",), description=""):
        self.opencast, self.title, self.id, self.read, self.description = opencast, title, id, set(read), description
        self.modified, self.hidden = opencast.now, False

    def event(self, title, **more):
        event = Event(self, title, **more)
        self.opencast.events.append(event)
        return event

    @property
    def addresses(self):
        base, id = self.opencast.base, urllib.parse.quote_plus(self.id)
        return {"engage": f"{base}/engage/ui/index.html?epFrom={id}",
                "ltitools": f"{base}/ltitools/index.html?subtool=series&series={id}",
                "ltitools_old": f"{base}/ltitools/series/index.html?series={id}", "tobira": f"{base}/lectures/biology/s/:{id}",
                "tobira_direct": f"{base}/!s/:{id}", "api": f"{base}/api/series/{id}"}

    def found(self):
        """SearchRestService.java getSeries: as it is in the index, without an id beside `dc`."""
        dc = {"identifier": [self.id], "title": [self.title], "created": [stamp(self.modified)],
              "description": [self.description] if self.description else None}
        return {"org": "mh_default_org", "modified": stamp(self.modified), "dc": dc,
                "searchable_acl": {"read": sorted(self.read), "write": ["ROLE_ADMIN"]}}

    def found_of_old(self):
        return {"id": primitive(self.id), "org": "mh_default_org", "dcExtent": -1, "dcTitle": primitive(self.title),
                "dcCreated": stamp(self.modified), "mediaType": "Series", "keywords": "",
                "modified": stamp(self.modified), "score": 1.0}

    def told(self, version):
        """modules/external-api/.../SeriesEndpoint.java queryResultToJson."""
        new = {"description": self.description, "language": "", "license": "", "rightsholder": ""} if version >= (1, 1) else {}
        return {"identifier": self.id, "title": self.title, "creator": "Opencast Administrator", "created": stamp(self.modified),
                "subjects": [], "contributors": [], "organizers": [], "publishers": [], **new}


class Opencast(StandIn):
    """A server at a free port. What was asked is in `requests`; switches are set as attributes."""

    def __init__(self, case):
        self.now, self.lock, self.closing, self.counter = 1760000000, threading.RLock(), threading.Event(), itertools.count(1)
        self.people, self.sessions, self.remembered, self.files, self.asked = {}, {}, {}, {}, []
        self.events, self.all_series = [], []
        self.version, self.api_version, self.organization = "17.0.0", "1.11.0", "Test & University"
        # {"search-results": …} as before 16, also with numbers as text as Matterhorn wrote them.
        self.old, self.texts = False, False
        # Basic authentication is in the delivered configuration; JWT and LTI are not: etc/security/mh_default_org.xml.
        self.basic, self.jwt_header, self.jwt_query, self.jwt_secret, self.dead_tokens = True, False, False, "t0p$ecret", {}
        self.lti, self.nonces = {}, set()
        # Signing of what begins with base + signed_part; `strict` compares whole addresses: UrlSigningFilter.cfg.
        self.signing, self.keys, self.key = False, {"demoKeyOne": "6EDB5EDDCF994B74"}, "demoKeyOne"
        # The search of 16.0 to 16.2 signs nothing.
        self.life, self.signed_part, self.search_signs = 7200, "/static/", True
        self.strict, self.exclude, self.dead_until, self.last_until, self.dead_signatures = True, None, 0, 0, set()
        # `static_auth` is authentication.required; `accelerated`: nginx sends the files (x.accel.redirect).
        self.static_auth, self.accelerated, self.player = True, False, "/paella7/ui/watch.html?id=#{id}"
        self.status, self.retry_after, self.html, self.half, self.delay = None, None, False, False, 0
        # Ends of decoded paths, each with the bytes after which an answer breaks: an int for once, a list for several times.
        self.break_after, self.expire_after = {}, {}
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads, self.server.opencast = True, self
        self.base = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        case.addCleanup(self.stop)

    def stop(self):
        self.closing.set()
        self.server.shutdown()
        self.server.server_close()

    @property
    def requests(self):
        """What was asked so far; values that are secrets are replaced."""
        with self.lock:
            return list(self.asked)

    def user(self, name, password, *roles, admin=False, api=False):
        """`api` gives ROLE_API and its kin; events are seen by their ACL all the same."""
        common = {"ROLE_USER", "ROLE_ANONYMOUS", "ROLE_USER_" + re.sub("[^A-Z0-9]", "_", name.upper()), *roles}
        more = {role for role, given in (("ROLE_ADMIN", admin), ("ROLE_API", api)) if given}
        self.people[name] = Person(name, password, common | more)

    def series(self, title, id=None, **more):
        self.all_series.append(Series(self, title, id or str(uuid.uuid4()), **more))
        return self.all_series[-1]

    def event(self, title, read=("ROLE_ANONYMOUS",), **more):
        """One without a series."""
        return Series(self, None, None, read=read).event(title, **more)

    def token(self, name, seconds=3600, secret=None):
        """A JWT for `Authorization: Bearer` or `jwt=`: modules/security-jwt/…/JWTGenerator.java."""
        claims = {"iss": "https://auth.example.org", "aud": "client-id", "username": name, "name": name,
                  "email": name + "@example.org", "exp": int(time.time()) + seconds, "jti": next(self.counter)}
        text = ".".join(base64url(json.dumps(part).encode()) for part in ({"alg": "HS256", "typ": "JWT"}, claims))
        return text + "." + base64url(hmac.new((secret or self.jwt_secret).encode(), text.encode(), hashlib.sha256).digest())

    def lti_form(self, user_id, context, tool="/ltitools", roles="Learner", consumer=None, **more):
        """The fields that an LMS's page posts to /lti, signed; who launches gets the role CONTEXT_Learner."""
        consumer = consumer or next(iter(self.lti))
        fields = {"lti_message_type": "basic-lti-launch-request", "lti_version": "LTI-1p0", "user_id": user_id, "roles": roles,
                  "context_id": context, "custom_tool": tool, "tool_consumer_instance_guid": "moodle.example.org",
                  "resource_link_id": "1", "oauth_consumer_key": consumer, "oauth_nonce": secrets.token_hex(8),
                  "oauth_version": "1.0", "oauth_timestamp": str(int(time.time())), "oauth_signature_method": "HMAC-SHA1", **more}
        return {**fields, "oauth_signature": oauth_signature(self.base + "/lti", fields, self.lti[consumer])}

    def expire(self, name=None, remembered=False):
        """Ends sessions (everybody's without a name) and refuses the JWTs given so far; `remembered`: oc-remember-me, too."""
        with self.lock:
            self.sessions = {k: v for k, v in self.sessions.items() if name is not None and v[0] != name}
            if remembered:
                self.remembered = {k: v for k, v in self.remembered.items() if name is not None and v != name}
            self.dead_tokens[name] = next(self.counter)

    def expire_urls(self):
        """URLs signed so far are expired."""
        self.dead_until = self.last_until

    def sign(self, address, until, key=None):
        """AbstractUrlSigningProvider.java sign: `until` in milliseconds; the policy names the address as it was before."""
        policy, key = policy_json(address, until), key or self.key
        more = {"policy": base64url(policy.encode()), "keyId": key, "signature": signature_of(policy, self.keys[key])}
        return address + ("&" if "?" in address else "?") + urllib.parse.urlencode(more)

    def signed(self, address):
        excluded = self.exclude and re.fullmatch(self.exclude, address)
        if not self.signing or not address.startswith(self.base + self.signed_part) or excluded:
            return address
        with self.lock:
            self.last_until = max(self.last_until + 1, int((time.time() + self.life) * 1000))
            return self.sign(address, self.last_until)

    def sign_all(self, value):
        """SearchRestService.java findURLsAndSign: whatever is called url, also of attachments and catalogs."""
        if isinstance(value, dict):
            return {k: self.signed(v) if k == "url" and isinstance(v, str) else self.sign_all(v) for k, v in value.items()}
        return list(map(self.sign_all, value)) if isinstance(value, list) else value

    def answer(self, request):
        if self.status:
            after = {"Retry-After": self.retry_after} if self.retry_after is not None else {}
            return self.page(self.status, "Trouble", after)
        if self.html:
            return self.login_page()
        who = self.authenticated(request)
        if isinstance(who, Answer):
            return who
        answer = self.routed(request, who)
        if who.cookies:
            answer.headers.setdefault("Set-Cookie", who.cookies)
        return answer

    def routed(self, request, who):
        """etc/security/mh_default_org.xml: who may ask for what; all that isn't named is for administrators."""
        needed = {"api": "ROLE_API", "lti": "ROLE_OAUTH_USER", "ltitools": "ROLE_OAUTH_USER"}
        opened = {"search": self.search, "static": self.static, "live": self.static, "info": self.info, "play": self.play,
                  "api": self.api, "lti": self.launched, "ltitools": self.player_page, "engage": self.player_page,
                  "paella": self.player_page, "paella7": self.player_page, "sysinfo": self.info,
                  "login.html": lambda *_: self.login_page()}
        first = request.place.split("/")[1]
        if request.place == "/j_spring_security_check" and request.command == "POST":
            return self.login(request.form)
        # Most of it is open to GET only: a HEAD of a file is a redirect to the login, or 403.
        only = request.command != "GET" and first in ("search", "static", "info", "api", "sysinfo")
        if only and "ROLE_ADMIN" not in who.roles:
            return self.denied(request, who)
        if not who.roles & {"ROLE_ADMIN", needed.get(first, "ROLE_ANONYMOUS" if first in opened else "ROLE_ADMIN")}:
            return self.denied(request, who)
        return opened.get(first, lambda *_: self.page(404, "Not Found"))(request, who)

    def page(self, status, text, headers=None):
        return Answer(status, f"<!DOCTYPE html>\n<html><head><title>Opencast</title></head><body>{text}</body></html>".encode(),
                      {"Content-Type": "text/html;charset=utf-8", **(headers or {})})

    def login_page(self):
        """modules/runtime-info-ui/.../ui/login.html."""
        return self.page(200, '<form name="runtimeLogin" action="/j_spring_security_check" method="POST">'
                         '<input name="j_username"><input name="j_password" type="password">'
                         '<input type="checkbox" name="_spring_security_remember_me"></form>')

    @staticmethod
    def text(status, text):
        return Answer(status, text.encode(), {"Content-Type": "text/plain;charset=utf-8"})

    @staticmethod
    def json(body, kind="application/json"):
        return Answer(200, body.encode(), {"Content-Type": kind})

    def denied(self, request, who):
        """DelegatingAuthenticationEntryPoint.java, AsyncTimeoutRedirectFilter.java: a redirect, unless a header asks for more."""
        if who.name:
            return self.page(403, "<p>Access denied</p>")
        if request.headers.get("X-Requested-With") == "XMLHttpRequest":
            return self.page(419, "Error 419")
        if request.headers.get("X-Requested-Auth") == "Basic":
            return self.refused()
        return Answer(302, b"", {"Location": self.base + "/login.html",
                                 "Set-Cookie": f"JSESSIONID={secrets.token_hex(13)}; Path=/"})

    def refused(self):
        return self.page(401, "Error 401 Bad credentials", {"WWW-Authenticate": 'Basic realm="Opencast"'})

    def session(self, name, roles, values=None):
        cookie = "node0" + secrets.token_hex(13)
        with self.lock:
            self.sessions[cookie] = name, frozenset(roles), values
        return f"JSESSIONID={cookie}; Path=/"

    def authenticated(self, request):
        """Spring's filters in their order: session, JWT, basic or OAuth, oc-remember-me; a JWT that isn't good is as none."""
        cookies = http.cookies.SimpleCookie(request.headers.get("Cookie", ""))
        cookies = {name: morsel.value for name, morsel in cookies.items()}
        name, roles, _ = self.sessions.get(cookies.get("JSESSIONID"), (None, None, None))
        known, kind = name is not None, request.headers.get("Authorization", "")
        name = name or self.jwt_name(kind[7:] if kind.startswith("Bearer ") and self.jwt_header else "") or self.jwt_name(
            request.form.get("jwt", "") if self.jwt_query else "")
        if self.basic and kind.startswith("Basic "):
            try:
                user, _, password = base64.b64decode(kind[6:] + "==").decode("utf-8", "replace").partition(":")
            except binascii.Error:
                return self.refused()
            if user != name and (user not in self.people or self.people[user].password != password):
                return self.refused()
            name, known = user, known and user == name
        if self.lti and request.command == "POST" and "oauth_consumer_key" in request.form:
            return self.launching(request.form)
        name = name or self.remembered.get(cookies.get("oc-remember-me"))
        if not name:
            return Who(None, {"ROLE_ANONYMOUS"}, None)
        roles = roles if known else self.people[name].roles
        return Who(name, roles, None if known else self.session(name, roles))

    def jwt_name(self, token):
        """modules/security-jwt/.../DynamicLoginHandler.java handleToken."""
        try:
            head, claims, signature = token.split(".")
            good = hmac.new(self.jwt_secret.encode(), f"{head}.{claims}".encode(), hashlib.sha256).digest()
            claims, head = json.loads(from_base64url(claims)), json.loads(from_base64url(head))
            name, dead = claims["username"], max(self.dead_tokens.get(n, 0) for n in (None, claims["username"]))
            fine = head["alg"] == "HS256" and hmac.compare_digest(from_base64url(signature), good)
            return name if fine and dead < claims["jti"] and time.time() < claims["exp"] and name in self.people else None
        except (ValueError, KeyError, TypeError):
            return None

    def login(self, form):
        """sec:form-login; oc-remember-me lives 14 days and gives a new session."""
        person = self.people.get(form.get("j_username"))
        if not person or person.password != form.get("j_password"):
            return Answer(302, b"", {"Location": self.base + "/login.html?error"})
        cookies = [self.session(person.name, person.roles)]
        if "_spring_security_remember_me" in form:
            value = secrets.token_hex(16)
            self.remembered[value] = person.name
            cookies.append(f"oc-remember-me={value}; Max-Age=1209600; Path=/")
        return Answer(302, b"", {"Location": self.base + "/engage/ui/index.html", "Set-Cookie": cookies})

    def launching(self, form):
        """LtiLaunchAuthenticationHandler.java: the name is lti:GUID:ID; 401 for a bad signature or a nonce used before."""
        secret = self.lti.get(form["oauth_consumer_key"])
        good = secret and oauth_signature(self.base + "/lti", form, secret) == form.get("oauth_signature")
        with self.lock:
            if not good or form.get("oauth_nonce") in self.nonces:
                return self.page(401, "Error 401 Invalid signature", {"WWW-Authenticate": 'OAuth realm="Opencast"'})
            self.nonces.add(form["oauth_nonce"])
        name = f"lti:{form.get('tool_consumer_instance_guid', 'UnknownConsumer')}:{form.get('user_id')}"
        roles = {f"{form.get('context_id') or 'LTI'}_{role or 'USER'}" for role in form.get("roles", "").split(",")}
        roles = {r for r in roles if not r.upper().startswith("ROLE_")} | {"ROLE_OAUTH_USER", "ROLE_USER", "ROLE_ANONYMOUS"}
        # modules/lti/.../LtiServlet.java sets exactly this cookie.
        return Who(name, roles, self.session(name, roles, form).replace("; ", ";"))

    def launched(self, request, who):
        """modules/lti/.../LtiServlet.java: the tool's scheme and host are dropped, other custom_ parameters are added to it."""
        if request.command != "POST":
            return self.json(json.dumps({"roles": "Instructor"} if who.name in self.people else {"roles": "Learner"}))
        tool = urllib.parse.urlsplit(urllib.parse.unquote_plus(request.form.get("custom_tool", "")))
        more = {k[7:]: v for k, v in request.form.items() if k.startswith("custom_") and k != "custom_tool"}
        query = "&".join(filter(None, [tool.query, urllib.parse.urlencode(more)]))
        path = "/" + tool.path.lstrip("/") if tool.path else "/ltitools"
        return Answer(302, b"", {"Location": self.base + path + ("?" + query if query else "")})

    def info(self, request, who):
        """modules/runtime-info/.../RuntimeInfo.java and kernel/.../BundleInfoRestEndpoint.java, open to everybody."""
        if request.place == "/sysinfo/bundles/version":
            return self.json(json.dumps({"consistent": True, "version": self.version, "buildNumber": "436e953"}))
        name = who.name or "anonymous"
        me = {"user": {"username": name}, "userRole": "ROLE_USER_" + re.sub("[^A-Z0-9]", "_", name.upper()),
              "roles": sorted(who.roles),
              "org": {"id": "mh_default_org", "name": self.organization, "adminRole": "ROLE_ADMIN",
                      "anonymousRole": "ROLE_ANONYMOUS", "properties": {
                          "org.opencastproject.engage.ui.url": self.base, "player": self.player}}}
        parts = {"description": "Search REST Endpoint", "version": self.version, "type": "org.opencastproject.search",
                 "path": "/search", "docs": self.base + "/search/docs"}
        found = {"/info/me.json": me, "/info/components.json": {
            "engage": self.base, "admin": self.base, "rest": [parts], "ui": []}}
        return self.json(gson(found[request.place])) if request.place in found else self.page(404, "Not Found")

    def play(self, request, _):
        """modules/engage-ui/.../PlayerRedirect.java: 307, for ids that don't exist, too."""
        return Answer(307, b"", {"Location": self.player.replace("#{id}", urllib.parse.quote_plus(request.place[6:]))})

    def player_page(self, *_):
        """A page whose scripts ask for everything; it tells nothing of the video."""
        return self.page(200, '<div id="playerContainer"></div><script src="paella-opencast.js"></script>')

    def search(self, request, who):
        """modules/search-service-impl/.../SearchRestService.java; in the old form modules/…/15.11 of the same file."""
        kind = {"/search/episode.json": "episode", "/search/series.json": "series"}.get(request.place)
        if not kind:
            return self.page(404, "Not Found")
        form, admin = request.form, "ROLE_ADMIN" in who.roles
        if form.get("sid") and form.get("sname"):
            return self.text(400, "invalid request, both 'sid' and 'sname' specified")
        size, offset = (int(form[n]) if re.fullmatch(r"-?\d+", form.get(n, "")) else d for n, d in (("limit", 20), ("offset", 0)))
        if self.old:
            size = min(2000, size or 100) if "limit" in form else 100
        elif size < 0 or offset < 0:
            return self.text(400, "Limit and offset may not be negative.")
        elif not admin and size > 250 and kind == "episode":
            return self.text(400, "Only admins are allowed to request more than 250 items.")
        found = [f for f in (self.found_series if kind == "series" else self.found_events)(form) if admin or f[1] & who.roles]
        if (found := self.sorted(found, form.get("sort", ""), kind)) is None:
            return self.text(400, "Invalid sort parameter")
        shown = [f[0].found_of_old() if self.old else f[0].found() for f in found[offset:offset + size]]
        shown = shown if form.get("sign") == "false" or not self.search_signs else self.sign_all(shown)
        if not self.old:
            return self.json(gson({"offset": offset, "total": len(found), "result": shown, "limit": size}))
        whole = {"offset": offset, "limit": size, "total": len(found), "searchTime": 5, "query": "*:*",
                 **(wrapped("result", shown) or {})}
        return self.json(json.dumps({"search-results": numbers(whole, str) if self.texts else whole}, ensure_ascii=False))

    def sorted(self, found, sort, kind):
        """`created` isn't among the keys; the old form's default is the youngest first."""
        if self.old:
            return sorted(found, key=lambda f: getattr(f[0], "start", 0), reverse=True)
        words = sort.lower().split()
        if not words:
            return found
        known = ("title", "contributor", "creator", "modified") + (("identifier",) if kind == "series" else ())
        if len(words) > 2 or words[0] not in known or words[-1] not in (words[0], "asc", "desc"):
            return None
        value = {"title": lambda f: f[0].title, "identifier": lambda f: f[0].id, "modified": lambda f: f[0].modified}
        return sorted(found, key=value.get(words[0], lambda f: getattr(f[0], "creators", "")), reverse=words[-1] == "desc")

    def found_series(self, form):
        return [(s, s.read) for s in self.all_series if not s.hidden and form.get("id", s.id) == s.id
                and form.get("q", "").lower() in s.title.lower()]

    def found_events(self, form):
        named = [s.id for s in self.all_series if s.title == form.get("sname")] if form.get("sname") else None
        return [(e, e.readers) for e in self.events if e.published and not (e.vanished and form.get("id"))
                and form.get("id") in (None, "", e.id) and form.get("sid") in (None, "", e.series.id)
                and (named is None or e.series.id in named) and form.get("q", "").lower() in e.title.lower()]

    def api(self, request, who):
        """modules/external-api: the version is that of Accept, 406 for one that isn't there: docs/…/api/usage.md."""
        accept, parts = request.headers.get("Accept") or "*/*", request.place.split("/")[2:]
        known = VERSIONS[:VERSIONS.index(self.api_version) + 1]
        named = next((v for v in reversed(known) if f"application/v{v}+json" in accept), None)
        named = self.api_version if re.search(r"application/json|application/\*|\*/\*", accept) else named
        if not named:
            return self.text(406, f"'{accept}' does not contain a valid version")
        plain = {"": {"url": self.base + "/api", "version": "v" + self.api_version},
                 "version": {"versions": ["v" + v for v in known], "default": "v" + self.api_version},
                 "version/default": {"default": "v" + self.api_version},
                 "info/me": {"email": "", "name": who.name, "provider": "opencast", "userrole": "ROLE_USER_" + who.name.upper(),
                             "username": who.name}, "info/me/roles": sorted(who.roles)}
        if (path := "/".join(parts)) in plain:
            return self.json(json.dumps(plain[path], ensure_ascii=False).replace("/", "\\/"))
        version = tuple(map(int, named.split(".")))
        value = {"events": self.api_events, "series": self.api_series}.get(parts[0], lambda *_: self.page(404, "Not Found"))(
            request.form, parts[1:], version, who)
        return value if isinstance(value, Answer) else self.json(json.dumps(value, ensure_ascii=False).replace("/", "\\/"),
                                                                 f"application/v{named}+json")

    def api_events(self, form, parts, version, who):
        """EventsEndpoint.java: no total; without a limit (or with 0) all; who is no administrator sees what the ACL lets read."""
        events = [e for e in self.events if "ROLE_ADMIN" in who.roles or e.readers & who.roles]
        sign, fields = form.get("sign") == "true", {k for k, v in form.items() if k.startswith("with") and v == "true"}
        if parts:
            event = next((e for e in events if e.id == parts[0] and not e.vanished), None)
            if not event:
                return self.text(404, f"Cannot find an event with id '{parts[0]}'.")
            return event.publications(version, sign) if parts[1:] == ["publications"] else event.told(version, sign, fields)
        for name, value in self.filters(form):
            tests = {"series": lambda e: e.series.id == value, "is_part_of": lambda e: e.series.id == value,
                     "identifier": lambda e: e.id == value, "title": lambda e: e.title == value,
                     "textFilter": lambda e: value.lower() in e.title.lower(), "presenters": lambda e: value in e.creators,
                     "status": lambda e: f"EVENTS.EVENTS.STATUS.{e.state}" == value,
                     "series_name": lambda e: e.series.title == value,
                     "start": lambda e: value.split("/")[0] <= stamp(e.start) <= value.split("/")[1]}
            if name not in tests:
                return self.text(400, f"Unknown filter criterion in request: {name}")
            events = list(filter(tests[name], events))
        return self.cut_out(events, form, 10000, lambda e: e.told(version, sign, fields), {
            "title": lambda e: e.title, **dict.fromkeys(("start_date", "date", "technical_start"), lambda e: e.start)})

    def api_series(self, form, parts, version, who):
        """SeriesEndpoint.java: 100 without a limit."""
        shown = [s for s in self.all_series if "ROLE_ADMIN" in who.roles or s.read & who.roles]
        if parts:
            found = next((s for s in shown if s.id == parts[0]), None)
            if not found:
                return self.text(404, f"Cannot find an series with id '{parts[0]}'.")
            return {**found.told(version), "organization": "mh_default_org", "opt_out": False}
        for name, value in self.filters(form):
            tests = {"title": lambda s: s.title == value, "identifier": lambda s: s.id == value,
                     "textFilter": lambda s: value.lower() in s.title.lower()}
            if name not in tests:
                return self.text(400, "")
            shown = list(filter(tests[name], shown))
        return self.cut_out(shown, form, 100, lambda s: s.told(version), {
            "title": lambda s: s.title, "created": lambda s: s.modified})

    @staticmethod
    def filters(form):
        """Split at commas, so that a value can't have one; what has no colon is passed over."""
        parts = [part.partition(":") for part in form.get("filter", "").split(",")]
        return [(name, value) for name, colon, value in parts if colon and value]

    def cut_out(self, items, form, default, shown, keys):
        for part in reversed(list(filter(None, form.get("sort", "").split(",")))):
            name, _, order = part.partition(":")
            if name not in keys or order.upper() not in ("ASC", "DESC"):
                return self.text(400, f"Unknown sort criterion in request: {name}")
            items = sorted(items, key=keys[name], reverse=order.upper() == "DESC")
        offset, limit = (form.get(name) or "0" for name in ("offset", "limit"))
        if not re.fullmatch(r"-?\d+", offset) or not re.fullmatch(r"-?\d+", limit):
            return self.page(404, "Not Found")
        offset, limit = max(0, int(offset)), int(limit)
        return list(map(shown, items[offset:offset + (limit if limit > 0 else default)]))

    def signature_status(self, query, address, client):
        """urlsigning-common/.../ResourceRequestUtil.java: 400, 403 and 410, in this order; JSON that isn't is an exception."""
        pairs = urllib.parse.parse_qsl(query, True)
        values = {n: [v for k, v in pairs if k == n] for n in ("keyId", "policy", "signature")}
        if any(len(v) != 1 or not v[0].strip() for v in values.values()):
            return 400
        key, policy, signature = (v[0] for v in values.values())
        if key not in self.keys:
            return 403
        try:
            statement = json.loads(from_base64url(policy))["Statement"]
            resource, condition = statement["Resource"], statement["Condition"]
            until, after = int(condition["DateLessThan"]), condition.get("DateGreaterThan")
        except (ValueError, KeyError, TypeError, binascii.Error):
            return 500
        # It is written anew before it is compared, so that spaces and the order of keys in what came don't matter.
        policy = policy_json(resource, until, after, condition.get("IpAddress"))
        if signature != signature_of(policy, self.keys[key]) or condition.get("IpAddress", client) != client:
            return 403
        path = urllib.parse.urlsplit(address).path
        if resource != address and (self.strict or not urllib.parse.urlsplit(resource).path.endswith(path)):
            return 403
        now, dead = time.time() * 1000, until <= self.dead_until or signature in self.dead_signatures
        return 410 if dead or not (after or 0) <= now <= until else 200

    def static(self, request, who):
        """UrlSigningFilter.java, SearchServiceImpl.java verifyUrlAccess, StaticResourceServlet.java: no redirects here."""
        event, file = self.files.get(request.place, (None, None))
        path, _, query = request.path.partition("?")
        if self.signing and request.place.startswith(self.signed_part) and not (
                self.exclude and re.fullmatch(self.exclude, self.base + request.place)):
            if (status := self.signature_status(query, self.base + path, request.client_address[0])) != 200:
                return self.page(status, f"Error {status}")
        if request.place.startswith("/static/") and self.static_auth and "ROLE_ADMIN" not in who.roles:
            id = (request.place.split("/") + [""] * 3)[4]
            event = next((e for e in self.events if e.id == id and e.published and not e.vanished), None)
            # An event that isn't there can't be read: 403, not 404.
            if not event or not event.readers & who.roles:
                return self.page(403, "Error 403 Forbidden")
        return self.sent(request, file, who) if file else self.page(404, "Error 404 Not Found")

    def sent(self, request, file, who):
        """The ETag is a decimal CRC-32 without quotes; a suffix longer than the file isn't satisfiable."""
        size, name = len(file.content), file.path.rpartition("/")[2]
        crc = zlib.crc32(name.encode() + (file.modified * 1000).to_bytes(8, "little") + size.to_bytes(8, "little"))
        etag = f'"{file.modified:x}-{size:x}"' if self.accelerated else str(crc)
        if request.headers.get("If-None-Match") == etag:
            return Answer(304, b"", {})
        kind = TYPES.get(name.rpartition(".")[2])
        headers = {"ETag": etag, **({"Content-Type": kind} if kind else {}), "Accept-Ranges": "bytes",
                   "Last-Modified": email.utils.formatdate(file.modified, usegmt=True)}
        media = who.name, request.place, urllib.parse.parse_qs(request.path.partition("?")[2]).get("signature", [None])[0]
        if not request.range or not size or not self.heeded(request.headers.get("If-Range"), etag, file.modified):
            return Answer(200, file.content, headers, media)
        # Several ranges at once aren't imitated: the real one answers multipart/byteranges.
        match = re.fullmatch(r"bytes=(\d*)-(\d*)", request.range)
        first, last = (int(match[1]) if match[1] else size - int(match[2] or 0),
                       min(int(match[2]), size - 1) if match[1] and match[2] else size - 1) if match else (1, 0)
        first = max(0, first) if self.accelerated else first
        if not 0 <= first <= last:
            return self.page(416, "Error 416 Range Not Satisfiable", {"Content-Range": f"bytes */{size}"})
        headers["Content-Range"] = f"bytes {first}-{last}/{size}"
        return Answer(206, file.content[first:last + 1], headers, media)

    def heeded(self, condition, etag, modified):
        """If-Range: the ETag as it is, or a date that isn't before Last-Modified by more than a second."""
        try:
            return condition in (None, etag) or modified <= email.utils.parsedate_to_datetime(condition).timestamp() + 1
        except (TypeError, ValueError):
            return False


class Handler(Connection):
    """One connection."""

    def do(self):
        opencast = self.server.opencast
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode("utf-8", "replace")
        path, _, query = self.path.partition("?")
        fields = urllib.parse.parse_qsl(query, True)
        if "x-www-form-urlencoded" in self.headers.get("Content-Type", ""):
            fields += urllib.parse.parse_qsl(body, True)
        self.form, self.range, self.place = dict(fields), self.headers.get("Range"), urllib.parse.unquote(path)
        opencast.closing.wait(opencast.delay)
        answer = opencast.answer(self)
        shown = re.sub(rf"\b({'|'.join(SECRET_NAMES)})=[^&]*", r"\1=SECRET", query)
        with opencast.lock:
            opencast.asked.append(Asked(self.command, path, shown, answer.status, self.range))
        self.send(answer)

    do_GET = do_POST = do_HEAD = do

    def cut(self, answer):
        opencast, media = self.server.opencast, answer.media
        count, ends = opencast.breaks(answer, media and media[1])
        if ends:
            # The signature where there is one, else the login that this was asked with.
            opencast.dead_signatures.add(media[2]) if media[2] else opencast.expire(media[0], remembered=True)
        return count
