"""Nights by seed with shards: kills, machines that change or are lost, and other numbers of shards, in any order.

In the end the library is the one that a sync without shards makes in calm nights, whatever N is, and the host has sent no
video as a whole more often than kills and commands explain. COURSEFETCH_SEED=n repeats the plan of a seed (a kill comes at
another moment of the program each time), --soak runs sixty.
"""

import concurrent.futures
import hashlib
import json
import os
import random
import shutil
import signal
import time
import unittest

import media
from host import File, Host
from samples import SOAK
from shards import shard_of
from stage import Stage

NUMBERS = [1, 2, 3, 5]
MACHINES = ["north", "south", "west"]
WORDS = ["Anfang", "Ölfläche", "Ende", "a/b", "Übung", "CON", "x" * 60]
PROVIDER = '''
def table():
    with open({path!r}) as file: return json.load(file)
def answer(params):
    return {{"url": table()["urls"][params["course"]["id"] + "/" + params["video"]["id"]]}}
'''
# Seconds in which a killed sync may have finished files that nothing tells of yet: its state, on its machine, and its list in
# the library, for other machines, which is written once a second.
GRACE = {True: 0.8, False: 2}
# A request may be read after its sync is gone. No sync asks for anything so soon after it has begun.
READING = 0.3
# What a sync that is stopped has got by then is kept, beyond these bytes and seconds.
LEAST, LATEST = 40_000, 0.5


