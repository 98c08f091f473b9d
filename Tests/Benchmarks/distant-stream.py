#!/usr/bin/env python3
"""600 segments of 2 s from a host 50 ms away, coursefetch beside streamlink: joined, and made into an .mp4; with the sound
among the picture's segments, and with separate sound.

Runs in a network namespace of its own, since it delays loopback: unshare --net Tests/Benchmarks/distant-stream.py PROGRAM
[ROUNDS]. COURSEFETCH_PLUGINS names the folder with the plugin `direct`. Without streamlink its rows are missing. Prints the
median of each.
"""
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROUND_TRIP = 50
SECONDS = 1200


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL, **options)


def delay():
    run("ip", "link", "set", "lo", "up")
    run("tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", f"{ROUND_TRIP / 2}ms", "limit", "100000")


def make(www):
    ffmpeg = ["ffmpeg", "-hide_banner", "-loglevel", "error"]
    hls = ["-f", "hls", "-hls_time", "2", "-hls_playlist_type", "vod"]
    (www / "one").mkdir(parents=True)
    run(*ffmpeg, "-f", "lavfi", "-i", f"testsrc2=s=1280x720:r=25:d={SECONDS}", "-f", "lavfi", "-i", f"sine=d={SECONDS}",
        "-c:v", "libx264", "-preset", "ultrafast", "-b:v", "2M", "-g", "50", "-c:a", "aac", *hls,
        "-hls_segment_filename", www / "one/s%03d.ts", www / "one/index.m3u8")
    (www / "two").mkdir()
    run(*ffmpeg, "-i", www / "one/index.m3u8", "-map", "0:v", "-map", "0:a", "-c", "copy", *hls,
        "-master_pl_name", "index.m3u8", "-var_stream_map", "v:0,agroup:a a:0,agroup:a,default:yes",
        "-hls_segment_filename", www / "two/%v-%03d.ts", www / "two/%v.m3u8")


def serve(work):
    (work / "nginx.conf").write_text(f"""
worker_processes 1; daemon on; pid {work}/nginx.pid; error_log {work}/error.log;
events {{ worker_connections 512; }}
http {{
    access_log off; types {{}} default_type video/mp2t; keepalive_requests 1000000;
    client_body_temp_path {work}/body; proxy_temp_path {work}/proxy; fastcgi_temp_path {work}/fastcgi;
    uwsgi_temp_path {work}/uwsgi; scgi_temp_path {work}/scgi;
    server {{ listen 127.0.0.1:8080; root {work}/www; }}
}}""")
    run("nginx", "-c", work / "nginx.conf", "-p", work, stderr=subprocess.DEVNULL)
    return "http://127.0.0.1:8080"


def timed(*command):
    start = time.monotonic()
    run(*command, stderr=subprocess.DEVNULL)
    return time.monotonic() - start


def main():
    program, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
    streamlink = shutil.which(os.environ.get("STREAMLINK", "streamlink"))
    work = pathlib.Path(tempfile.mkdtemp(prefix="coursefetch-stream."))
    work.chmod(0o755)
    try:
        make(work / "www")
        delay()
        base = serve(work)
        times = {}
        for number in range(rounds):
            for name, what in [("one", "sound among the picture"), ("two", "separate sound")]:
                catalog = work / f"{name}.yaml"
                catalog.write_text(
                    "version: 1\ncourses: [{id: c, provider: direct, parameters: "
                    f'{{url: "{base}/{name}/index.m3u8", kind: hls}}, videos: [v]}}]\n')
                for end, options in [("joined", ["--ffmpeg", "none"]), ("made into an .mp4", [])]:
                    home = work / f"{number}.{name}.{len(options)}"
                    times.setdefault(f"{what}, {end}", []).append(
                        timed(program, "sync", catalog, "--quiet", "--library", home / "library", "--state", home / "state",
                              *options))
                    shutil.rmtree(home)
                if streamlink:
                    output = work / "peer.ts"
                    times.setdefault(f"{what}, streamlink", []).append(
                        timed(streamlink, "--stream-segment-threads", "8", "--force", "-o", output,
                              f"hls://{base}/{name}/index.m3u8", "best"))
                    output.unlink()
        print(f"\n600 segments of 2 s, {ROUND_TRIP} ms away  (load {os.getloadavg()[0]:.1f})")
        if not streamlink:
            print("  streamlink is missing")
        print(f"  {'':44} {'wall s':>9}")
        for name, values in times.items():
            print(f"  {name:44} {statistics.median(values):9.2f}   median of {len(values)}")
    finally:
        try:
            os.kill(int((work / "nginx.pid").read_text()), 15)
        except OSError:
            pass
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
