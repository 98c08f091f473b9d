#!/usr/bin/env python3
"""The search in the subtitles of 100,000 videos of an hour each: the index, and what a search takes.

usage: Tests/Benchmarks/search.py [VIDEOS] [--program PROGRAM] [--runs RUNS]. coursefetch-serve has to be beside PROGRAM
(default: the release build).

Each video has a subtitle file of 8,000 words and 900 cues, about 70 KB. Words are as frequent as those of speech: a text has some
1,700 different ones (Zipf's law as Mandelbrot has it), the first one is 6 % of it, and twelve are in no other text, as names and
mistakes of recognizers are. Words that begin with x are in so many videos, once to 25 times in each. The files come with the
library's own list, so no sync is needed. For 100,000 videos the temporary folder needs 10 GB; it goes at the end.

Prints what the first search takes, which makes the index; its size beside that of the texts (aim: a tenth at most); and for each
kind of query the median of 20 searches as a command, and of 20 on the page; of 3 each if one takes 2 s. The aim is 50 ms for what
at most 10,000 videos have, and 100 ms for more. `videos` is how many have all words, `hits` how many a command shows, 20 at most.
"""
import argparse
import itertools
import os
import random
import shlex
import sqlite3
import statistics
import sys
import time
import urllib.parse

import served

WORDS, EXPONENT, SHIFT = 60_000, 1.35, 5
# A text has twelve pieces of five minutes, each one of so many; after each piece there is a cue of the video's own.
PIECES, CUES, CUE_WORDS = 12, 75, 9
COURSE = 100
MEDIA = served.mp4(bytes(600))
# How often the text of a video has a word of the benchmark's own.
TIMES = [1, 1, 1, 2, 2, 3, 5, 9, 25]


def vocabulary(rest):
    """Words of one to four syllables, the frequent ones short, none with an x, a q or a w."""
    syllables = ["".join(pair) for pair in itertools.product("bcdfghjklmnprstvyz", "aeiou")]
    known, words = set(), []
    while len(words) < WORDS:
        length = 1 + (len(words) > 40) + (len(words) > 3000) + (rest.random() < 0.3)
        word = "".join(rest.choice(syllables) for _ in range(length)) + rest.choice(["", "n", "s", "r", ""])
        if word not in known:
            known.add(word)
            words.append(word)
    return words


def own_words(rest, count):
    """Words that no other text has, as names and mistakes of a recognizer are."""
    return ["qu" + "".join(rest.choices("abcdefghijklmnoprstuvyz", k=7)) for _ in range(count)]


def stamp(tenths):
    seconds, tenth = divmod(tenths, 10)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{tenth}00"


def cue(start, end, text):
    return f"{stamp(start)} --> {stamp(end)}\n{text}\n\n"


