#!/usr/bin/env python3
"""600 segments of 2 s from a host 50 ms away, coursefetch beside streamlink: joined, and made into an .mp4; with the sound
among the picture's segments, and with separate sound.

usage: Tests/Benchmarks/distant-stream.py PROGRAM [ROUNDS]. COURSEFETCH_PLUGINS names the folder with the plugin `direct`.
A relay of its own delays what goes through it, half of the round trip each way: many kernels lack netem. Without streamlink
its rows are missing. Prints the median of each.
"""
import asyncio
import multiprocessing
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROUND_TRIP = 50
SECONDS = 1200


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL, **options)


def relay(port, target):
    """Forwards each connection to `target`, every piece of it half a round trip later."""
    half = ROUND_TRIP / 2000

    async def forward(reader, writer):
        pieces = asyncio.Queue(64)

        async def send():
            clock = asyncio.get_running_loop().time
            while (item := await pieces.get())[1]:
                await asyncio.sleep(max(0, item[0] - clock()))
                writer.write(item[1])
                await writer.drain()
            writer.close()

        sending = asyncio.create_task(send())
        data = b"-"
        while data:
            try:
                data = await reader.read(1 << 18)
            except OSError:
                data = b""
            await pieces.put((asyncio.get_running_loop().time() + half, data))
        try:
            await sending
        except OSError:
            pass

    async def accept(reader, writer):
        # The handshake.
        await asyncio.sleep(2 * half)
        other_reader, other_writer = await asyncio.open_connection("127.0.0.1", target, limit=1 << 20)
        await asyncio.gather(forward(reader, other_writer), forward(other_reader, writer))

    async def serve():
        async with await asyncio.start_server(accept, "127.0.0.1", port, limit=1 << 20) as server:
            await server.serve_forever()

    asyncio.run(serve())


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def make(www):
    ffmpeg = ["ffmpeg", "-hide_banner", "-loglevel", "error"]
    hls = ["-f", "hls", "-hls_time", "2", "-hls_playlist_type", "vod"]
    (www / "one").mkdir(parents=True)
    run(*ffmpeg, "-f", "lavfi", "-i", f"testsrc2=s=1280x720:r=25:d={SECONDS}", "-f", "lavfi", "-i", f"sine=d={SECONDS}",
        "-c:v", "libx264", "-preset", "ultrafast", "-b:v", "2M", "-g", "50", "-c:a", "aac", *hls,
        "-hls_segment_filename", www / "one/s%03d.ts", www / "one/index.m3u8")
    (www / "two").mkdir()
    run(*ffmpeg, "-i", www / "one/index.m3u8", "-map", "0:v", "-map", "0:a", "-c", "copy", *hls,
        "-var_stream_map", "v:0 a:0", "-hls_segment_filename", www / "two/%v-%03d.ts", www / "two/%v.m3u8")
    # ffmpeg names no streams whose bandwidth it doesn't know.
    (www / "two/index.m3u8").write_text(
        '#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="a",DEFAULT=YES,URI="1.m3u8"\n'
        '#EXT-X-STREAM-INF:BANDWIDTH=2500000,RESOLUTION=1280x720,AUDIO="a"\n0.m3u8\n')


def serve(work):
    port = free_port()
    (work / "nginx.conf").write_text(f"""
worker_processes 1; daemon on; pid {work}/nginx.pid; error_log {work}/error.log;
events {{ worker_connections 512; }}
http {{
    access_log off; types {{}} default_type video/mp2t; keepalive_requests 1000000;
    client_body_temp_path {work}/body; proxy_temp_path {work}/proxy; fastcgi_temp_path {work}/fastcgi;
    uwsgi_temp_path {work}/uwsgi; scgi_temp_path {work}/scgi;
    server {{ listen 127.0.0.1:{port}; root {work}/www; }}
}}""")
    run("nginx", "-c", work / "nginx.conf", "-p", work, stderr=subprocess.DEVNULL)
    return port


def timed(*command):
    start = time.monotonic()
    run(*command, stderr=subprocess.DEVNULL)
    return time.monotonic() - start


def main():
    program, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
    streamlink = shutil.which(os.environ.get("STREAMLINK", "streamlink"))
    work = pathlib.Path(tempfile.mkdtemp(prefix="coursefetch-stream."))
    work.chmod(0o755)
    relays = None
    try:
        make(work / "www")
        near, distant = serve(work), free_port()
        relays = multiprocessing.Process(target=relay, args=(distant, near), daemon=True)
        relays.start()
        time.sleep(1)
        base = f"http://127.0.0.1:{distant}"
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
        if relays:
            relays.terminate()
        try:
            os.kill(int((work / "nginx.pid").read_text()), 15)
        except OSError:
            pass
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
