"""A state and a library as the last program of version 11 of the state's schema left them, and how they were made.

`states/version_11.json` is what `python3 version_11.py PROGRAM` wrote with that program: three nights of four courses, in which
numbers met. A later program can't make it: keep it. `lay_out` puts it into a stage.
"""

import datetime
import getpass
import json
import os
import pathlib
import sqlite3
import sys

KEPT = pathlib.Path(__file__).parent / "states" / "version_11.json"

# Lists a course from a file beside it, and finds each of its videos at one host.
LISTER = '''
import pathlib
TABLE, HOST = {table!r}, {host!r}

def answer(params):
    return {{"url": HOST + "/" + params["course"]["id"] + "/" + params["video"]["id"] + ".mp4"}}

def listing(params):
    with open(TABLE) as file: return json.load(file)[params["course"]["id"]]
'''


def shelf(scene, host, listings):
    """Makes the plugin `shelf`, which lists what is in `listings`, by course. To change that, call it again."""
    table = scene.plugins / "shelf.json"
    scene.replace(table, json.dumps(listings))
    scene.plugin("shelf", LISTER.format(table=str(table), host=host), methods=["resolve", "list"])
    # The stage's plugins only resolve.
    program = scene.plugins / "shelf" / "provider"
    text = program.read_text().replace(
        'if request.get("method") != "resolve":',
        'if request.get("method") == "list":\n'
        '        reply = {"result": listing(request["params"])}\n'
        '    elif request.get("method") != "resolve":')
    scene.replace(program, text, 0o755)


def episodes(numbers):
    """Listed videos `Folge N`, a day apart, without numbers of their source."""
    first = datetime.date(2026, 10, 1)
    return [{"id": f"f{n}", "title": f"Folge {n}", "published_at": f"{first + datetime.timedelta(n)}T08:00:00Z"}
            for n in numbers]


def listings(night):
    """What the shelf lists in a night: of `show` all is in a second season."""
    show = episodes(range(27, 32 if night == 1 else 34 if night == 2 else 35))
    files = [f"file-{n:03}" for n in range(1 if night == 1 else 2, 31)]
    return {
        "show": {"title": "Show", "chapters": [{"id": "s2", "title": "Season 2", "videos": show}]},
        "pod": {"title": "Pod", "videos": episodes(range(1 if night < 3 else 2, 7))},
        "files": {"title": "Files", "videos": files,
                  "chapters": [{"id": "extra", "title": "Extra", "videos": ["x1", "x2"]}]},
    }


def write(scene, night):
    """The catalog of a night."""
    hand = {"id": "hand", "title": "By hand", "videos": ["welcome", "plan"], "chapters": [
        {"id": "a", "title": "Part A", "videos": ["a1", "a2", "a3"]},
        {"id": "b", "title": "Part B", "videos": ["b1", "b2"]}]}
    if night >= 2:
        hand["chapters"][0]["videos"].remove("a1")
    if night >= 3:
        hand["videos"].remove("welcome")
        hand["chapters"][1]["videos"].insert(0, "b0")
    scene.write([
        hand,
        {"id": "show", "layout": "jellyfin", "discover": {"newest": 3}},
        {"id": "pod", "layout": "podcast", "discover": True},
        {"id": "files", "discover": True},
    ], provider="shelf")


def content(course, video):
    """The bytes of each video."""
    return b"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom" + f"the video {video} of {course}\0".encode() * 9


def lay_out(scene):
    """Puts the state and the library of version 11 into a stage."""
    kept = json.loads(KEPT.read_text())
    path = scene.state / kept["state"].replace("USER", getpass.getuser())
    path.parent.mkdir(parents=True, mode=0o700)
    for folder in (scene.state, *path.parents):
        if scene.state in (folder, *folder.parents):
            folder.chmod(0o700)
    database = sqlite3.connect(path)
    database.executescript(kept["sql"].replace("@FOLDER@", str(scene.folder)))
    database.execute(f"PRAGMA user_version = {kept['version']}")
    database.close()
    path.chmod(0o600)
    for name, (modified, text) in kept["library"].items():
        file = scene.library / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.replace("@FOLDER@", str(scene.folder)).encode("latin-1"))
        os.utime(file, ns=(modified, modified))


def make(program):
    """Lets three nights pass with a program of version 11, and keeps what they leave."""
    os.environ["COURSEFETCH_PROGRAM"] = os.path.abspath(program)
    import stage
    from host import File, Host
    scene, host = stage.Stage(), Host()
    try:
        for night in (1, 2, 3):
            write(scene, night)
            for course, videos in {
                "hand": ["welcome", "plan", "a1", "a2", "a3", "b0", "b1", "b2"],
                "show": [f"f{n}" for n in range(20, 40)], "pod": [f"f{n}" for n in range(1, 20)],
                "files": [f"file-{n:03}" for n in range(1, 31)] + ["x1", "x2"],
            }.items():
                for video in videos:
                    host.at(f"/{course}/{video}.mp4", File(content(course, video)))
            shelf(scene, host.url(""), listings(night))
            scene.sync("--accept-listing", exit=0)
        database = next(scene.state.rglob("state.sqlite"))
        connection = sqlite3.connect(database)
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        assert version == 11, version
        sql = "\n".join(connection.iterdump()).replace(str(scene.folder), "@FOLDER@")
        connection.close()
        library = {
            str(p.relative_to(scene.library)): (
                p.stat().st_mtime_ns, p.read_bytes().decode("latin-1").replace(str(scene.folder), "@FOLDER@"))
            for p in sorted(scene.library.rglob("*")) if p.is_file()}
        where = str(database.relative_to(scene.state)).replace(f"/{getpass.getuser()}/", "/USER/")
        KEPT.write_text(json.dumps({"version": version, "state": where, "sql": sql, "library": library}, indent=1) + "\n")
    finally:
        host.close()
        scene.close()


if __name__ == "__main__":
    make(sys.argv[1])
