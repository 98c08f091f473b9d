#!/usr/bin/env python3
"""Writes a catalog of many videos to standard output, the same one each time.

usage: make-catalog.py [VIDEOS] [--parameters] [--served-from BASE] [--three]

With 100,000 videos (the default) it is about 21 MB: 200 courses of 10 chapters of 50 videos, each video with an id, a
title, a checksum and a size. With --parameters each video has a parameter of its own instead of a checksum. With
--served-from the checksums and sizes are true for a server that answers each request with the path it was asked for. With
--three each video has three parameters of its own beside them.
"""
import hashlib
import random
import sys
import uuid

arguments = sys.argv[1:]
base = None
if "--served-from" in arguments:
    base = arguments.pop(arguments.index("--served-from") + 1).rstrip("/")
count = next((int(argument) for argument in arguments if not argument.startswith("--")), 100_000)
with_parameters = "--parameters" in arguments
random.seed(20261120)
write = sys.stdout.write


def answer(identifier):
    """What the server says: the path."""
    return ("/" + f"{base}/{identifier}.mp4".split("/", 3)[3]).encode()


def sha256(identifier):
    return hashlib.sha256(answer(identifier)).hexdigest() if base else f"{random.getrandbits(256):064x}"


def size(identifier):
    return len(answer(identifier)) if base else random.randrange(1 << 20, 1 << 31)


write("version: 1\nname: Benchmark\ndefaults:\n  provider: direct\n  quality: [1080p, 720p]\n")
template = f"{base}/{{id}}.mp4" if base else "http://127.0.0.1:8080/media/{id}.mp4"
write(f"  parameters: {{{'url' if base else 'template'}: '{template}'}}\ncourses:\n")
for number in range(count):
    course, rest = divmod(number, 500)
    chapter, video = divmod(rest, 50)
    if rest == 0:
        write(f"  - id: course-{course:04}\n    title: Course {course:04}, autumn term\n    chapters:\n")
    if video == 0:
        write(f"      - id: chapter-{chapter:02}\n        title: 'Chapter {chapter:02}: what follows'\n        videos:\n")
    identifier = uuid.UUID(int=random.getrandbits(128), version=4)
    write(f"          - id: {identifier}\n")
    write(f"            title: Lecture {video + 1}, part {number % 7 + 1} of 7\n")
    if with_parameters:
        write(f"            parameters: {{path: lectures/{course:04}/{chapter:02}/{identifier}.mp4}}\n")
    else:
        write(f"            sha256: {sha256(identifier)}\n")
    if "--three" in arguments:
        write(f"            parameters: {{track: {number}, room: hall {video % 9}, lecturer: Person {number % 977}}}\n")
    write(f"            size: {size(identifier)}\n")
