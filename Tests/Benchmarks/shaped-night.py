#!/usr/bin/env python3
"""A night on a link of 200 Mbit/s, coursefetch beside curl and aria2 that know all URLs: 60 videos, 504 MB.

Runs in a network namespace of its own, since it shapes loopback: unshare --net Tests/Benchmarks/shaped-night.py PROGRAM
[ROUNDS]. Prints the median of each, the link's limit, and how many answers each sync asked for.
"""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

MEGABITS = 200
VIDEOS, SIZE = 60, 8_400_000
# Name, seconds an answer, requests at a time.
NIGHTS = [("0.2 s an answer", 0.2, 8), ("2 s an answer", 2, 8), ("2 s, one at a time", 2, 1)]

PLUGIN = '''#!/usr/bin/env python3
import json, sys, threading, time
lock = threading.Lock()
def answer(request):
    time.sleep({seconds})
    result = {{"url": "{base}/" + request["params"]["video"]["id"] + ".mp4"}}
    with lock:
        open({counted!r}, "a").write("x")
        print(json.dumps({{"jsonrpc": "2.0", "id": request["id"], "result": result}}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    if {concurrency} == 1:
        answer(request)
    else:
        threading.Thread(target=answer, args=[request], daemon=True).start()
'''


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL, **options)


def shape():
    run("ip", "link", "set", "lo", "up")
    run("tc", "qdisc", "add", "dev", "lo", "root", "tbf", "rate", f"{MEGABITS}mbit", "burst", "128kb", "latency", "100ms")


def serve(work):
    www = work / "www"
    www.mkdir()
    for number in range(VIDEOS):
        (www / f"v{number}.mp4").write_bytes(os.urandom(SIZE))
    (work / "nginx.conf").write_text(f"""
worker_processes 1; daemon on; pid {work}/nginx.pid; error_log {work}/error.log;
events {{ worker_connections 512; }}
http {{
    access_log off; types {{}} default_type video/mp4;
    client_body_temp_path {work}/body; proxy_temp_path {work}/proxy; fastcgi_temp_path {work}/fastcgi;
    uwsgi_temp_path {work}/uwsgi; scgi_temp_path {work}/scgi;
    server {{ listen 127.0.0.1:8080; root {www}; }}
}}""")
    run("nginx", "-c", work / "nginx.conf", "-p", work, stderr=subprocess.DEVNULL)
    return "http://127.0.0.1:8080"


def plugin(folder, base, seconds, concurrency):
    folder.mkdir(parents=True, mode=0o755)
    (folder / "plugin").write_text(
        PLUGIN.format(seconds=seconds, base=base, concurrency=concurrency, counted=str(folder / "asked")))
    (folder / "plugin").chmod(0o755)
    (folder / "plugin.yaml").write_text(
        f"name: slow\nprotocol: 1\nrun: [./plugin]\nconcurrency: {concurrency}\n")


def timed(*command, **options):
    start = time.monotonic()
    run(*command, stderr=subprocess.DEVNULL, **options)
    return time.monotonic() - start


def main():
    program, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
    work = pathlib.Path(tempfile.mkdtemp(prefix="coursefetch-night."))
    work.chmod(0o755)
    try:
        shape()
        base = serve(work)
        urls = [f"{base}/v{number}.mp4" for number in range(VIDEOS)]
        (work / "aria.txt").write_text("\n".join(urls))
        (work / "curl.txt").write_text("".join(f'url = "{url}"\noutput = "{url[-8:].replace("/", "_")}"\n' for url in urls))
        videos = "".join(f"      - v{number}\n" for number in range(VIDEOS))
        (work / "night.yaml").write_text(f"version: 1\ndefaults: {{provider: slow}}\ncourses:\n  - id: c\n    videos:\n{videos}")
        times, answers = {}, {}
        for number in range(rounds):
            into = work / f"round.{number}"
            for peer in ["curl", "aria"]:
                (into / peer).mkdir(parents=True)
            times.setdefault("curl -Z, 3 at a time", []).append(
                timed("curl", "-s", "-Z", "--parallel-max", "3", "-K", work / "curl.txt", cwd=into / "curl"))
            if shutil.which("aria2c"):
                times.setdefault("aria2c -j3", []).append(
                    timed("aria2c", "-q", "-j3", "-d", into / "aria", "-i", work / "aria.txt"))
            for name, seconds, concurrency in NIGHTS:
                plugins = into / name.replace(" ", "-") / "plugins"
                plugin(plugins / "slow", base, seconds, concurrency)
                home = plugins.parent
                times.setdefault(name, []).append(
                    timed(program, "sync", work / "night.yaml", "--quiet", "--plugins", plugins, "--library",
                          home / "library", "--state", home / "state"))
                answers[name] = (plugins / "slow" / "asked").stat().st_size
            shutil.rmtree(into)
        # Headers of Ethernet, IP and TCP are on the link, too.
        limit = VIDEOS * SIZE * 8 / (MEGABITS * 1e6)
        print(f"\n60 videos of 8.4 MB over {MEGABITS} Mbit/s  (load {os.getloadavg()[0]:.1f})")
        print(f"  {'':24} {'wall s':>9} {'x limit':>9} {'answers':>9}")
        print(f"  {'the limit of the link':24} {limit:9.1f}")
        for name, values in times.items():
            bound = limit
            if name == "2 s, one at a time":
                bound = VIDEOS * 2
            wall = statistics.median(values)
            print(f"  {name:24} {wall:9.1f} {wall / bound:9.3f} {answers.get(name, '')!s:>9}   median of {len(values)}")
        print("  (one at a time: beside what 60 answers of 2 s take)")
    finally:
        try:
            os.kill(int((work / "nginx.pid").read_text()), 15)
        except OSError:
            pass
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