class Counted(File):
    """A file that notes each time when it begins to be sent as a whole."""

    def __init__(self, body, video, sent, rate=None):
        self.key = hashlib.sha256(body).hexdigest()
        super().__init__(body, etag=f'"{self.key[:10]}"', rate=rate)
        self.video, self.sent = video, sent

    def pour(self, x, data):
        transfer = Transfer(self.video, self.key, x.request)
        # A range with an end is a sample: of a video whose equal id may mean that it is the same.
        if len(data) == len(self.body) and x.request.range_end is None:
            self.sent.append(transfer)
        step = max(1, self.rate // 20) if self.rate else len(data)
        for at in range(0, len(data), step):
            x.send(data[at : at + step])
            transfer.progress.append((time.monotonic(), min(len(data), at + step)))
            if self.rate and x.host.closing.wait(0.05):
                return
        transfer.ended = time.monotonic()


class Transfer:
    def __init__(self, video, key, request):
        self.video, self.key, self.request = video, key, request
        self.began, self.ended, self.progress = time.monotonic(), None, []

    def __repr__(self):
        return f"{self.request} {self.key[:10]} {self.began:.2f}–{self.ended or 0:.2f}, {self.progress[-1:]}"


class Stop:
    """A signal that has ended a sync of a shard."""

    def __init__(self, has, name, number, at, stays):
        # Whether the shard has a video, by its course and its own id.
        self.has, self.name, self.number, self.at, self.until = has, name, number, at, time.monotonic()
        # Whether the next sync is on the same machine, with its state.
        self.stays = stays

    def wastes(self, transfer):
        """Whether what this transfer brought may be lost."""
        if not self.has(*transfer.video) or transfer.began > self.until + READING:
            return False
        if self.number == signal.SIGKILL:
            return transfer.ended is None or transfer.ended > self.at - GRACE[self.stays]
        return not any(bytes >= LEAST and at < self.at - LATEST for at, bytes in transfer.progress) and (
            transfer.ended is None or transfer.ended > self.at - LATEST)

    def __repr__(self):
        return f"{self.name} {self.number.name} {self.at:.2f}–{self.until:.2f}{', stays' if self.stays else ''}"


class Plan:
    """What the catalog is in each night, and what people say between two nights. The same for each library of a seed.

    In ragged nights a shard may be left undone, so that some versions and orders of the catalog pass unseen: names have no
    numbers then, nobody removes what may not be there yet, and the last night prunes.
    """

    def __init__(self, seed):
        self.chance, self.made, self.log = random.Random(seed), 0, []
        self.ragged = self.chance.random() < 0.4
        self.prunes = self.ragged or self.chance.random() < 0.5
        self.options = ["--jobs", str(self.chance.randrange(2, 6)), "--ffmpeg", "none", "--accept-listing"]
        if self.ragged:
            self.options += ["--layout", "{course}/{chapter}/{title}.{ext}"]
        else:
            self.options += self.chance.sample(["--write-nfo", "--write-playlist", "--write-index", "--write-info-json"], 1)
        self.courses, self.shared = {}, {"lens": 0, "prism": 0}
        # Who has each version of a shared video, and those that a course had which is in no catalog of a night: no other shard
        # knows of its file then.
        self.holders, self.departed = {}, []
        for number in range(self.chance.randrange(6, 13)):
            self.add_course(listed=number > 3 and self.chance.random() < 0.35)
        for name in self.shared:
            for course in self.chance.sample(list(self.courses)[:4], 2):
                self.share(self.courses[course], name)
        self.nights = []
        for night in range(self.chance.randrange(4, 6)):
            if night:
                for _ in range(self.chance.randrange(3, 8)):
                    self.edit()
            self.nights.append(self.night())
        self.nights[-2]["said"].append((["resume", "--all"], []))

    def fresh(self, word=None):
        self.made += 1
        return f"{word or self.chance.choice(WORDS)} {self.made}"

    def add_course(self, listed=False):
        id = f"c{len(self.courses)}"
        course = {"id": id, "title": self.fresh("Kurs"), "listed": listed, "there": True, "videos": [], "next": 0}
        self.courses[id] = course
        for _ in range(self.chance.randrange(1, 6)):
            self.add_video(course)
        return course

    def add_video(self, course):
        id, course["next"] = f"v{course['next']}", course["next"] + 1
        self.place(course, {
            "id": id, "title": self.fresh(), "version": 0, "told": self.chance.choice([None, None, "sha256", "size"]),
            "size": self.chance.choice([2_000, 9_000, 40_000, 120_000]), "shared": None,
            "chapter": None if course["listed"] else self.chance.choice([None, None, "k1", "k2"])})

    def share(self, course, name):
        if not course["listed"] and all(video["shared"] != name for video in course["videos"]):
            self.place(course, {"id": name, "title": self.fresh(name), "shared": name, "told": "sha256", "size": 100_000,
                                "chapter": None, "version": 0})

    def place(self, course, video):
        course["videos"].insert(self.chance.randrange(len(course["videos"]) + 1), video)

    def edit(self):
        kind = self.chance.choice(["add", "add", "drop", "title", "order", "renew", "renew", "share", "course", "rename", "gone"])
        course = self.chance.choice(list(self.courses.values()))
        videos = course["videos"]
        video = self.chance.choice(videos)
        self.log.append(f"{kind} {course['id']}/{video['id']}")
        if kind == "add":
            self.add_video(course)
        elif kind == "drop" and len(videos) > 1:
            videos.remove(video)
        elif kind == "title":
            video["title"] = self.fresh()
        elif kind == "order":
            self.chance.shuffle(videos)
        elif kind == "renew":
            if video["shared"]:
                self.shared[video["shared"]] += 1
            else:
                video["version"], video["told"] = video["version"] + 1, self.chance.choice(["sha256", "size"])
        elif kind == "share":
            self.share(course, self.chance.choice(list(self.shared)))
        elif kind == "course":
            self.add_course(listed=self.chance.random() < 0.3)
        elif kind == "rename":
            course["title"] = self.fresh("Kurs")
        elif kind == "gone":
            course["there"] = not course["there"]

    def body(self, course, video):
        version = self.shared[video["shared"]] if video["shared"] else video["version"]
        return media.mp4(f"{video['shared'] or course['id'] + '/' + video['id']} {version}", video["size"] + 37 * version)

    def night(self):
        """The catalog, the listings and the files of a night, and what is said after it."""
        courses, listings, files, selectors = [], {}, {}, {}
        for course in self.courses.values():
            if not course["there"]:
                self.departed += [hashlib.sha256(self.body(course, v)).hexdigest() for v in course["videos"] if v["shared"]]
                continue
            entries = {}
            for video in course["videos"]:
                body = self.body(course, video)
                files[course["id"], video["id"]] = body, self.chance.choice([None, None, 100_000, 300_000])
                told = {"sha256": hashlib.sha256(body).hexdigest(), "size": len(body)}
                entry = {"id": video["id"], "title": video["title"], **{k: told[k] for k in told if k == video["told"]}}
                entries.setdefault(video["chapter"], []).append(entry)
                if video["version"] or self.shared.get(video["shared"]):
                    self.holders.setdefault(told["sha256"], set()).add(course["id"])
                selectors.setdefault(course["id"], []).append(told["sha256"])
                selectors[f"{course['id']}/*/{video['id']}"] = [told["sha256"]]
            if course["listed"]:
                listings[course["id"]] = {"videos": entries[None]}
                courses.append({"id": course["id"], "title": course["title"], "discover": True})
            else:
                courses.append({"id": course["id"], "title": course["title"], "videos": entries.pop(None, []), "chapters": [
                    {"id": id, "title": f"Part {id}", "videos": found} for id, found in entries.items()]})
        self.chance.shuffle(courses)
        return {"courses": courses, "listings": listings, "files": files, "said": self.say(selectors), "edits": self.log[:]}

    def say(self, selectors):
        """Commands, each with the digests of the videos that it may bring once more."""
        said = []
        for _ in range(self.chance.randrange(0, 4)):
            selector = self.chance.choice(list(selectors))
            kind = self.chance.choice(["retry", "pause", "resume", "remove"])
            if kind == "remove" and not self.ragged:
                said.append((["remove", "--yes", selector], selectors[selector]))
            elif kind == "resume":
                said.append((["resume", "--all"], []))
            else:
                said.append((["retry", selector], selectors[selector]))
            if kind == "pause":
                said.append((["pause", selector], []))
        return said


class Library:
    """A library of a plan, with a host of its own."""

    def __init__(self, case, plan):
        self.case, self.plan, self.sent, self.again, self.log, self.stops = case, plan, [], [], [], []
        self.host, self.stage = Host(), Stage()
        case.addCleanup(self.stage.close)
        case.addCleanup(self.host.close)
        self.table = self.stage.folder / "table.json"
        self.stage.plugin("lectures", PROVIDER.format(path=str(self.table)), methods=["resolve", "list"])
        provider = self.stage.plugins / "lectures/provider"
        self.stage.replace(provider, provider.read_text().replace(
            'if request.get("method") != "resolve":', '''if request.get("method") == "list":
        reply = {"result": table()["listings"][request["params"]["course"]["id"]]}
    elif request.get("method") != "resolve":'''), 0o755)

    def prepare(self, night, slow):
        urls = {}
        for (course, video), (body, rate) in night["files"].items():
            file = Counted(body, (course, video), self.sent, rate if slow else None)
            urls[f"{course}/{video}"] = self.host.at(f"/{course}/{video}.mp4", file)
        self.stage.replace(self.table, json.dumps({"urls": urls, "listings": night["listings"]}))
        self.stage.write(night["courses"])

    def options(self, last):
        return self.plan.options + (["--prune", "--max-delete", "100%"] if last and self.plan.prunes else [])

    def live(self):
        """All nights; the last one is calm, and its second sync gives numbers anew that the first has made free."""
        for night in self.plan.nights[:-1]:
            self.prepare(night, slow=True)
            self.night()
            for words, keys in night["said"]:
                self.again += keys
                self.say(words)
            self.morning()
        self.prepare(self.plan.nights[-1], slow=False)
        for _ in range(2):
            self.sync(*self.options(last=True))
        asked = len(self.host.asked())
        self.sync(*self.options(last=True))
        self.case.assertEqual(self.host.asked()[asked:], [], "another sync asks for nothing")

    def rows(self, *arguments):
        return {key: (row["state"], row.get("path")) for key, row in self.stage.status(*arguments).items()}

    def everything(self):
        """Files with their bytes, and folders."""
        folders = [p.relative_to(self.stage.library) for p in self.stage.library.rglob("*") if p.is_dir()]
        return {**{f"{p}/": b"" for p in folders if ".coursefetch" not in p.parts}, **self.stage.files()}

    def counts(self):
        found = {}
        for transfer in self.sent:
            found.setdefault(transfer.key, []).append(transfer)
        return found

    def assert_nothing_sent_in_vain(self):
        """A version is sent once, and once more for each command about it; what a signal may have lost doesn't count.

        A new version of what several courses have is sent to each that has an old one. While one is sent once more on command, which
        nobody waits for, another shard may fetch it, too.
        """
        for key, transfers in self.counts().items():
            kept = [t for t in transfers if not any(stop.wastes(t) for stop in self.stops)]
            most = max(1, len(self.plan.holders.get(key, []))) + 2 * self.again.count(key)
            most += self.plan.departed.count(key)
            self.case.assertLessEqual(len(kept), most, f"sent as a whole: {transfers}; signals: {self.stops}")


class Single(Library):
    """Without shards, and without trouble."""

    def prepare(self, night, slow):
        super().prepare(night, slow=False)

    def night(self):
        self.sync(*self.options(last=False))

    def morning(self):
        pass

    def sync(self, *options):
        self.stage.sync(*options, exit=0)

    def say(self, words):
        self.log.append((words, self.stage.command(*words).exit))


class Sharded(Library):
    DIVISION = ()

    def owns(self, index):
        count = self.count
        return lambda course, video: shard_of(course, count) == index

    def __init__(self, case, plan, seed, count):
        super().__init__(case, plan)
        self.chance, self.count, self.said = random.Random(f"{seed} {count}"), count, []

    def note(self, what):
        self.log.append(f"{time.monotonic():.2f} {what}")

    def at(self, machine=None):
        machine = machine or self.chance.choice(MACHINES)
        return "--local-state", str(self.stage.folder / machine)

    def attempts(self):
        """When a shard is synced in a night, and how each sync ends: the signal, the moment, and whether its state is lost."""
        found = []
        while self.chance.random() < 0.35:
            found.append({
                "at": found[-1]["at"] if found and self.chance.random() < 0.4 else self.at(),
                "signal": self.chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM]),
                "event": self.chance.choice([None, "download_started", "download_finished"]), "many": self.chance.randrange(1, 5),
                "later": self.chance.choice([0, 0.05, self.chance.uniform(0, 1)]), "lost": self.chance.random() < 0.25})
        if not (self.plan.ragged and self.chance.random() < 0.3):
            found.append({"at": found[-1]["at"] if found and self.chance.random() < 0.4 else self.at(), "signal": None})
        for how, following in zip(found, found[1:]):
            how["stays"] = not how["lost"] and how["at"] == following["at"]
        return found

    def night(self):
        plans = {index: self.attempts() for index in range(1, self.count + 1)}
        order = list(plans)
        self.chance.shuffle(order)
        with concurrent.futures.ThreadPoolExecutor(self.chance.randrange(1, self.count + 1)) as pool:
            list(pool.map(lambda index: [self.attempt(index, **how) for how in plans[index]], order))

    def attempt(self, index, at, signal, event=None, many=0, later=0, lost=False, stays=False):
        arguments = ["--shard", f"{index}/{self.count}", *self.DIVISION, *at, *self.options(last=False)]
        self.note(f"sync {' '.join(arguments[:4])}")
        if signal is None:
            self.stage.sync(*arguments, exit=0)
            return self.note(f"{index} done")
        running = self.stage.start_sync(*arguments)
        deadline = time.monotonic() + 20
        while event and running.process.poll() is None and time.monotonic() < deadline:
            if sum(e["event"] == event for e in running.events) >= many:
                break
            time.sleep(0.01)
        time.sleep(later)
        began, over = time.monotonic(), running.process.poll() is not None
        run = running.stop(signal)
        # On a busy machine a signal may come before the program has begun.
        self.case.assertIn(run.exit, (0, 75, -signal), run)
        self.case.assertFalse(run.exit == -15 and run.events, run)
        if not over:
            self.stops.append(Stop(self.owns(index), f"{index}/{self.count}", signal, began, stays))
        self.note(f"{index} {signal.name} {run.exit}{' and lost' if lost else ''}")
        if lost:
            for state in (self.stage.folder / at[1]).glob(f"users/*/shards/{index}-of-{self.count}"):
                shutil.rmtree(state)

    def say(self, words):
        run = self.stage.command(*words, "--all-shards", *self.at())
        self.note(f"{words} {run.exit}")
        self.said.append((words, run.exit))
        self.case.assertIn(run.exit, (0, 64), run)

    def morning(self):
        if self.chance.random() < 0.4:
            lost = self.chance.choice(MACHINES)
            self.note(f"{lost} is lost")
            shutil.rmtree(self.stage.folder / lost, ignore_errors=True)
        count = self.chance.choice(NUMBERS)
        # There is no library before the first sync has begun.
        if self.chance.random() < 0.5 and (self.stage.library / ".coursefetch/library.json").exists():
            self.reshard(count)

    def reshard(self, count):
        while self.chance.random() < 0.5:
            at, later = self.at(), self.chance.uniform(0, 0.5)
            run = self.stage.start("reshard", str(count), *at)
            time.sleep(later)
            exit = run.stop(signal.SIGKILL).exit
            self.note(f"reshard {count} {at[1]}, killed after {later:.3f} s: {exit}")
            self.case.assertIn(exit, (0, -9))
            if self.chance.random() < 0.3:
                # The next sync is of those that there are now, and removes the rest.
                self.count = json.loads((self.stage.library / ".coursefetch/library.json").read_text())["shards"]
                return self.note(f"{self.count} shards")
        at = self.at()
        self.note(f"reshard {self.count} to {count} {at[1]}")
        run = self.stage.command("reshard", str(count), *at)
        self.case.assertEqual(run.exit, 0, run)
        self.count = count

    def sync(self, *options):
        def one(index_and_place):
            index, at = index_and_place
            self.stage.sync("--shard", f"{index}/{self.count}", *self.DIVISION, *at, *options, exit=0)

        places = [(index, self.at()) for index in range(1, self.count + 1)]
        self.note(f"all: {places}")
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            list(pool.map(one, places))

    def assert_clean(self):
        """Nothing is left over in the program's own folder."""
        own = self.stage.library / ".coursefetch"
        self.case.assertFalse((own / "division.json").exists())
        self.case.assertEqual(json.loads((own / "library.json").read_text())["shards"], self.count)
        parts = {f"{index}-of-{self.count}" for index in range(1, self.count + 1)}
        self.case.assertEqual({p.name for p in (own / "shards").iterdir()}, parts)
        left = [p for name in ("partials", "moving", "claims", "shards/*/partials", "shards/*/moving")
                for folder in own.glob(name) for p in folder.rglob("*")]
        self.case.assertEqual(left, [])

    def assert_same(self, single):
        ours, theirs = self.everything(), single.everything()
        if self.plan.ragged and any(stop.number == signal.SIGKILL for stop in self.stops):
            # A file that was finished within the second before a kill is in no list yet. If another machine goes on, and its
            # course has left the catalog by then, nobody looks for it: it stays, in a folder that nothing else is in.
            folders = {path.split("/")[0] for path in theirs}
            ours = {path: data for path, data in ours.items() if path.split("/")[0] in folders}
        if not self.DIVISION:
            # Shards of courses have no page of all courses, and no link to it.
            theirs.pop("index.html", None)
            link = b'<p class="meta"><a href="../index.html">Courses</a></p>\n'
            theirs = {path: data.replace(link, b"") for path, data in theirs.items()}
        self.case.assertEqual(sorted(ours), sorted(theirs), "paths")
        self.case.assertEqual([path for path in ours if ours[path] != theirs[path]], [], "files with other bytes")
        at = self.at()
        rows, wanted = self.rows("--all-shards", *at), single.rows()
        self.case.assertEqual(rows, wanted)
        run = self.stage.command("verify", "--all-shards", "--json", *at)
        files = sum(state == "finished" for state, _ in wanted.values())
        videos = {path for path in ours if path.endswith(".mp4")}
        self.case.assertEqual(videos, {path for _, path in wanted.values() if path}, "each video is of a row")
        self.case.assertEqual((run.exit, run.events[-1]["files"]), (0, files), run)
        if not self.plan.ragged:
            self.case.assertEqual(self.said, single.log)


