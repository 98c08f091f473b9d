/// Finds the start times of media on the stream's own clock, which align its tracks and subtitles.
package enum MediaClock {
    /// The start time of media with these first bytes. Nil if unknown, as for kinds without a clock.
    ///
    /// - Transport Stream: the earliest of the first presentation times of its streams of video and audio that begin
    ///   within the bytes.
    /// - Packed audio: the timestamp of the ID3 tags before it (RFC 8216 §3.4).
    /// - Fragmented MP4: the earliest decode time of the tracks of the first fragment. The bytes have to contain the
    ///   complete initialization section and the complete headers of the fragment. Of edit lists only initial delays
    ///   are included, neither cuts nor the composition offsets of the first pictures, which mostly are the same.
    /// - WebM: the time of the first cluster, with the whole initialization section before it.
    ///
    /// The cost is linear in the bytes; 256 KiB are enough for most streams.
    package static func begin(of bytes: UnsafeRawBufferPointer, kind: MediaKind) -> MediaTime? {
        switch kind {
        case .transportStream: TransportStreamClock.begin(of: body(of: bytes))
        case .fragmentedMP4: FragmentClock.begin(of: body(of: bytes))
        case .adts, .mp3, .ac3, .eac3: ID3Timestamp.first(in: bytes)
        case .webM: WebM.begin(of: body(of: bytes))
        case .webVTT, .page: nil
        }
    }

    /// The same for bytes in an array.
    package static func begin(of bytes: [UInt8], kind: MediaKind) -> MediaTime? {
        bytes.withUnsafeBytes { begin(of: $0, kind: kind) }
    }

    /// The seconds from one moment to another; negative if the other is earlier.
    ///
    /// If one of them is a transport time, both are treated as times of that clock, and the difference is the shortest
    /// way around it: from -2³² ticks, included, up to 2³², which is 13¼ hours.
    package static func offset(from: MediaTime, to: MediaTime) -> Double {
        let difference: Double
        if from.isTransport || to.isTransport {
            let forward = (to.ticks &- from.ticks) % MediaTime.transportPeriod
            let isBackward = forward >= MediaTime.transportPeriod / 2
            difference = isBackward ? -Double(MediaTime.transportPeriod - forward) : Double(forward)
        } else {
            difference =
                to.ticks >= from.ticks ? Double(to.ticks - from.ticks) : -Double(from.ticks - to.ticks)
        }
        return difference / Double(MediaTime.frequency)
    }

    /// The earlier one of two moments; the known one if the other is nil.
    static func earlier(_ one: MediaTime?, _ other: MediaTime?) -> MediaTime? {
        guard let one, let other else { return one ?? other }
        return offset(from: one, to: other) < 0 ? other : one
    }

    /// The bytes after the tags that some hosts put before any kind of media.
    private static func body(of bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[ID3Tag.totalLength(in: bytes)...])
    }
}
