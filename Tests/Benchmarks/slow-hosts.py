#!/usr/bin/env python3
"""Hosts that limit connections: coursefetch with default settings beside curl with 8 of them.

  throttled   2 MB/s a connection, 24 files of 8 MB
  at most 3   503 beyond 3 connections, each of 4 MB/s, 24 files of 8 MB: nothing may fail, and few requests may be refused

Usage: Tests/Benchmarks/slow-hosts.py PROGRAM PLUGINS [ROUNDS]. Prints the median of each, and the requests that were refused.
"""
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

FILES, SIZE = 24, 8_000_000


def serve(work):
    www = work / "www"
    www.mkdir()
    for number in range(FILES):
        (www / f"v{number}.mp4").write_bytes(os.urandom(SIZE))
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


def main():
    program, plugins = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    work = pathlib.Path(tempfile.mkdtemp(prefix="coursefetch-hosts."))
    work.chmod(0o755)
    try:
        serve(work)
        times, exits, refused = {}, {}, {}
        for number in range(rounds):
            for name, port, log in [("throttled", 18080, "throttled.log"), ("at most 3", 18081, "few.log")]:
                base, into = f"http://127.0.0.1:{port}", work / f"{number}-{port}"
                into.mkdir()
                (into / "curl.txt").write_text(
                    "".join(f'url = "{base}/v{video}.mp4"\noutput = "v{video}"\n' for video in range(FILES)))
                connections = 8 if port == 18080 else 3
                wall, _ = timed(
                    "curl", "-s", "-Z", "--parallel-max", connections, "-K", into / "curl.txt", cwd=into)
                times.setdefault(f"{name}: curl -Z, {connections}", []).append(wall)
                videos = "".join(f"      - v{video}\n" for video in range(FILES))
                (into / "catalog.yaml").write_text(
                    f'version: 1\ncourses:\n  - id: c\n    provider: direct\n    parameters: {{url: "{base}/{{id}}.mp4"}}\n'
                    f"    videos:\n{videos}")
                (work / log).write_text("")
                subprocess.run(["kill", "-USR1", (work / "nginx.pid").read_text().strip()], check=True)
                wall, code = timed(
                    program, "sync", into / "catalog.yaml", "--quiet", "--plugins", plugins,
                    "--library", into / "library", "--state", into / "state")
                lines = [line.split() for line in (work / log).read_text().splitlines()]
                times.setdefault(f"{name}: coursefetch", []).append(wall)
                exits.setdefault(f"{name}: coursefetch", []).append(code)
                refused.setdefault(f"{name}: coursefetch", []).append(sum(line[1] == "503" for line in lines))
                shutil.rmtree(into)
        print(f"\n24 files of 8 MB  (load {os.getloadavg()[0]:.1f})")
        print(f"  {'':28} {'wall s':>9} {'exit':>9} {'refused':>9}")
        for name, values in times.items():
            print(f"  {name:28} {statistics.median(values):9.1f} {str(exits.get(name, '')):>9} {str(refused.get(name, '')):>9}")
    finally:
        try:
            os.kill(int((work / "nginx.pid").read_text()), 15)
        except OSError:
            pass
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