class Divided(Sharded):
    """Each course's videos are divided among the shards."""

    DIVISION = ("--shard-by", "video")

    def prepare(self, night, slow):
        super().prepare(night, slow)
        # These nights are seconds long, and a shard takes a listing for an hour that another one has asked for.
        for ask in self.stage.library.glob(".coursefetch/register-*/asked-*"):
            ask.unlink()

    def owns(self, index):
        count = self.count
        return lambda course, video: shard_of(f"{course}\n{video}", count) == index


class ShardNights(unittest.TestCase):
    maxDiff = None

    def nights(self, seed, kind):
        plan, chance, now = Plan(seed), random.Random(seed), None
        try:
            single = Single(self, plan)
            single.live()
            for count in chance.sample(NUMBERS, 2 if SOAK else 1):
                now = kind(self, plan, seed, count)
                now.live()
                now.assert_clean()
                now.assert_same(single)
                now.assert_nothing_sent_in_vain()
                single.assert_nothing_sent_in_vain()
        except BaseException:
            print(f"COURSEFETCH_SEED={seed} Tests/Outside/run -k shard_nights", flush=True)
            print("\n".join([f"  ragged: {plan.ragged}, {plan.options}", *(f"  {n['edits']} {n['said']}" for n in plan.nights),
                             *(f"  {line}" for line in (now.log if now else []))]), flush=True)
            raise


def seeds():
    if os.environ.get("COURSEFETCH_SEED"):
        return [int(os.environ["COURSEFETCH_SEED"])]
    first = random.SystemRandom().randrange(10**6)
    return range(first, first + (-(-60 // SOAK) if SOAK else 1))


def add(seed, kind, name):
    def test(self):
        self.nights(seed, kind)
    test.seconds = 300
    setattr(ShardNights, f"test_after_nights_{seed}_of_shards_that_divide_{name}_the_library_is_that_of_one_sync", test)


for seed in seeds():
    add(seed, Sharded, "courses")
    add(seed, Divided, "videos")