class Texts:
    """Subtitles, and which videos have which words."""

    def __init__(self, videos):
        self.rest = random.Random(20261130)
        self.videos = videos
        self.words = vocabulary(self.rest)
        weights = [(rank + SHIFT) ** -EXPONENT for rank in range(1, WORDS + 1)]
        self.weights = list(itertools.accumulate(weights))
        choices = min(1500, max(20, videos // 40))
        self.pieces = [[self.piece(position) for _ in range(choices)] for position in range(PIECES)]
        numbers = range(videos)

        def some(count):
            return set(self.rest.sample(numbers, min(count, videos)))

        tenth, twentieth = max(1, videos // 10), max(1, videos // 50)
        self.of = {"xa": some(tenth), "xb": some(tenth), "xc": some(twentieth), "xone": some(1)}
        # Two words of a phrase: in order in a tenth of the videos that have both; in others in the other order.
        both = self.rest.sample(numbers, twentieth)
        self.phrase = set(both[:max(1, len(both) // 10)])
        self.turned = set(both[len(self.phrase):])
        # In the last video only, of words that nearly all texts have.
        self.rare = " ".join(self.words[rank] for rank in (5, 1, 7, 2, 9, 3))

    def piece(self, position):
        """Five minutes: 75 cues of four seconds, except the last one, whose time is free."""
        chosen = self.rest.choices(range(WORDS), cum_weights=self.weights, k=(CUES - 1) * CUE_WORDS)
        # So that each text has the most frequent word.
        chosen[0] = 0
        words = [self.words[number] for number in chosen]
        begin = position * CUES * 40
        return "".join(
            cue(begin + number * 40, begin + number * 40 + 38, " ".join(words[number * CUE_WORDS:(number + 1) * CUE_WORDS]))
            for number in range(CUES - 1)).encode()

    def text(self, number):
        own = [own_words(self.rest, 1) for _ in range(PIECES)]
        for word, videos in self.of.items():
            if number in videos:
                for _ in range(self.rest.choice(TIMES)):
                    self.rest.choice(own).append(word)
        if number in self.phrase:
            self.rest.choice(own).append("xleft xright")
        if number in self.turned:
            self.rest.choice(own).append("xright xleft")
        if number == self.videos - 1:
            own[-1].append(self.rare)
        parts = [b"WEBVTT\n\n"]
        for position, words in enumerate(own):
            start = ((position + 1) * CUES - 1) * 40
            parts += [self.rest.choice(self.pieces[position]), cue(start, start + 38, " ".join(words)).encode()]
        return b"".join(parts)

    def queries(self):
        """Name, query, videos that match by the index, and hits of a command; None if they aren't known."""
        of, every = self.of, self.videos
        turned = len(self.phrase | self.turned)
        return [
            ("a word of all videos", self.words[0], every, min(20, every)),
            ("of 10 %", "xa", len(of["xa"]), min(20, len(of["xa"]))),
            ("of 2 %", "xc", len(of["xc"]), min(20, len(of["xc"]))),
            ("of one video", "xone", 1, 1),
            ("of none", "xnone", 0, 0),
            ("two words of 10 % each", "xa xb", len(of["xa"] & of["xb"]), min(20, len(of["xa"] & of["xb"]))),
            ("one of all, one of 10 %", f"{self.words[0]} xa", len(of["xa"]), min(20, len(of["xa"]))),
            ("the beginning of that of 2 %", "xc*", len(of["xc"]), min(20, len(of["xc"]))),
            ("a phrase, its words in 2 %", '"xleft xright"', turned, min(20, len(self.phrase))),
            ("a phrase that most have", f'"{self.words[0]} {self.words[1]}"', None, None),
            ("of frequent words, in one text", f'"{self.rare}"', None, None),
        ]


def having(place, words):
    """How many texts have all of these words, as the index says."""
    [index] = place.state.rglob("page.sqlite")
    database = sqlite3.connect(f"file:{index}?mode=ro", uri=True)
    try:
        query = " AND ".join(f'"{word}"' for word in words)
        return database.execute("SELECT count(*) FROM words WHERE words MATCH ?", [query]).fetchone()[0]
    finally:
        database.close()


def make(place, videos):
    """Writes the library; returns its texts, their bytes in all, and the number of different words of some texts."""
    texts, records = Texts(videos), served.Records(place)
    size, different, folder = 0, [], None
    for number in range(videos):
        course, position = divmod(number, COURSE)
        if position == 0:
            folder = f"Course {course:04}"
            records.course(f"course-{course:04}", folder)
        text = texts.text(number)
        size += len(text)
        if number % max(1, videos // 50) == 0:
            different.append(len(set(text.split())) - PIECES * CUES * 2)
        records.video(
            f"course-{course:04}", folder, f"v{number:06}", f"Lecture {position + 1}", position + 1, [MEDIA], [text])
    seconds = records.adopt(videos)
    print(f"the state, from the library's list of {videos:,} videos: {seconds:.1f} s", flush=True)
    return texts, size, statistics.median(different)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split(". ")[0])
    parser.add_argument("videos", type=int, nargs="?", default=100_000)
    parser.add_argument("--program")
    parser.add_argument("--runs", type=int, default=20)
    arguments = parser.parse_args()
    with served.Place(arguments.program) as place:
        texts, size, different = make(place, arguments.videos)
        _, seconds = place.run("search", "xone")
        index = sum(path.stat().st_size for path in place.state.rglob("page.sqlite*"))
        print(f"\nthe search in {arguments.videos:,} videos  (load {os.getloadavg()[0]:.1f})")
        print(f"  texts {size / 1e6:,.1f} MB, each about {size / arguments.videos / 1000:.0f} KB with {different:,.0f} different"
              " words")
        print(f"  the first search, which makes the index: {seconds:.1f} s, {size / 1e6 / seconds:.1f} MB/s")
        print(f"  the index {index / 1e6:,.1f} MB: {index / size:.3f} of the texts; aim 0.100, {met(index / size, 0.1)}\n")
        page = place.serve()
        print(f"  {'':30} {'videos':>9} {'hits':>5} {'command ms':>11} {'page ms':>9} {'aim ms':>7}")
        for name, query, videos, hits in texts.queries():
            out, seconds = place.run("search", "--json", query, exits=(0, 1))
            found = len(out.splitlines())
            # A slow one would take an hour.
            runs = arguments.runs if seconds < 2 else min(3, arguments.runs)
            if hits is not None and found != hits:
                sys.exit(f"search.py: {query}: {found} hits instead of {hits}")
            known = having(place, query.replace('"', "").split()) if videos is None else videos
            aim = 50 if known <= 10_000 else 100
            command = statistics.median(place.run("search", query, exits=(0, 1))[1] for _ in range(runs)) * 1000
            # A connection of its own: the server closes one that is idle for 20 s.
            client, times = page.client(), []
            for _ in range(runs):
                begun = time.monotonic()
                page.ask("search?q=" + urllib.parse.quote(query), client)
                times.append(time.monotonic() - begun)
            client.close()
            shown = statistics.median(times) * 1000
            print(f"  {name:30} {known:9,} {found:5} {command:11.1f} {shown:9.1f} {aim:7}   {met(max(command, shown), aim)}"
                  f"   {shlex.quote(query)}{'' if runs == arguments.runs else f', median of {runs}'}", flush=True)
        print(f"\n  medians of {arguments.runs}  (load {os.getloadavg()[0]:.1f})")


def met(value, aim):
    return "met" if value <= aim else "missed"


if __name__ == "__main__":
    main()
