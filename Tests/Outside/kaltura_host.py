"""A stand-in of a Kaltura server (api_v3 of 22.19): sessions, lists, playback contexts, manifests, captions and files.

Sources are named as files of github.com/kaltura/server; be-data.js is that of playkit-js-providers (recorded answers).
"""

import base64
import collections
import email.utils
import hashlib
import hmac
import html
import http.server
import itertools
import json
import random
import re
import ssl
import threading
import time
import urllib.parse

from stand_in import Connection, StandIn

# alpha/apps/kaltura/lib/request/infraRequestUtils.class.php sendCdnHeaders; what isn't there is "image/…".
TYPES = {"mp4": "video/mp4", "mov": "video/quicktime", "webm": "video/webm", "flv": "video/x-flv", "mp3": "audio/mpeg",
         "ts": "video/MP2T", "m3u8": "application/x-mpegURL", "txt": "text/plain", "srt": "text/plain", "vtt": "text/vtt",
         "xml": "text/xml", "dfxp": "text/xml"}
# api_v3/lib/types/enums: KalturaEntryType, KalturaCaptionType.
KINDS = {1: "KalturaMediaEntry", 5: "KalturaPlaylist", 6: "KalturaDataEntry", 7: "KalturaLiveStreamEntry",
         10: "KalturaDocumentEntry", "externalMedia.externalMedia": "KalturaExternalMediaEntry"}
CAPTIONS = {"srt": "1", "dfxp": "2", "vtt": "3"}
# Codes, names of arguments and messages: api_v3/lib/KalturaErrors.php, alpha/…/webservices/APIErrors.class.php,
# plugins/content/caption/base/lib/errors/KalturaCaptionErrors.php.
ERRORS = {
    "ACTION_BLOCKED": ("ACTION_NAME,SERVICE_NAME", 'Action "{}" in service "{}" is blocked'),
    "ACTION_DOES_NOT_EXISTS": ("ACTION_NAME,SERVICE_NAME", 'Action "{}" does not exists for service "{}"'),
    "ACTION_NOT_SPECIFIED": ("", "Action name was not specified, please specify one"),
    "APP_TOKEN_EXPIRED": ("ID", 'Application token id "{}" expired'),
    "APP_TOKEN_ID_NOT_FOUND": ("ID", 'Application token id "{}" not found'),
    "APP_TOKEN_NOT_ACTIVE": ("ID", 'Application token id "{}" not active'),
    "CAPTION_ASSET_ID_NOT_FOUND": ("ASSET_ID", 'Caption asset id "{}" not found'),
    "CAPTION_ASSET_IS_NOT_READY": ("ASSET_ID", 'Caption asset "{}" is not ready'),
    "CATEGORY_NOT_FOUND": ("ID", 'Category id "{}" not found'),
    "ENTRY_ID_NOT_FOUND": ("ENTRY_ID", 'Entry id "{}" not found'),
    "FLAVOR_ASSET_ID_NOT_FOUND": ("ID", 'Flavor asset id "{}" not found'),
    "FLAVOR_ASSET_IS_NOT_READY": ("", "The flavor asset is not ready"),
    "INTERNAL_SERVERL_ERROR": ("", "Internal server error occurred"),
    "INVALID_APP_TOKEN_HASH": ("", "Invalid application token hash"),
    "INVALID_ENTRY_ID": ("ENTRY_TYPE,ENTRY_ID", "Unknown {} [{}]"),
    "INVALID_KS": ("KSID,ERR_CODE,ERR_DESC", 'Invalid KS "{}", Error "{},{}"'),
    "INVALID_PLAYLIST_TYPE": ("", "Invalid playlist type"),
    "INVALID_WIDGET_ID": ("WIDGET_ID", "Unknown widget [{}]"),
    "MISSING_KS": ("", "Missing KS, session not established"),
    "MISSING_MANDATORY_PARAMETER": ("PARAM_NAME", 'Missing parameter "{}"'),
    "MUST_FILTER_ON_ENTRY_OR_CATEGORY": ("", "Must filter on entry id or category"),
    "PROPERTY_VALIDATION_CANNOT_BE_NULL": ("PROP_NAME", 'The property "{}" cannot be null'),
    "QUERY_EXCEEDED_MAX_MATCHES_ALLOWED": ("", "Unable to generate list. max matches value was reached"),
    "SERVICE_DOES_NOT_EXISTS": ("SRV_NAME", 'Service "{}" does not exists'),
    "SERVICE_FORBIDDEN": ("SERVICE", "The access to service [{}] is forbidden"),
    "SERVICE_FORBIDDEN_CONTENT_BLOCKED": ("", "The access to this service is forbidden since the specified partner is blocked"),
    "SERVICE_NOT_SPECIFIED": ("", "Service name was not specified, please specify one"),
    "START_SESSION_ERROR": ("PID", "Error while starting session for partner [{}]"),
    "USER_BLOCKED": ("", "this user is blocked")}
# alpha/apps/kaltura/lib/KExternalErrors.class.php.
DEATHS = {1: "requested entry not found", 2: "entry restricted due to scheduling", 3: "entry restricted due to access-control",
          4: "ks is an invalid string", 5: "required file was not found", 6: "requested flavor was not found",
          7: "ks is not valid", 12: "requested entry type is invalid for the requested format",
          13: "entry is restricted due to invalid moderation status", 25: "wrong query attributes",
          31: "The given KS has expired", 57: "Access to service was rate limited"}
# alpha/apps/kaltura/lib/rules/RuleRestrictions.php.
RESTRICTED = {
    "COUNTRY": "Un authorized country\nWe're sorry, this content is only available in certain countries.",
    "SITE": "Un authorized domain\nWe're sorry, this content is only available on certain domains.",
    "IP": "Un authorized IP address\nWe're sorry, this content is only available for certain IP addresses.",
    "SESSION": "No KS where KS is required\nWe're sorry, access to this content is restricted.",
    "USER_AGENT": "User Agent Restricted\nWe're sorry, this content is not available for your device.",
    "SCHEDULED": "Out of scheduling\nWe're sorry, this content is currently unavailable."}
# deployment/permissions/service.*.ini: the least session that may call; 0 none, 1 widget, 2 user, 3 admin.
ACTIONS = {
    "session.start": 0, "session.startwidgetsession": 0, "session.get": 3, "session.end": 1, "apptoken.startsession": 1,
    "baseentry.get": 1, "baseentry.list": 1, "baseentry.getbyids": 1, "baseentry.listbyreferenceid": 1,
    "baseentry.getplaybackcontext": 1, "media.get": 1, "media.list": 1, "flavorasset.getbyentryid": 1, "flavorasset.list": 1,
    "flavorasset.geturl": 1, "flavorasset.get": 3, "category.get": 1, "category.list": 1, "categoryentry.list": 2,
    "playlist.get": 1, "playlist.list": 1, "playlist.execute": 0, "caption_captionasset.list": 1,
    "caption_captionasset.geturl": 1, "caption_captionasset.get": 2, "caption_captionasset.serve": 0,
    "caption_captionasset.servewebvtt": 0}
NAMES = {n.lower(): n for n in ("startWidgetSession", "startSession", "getByIds", "listByReferenceId", "getPlaybackContext",
                                "getByEntryId", "getUrl", "serveWebVTT")}
FILES = ("caption_captionasset.serve", "caption_captionasset.servewebvtt")
# kPlaybackContextDataHelper.php getTagsByFormat.
TAGS = {"url": (("widevine", "widevine_mbr"), ("mbr",), ("web",)),
        "applehttp": (("applembr",), ("ipadnew", "iphonenew", "h265", "dash"), ("ipad", "iphone")),
        "mpegdash": (("dash", "h265"), ("ipadnew", "iphonenew"), ("ipad", "iphone"))}
PROFILES = {"url": 10081, "applehttp": 10091, "mpegdash": 11611}
MAX_PAGE, MAX_MATCHES, MAX_IN = 500, 10000, 500
SECRETS = ("ks", "__gda__", "secret", "tokenHash")

Asked = collections.namedtuple("Asked", "method path query status range calls", defaults=((),))
Answer = collections.namedtuple("Answer", "status body headers media", defaults=(None,))
Session = collections.namedtuple("Session", "ks hash partner user type privileges until")


class Refused(Exception):
    """A KalturaAPIException: api_v3/lib/exceptions/KalturaAPIException.php, APIErrors::getErrorData."""

    def __init__(self, code, *values):
        names, message = ERRORS[code]
        # Arguments lose their tags; none at all is an empty list in JSON, where some are an object.
        values = [re.sub(r"<[^>]*>", "", str(v)) for v in values]
        self.code, self.message = code, message.format(*values)
        self.args_sent = dict(zip(names.split(","), values)) if names else []
        super().__init__(code)

    def shown(self):
        return {"code": self.code, "message": self.message, "objectType": "KalturaAPIException", "args": self.args_sent}


class Died(Exception):
    """KExternalErrors::dieError: the script ends with headers and no body, also in the middle of a multirequest."""

    def __init__(self, number, more=""):
        self.number, self.text = number, DEATHS[number] + (", " + more if more else "")
        super().__init__(self.text)


# --- AES-128-CBC, for KS version 2.

def _sbox():
    p, q, box = 1, 1, [0x63] * 256
    while True:
        p ^= (p << 1) ^ (0x1B if p & 0x80 else 0)
        p &= 0xFF
        for shift in (1, 2, 4):
            q ^= q << shift
        q &= 0xFF
        q ^= 0x09 if q & 0x80 else 0
        box[p] = 0x63 ^ q ^ (q << 1 | q >> 7) & 255 ^ (q << 2 | q >> 6) & 255 ^ (q << 3 | q >> 5) & 255 ^ (q << 4 | q >> 4) & 255
        if p == 1:
            return box


