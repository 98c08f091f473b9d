#!/usr/bin/env python3
"""Hosts that limit connections: coursefetch beside curl and aria2.

  throttled   2 MB/s a connection, 24 files of 8 MB, default settings
  at most 3   503 beyond 3 connections, each of 4 MB/s, 24 files of 8 MB: nothing may fail, and few requests may be refused
  one, 8      one file of 500 MB from the throttled host, default settings; curl gets it in 8 ranges
  one, 16     one file of 320 MB over 16 connections; with one it takes 160 s

Usage: Tests/Benchmarks/slow-hosts.py PROGRAM PLUGINS [ROUNDS]. Prints the median of each, the requests that were refused, and
how many bytes nginx sent for each byte of the files.
"""
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

MANY = [f"v{number}" for number in range(24)]
# Name, port, log, videos, curl's connections, connections for a file of ours and of aria2.
CASES = [("throttled", 18080, "throttled.log", MANY, 8, None), ("at most 3", 18081, "few.log", MANY, 3, None),
         ("one, 8", 18080, "throttled.log", ["large"], 8, None), ("one, 16", 18080, "throttled.log", ["middle"], 16, 16)]
SIZES = {**{video: 8_000_000 for video in MANY}, "large": 500_000_000, "middle": 320_000_000}


def serve(work):
    www = work / "www"
    www.mkdir()
    for video, size in SIZES.items():
        with open(www / f"{video}.mp4", "wb") as file:
            for _ in range(size // 4_000_000):
                file.write(os.urandom(4_000_000))
    (work / "nginx.conf").write_text(f"""
worker_processes 1; daemon on; pid {work}/nginx.pid; error_log {work}/error.log;
events {{ worker_connections 512; }}
http {{
    types {{}} default_type video/mp4; log_format plain '$uri $status $body_bytes_sent';
    client_body_temp_path {work}/body; proxy_temp_path {work}/proxy; fastcgi_temp_path {work}/fastcgi;
    uwsgi_temp_path {work}/uwsgi; scgi_temp_path {work}/scgi;
    limit_conn_zone $server_port zone=few:1m;
    server {{ listen 127.0.0.1:18080; root {www}; access_log {work}/throttled.log plain; limit_rate 2000k; }}
    server {{ listen 127.0.0.1:18081; root {www}; access_log {work}/few.log plain; limit_conn few 3; limit_rate 4000k; }}
}}""")
    subprocess.run(["nginx", "-c", work / "nginx.conf", "-p", work], check=True, stderr=subprocess.DEVNULL)


def timed(*command, **options):
    start = time.monotonic()
    done = subprocess.run([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    return time.monotonic() - start, done.returncode


def curl(into, base, videos, connections):
    """All files at the same time, or the ranges of a single one."""
    lines = [f'url = "{base}/{video}.mp4"\noutput = "{video}"\n' for video in videos]
    if len(videos) == 1:
        step = SIZES[videos[0]] // connections
        lines = [f'url = "{base}/{videos[0]}.mp4"\nrange = {n * step}-{(n + 1) * step - 1}\noutput = "part{n}"\n'
                 for n in range(connections)]
    # Options of one transfer end with "next".
    (into / "curl.txt").write_text("next\n".join(lines))
    return timed("curl", "-s", "-Z", "--parallel-immediate", "--parallel-max", connections, "-K", into / "curl.txt", cwd=into)[0]


def main():
    program, plugins = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    work = pathlib.Path(tempfile.mkdtemp(prefix="coursefetch-hosts."))
    work.chmod(0o755)
    try:
        serve(work)
        times, facts = {}, {}
        for number in range(rounds):
            for name, port, log, videos, connections, per_file in CASES:
                base, into = f"http://127.0.0.1:{port}", work / f"{number}-{name}"
                into.mkdir()
                times.setdefault(f"{name}: curl -Z, {connections}", []).append(curl(into, base, videos, connections))
                if len(videos) == 1 and shutil.which("aria2c"):
                    wall, _ = timed("aria2c", "-q", "-d", into, f"-x{connections}", f"-s{connections}", "-k1M",
                                    f"{base}/{videos[0]}.mp4")
                    times.setdefault(f"{name}: aria2c -x{connections} -s{connections}", []).append(wall)
                (into / "catalog.yaml").write_text(
                    f'version: 1\ncourses:\n  - id: c\n    provider: direct\n    parameters: {{url: "{base}/{{id}}.mp4"}}\n'
                    "    videos:\n" + "".join(f"      - {video}\n" for video in videos))
                (work / log).write_text("")
                subprocess.run(["kill", "-USR1", (work / "nginx.pid").read_text().strip()], check=True)
                wall, code = timed(
                    program, "sync", into / "catalog.yaml", "--quiet", "--plugins", plugins, "--library", into / "library",
                    "--state", into / "state", *(["--connections-per-file", per_file] if per_file else []))
                lines = [line.split() for line in (work / log).read_text().splitlines()]
                sent = sum(int(line[2]) for line in lines if line[1] != "503") / sum(SIZES[video] for video in videos)
                times.setdefault(f"{name}: coursefetch", []).append(wall)
                refused = sum(line[1] == "503" for line in lines)
                facts.setdefault(f"{name}: coursefetch", []).append(f"exit {code}, {refused} refused, {sent:.3f} x")
                shutil.rmtree(into)
        print(f"\nhosts that limit connections  (load {os.getloadavg()[0]:.1f})")
        for name, values in times.items():
            print(f"  {name:32} {statistics.median(values):9.1f} s   {'; '.join(facts.get(name, []))}")
    finally:
        try:
            os.kill(int((work / "nginx.pid").read_text()), 15)
        except OSError:
            pass
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
