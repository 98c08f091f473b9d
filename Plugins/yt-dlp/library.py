"""yt_dlp, imported when it is needed first, and one configured for a request."""

import contextlib
import importlib.util
import io
import json
import os
import pathlib
import shutil
import sys
import threading
import urllib.parse
import zipfile

from coursefetch_provider import ProviderError, log

_turn = threading.Lock()
_module = None
_idle = {}
MOST_IDLE = 8
# The first with the errors of its network as classes of their own.
OLDEST = "2023.12.30"
INSTALL = "python3 -m pip install --upgrade yt-dlp (or: pipx install yt-dlp)"


def adopt():
    """Makes yt_dlp available from an installed program `yt-dlp`, if this Python doesn't have the module.

    The program is an archive that can be imported (the official download), or it names the Python of its own environment
    (pipx): then this process goes on with that one. Call it before anything is read from standard input.
    """
    if importlib.util.find_spec("yt_dlp"):
        return
    program = shutil.which("yt-dlp")
    if not program:
        return
    if zipfile.is_zipfile(program):
        sys.path.append(program)
        return
    with open(program, "rb") as file:
        first = file.readline(1000).decode("utf-8", "replace").strip()
    python = first[2:].split(" ")[0] if first.startswith("#!/") else ""
    # The variable keeps two Pythons without the module from calling each other for ever.
    if os.path.basename(python).startswith("python") and os.path.exists(python) and "COURSEFETCH_YT_DLP" not in os.environ:
        os.environ["COURSEFETCH_YT_DLP"] = python
        os.execv(python, [python, "-B", *sys.argv])


def load():
    """The module. Without it the error says how to install it."""
    global _module
    with _turn:
        if _module is None:
            try:
                import yt_dlp
                import yt_dlp.networking.exceptions
            except ImportError as error:
                if "yt_dlp.version" in sys.modules:
                    version = sys.modules["yt_dlp.version"].__version__
                    trouble = f"the module yt_dlp of {sys.executable} is too old ({version}; {OLDEST} is needed)"
                else:
                    trouble = f"{sys.executable} has no module yt_dlp" + ("" if error.name == "yt_dlp" else f": {error}")
                raise ProviderError("unavailable", f"{trouble}; install it with: {INSTALL}") from None
            _module = yt_dlp
            log("debug", f"yt-dlp {yt_dlp.version.__version__}, Python {sys.version.split()[0]}")
    return _module


class Messages:
    """yt-dlp's messages, for the host's log. What is an error comes as an exception, too."""

    def debug(self, text):
        log("debug", text)

    info = warning = error = debug


def cookies(request):
    """The text of the cookies file that the catalog names; None without one."""
    name = request.parameters.get("cookies_file")
    if not name:
        return None
    try:
        text = pathlib.Path(name).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or "it isn't text"
        raise ProviderError("invalid_parameters", f"the cookies file can't be read: {reason}", parameter="cookies_file") from None
    for number, line in enumerate(text.splitlines(), 1):
        line = line[10:] if line.startswith("#HttpOnly_") else line
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split("\t")
        # yt-dlp would quote the line, and a catalog can name any file.
        if len(fields) != 7 or not (fields[4] or "0").isdigit():
            raise ProviderError(
                "invalid_parameters", f"the cookies file isn't in Netscape's format: see line {number}", parameter="cookies_file")
        request.conceal(fields[6])
    return text


def session(request):
    """The browser's session of the login, in Netscape's format; None without one."""
    text = request.credentials.get("cookies") if isinstance(request.credentials, dict) else None
    return text if isinstance(text, str) else None


def merged(old, new):
    """The cookies of both; of a domain that the new text has cookies of only the new ones."""
    def domain(line):
        return (line[10:] if line.startswith("#HttpOnly_") else line).split("\t")[0]

    if not old or not new:
        return new or old
    fresh = {domain(line) for line in new.split("\n") if "\t" in line}
    kept = [line for line in old.split("\n") if "\t" in line and domain(line) not in fresh]
    return "\n".join([new.rstrip("\n"), *kept]) + "\n"


@contextlib.contextmanager
def downloader(request, format=None, **options):
    """A YoutubeDL for this request, which downloads nothing. `format` is a function that selects one, `options` its own.

    It's kept for a later request with the same login, cookies and settings, so that a site isn't logged in to for each video,
    but not if the login wasn't enough. What replaces an answer that a host refused comes from a new one.
    """
    # Of the same cookie in both the file's counts.
    text = "\n".join(filter(None, [session(request), cookies(request)])) or None
    key = json.dumps([request.user, request.credentials, text, dict(request.settings), str(request.data_folder)], sort_keys=True)
    one = None
    with _turn:
        if request.previous is None and _idle.get(key):
            one = _idle[key].pop()
    one = one or fresh(request, text)
    for name in ("noplaylist", "ignore_no_formats_error"):
        one.params[name] = options.get(name, False)
    one.params["logins"] = logins(request)
    one.format_selector = format
    keep = False
    try:
        yield one
        keep = True
    except ProviderError as error:
        keep = error.kind not in ("auth_required", "forbidden", "rate_limited")
        raise
    finally:
        with _turn:
            if keep and sum(map(len, _idle.values())) < MOST_IDLE:
                _idle.setdefault(key, []).append(one)
                one = None
        if one:
            one.close()


def logins(request):
    """The logins by host."""
    sites = request.credentials.get("sites") if isinstance(request.credentials, dict) else None
    return sites if isinstance(sites, dict) else {}


def log_in_at(one, url):
    """Lets a YoutubeDL log in with what belongs to the site of `url`, and with nothing elsewhere.

    Sites embed each other's videos, and yt-dlp itself would send one login to each of them.
    """
    host = (urllib.parse.urlsplit(url).hostname or "").lower()
    # An address has no subdomains.
    named = not host.replace(".", "").isdigit() and ":" not in host
    places = [site for site in one.params["logins"] if host == site or named and host.endswith("." + site)]
    login = one.params["logins"][max(places, key=len)] if places else {}
    one.params["username"], one.params["password"] = login.get("username"), login.get("password")


def fresh(request, cookies):
    module = load()
    settings = request.settings
    parameters = {
        "quiet": True, "noprogress": True, "color": "no_color", "logger": Messages(), "simulate": True, "skip_download": True,
        "default_search": "error", "socket_timeout": 20, "extractor_retries": 1,
        "cachedir": str(request.data_folder / "cache") if request.data_folder and not request.credentials else False,
        # In memory, since yt-dlp writes the file when it ends.
        "cookiefile": io.StringIO(cookies) if cookies else None, "proxy": settings.get("proxy")}
    if settings.get("user_agent"):
        parameters["http_headers"] = {"User-Agent": settings["user_agent"]}
    if settings.get("ca_file"):
        # Of the system's certificates, which this variable names, and those of certifi yt-dlp would take the latter.
        os.environ["SSL_CERT_FILE"] = settings["ca_file"]
        parameters["compat_opts"] = {"no-certifi"}
    with _turn:
        # The first one loads what all share.
        try:
            return module.YoutubeDL({key: value for key, value in parameters.items() if value is not None})
        except (module.utils.YoutubeDLError, OSError):
            raise ProviderError("invalid_parameters", "yt-dlp can't read the cookies file", parameter="cookies_file") from None