SBOX = _sbox()
UNSBOX = [SBOX.index(value) for value in range(256)]


def _times(a, b):
    out = 0
    while b:
        out ^= a if b & 1 else 0
        a, b = (a << 1) ^ (0x11B if a & 0x80 else 0), b >> 1
    return out


MULTIPLES = {factor: [_times(value, factor) for value in range(256)] for factor in (1, 2, 3, 9, 11, 13, 14)}


def _keys(key):
    words, rcon = [list(key[i:i + 4]) for i in (0, 4, 8, 12)], 1
    for index in range(4, 44):
        word = words[-1]
        if index % 4 == 0:
            word = [SBOX[v] for v in word[1:] + word[:1]]
            word[0] ^= rcon
            rcon = _times(rcon, 2)
        words.append([a ^ b for a, b in zip(words[index - 4], word)])
    return [sum(words[i:i + 4], []) for i in range(0, 44, 4)]


def _mixed(block, row):
    factors = [MULTIPLES[f] for f in row]
    return [factors[0][block[c + r]] ^ factors[1][block[c + (r + 1) % 4]] ^ factors[2][block[c + (r + 2) % 4]]
            ^ factors[3][block[c + (r + 3) % 4]] for c in (0, 4, 8, 12) for r in range(4)]


def aes_cbc(key, data, decrypt=False):
    """With an IV of zeros and without padding: kSessionBase.class.php, infra/general/KCryptoWrapper.class.php."""
    keys, out, last = _keys(key), b"", bytes(16)
    for start in range(0, len(data) - 15, 16):
        block = data[start:start + 16]
        if decrypt:
            state = [a ^ b for a, b in zip(block, keys[10])]
            for turn in range(9, -1, -1):
                state = [UNSBOX[state[(i - 4 * (i % 4)) % 16]] ^ keys[turn][i] for i in range(16)]
                state = _mixed(state, (14, 11, 13, 9)) if turn else state
            out, last = out + bytes(a ^ b for a, b in zip(state, last)), block
        else:
            state = [a ^ b ^ c for a, b, c in zip(block, last, keys[0])]
            for turn in range(1, 11):
                state = [SBOX[state[(i + 4 * (i % 4)) % 16]] for i in range(16)]
                state = _mixed(state, (2, 3, 1, 1)) if turn < 10 else state
                state = [a ^ b for a, b in zip(state, keys[turn])]
            last = bytes(state)
            out += last
    return out


def make_ks(version, secret, partner, user, type, privileges, until, rand=None):
    """kSessionBase.class.php generateKsV1, generateKsV2. V1 is base64 with + and /, which no path carries; V2 has - and _."""
    rand = random.randbytes(16) if rand is None else rand
    if version == 1:
        info = f"{partner};{partner};{until};{type};{int.from_bytes(rand[:4], 'big') / 1000};{user};{privileges};;"
        return base64.b64encode(f"{hashlib.sha1((secret + info).encode()).hexdigest()}|{info}".encode()).decode()
    fields = {}
    for privilege in filter(None, (p.strip() for p in (privileges or "").split(","))):
        name, _, value = ("all:*" if privilege == "*" else privilege).partition(":")
        fields[name] = value
    fields |= {"_e": until, "_t": type, "_u": user}
    plain = rand + urllib.parse.urlencode(fields).encode()
    plain = hashlib.sha1(plain).digest() + plain
    key = hashlib.sha1(secret.encode()).digest()[:16]
    coded = aes_cbc(key, plain + bytes(-len(plain) % 16))
    return base64.urlsafe_b64encode(f"v2|{partner}|".encode() + coded).decode()


def read_ks(text, secret, partner):
    """parseKS; None for what it can't read. Both alphabets are understood, spaces and missing padding aren't."""
    try:
        raw = base64.b64decode(text.replace("-", "+").replace("_", "/"), validate=True)
    except ValueError:
        return None
    if raw.startswith(b"v2|"):
        _, number, coded = (raw.split(b"|", 2) + [b"", b""])[:3]
        plain = aes_cbc(hashlib.sha1(secret.encode()).digest()[:16], coded, decrypt=True).rstrip(b"\0")
        if number != str(partner).encode() or hashlib.sha1(plain[20:]).digest() != plain[:20]:
            return None
        fields = dict(urllib.parse.parse_qsl(plain[36:].decode("utf-8", "replace"), True))
        rights = ",".join(n + (f":{v}" if v else "") for n, v in fields.items() if not n.startswith("_"))
        return Session(text, plain[:20].hex(), partner, fields.get("_u", ""), int(fields.get("_t") or 0),
                       "*" if rights == "all:*" else rights, int(fields.get("_e") or 0))
    signature, _, info = raw.decode("utf-8", "replace").partition("|")
    parts = info.split(";")
    if len(parts) < 3 or parts[0] != str(partner) or hashlib.sha1((secret + info).encode()).hexdigest() != signature:
        return None
    parts += [""] * 4
    return Session(text, signature, partner, parts[5], int(parts[3] or 0), parts[6], int(parts[2] or 0))


def is_admin(session):
    return bool(session) and session.type >= 1


def is_widget(session):
    return session.type == 0 and session.user in ("", "0") and "widget:1" in session.privileges


def may(session, name, value):
    """ks::verifyPrivileges, which looks for a piece of text."""
    rights = session.privileges if session else ""
    return rights == "*" or f"{name}:*" in rights or f"{name}:{value}" in rights


def php_json(value):
    """KalturaJsonSerializer.php: nulls are left out; slashes and letters beyond ASCII are escaped."""
    return json.dumps(without_nulls(value), separators=(",", ":")).replace("/", "\\/")


def without_nulls(value):
    if isinstance(value, dict):
        return {n: without_nulls(v) for n, v in value.items() if v is not None}
    return [without_nulls(v) for v in value] if isinstance(value, (list, tuple)) else value


def as_xml(value):
    """KalturaXmlSerializer.php; the answer's form where no format is asked for."""
    if isinstance(value, dict) and value.get("objectType") == "KalturaAPIException":
        return "<error>" + "".join(f"<{n}>{as_xml(value[n])}</{n}>" for n in ("code", "message", "objectType")) + "</error>"
    if isinstance(value, dict):
        return "".join(f"<{n}>{as_xml(v)}</{n}>" for n, v in value.items() if v is not None)
    if isinstance(value, (list, tuple)):
        return "".join(f"<item>{as_xml(v)}</item>" for v in value)
    return html.escape(str(int(value) if isinstance(value, bool) else "" if value is None else value), False)


def grouped(params):
    """KalturaRequestDeserializer::groupParams, and PHP's brackets: filter:idEqual and filter[idEqual] are {filter: {idEqual}}."""
    out = {}
    for name, value in params.items():
        parts = re.split(r"\]\[|\[|\]|:", name.rstrip("]")) if re.search(r"[:\[]", name) else [name]
        place = out
        for part in parts[:-1]:
            place = place.setdefault(part, {}) if isinstance(place.get(part, {}), dict) else {}
        place[parts[-1]] = grouped(value) if isinstance(value, dict) else value
    return out


def number(value, default):
    try:
        return int(value)
    except (TypeError, ValueError):
        return default


def listed(value):
    return [part.strip() for part in str(value).split(",") if part.strip()]


