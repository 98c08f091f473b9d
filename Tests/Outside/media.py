"""Bytes that look like media: enough of each format that nobody takes them for a page."""

import random


def mp4(seed, size):
    """An MP4 by its first bytes, the rest at random from the seed."""
    head = bytes.fromhex("00000018") + b"ftypmp42" + bytes(4) + b"mp42isom"
    return (head + random.Random(seed).randbytes(max(0, size - len(head))))[:size]


def webm(seed, size):
    head = bytes.fromhex("1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878104428581021853806701ffffffffffffff")
    return (head + random.Random(seed).randbytes(max(0, size - len(head))))[:size]


def crc32(data):
    """The CRC of MPEG-2 tables."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte << 24
        for _ in range(8):
            crc = ((crc << 1) ^ 0x04C11DB7 if crc & 0x80000000 else crc << 1) & 0xFFFFFFFF
    return crc.to_bytes(4, "big")


def table(pid, section):
    section += crc32(section)
    packet = bytes([0x47, 0x40 | pid >> 8, pid & 0xFF, 0x10, 0]) + section
    return packet + b"\xff" * (188 - len(packet))


def ts(seed, seconds_in=0, packets=40):
    """A segment of MPEG-TS with one stream of pictures, whose clock stands at `seconds_in`."""
    pat = table(0, bytes.fromhex("00b00d0001c100000001f000"))
    pmt = table(0x1000, bytes.fromhex("02b0120001c10000e100f0001be100f000"))
    pts = 90000 * seconds_in
    stamp = bytes([
        0x21 | (pts >> 29 & 0x0E), pts >> 22 & 0xFF, 0x01 | (pts >> 14 & 0xFE), pts >> 7 & 0xFF, 0x01 | (pts << 1 & 0xFE)])
    rest = random.Random(seed)
    out = pat + pmt
    for index in range(packets):
        start = index == 0
        head = bytes([0x47, (0x40 if start else 0) | 0x01, 0x00, 0x10 | (index & 0x0F)])
        body = b"\x00\x00\x01\xe0\x00\x00\x80\x80\x05" + stamp if start else b""
        out += head + body + rest.randbytes(184 - len(body))
    return out


def playlist(names, end=True, vod=False, seconds=4):
    lines = ["#EXTM3U", "#EXT-X-VERSION:3", f"#EXT-X-TARGETDURATION:{seconds}", "#EXT-X-MEDIA-SEQUENCE:0"]
    if vod:
        lines.append("#EXT-X-PLAYLIST-TYPE:VOD")
    for name in names:
        lines += [f"#EXTINF:{seconds}.0,", name]
    return ("\n".join(lines + (["#EXT-X-ENDLIST"] if end else [])) + "\n").encode()
