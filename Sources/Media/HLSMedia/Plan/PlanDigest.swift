import Crypto
import TextFormats

/// The properties of a playlist that must not change when it is downloaded again, so that a download can continue.
///
/// SHA-256 over: the identity of the stream; of each segment its number, duration, byte range, whether it is a gap, its
/// URI, its map, and its key as method, IV and whether it is the same key as another segment's; of each map the URI,
/// byte range and key. Hosts, query items and the URIs of keys are omitted, since they may contain tokens.
///
/// A URI counts as written, without query and fragment:
/// - Relative to the playlist (`a/1.ts`, `../1.ts`): the whole of it.
/// - With a host (`https://host/a/1.ts`, `//host/a/1.ts`) or from the root (`/a/1.ts`): the path after the longest
///   folder that all URIs of these kinds have in common, since a token may be in the folder. With a single segment, and
///   if all segments are parts of one resource, that leaves the last component.
/// - In a mix, relative ones are ignored when folders are compared. A host that changes from one of the two kinds to
///   the other gets another digest.
///
/// Maps have their own common folder.
enum PlanDigest {
    /// 32 bytes. `planner` has processed every segment of the playlist.
    static func bytes(_ playlist: MediaPlaylist, _ planner: StreamPlanner, identity: String) -> [UInt8] {
        var digest = Fields()
        digest.add("coursefetch stream plan 1")
        digest.add(identity)
        digest.add(Int64(planner.segments.count))
        let uris = ComparableURIs(playlist.segments.lazy.map(\.uri))
        for (segment, planned) in zip(playlist.segments, planner.segments) {
            digest.add(segment.sequence)
            digest.add(Int64(bitPattern: segment.duration.bitPattern))
            digest.add(segment.byteRange)
            digest.add(segment.isGap ? 1 : 0)
            digest.add(uris.comparable(segment.uri))
            digest.add(Int64(planned.map ?? -1))
            digest.add(planned.key, planner)
        }
        let sources = planner.mapSources.map { playlist.maps[$0].uri }
        let mapURIs = ComparableURIs(sources)
        for (map, uri) in zip(planner.maps, sources) {
            digest.add(map.range)
            digest.add(mapURIs.comparable(uri))
            digest.add(map.key, planner)
        }
        return digest.finish()
    }

    /// Numbers are 8 bytes, big-endian; texts are preceded by their length.
    private struct Fields {
        private var hash = SHA256()
        private var list = LengthPrefixed(.bigEndian)

        mutating func add(_ number: Int64) {
            list.add(number)
            if list.bytes.count >= 65_536 { hash.update(data: list.take()) }
        }

        mutating func add(_ text: String) { list.add(text) }

        mutating func add(_ bytes: some Collection<UInt8>) { list.add(bytes) }

        mutating func add(_ range: Range<Int64>?) { list.add(range) }

        mutating func add(_ key: PlannedKey?, _ planner: StreamPlanner) {
            add(key.map { Int64(planner.keyNumber($0.url) ?? 0) } ?? -1)
            add(key?.iv ?? [])
        }

        mutating func finish() -> [UInt8] {
            hash.update(data: list.take())
            return Array(hash.finalize())
        }
    }
}