class Flavor:
    """A flavor asset. Its file is `content`; `segments` are what HLS gives, by default the file in three parts."""

    def __init__(self, entry, content, width=640, height=360, bitrate=471, tags=None, original=False, status=2, ext="mp4",
                 codec="avc1", params=None, language="Undefined", id=None, segments=None, label=None):
        self.entry, self.content, self.width, self.height, self.bitrate = entry, content, width, height, bitrate
        self.tags = tags if tags is not None else "source" if original else "mobile,web,mbr,iphone,iphonenew,dash"
        self.original, self.status, self.ext, self.codec = original, status, ext, codec
        self.language, self.label = language, label
        self.params = params if params is not None else 0 if original else next(entry.host.numbers)
        self.id, self.version, self.modified = id or entry.host.new_id(), 1, entry.host.now
        size = -(-len(content) // 3) or 1
        self.segments = segments or [content[i:i + size] for i in range(0, len(content), size)]

    @property
    def path(self):
        """DeliveryProfileVod.php getBaseUrl."""
        host = self.entry.host
        return f"/p/{host.partner}/sp/{host.partner}00/serveFlavor/entryId/{self.entry.id}/v/{self.version}/flavorId/{self.id}"

    def has(self, tags):
        return bool(set(listed(self.tags)) & set(tags))

    def shown(self, entry_id=None):
        """KalturaFlavorAsset.php, KalturaAsset.php, be-data.js: size is in KB, version is text, nothing tells of sound."""
        host, ready = self.entry.host, self.status == 2
        return {"flavorParamsId": self.params, "width": self.width, "height": self.height,
                "bitrate": self.bitrate if ready else 0, "frameRate": 25 if ready and self.width else 0,
                "isOriginal": self.original, "isWeb": self.has(["web"]),
                "containerFormat": "isom" if ready else None, "videoCodecId": self.codec if ready and self.width else None,
                "status": self.status, "language": self.language, "label": self.label, "isDefault": False, "id": self.id,
                "entryId": entry_id or self.entry.id, "partnerId": host.partner, "version": str(self.version),
                "size": len(self.content) // 1024 if ready else 0, "tags": self.tags, "fileExt": self.ext,
                "createdAt": self.modified, "updatedAt": self.modified, "description": "",
                "sizeInBytes": None if host.old else len(self.content) if ready else 0, "objectType": "KalturaFlavorAsset"}


class Caption:
    def __init__(self, entry, content, language="English", code="en", format="srt", label=None, default=False, status=2,
                 on_player=True):
        self.entry, self.content, self.language, self.code, self.format = entry, content, language, code, format
        self.label, self.default, self.status, self.on_player = label or language, default, status, on_player
        self.id, self.version = entry.host.new_id(), 1

    @property
    def url(self):
        """CaptionAsset.php getFinalDownloadUrlPathWithoutKs; asset.php getDownloadUrlWithExpiry: a KS of 24 h where needed."""
        host, version = self.entry.host, f"/v/{self.version}" if self.version > 1 else ""
        ks = "/ks/" + host.asset_ks(self) if self.entry.secured else ""
        return f"{host.base}/api_v3/index.php/service/caption_captionAsset/action/serve/captionAssetId/{self.id}{version}{ks}"

    def shown(self):
        """KalturaCaptionAsset.php: the format is a number as text, languages are spelt out beside their codes."""
        host = self.entry.host
        return {"captionParamsId": 0, "language": self.language, "languageCode": self.code, "isDefault": int(self.default),
                "label": self.label, "format": CAPTIONS[self.format], "status": self.status, "accuracy": None,
                "displayOnPlayer": self.on_player, "usage": "0", "id": self.id, "entryId": self.entry.id,
                "partnerId": host.partner, "version": str(self.version), "size": len(self.content), "tags": "",
                "fileExt": self.format, "createdAt": host.now, "updatedAt": host.now, "description": "",
                "sizeInBytes": None if host.old else len(self.content), "objectType": "KalturaCaptionAsset"}

    def in_context(self):
        """CaptionPlugin.php contributeToPlaybackContextDataResult."""
        host = self.entry.host
        vtt = (f"{host.base}/api_v3/index.php/service/caption_captionasset/action/serveWebVTT/captionAssetId/{self.id}"
               f"/segmentIndex/-1/version/{self.version}/captions.vtt")
        return {"label": self.label, "format": CAPTIONS[self.format], "language": self.language, "webVttUrl": vtt,
                "url": self.url, "isDefault": self.default, "languageCode": self.code,
                "objectType": "KalturaCaptionPlaybackPluginData"}


class Entry:
    """An entry. `restricted` is a key of RESTRICTED; `only_for` are the users who may know of it (entitlement)."""

    def __init__(self, host, name, id=None, categories=(), user="teacher", ms=55047, status=2, type=1, media=1, moderation=6,
                 start=None, end=None, restricted=None, only_for=None, description=None, reference=None, parent=None,
                 created=None, redirect=None, in_search=1, tags=None, formats=("url", "applehttp", "mpegdash"), drm=(),
                 vanishes=False, signed=False, content=None, pending=(), fields=None):
        self.host, self.name, self.id, self.categories, self.user = host, name, id or host.new_id(), list(categories), user
        self.ms, self.status, self.type, self.media, self.moderation = ms, status, type, media, moderation
        self.start, self.end, self.restricted, self.only_for, self.description = start, end, restricted, only_for, description
        self.reference, self.parent, self.redirect, self.in_search, self.tags = reference, parent, redirect, in_search, tags
        self.formats, self.drm, self.vanishes, self.signed, self.pending = formats, set(drm), vanishes, signed, set(pending)
        self.created = self.updated = created or next(host.clock)
        self.flavors, self.captions, self.items, self.content, self.fields = [], [], None, content, fields or {}
        host.entries[self.id] = self

    def flavor(self, content, width=640, height=360, bitrate=471, **more):
        self.flavors.append(Flavor(self, content, width, height, bitrate, **more))
        return self.flavors[-1]

    def source(self, content, **more):
        return self.flavor(content, **{"width": 1920, "height": 1080, "bitrate": 18022, "original": True, **more})

    def sound(self, content, **more):
        return self.flavor(content, **{"width": 0, "height": 0, "bitrate": 96, "codec": None, "tags": "audio_only,dash", **more})

    def caption(self, content, **more):
        self.captions.append(Caption(self, content if isinstance(content, bytes) else content.encode(), **more))
        return self.captions[-1]

    def child(self, name, **more):
        """The second picture of a lecture: an entry of its own that isn't in lists but by parentEntryIdEqual."""
        return Entry(self.host, name, **{"parent": self, "in_search": -1, "ms": self.ms, "categories": self.categories, **more})

    @property
    def secured(self):
        return bool(self.restricted or self.only_for is not None or (self.parent and self.parent.secured))

    @property
    def scheduled_now(self):
        return (not self.start or self.start <= self.host.now) and (not self.end or self.end >= self.host.now)

    def known_to(self, session):
        """kEntitlementUtils: disableentitlement, or being a member; administrators aren't excepted."""
        return self.only_for is None or bool(session) and (
            session.user in self.only_for or "disableentitlement" in session.privileges.split(",")
            or f"disableentitlementforentry:{self.id}" in session.privileges)

    def blocked(self, session):
        """accessControl.php applyContext, kAuthenticatedCondition.php: SESSION wants an administrator or sview."""
        entry = self.parent or self
        if not entry.restricted or is_admin(session) or entry.restricted == "SESSION" and may(session, "sview", entry.id):
            return None
        return entry.restricted

    def ready(self):
        return [flavor for flavor in self.flavors if flavor.status == 2]

    def tagged(self, format):
        for tags in TAGS.get(format, TAGS["url"]):
            if found := [flavor for flavor in self.ready() if flavor.has(tags)]:
                return found
        return []

    def shown(self):
        """KalturaBaseEntry.php, KalturaPlayableEntry.php, KalturaMediaEntry.php, be-data.js."""
        host, site = self.host, f"{self.host.base}/p/{self.host.partner}/sp/{self.host.partner}00"
        playable, seconds = self.type in (1, 7, "externalMedia.externalMedia"), self.ms // 1000
        open_categories = [c for c in map(host.categories.get, self.categories) if c and c.members is None]
        value = {
            "mediaType": self.media if playable else None, "conversionQuality": 7 if playable else None, "sourceType": "1",
            "dataUrl": f"{site}/playManifest/entryId/{self.id}/format/url/protocol/http" if playable else None,
            "flavorParamsIds": ",".join(str(f.params) for f in self.ready()) or None, "plays": 0, "views": 0,
            "duration": seconds, "msDuration": self.ms, "id": self.id, "name": self.name, "description": self.description,
            "partnerId": host.partner, "userId": self.user, "creatorId": self.user, "tags": self.tags,
            "categories": ",".join(c.full_name for c in open_categories) or None,
            "categoriesIds": ",".join(str(c.id) for c in open_categories) or None, "status": self.status,
            "moderationStatus": self.moderation, "moderationCount": 0, "type": self.type, "createdAt": self.created,
            "updatedAt": self.updated, "rank": 0, "totalRank": 0, "votes": 0, "version": 0, "licenseType": -1,
            "downloadUrl": (f"{site}/playManifest/entryId/{self.id}/format/download/protocol/http/flavorParamIds/0"
                            if playable else ""),
            "searchText": f"_PAR_ONLY_ _{host.partner}_ _MEDIA_TYPE_{self.media}|  {self.name} ",
            "thumbnailUrl": f"{site}/thumbnail/entry_id/{self.id}/version/100002",
            "accessControlId": 2301 if self.restricted else 2300,
            "startDate": self.start, "endDate": self.end, "referenceId": self.reference, "replacementStatus": 0,
            "partnerSortValue": 0, "redirectEntryId": self.redirect, "rootEntryId": self.id,
            "parentEntryId": self.parent.id if self.parent else None, "operationAttributes": [], "entitledUsersEdit": "",
            "entitledUsersPublish": "", "capabilities": "", "displayInSearch": self.in_search, "objectType": KINDS[self.type]}
        if self.type == 5:
            value |= {"playlistContent": self.content, "playlistType": 10 if self.content.startswith("<") else 3}
        return value | self.fields


class Category:
    """`members` make it one with entitlement: to others it isn't there."""

    def __init__(self, host, id, name, parent=None, members=None, description=None, reference=None):
        self.host, self.id, self.name, self.parent, self.members = host, id, name, parent, members
        self.description, self.reference, self.created = description, reference, next(host.clock)
        host.categories[id] = self

    @property
    def line(self):
        return (self.parent.line if self.parent else []) + [self]

    @property
    def full_name(self):
        return ">".join(c.name for c in self.line)

    def known_to(self, session):
        return self.members is None or bool(session) and (
            session.user in self.members or "disableentitlement" in session.privileges.split(","))

    def holds(self, entry):
        return any(self in self.host.categories[c].line for c in entry.categories if c in self.host.categories)

    def shown(self):
        """KalturaCategory.php."""
        entries = [e for e in self.host.entries.values() if e.status == 2 and e.in_search > -1]
        return {"id": self.id, "parentId": self.parent.id if self.parent else 0, "depth": len(self.line) - 1,
                "partnerId": self.host.partner, "name": self.name, "fullName": self.full_name,
                "fullIds": ">".join(str(c.id) for c in self.line), "entriesCount": sum(map(self.holds, entries)),
                "createdAt": self.created, "updatedAt": self.created, "description": self.description, "tags": "",
                "appearInList": 1 if self.members is None else 3, "privacy": 1 if self.members is None else 3,
                "inheritanceType": 2, "userJoinPolicy": 3, "defaultPermissionLevel": 3, "owner": "teacher",
                "directEntriesCount": sum(self.id in e.categories for e in entries), "referenceId": self.reference,
                "contributionPolicy": 1, "membersCount": len(self.members or ()), "pendingMembersCount": 0,
                "privacyContexts": None if self.members is None else "MediaSpace", "status": 2, "partnerSortValue": 0,
                "directSubCategoriesCount": sum(c.parent is self for c in self.host.categories.values()), "moderation": 0,
                "pendingEntriesCount": 0, "isAggregationCategory": 0, "aggregationCategories": "",
                "objectType": "KalturaCategory"}


class Kaltura(StandIn):
    """A partner's account at a free port. What was asked is in `requests`; switches are set as attributes."""

    def __init__(self, case, partner=1082342):
        self.partner, self.secret, self.admin_secret = partner, "ab" * 16, "cd" * 16
        self.lock, self.closing = threading.RLock(), threading.Event()
        self.numbers, self.ids, self.clock = itertools.count(487041), itertools.count(1), itertools.count(1490000000, 60)
        self.entries, self.categories, self.tokens, self.ended, self.seen, self.asked = {}, {}, {}, {}, {}, []
        # The form of the sessions that the server hands out, and how long they may live: Partner.php getKsMaxExpiryInSeconds.
        self.ks_version, self.max_expiry, self.skew = 2, 86400, 0
        # Older servers have no sizeInBytes. A CDN in front sends an ETag and heeds If-Range [mem]; the server itself doesn't.
        self.old, self.etags, self.cdn_key, self.url_life, self.refused = False, False, "nonsense", 86400, set()
        self.status, self.retry_after, self.html, self.half, self.delay = None, None, False, False, 0
        # Ends of decoded paths, each with the bytes after which an answer breaks: an int for once, a list for several times.
        self.break_after, self.expire_after = {}, {}
        # "service.action" in small letters with the code that it answers, or a number of DEATHS.
        self.failing, self.partner_blocked = {}, False
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads, self.server.kaltura = True, self
        self.base = self.cdn = f"http://127.0.0.1:{self.server.server_port}"
        self.elsewhere = f"http://localhost:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        case.addCleanup(self.stop)

    def secure(self, certificate, key):
        """Lets the server talk TLS. The addresses in its answers stay as they are."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        return f"https://127.0.0.1:{self.server.server_port}"

    def stop(self):
        self.closing.set()
        self.server.shutdown()
        self.server.server_close()

    @property
    def now(self):
        return int(time.time()) + self.skew

    @property
    def widget(self):
        return f"_{self.partner}"

    @property
    def requests(self):
        with self.lock:
            return list(self.asked)

    @property
    def calls(self):
        """All API calls so far, as "service.action" in small letters, in their order."""
        return [call for asked in self.requests for call in asked.calls]

    # --- What is there

    def new_id(self):
        return f"1_{hashlib.sha1(str(next(self.ids)).encode()).hexdigest()[:8]}"

    def category(self, id, name, parent=None, **more):
        return Category(self, id, name, parent, **more)

    def entry(self, name, **more):
        return Entry(self, name, **more)

    def playlist(self, name, entries, **more):
        """A static one; ids of what isn't there may be among them."""
        content = ",".join(e if isinstance(e, str) else e.id for e in entries)
        return Entry(self, name, type=5, media=3, content=content, **more)

    def dynamic_playlist(self, name, categories, limit=None, total=200, order="-created_at", **more):
        """alpha/apps/kaltura/lib/myPlaylistUtils.class.php: XML with filters."""
        limit = f"<limit>{limit}</limit>" if limit else ""
        ids = ",".join(str(c.id) for c in categories)
        content = (f"<?xml version=\"1.0\"?><playlist><total_results>{total}</total_results><filters><filter>{limit}"
                   f"<matchor_categories_ids>{ids}</matchor_categories_ids><order_by>{order}</order_by>"
                   "</filter></filters></playlist>")
        return Entry(self, name, type=5, media=10, content=content, **more)

    def app_token(self, token, user=None, type=0, privileges="", hash="SHA1", duration=86400, expiry=None, active=True):
        """Its id. AppToken.php, AppTokenService.php."""
        id = f"0_{hashlib.sha1(token.encode()).hexdigest()[:8]}"
        self.tokens[id] = dict(token=token, user=user, type=type, privileges=privileges, hash=hash.lower(), duration=duration,
                               expiry=expiry, active=active)
        return id

    def ks(self, user="", type=0, privileges="", expiry=86400, version=None):
        """A session as the server makes it: signed with the admin secret, whatever its type (kSessionUtils.class.php)."""
        return make_ks(version or self.ks_version, self.admin_secret, self.partner, user, type, privileges, self.now + expiry)

    def asset_ks(self, asset):
        """asset.php getDownloadUrlWithExpiry."""
        entry = asset.entry.id
        return make_ks(2, self.admin_secret, self.partner, "", 0, f"download:{entry},disableentitlementforentry:{entry},"
                       f"sview:{entry},downloadasset:{asset.id}", self.now // 300 * 300 + 86400)

    def expire(self, user=None):
        """All sessions seen so far, or those of a user ("0" is a widget's), are expired; new ones aren't."""
        with self.lock:
            self.ended |= {hash: "EXPIRED" for hash, owner in self.seen.items() if user in (None, owner)}

    def log_out(self, user=None):
        with self.lock:
            self.ended |= {hash: "LOGOUT" for hash, owner in self.seen.items() if user in (None, owner)}

    def note(self, ks):
        """A session's hash is remembered, for expire."""
        session = read_ks(ks, self.admin_secret, self.partner)
        with self.lock:
            if session:
                self.seen[session.hash] = session.user
        return ks

    # --- Requests

    def answer(self, request):
        if self.status:
            after = {"Retry-After": self.retry_after} if self.retry_after is not None else {}
            return self.page(self.status, "Trouble", after)
        if self.html:
            return self.page(200, "<form>Sign in</form>")
        place = request.place
        try:
            if match := re.fullmatch(r"/api_v3(/index\.php)?(/.*)?", place):
                return self.api(request, match[2] or "")
            if match := re.fullmatch(r"(?:/p/\d+)?(?:/sp/\d+)?/playManifest(/.*)", place):
                return self.died(self.manifest, request, match[1], 404)
            if match := re.fullmatch(r"(?:/hls)?/p/\d+/sp/\d+/serveFlavor(/.*)", place):
                return self.died(self.serve_flavor, request, match[1], 200)
            if match := re.fullmatch(r"/p/\d+/sp/\d+/(?:download|raw)(/.*)", place):
                return self.died(self.download, request, match[1], 200)
        except Refused as refused:
            return Answer(200, b"", {"X-Kaltura": "error- " + refused.code})
        # thumbnailAction.class.php.
        if match := re.match(r"/p/\d+/sp/\d+/thumbnail/entry_id/([^/]+)", place):
            return Answer(200, b"\xff\xd8\xff\xe0 " + match[1].encode(), {"Content-Type": "image/jpeg"})
        return self.page(404, "Not Found")

    def page(self, status, text, headers=None):
        return Answer(status, f"<!DOCTYPE html><html><body>{text}</body></html>".encode(),
                      {"Content-Type": "text/html; charset=utf-8", **(headers or {})})

    def died(self, serve, request, path, status):
        try:
            return serve(request, request.pairs(path))
        except Died as death:
            return self.death(death, status)

    @staticmethod
    def death(death, status=200):
        """An empty body; the number and a sentence are in headers. 404 for playManifest only, which sets that beforehand."""
        caching = {} if death.number in (3, 16, 53) else {"Cache-Control": "private, max-age=60, max-stale=0"}
        return Answer(status, b"", {"X-Kaltura-App": f"exiting on error {death.number} - {death.text}",
                                    "X-Kaltura": f"error-{death.number}", "Content-Type": "text/html; charset=utf-8", **caching})

    def session(self, text, dies=False):
        """kCurrentContext.class.php initKsPartnerUser and kPermissionManager.php errorIfKsNotValid."""
        if not text:
            return None
        session = read_ks(str(text), self.admin_secret, self.partner)
        if not session:
            if dies:
                raise Died(7)
            # The session itself is in the message.
            raise Refused("INVALID_KS", text, -1, "INVALID_STR")
        with self.lock:
            self.seen[session.hash] = session.user
            trouble = self.ended.get(session.hash)
        trouble = "EXPIRED" if session.until <= self.now else None if trouble == "LOGOUT" and is_widget(session) else trouble
        if trouble and dies:
            # KSecureEntryHelper.class.php validateKs knows of expiry only; who logged out goes on playing.
            if trouble == "EXPIRED":
                raise Died(31, "This URL is expired")
        elif trouble:
            raise Refused("INVALID_KS", trouble, -1, "INVALID_STR")
        return session

    # --- The API: api_v3/lib/KalturaFrontController.php, KalturaDispatcher.php

    def api(self, request, path):
        params = {**request.body_params, **dict(request.query), **request.pairs(path)}
        request.calls = []
        try:
            value = self.multi(request, params) if params.get("service") == "multirequest" else self.single(request, params)
        except Died as death:
            return self.death(death)
        if isinstance(value, Answer):
            return value
        format = str(params.get("format", "2"))
        headers = {"Access-Control-Allow-Origin": "*", "X-Me": "front", "X-Kaltura-Session": "1",
                   "Cache-Control": "no-store, no-cache, must-revalidate, post-check=0, pre-check=0"}
        if format == "1":
            return Answer(200, php_json(value).encode(), {"Content-Type": "application/json", **headers})
        if format == "9":
            return Answer(200, f"{dict(request.query).get('callback', '')}({php_json(value)});".encode(),
                          {"Content-Type": "application/javascript", **headers})
        body = ('<?xml version="1.0" encoding="utf-8"?>'
                f"<xml><result>{as_xml(value)}</result><executionTime>0.02</executionTime></xml>")
        return Answer(200, body.encode(), {"Content-Type": "text/xml; charset=UTF-8", **headers})

    def multi(self, request, params):
        """handleMultiRequest: numbered parts as objects or as 1:name; a gap or a part without service or action ends it."""
        common, parts = {}, {}
        for name, value in params.items():
            head, colon, rest = name.partition(":")
            if name.isdigit():
                parts[int(name)] = value if isinstance(value, dict) else {}
            elif colon and head.isdigit():
                parts.setdefault(int(head), {})[rest] = value
            else:
                common[name] = value
        parts, results = {n: grouped(p) for n, p in parts.items()}, []
        for index in range(min([1, *parts]), max([1, *parts]) + 1):
            part = {n: common[n] for n in ("clientTag", "ks", "partnerId") if n in common} | parts.get(index, {})
            if "service" not in part or "action" not in part:
                break
            value = self.single(request, part)
            if isinstance(value, Answer):
                return value
            results.append(value)
            for later in range(index + 1, len(parts) + 1):
                if later in parts:
                    parts[later] = self.filled(parts[later], len(results), value)
        return results

    def filled(self, value, index, result):
        """replaceMultiRequestResults: only a value that is nothing but {N:result:path}; what isn't found becomes empty text."""
        if isinstance(value, dict):
            return {n: self.filled(v, index, result) for n, v in value.items()}
        match = re.fullmatch(r"\{(\d+):result:?(.*)\}", value) if isinstance(value, str) else None
        if not match or int(match[1]) != index:
            return value
        failed = isinstance(result, dict) and result.get("objectType") == "KalturaAPIException"
        found = None if failed else result
        for name in match[2].split(":") if match[2] else []:
            found = (found.get(name) if isinstance(found, dict) else
                     found[int(name)] if isinstance(found, list) and name.isdigit() and int(name) < len(found) else None)
        return "" if found is None or isinstance(found, (dict, list)) else str(found)

    def single(self, request, params):
        try:
            return self.dispatched(request, grouped(params))
        except Refused as refused:
            return refused.shown()

    def dispatched(self, request, params):
        service, action = str(params.get("service") or "").lower(), str(params.get("action") or "").lower()
        call = f"{service}.{action}"
        request.calls.append(call)
        if not service:
            raise Refused("SERVICE_NOT_SPECIFIED")
        if not any(name.startswith(service + ".") for name in ACTIONS):
            raise Refused("SERVICE_DOES_NOT_EXISTS", service)
        if not action:
            raise Refused("ACTION_NOT_SPECIFIED")
        if call not in ACTIONS:
            raise Refused("ACTION_DOES_NOT_EXISTS", action, service)
        session, partner = self.session(params.get("ks")), params.get("partnerId") or params.get("p")
        if self.partner_blocked and session:
            raise Refused("SERVICE_FORBIDDEN_CONTENT_BLOCKED")
        if call in self.failing:
            code = self.failing[call]
            raise Died(code) if isinstance(code, int) else Refused(code, *[action, service][:len(ERRORS[code][0].split(","))])
        self.permitted(call, service, action, session, partner)
        try:
            value = getattr(self, call.replace(".", "_"))(session, params)
        except Refused as refused:
            if call in FILES:
                # kRendererDieError: an empty 200 with headers; a bad session is told above, as XML or JSON.
                return Answer(200, b"", {"X-Kaltura": f"error- {refused.code}",
                                         "X-Kaltura-App": f"exiting on error {refused.code} - {refused.message}"})
            raise
        return self.served(request, *value) if call in FILES else self.profiled(value, params.get("responseProfile"))

    def permitted(self, call, service, action, session, partner):
        """KalturaBaseService.php isPermitted."""
        level = 0 if not session else 3 if is_admin(session) else 1 if is_widget(session) else 2
        if ACTIONS[call] == 0 and call != "playlist.execute":
            return
        if not session and str(partner or "") != str(self.partner):
            raise Refused("MISSING_KS")
        if level < ACTIONS[call]:
            # Without a session, what is in the "Kaltura network" (displayInSearch 2) only.
            if not session and call == "baseentry.get":
                return
            if not session and call == "baseentry.getplaybackcontext":
                raise Refused("INTERNAL_SERVERL_ERROR")
            raise Refused("SERVICE_FORBIDDEN", f"{service}->{NAMES.get(action, action)}")

    def profiled(self, value, profile):
        """responseProfile {type: 1 include or 2 exclude, fields}; of a list's objects, or of the object itself."""
        fields = set(listed(profile.get("fields", ""))) if isinstance(profile, dict) else set()
        if not fields:
            return value
        include = str(profile.get("type", "1")) == "1"
        if isinstance(value, list):
            return [self.profiled(v, profile) for v in value]
        if isinstance(value, dict) and "totalCount" in value:
            return {**value, "objects": [self.profiled(v, profile) for v in value["objects"]]}
        if not isinstance(value, dict):
            return value
        return {n: v for n, v in value.items() if n == "objectType" or (n in fields) == include}

    def paged(self, items, pager, kind, everything=False):
        """KalturaPager.php: 30 by default, above 500 is 500 without a word, a page below 1 is 1; SphinxCriteria.php: 10,000."""
        pager = pager if isinstance(pager, dict) else {}
        size = max(0, min(number(pager.get("pageSize"), 30), MAX_PAGE))
        size = 1500 if everything and not pager else size
        offset = (max(1, number(pager.get("pageIndex"), 1)) - 1) * size
        if offset >= MAX_MATCHES:
            raise Refused("QUERY_EXCEEDED_MAX_MATCHES_ALLOWED")
        return {"objects": [i.shown() for i in items[offset:offset + size]], "totalCount": len(items), "objectType": kind}

    # --- session, appToken

    def session_startwidgetsession(self, _, params):
        if "widgetId" not in params:
            raise Refused("MISSING_MANDATORY_PARAMETER", "widgetId")
        if params["widgetId"] != self.widget:
            raise Refused("INVALID_WIDGET_ID", params["widgetId"])
        expiry = min(number(params.get("expiry"), 86400), self.max_expiry)
        return {"partnerId": self.partner, "ks": self.note(self.ks("0", 0, "view:*,widget:1", expiry)), "userId": 0,
                "objectType": "KalturaStartWidgetSessionResponse"}

    def session_start(self, _, params):
        """SessionService.php startAction, Partner.php validateSecret; the answer is a string."""
        if "secret" not in params:
            raise Refused("MISSING_MANDATORY_PARAMETER", "secret")
        type = number(params.get("type"), 0)
        good = params["secret"] == self.admin_secret or not type and params["secret"] == self.secret
        if not good or number(params.get("partnerId"), 0) != self.partner:
            raise Refused("START_SESSION_ERROR", params.get("partnerId", ""))
        expiry = min(number(params.get("expiry"), 86400), self.max_expiry)
        return self.note(self.ks(params.get("userId") or "", type, params.get("privileges") or "", expiry))

    def session_get(self, session, _):
        return {"sessionType": session.type, "partnerId": self.partner, "userId": session.user, "expiry": session.until,
                "privileges": session.privileges, "objectType": "KalturaSessionInfo"}

    def session_end(self, session, _):
        with self.lock:
            self.ended[session.hash] = "LOGOUT"

    def apptoken_startsession(self, session, params):
        """AppTokenService.php: the hash, in small hex letters, of the session at hand with the token behind it."""
        token = self.tokens.get(params.get("id"))
        if not token:
            raise Refused("APP_TOKEN_ID_NOT_FOUND", params.get("id", ""))
        if not token["active"]:
            raise Refused("APP_TOKEN_NOT_ACTIVE", params["id"])
        if hashlib.new(token["hash"], (session.ks + token["token"]).encode()).hexdigest() != params.get("tokenHash"):
            raise Refused("INVALID_APP_TOKEN_HASH")
        life = token["duration"] if token["expiry"] is None else min(token["duration"], token["expiry"] - self.now)
        if life < 0:
            raise Refused("APP_TOKEN_EXPIRED", params["id"])
        life = min(number(params.get("expiry"), 0) or life, life)
        user = token["user"] if token["user"] is not None else params.get("userId") or ""
        rights = f"sessionid:{params['id']},apptoken:{params['id']}" + ("," + token["privileges"] if token["privileges"] else "")
        ks = self.note(self.ks(user, token["type"], rights, life))
        return {"ks": ks, "sessionType": token["type"], "partnerId": self.partner, "userId": user, "expiry": self.now + life,
                "privileges": rights, "objectType": "KalturaSessionInfo"}

    # --- entries

    def found(self, id, session):
        """entryPeer::retrieveByPK: who isn't entitled hears that it isn't there."""
        entry = self.entries.get(id)
        known = entry and entry.status != 3 and (entry.parent or entry).known_to(session)
        if not known or not session and entry.in_search != 2:
            raise Refused("ENTRY_ID_NOT_FOUND", id or "")
        return entry

    def baseentry_get(self, session, params):
        if "entryId" not in params:
            raise Refused("MISSING_MANDATORY_PARAMETER", "entryId")
        return self.found(params["entryId"], session).shown()

    media_get = baseentry_get

    def baseentry_getbyids(self, session, params):
        entries = [self.entries.get(id) for id in listed(params.get("entryIds", ""))]
        return [e.shown() for e in entries if e and e.status != 3 and e.known_to(session)]

    def baseentry_listbyreferenceid(self, session, params):
        return self.baseentry_list(session, {**params, "filter": {"referenceIdEqual": params.get("refId")}})

    def baseentry_list(self, session, params):
        """KalturaBaseEntryFilter.php, KalturaEntryService.php initService, entryPeer.php setDefaultCriteriaFilter."""
        wanted = params.get("filter") if isinstance(params.get("filter"), dict) else {}
        entries = self.selected(session, wanted, params["service"].lower() == "media")
        answer = self.paged(entries, params.get("pager"), "KalturaBaseEntryListResponse")
        for entry in entries:
            if entry.vanishes:
                entry.status = 3
        return answer

    media_list = baseentry_list

    def selected(self, session, wanted, media):
        by_id = [n for n in ("idEqual", "idIn", "referenceIdEqual", "referenceIdIn", "redirectFromEntryId", "parentEntryIdEqual")
                 if wanted.get(n)]
        media_filter = media or wanted.get("objectType") == "KalturaMediaEntryFilter"
        entries = [e for e in self.entries.values() if e.status != 3 and (e.parent or e).known_to(session)
                   and self.matches(e, wanted, media_filter) and (not media or e.type == 1)]
        if not by_id and not is_admin(session) and not may(session, "list", "*"):
            # Without list:* a person lists what is their own, a widget nothing.
            entries = [e for e in entries if e.user == session.user and session.user not in ("", "0")]
        order = listed(wanted.get("orderBy") or "-createdAt")[0]
        keys = {"name": lambda e: e.name.lower(), "updatedAt": lambda e: e.updated, "startDate": lambda e: e.start or 0}
        return sorted(entries, key=keys.get(order[1:], lambda e: e.created), reverse=order.startswith("-"))

    def matches(self, entry, wanted, media_filter):
        get = wanted.get
        if target := get("redirectFromEntryId"):
            # filters: the entry that it leads to, or itself.
            source = self.entries.get(target)
            if entry.id != ((source and source.redirect) or target):
                return False
        elif not get("idEqual"):
            status = listed(get("statusEqual", "")) or listed(get("statusIn", "")) or ["2"]
            if str(entry.status) not in status and not get("statusNotEqual") and not get("statusNotIn"):
                return False
            moderation = listed(get("moderationStatusEqual", "")) or listed(get("moderationStatusIn", ""))
            refused = listed(get("moderationStatusNotEqual", "")) or listed(get("moderationStatusNotIn", "")) or ["1", "3"]
            if (str(entry.moderation) not in moderation) if moderation else str(entry.moderation) in refused:
                return False
            if entry.in_search < 0 and not get("parentEntryIdEqual") and not get("idIn"):
                return False
        ids = [self.categories.get(number(i, 0)) for i in listed(get("categoryAncestorIdIn", ""))]
        direct = [number(i, 0) for i in listed(get("categoriesIdsMatchOr", ""))]
        every = [number(i, 0) for i in listed(get("categoriesIdsMatchAnd", ""))]
        active = set(entry.categories) - entry.pending
        return all((
            not get("idEqual") or entry.id == get("idEqual"), not get("idIn") or entry.id in listed(get("idIn"))[:MAX_IN],
            not get("referenceIdEqual") or entry.reference == get("referenceIdEqual"),
            not get("parentEntryIdEqual") or entry.parent and entry.parent.id == get("parentEntryIdEqual"),
            not direct or active & set(direct), not every or active >= set(every),
            not get("categoryAncestorIdIn") or any(c and c.holds(entry) for c in ids),
            not get("typeEqual") or str(entry.type) == str(get("typeEqual")),
            not get("typeIn") or str(entry.type) in listed(get("typeIn")),
            not media_filter or not get("mediaTypeEqual") or str(entry.media) == str(get("mediaTypeEqual")),
            not media_filter or not get("mediaTypeIn") or str(entry.media) in listed(get("mediaTypeIn")),
            not get("userIdEqual") or entry.user == get("userIdEqual"),
            not get("nameLike") or get("nameLike").lower() in entry.name.lower(),
            not get("updatedAtGreaterThanOrEqual") or entry.updated >= number(get("updatedAtGreaterThanOrEqual"), 0),
            not get("createdAtGreaterThanOrEqual") or entry.created >= number(get("createdAtGreaterThanOrEqual"), 0),
            not get("createdAtLessThanOrEqual") or entry.created <= number(get("createdAtLessThanOrEqual"), 0)))

    def baseentry_getplaybackcontext(self, session, params):
        """BaseEntryService.php getPlaybackContextAction, kPlaybackContextDataHelper.php."""
        if not params.get("contextDataParams"):
            raise Refused("MISSING_MANDATORY_PARAMETER", "contextDataParams")
        entry, context = self.found(params.get("entryId"), session), params["contextDataParams"]
        # The rules, the schedule and the address are the parent's; the flavors are the child's.
        main = entry.parent or entry
        blocked, seen = main.blocked(session), not is_widget(session) and may(session, "sview", main.id)
        outside = not main.scheduled_now and not seen
        codes = ([blocked] if blocked else []) + (["SCHEDULED"] if outside else [])
        messages = [{"message": RESTRICTED[c], "code": c + "_RESTRICTED", "objectType": "KalturaAccessControlMessage"}
                    for c in codes]
        actions = [{"type": 1, "objectType": "KalturaAccessControlBlockAction"}] if blocked else []
        if blocked or outside and is_widget(session):
            return {"actions": actions, "messages": messages, "objectType": "KalturaPlaybackContext"}
        only = listed(context.get("streamerType", "")) if isinstance(context, dict) else []
        sources = [self.source(main, entry, format) for format in entry.formats
                   if entry.tagged(format) and (not only or format.replace("url", "http") in only)]
        used = {id for source in sources for id in source["flavorIds"].split(",")}
        flavors = [f.shown(main.id) for f in entry.ready() if f.id in used]
        captions = [c.in_context() for c in main.captions if c.status == 2 and c.on_player]
        return {"sources": sources, "playbackCaptions": captions, "flavorAssets": flavors, "actions": actions,
                "messages": messages, "bumperData": [], "objectType": "KalturaPlaybackContext"}

    def source(self, main, entry, format):
        """myEntryUtils.class.php buildManifestUrl: /sp/ is the partner without 00 here."""
        flavors = entry.tagged(format)
        ids, scheme = ",".join(f.id for f in flavors), self.base.split(":")[0]
        end = {"url": f"url/name/a.{flavors[-1].ext}", "applehttp": "applehttp/a.m3u8",
               "mpegdash": "mpegdash/manifest.mpd"}[format]
        schemes = ("drm.PLAYREADY_CENC", "drm.WIDEVINE_CENC") if format == "mpegdash" else ("fps.FAIRPLAY",)
        drm = [{"scheme": s, "licenseURL": f"https://udrm.kaltura.com//cenc/license?custom_data=eyJ9&signature={i}%3D",
                "objectType": "KalturaDrmPlaybackPluginData"} for i, s in enumerate(schemes)] if format in entry.drm else []
        return {"deliveryProfileId": PROFILES[format], "format": format, "protocols": "http,https", "flavorIds": ids,
                "url": f"{self.base}/p/{self.partner}/sp/{self.partner}/playManifest/entryId/{main.id}/flavorIds/{ids}"
                       f"/deliveryProfileId/{PROFILES[format]}/protocol/{scheme}/format/{end}",
                "drm": drm, "objectType": "KalturaPlaybackSource"}

    # --- flavors and captions

    def flavorasset_getbyentryid(self, session, params):
        """FlavorAssetService.php: an array, of all that aren't deleted, whatever their status."""
        return [f.shown() for f in self.found(params.get("entryId"), session).flavors if f.status != 3]

    def assets(self, session, params, kind, name):
        """KalturaAssetFilter.php: an entry must be named, and one that isn't there gives an empty list."""
        wanted = params.get("filter") if isinstance(params.get("filter"), dict) else {}
        ids = [wanted["entryIdEqual"]] if wanted.get("entryIdEqual") else listed(wanted.get("entryIdIn", ""))
        if not ids:
            raise Refused("PROPERTY_VALIDATION_CANNOT_BE_NULL", f"{kind}Filter::entryIdEqual/{kind}Filter::entryIdIn")
        entries = [e for e in map(self.entries.get, ids) if e and e.status != 3 and (e.parent or e).known_to(session)]
        if name == "captions":
            # kParentChildEntryUtils.php: those of the parent.
            entries = list(dict.fromkeys(e.parent or e for e in entries))
        status = listed(wanted.get("statusEqual", "")) or listed(wanted.get("statusIn", ""))
        found = [a for e in entries for a in getattr(e, name) if a.status != 3 and (not status or str(a.status) in status)]
        return self.paged(found, params.get("pager"), kind + "ListResponse")

    def flavorasset_list(self, session, params):
        return self.assets(session, params, "KalturaFlavorAsset", "flavors")

    def caption_captionasset_list(self, session, params):
        return self.assets(session, params, "KalturaCaptionAsset", "captions")

    def asset(self, id, name, code, session):
        found = next((a for e in self.entries.values() if e.status != 3 for a in getattr(e, name)
                      if a.id == id and a.status != 3), None)
        if not found or session and not (found.entry.parent or found.entry).known_to(session):
            raise Refused(code, id or "")
        return found

    def flavorasset_get(self, session, params):
        return self.asset(params.get("id"), "flavors", "FLAVOR_ASSET_ID_NOT_FOUND", session).shown()

    def flavorasset_geturl(self, session, params):
        """FlavorAssetService.php getUrlAction, flavorAsset.php getServeFlavorUrl; whoever may not has the whole request die."""
        flavor = self.asset(params.get("id"), "flavors", "FLAVOR_ASSET_ID_NOT_FOUND", session)
        if flavor.status not in (2, 9):
            raise Refused("FLAVOR_ASSET_IS_NOT_READY")
        self.playable(flavor.entry, session, download=True)
        name = re.sub(r"[^\w ().-]", "_", flavor.entry.name, flags=re.ASCII).replace(" ", "_")
        return self.media_url(flavor, f"{flavor.path}/fileName/{name}.{flavor.ext}/name/a.{flavor.ext}")

    def caption_captionasset_get(self, session, params):
        return self.asset(params.get("captionAssetId"), "captions", "CAPTION_ASSET_ID_NOT_FOUND", session).shown()

    def caption_captionasset_geturl(self, session, params):
        caption = self.asset(params.get("id"), "captions", "CAPTION_ASSET_ID_NOT_FOUND", session)
        if caption.status != 2:
            raise Refused("CAPTION_ASSET_IS_NOT_READY", caption.id)
        return caption.url

    def caption_captionasset_serve(self, session, params):
        """CaptionAssetService.php: without a session too, where nothing restricts the entry."""
        caption = self.asset(params.get("captionAssetId"), "captions", "CAPTION_ASSET_ID_NOT_FOUND", session)
        if not caption.entry.known_to(session):
            raise Refused("CAPTION_ASSET_ID_NOT_FOUND", caption.id)
        self.playable(caption.entry, session, download=True)
        return caption.content, TYPES.get(caption.format, "text/plain")

    def caption_captionasset_servewebvtt(self, session, params):
        content, _ = self.caption_captionasset_serve(session, params)
        if not params.get("segmentIndex"):
            lines = b"#EXTM3U\n#EXT-X-TARGETDURATION:30\n#EXTINF:30,\nsegmentIndex/1.vtt\n#EXT-X-ENDLIST\n"
            return lines, "application/x-mpegurl"
        text = content.decode("utf-8", "replace")
        text = text if text.startswith("WEBVTT") else "WEBVTT\n\n" + re.sub(r"(\d\d:\d\d:\d\d),(\d{3})", r"\1.\2", text)
        return text.encode(), "text/vtt"

    def served(self, request, content, kind):
        return self.file(request, content, kind, {})

    # --- categories and playlists

    def category_get(self, session, params):
        category = self.categories.get(number(params.get("id"), 0))
        if not category or not category.known_to(session):
            raise Refused("CATEGORY_NOT_FOUND", params.get("id", ""))
        return category.shown()

    def category_list(self, session, params):
        """CategoryService.php: without a pager up to 1,500; KalturaCategoryFilter.php: by depth."""
        get = (params.get("filter") if isinstance(params.get("filter"), dict) else {}).get
        ids = lambda name: [number(i, 0) for i in listed(get(name) or "")]
        found = [c for c in self.categories.values() if c.known_to(session) and all((
            not get("idEqual") or c.id in ids("idEqual"), not get("idIn") or c.id in ids("idIn"),
            not get("parentIdEqual") or c.parent and c.parent.id in ids("parentIdEqual"),
            not get("parentIdIn") or c.parent and c.parent.id in ids("parentIdIn"),
            not get("ancestorIdIn") or {a.id for a in c.line[:-1]} & set(ids("ancestorIdIn")),
            not get("fullNameEqual") or c.full_name == get("fullNameEqual"),
            not get("fullNameStartsWith") or c.full_name.startswith(get("fullNameStartsWith")),
            not get("referenceIdEqual") or c.reference == get("referenceIdEqual"),
            not get("memberEqual") or get("memberEqual") in (c.members or ())))]
        found.sort(key=lambda c: len(c.line))
        return self.paged(found, params.get("pager"), "KalturaCategoryListResponse", everything=True)

    def categoryentry_list(self, session, params):
        """KalturaCategoryEntryFilter.php: ids only, also of entries that no list shows; the direct category only."""
        get = (params.get("filter") if isinstance(params.get("filter"), dict) else {}).get
        if not any(get(n) for n in ("entryIdEqual", "entryIdIn", "categoryIdEqual", "categoryIdIn")) and not is_admin(session):
            raise Refused("MUST_FILTER_ON_ENTRY_OR_CATEGORY")
        wanted = [number(i, 0) for i in listed(get("categoryIdEqual") or get("categoryIdIn") or "")]
        if hidden := [i for i in wanted if i in self.categories and not self.categories[i].known_to(session)]:
            raise Refused("CATEGORY_NOT_FOUND", hidden[0])
        entries = listed(get("entryIdEqual") or get("entryIdIn") or "")
        status = listed(get("statusEqual") or get("statusIn") or "")
        rows = [Row(self, e, c) for e in self.entries.values() for c in e.categories if (not wanted or c in wanted)
                and (not entries or e.id in entries) and (not status or ("1" if c in e.pending else "2") in status)]
        return self.paged(rows, params.get("pager"), "KalturaCategoryEntryListResponse")

    def playlist_of(self, id, session):
        playlist = self.entries.get(id)
        if not playlist or playlist.status == 3 or not playlist.known_to(session):
            raise Refused("INVALID_ENTRY_ID", "Playlist", id or "")
        if playlist.type != 5:
            raise Refused("INVALID_PLAYLIST_TYPE")
        return playlist

    def playlist_get(self, session, params):
        return self.playlist_of(params.get("id"), session).shown()

    def playlist_list(self, session, params):
        wanted = {**(params.get("filter") if isinstance(params.get("filter"), dict) else {}), "typeEqual": 5}
        return self.paged(self.selected(session, wanted, False), params.get("pager"), "KalturaPlaylistListResponse")

    def playlist_execute(self, session, params):
        """PlaylistService.php, myPlaylistUtils.class.php: an array without a count, of what may be played now."""
        playlist = self.playlist_of(params.get("id"), session)
        if playlist.content.startswith("<"):
            tag = lambda name, default: (re.search(f"<{name}>(.*?)</{name}>", playlist.content) or [None, default])[1]
            direct = {number(i, 0) for i in listed(tag("matchor_categories_ids", ""))}
            entries = [e for e in self.entries.values() if direct & set(e.categories) and e.type in (1, 7) and e.in_search >= 0]
            entries.sort(key=lambda e: e.created, reverse=tag("order_by", "-").startswith("-"))
            # A filter without a limit has one of 200 (TOTAL_RESULTS).
            most = min(int(tag("limit", 200)), int(tag("total_results", 200)))
            entries = [e for e in entries if self.played(e, session)][:most]
        else:
            # _in_id is cut at 500 values: filters.class.php createSqlIn.
            entries = [self.entries[i] for i in listed(playlist.content)[:MAX_IN] if i in self.entries]
            entries = [e for e in entries if self.played(e, session)]
        if isinstance(params.get("pager"), dict):
            return self.paged(entries, params["pager"], "")["objects"]
        return [e.shown() for e in entries]

    @staticmethod
    def played(entry, session):
        return (entry.status == 2 and entry.moderation not in (1, 3) and entry.known_to(session) and entry.in_search != -2
                and (is_admin(session) or entry.scheduled_now))

    # --- Media

    def playable(self, entry, session, download=False):
        """KSecureEntryHelper.class.php validateForPlay, validateForDownload."""
        main = entry.parent or entry
        if is_admin(session) or download and session and may(session, "download", main.id):
            return
        if not session or not may(session, "sview", main.id):
            if main.moderation in (1, 3) and not (session and session.user == main.user):
                raise Died(13)
            if not main.scheduled_now:
                raise Died(2)
        if main.blocked(session):
            raise Died(3)

    def manifest(self, request, params):
        """playManifestAction.class.php; parameters are pairs in the path or in the query, the session also a header."""
        params = {**dict(request.query), **params}
        short = {"entryId": "e", "flavorIds": "fs", "flavorId": "fi", "format": "f", "protocol": "pt"}
        get = lambda name: params.get(name, params.get(short.get(name, name)))
        session = self.session(request.headers.get("X-Kaltura-Ks") or get("ks"), dies=True)
        entry = self.entries.get(get("entryId"))
        if not entry or entry.status == 3 or not (entry.parent or entry).known_to(session):
            raise Died(1)
        format = get("format") or "http"
        self.playable(entry, session, format == "download")
        if entry.type not in (1, 7) or entry.media not in (1, 5, 201):
            raise Died(12)
        flavors = self.chosen(entry, get, format)
        if not flavors:
            raise Died(6)
        # The word "protocol" is that of the addresses in the answer; here they are at `cdn`, whatever it says.
        if format in ("url", "download"):
            # Of several flavors it takes the first that there is, not the best.
            flavor = flavors[0]
            name = f"/fileName/a.{flavor.ext}" if format == "download" else ""
            url = self.media_url(flavor, f"{flavor.path}{name}/name/a.{flavor.ext}")
            return Answer(302, b"", {"Location": url, "Access-Control-Allow-Origin": "*",
                                     "Content-Type": "text/html; charset=utf-8"})
        if format in ("applehttp", "hls"):
            return self.master(flavors)
        if format == "mpegdash":
            return Answer(302, b"", {"Location": f"{self.cdn}/dash{flavors[0].path}/manifest.mpd"})
        raise Died(25, "This format is unsupported")

    @staticmethod
    def chosen(entry, get, format):
        """initFlavorAssetArray: ids that aren't this entry's are no error; then the tags choose."""
        ids = listed(get("flavorIds") or get("flavorId") or "")
        kinds = listed(get("flavorParamIds") or get("flavorParamId") or "")
        found = [f for f in entry.ready() if f.id in ids or not ids and str(f.params) in kinds]
        return found or entry.tagged({"download": "url", "hls": "applehttp"}.get(format, format))

    def master(self, flavors):
        """kManifestRenderers.php kM3U8ManifestRenderer; DeliveryProfileVodPackagerHls.php for the addresses."""
        lines = ["#EXTM3U"]
        for flavor in sorted(flavors, key=lambda f: (not f.width, f.bitrate)):
            rate = int(flavor.bitrate * 1024 * 188 / 184 + (25 * 188 * 4 if flavor.width else 0))
            size = f",RESOLUTION={flavor.width}x{flavor.height},FRAME-RATE=25.000" if flavor.width else ""
            lines += [f"#EXT-X-STREAM-INF:PROGRAM-ID=1,BANDWIDTH={rate}{size}",
                      self.media_url(flavor, f"/hls{flavor.path}/name/a.{flavor.ext}/index.m3u8")]
        return Answer(200, ("\n".join(lines) + "\n").encode(), {"Content-Type": "application/x-mpegurl",
                                                                 "Access-Control-Allow-Origin": "*"})

    def media_url(self, flavor, path):
        """kAkamaiHttpUrlTokenizer.php: a token where the account has a tokenizer and the entry needs it."""
        if not (flavor.entry.signed or flavor.entry.secured):
            return self.cdn + path
        with self.lock:
            end = self.now + self.url_life + next(self.ids) % 60 if self.url_life > 60 else self.now + self.url_life
        return f"{self.cdn}{path}?__gda__={end}_{self.token(path, end)}"

    def token(self, path, end):
        return hmac.new(self.cdn_key.encode(), f"{path} {end}".encode(), "md5").hexdigest()

    def token_holds(self, request):
        value = dict(request.query).get("__gda__", "")
        end, _, token = value.partition("_")
        return (end.isdigit() and int(end) > self.now and token == self.token(request.place, end)
                and value not in self.refused)

    def serve_flavor(self, request, params):
        """serveFlavorAction.class.php knows no sessions; the token is the CDN's, which answers 403 without a good one."""
        try:
            flavor = self.asset(params.get("flavorId"), "flavors", "FLAVOR_ASSET_ID_NOT_FOUND", None)
        except Refused:
            raise Died(6) from None
        if params.get("entryId") not in (None, flavor.entry.id):
            raise Died(6)
        name = request.place.rpartition("/")[2]
        segment = re.fullmatch(r"seg-(\d+)-v1-a1\.ts", name)
        if (flavor.entry.signed or flavor.entry.secured) and not segment and not self.token_holds(request):
            return self.page(403, "Access Denied")
        if name == "index.m3u8":
            lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:10", "#EXT-X-ALLOW-CACHE:YES", "#EXT-X-PLAYLIST-TYPE:VOD",
                     "#EXT-X-VERSION:3", "#EXT-X-MEDIA-SEQUENCE:1"]
            for index in range(len(flavor.segments)):
                lines += ["#EXTINF:10.000,", f"seg-{index + 1}-v1-a1.ts"]
            return Answer(200, ("\n".join(lines + ["#EXT-X-ENDLIST"]) + "\n").encode(),
                          {"Content-Type": "application/vnd.apple.mpegurl", "Access-Control-Allow-Origin": "*"})
        if segment:
            index = int(segment[1]) - 1
            if index >= len(flavor.segments):
                return self.page(404, "Not Found")
            return self.file(request, flavor.segments[index], "video/MP2T", {})
        more = {}
        if params.get("fileName"):
            more = {"Content-Disposition": f'attachment; filename="{params["fileName"]}"', "Content-Description": "File Transfer"}
        return self.file(request, flavor.content, TYPES.get(flavor.ext, f"image/{flavor.ext}"), more, flavor.modified)

    def download(self, request, params):
        """downloadAction.class.php: /download/entry_id/…/flavor/…/ks/…; without a flavor one for the web or the source."""
        session = self.session(params.get("ks") or dict(request.query).get("ks"), dies=True)
        entry = self.entries.get(params.get("entry_id"))
        if not entry or entry.status == 3 or not (entry.parent or entry).known_to(session):
            raise Died(1)
        self.playable(entry, session, True)
        wanted = params.get("flavor")
        found = [f for f in entry.ready() if (f.id == wanted if wanted else f.has(["web"]))]
        found = found or [f for f in entry.ready() if f.original and not wanted]
        if not found:
            raise Died(6)
        name = re.sub(r'[^ -~]|"', "_", entry.name)
        more = {"Content-Disposition": f'attachment; filename="{name}.{found[0].ext}"'}
        return self.file(request, found[0].content, TYPES.get(found[0].ext, "video/mp4"), more, found[0].modified)

    def file(self, request, content, kind, more, modified=None):
        """kRendererDumpFile.php, infraRequestUtils handleRangeRequest: no ETag, a made-up date, If-Range isn't looked at."""
        size, etag = len(content), f'"{hashlib.md5(content).hexdigest()}"'
        headers = {"Accept-Ranges": "bytes", "Access-Control-Allow-Origin": "*", "Content-Type": kind,
                   "Cache-Control": "public, max-age=8640000, max-stale=0", "Last-Modified": "Sun, 19 Nov 2000 08:52:00 GMT",
                   **more}
        if self.etags:
            headers |= {"ETag": etag, "Last-Modified": email.utils.formatdate(modified or self.now, usegmt=True)}
        condition = request.headers.get("If-Range")
        heeded = not self.etags or condition in (None, etag, headers["Last-Modified"])
        match = re.fullmatch(r"bytes=(\d*)-(\d*)", request.range or "") if heeded else None
        if request.range and heeded and (not match or "," in request.range or match[0] == "bytes=-"):
            return Answer(416, b"", {**headers, "Content-Range": f"bytes 0-{size - 1}/{size}"})
        if not match:
            return Answer(200, content, headers, request.place)
        first = int(match[1]) if match[1] else max(0, size - int(match[2]))
        last = min(int(match[2]), size - 1) if match[1] and match[2] else size - 1
        if first > last:
            whole = "*" if self.etags else f"0-{size - 1}"
            return Answer(416, b"", {**headers, "Content-Range": f"bytes {whole}/{size}"})
        headers["Content-Range"] = f"bytes {first}-{last}/{size}"
        return Answer(206, content[first:last + 1], headers, request.place)


class Row:
    """One entry in one category: KalturaCategoryEntry.php."""

    def __init__(self, host, entry, category):
        self.host, self.entry, self.category = host, entry, category

    def shown(self):
        line = self.host.categories[self.category].line if self.category in self.host.categories else []
        return {"categoryId": self.category, "entryId": self.entry.id, "createdAt": self.entry.created,
                "categoryFullIds": ">".join(str(c.id) for c in line), "status": 1 if self.category in self.entry.pending else 2,
                "creatorUserId": self.entry.user, "objectType": "KalturaCategoryEntry"}


class Handler(Connection):
    """One connection."""

    def do(self):
        host = self.server.kaltura
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode("utf-8", "replace").strip()
        path, _, query = self.path.partition("?")
        self.query, self.place = urllib.parse.parse_qsl(query, True), urllib.parse.unquote(path)
        self.range, self.calls, self.body_params = self.headers.get("Range"), [], {}
        kind = self.headers.get("Content-Type", "").lower()
        # infraRequestUtils.class.php getRequestParams: JSON is read where the type is exactly this, without a charset.
        if kind == "application/json" and body.startswith("{") and body.endswith("}"):
            try:
                self.body_params = json.loads(body)
            except ValueError:
                pass
        elif kind.startswith("application/x-www-form-urlencoded"):
            self.body_params = dict(urllib.parse.parse_qsl(body, True))
        host.closing.wait(host.delay)
        answer = host.answer(self)
        shown = "&".join(f"{n}={v}" for n, v in self.query if n.rpartition(":")[2] not in SECRETS)
        with host.lock:
            host.asked.append(Asked(self.command, re.sub(r"/ks/[^/]+", "/ks/KS", self.place), shown, answer.status, self.range,
                                    tuple(self.calls)))
        self.send(answer)

    do_GET = do_POST = do_HEAD = do

    @staticmethod
    def pairs(path):
        """getUrlRequestParams: /name/value/name/value, the first of a name counts; an odd end such as a.mp4 has no value."""
        parts, found = path.strip("/").split("/"), {}
        for index in range(0, len(parts), 2):
            found.setdefault(parts[index], parts[index + 1] if index + 1 < len(parts) else None)
        return {n: v for n, v in found.items() if n and v is not None}

    def cut(self, answer):
        host = self.server.kaltura
        count, ends = host.breaks(answer, answer.media)
        if ends:
            with host.lock:
                host.refused.add(dict(self.query).get("__gda__", ""))
                host.expire()
        return count
