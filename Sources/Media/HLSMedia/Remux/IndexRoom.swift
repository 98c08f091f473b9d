/// The room for the index at the beginning of an MP4. With it ffmpeg writes its output once; without it, it reads and
/// writes all of it again to move it behind the index, whose size is known at the end only.
package struct IndexRoom: Sendable, Equatable {
    /// In bytes. What the index doesn't need stays empty.
    package let bytes: Int32

    /// Nil if it would be more than a hundredth of the file.
    ///
    /// Measured with ffmpeg 5: 0.7 KB for each second of 25 pictures with sound, 1.6 KB of 60 with B-frames.
    package init?(seconds: Double, fileSize: Int64) {
        let room = 65_536 + 2_000 * max(0, seconds)
        guard seconds.isFinite, room <= Double(fileSize) / 100, let bytes = Int32(exactly: room.rounded()) else {
            return nil
        }
        self.bytes = bytes
    }

    /// Whether the index of a file that was written with this room is within it. A larger one lies over the media, and
    /// ffmpeg 5 exits with 0 all the same.
    ///
    /// - Parameter read: returns bytes from an offset, fewer only at the end of the file.
    package func holdsIndex<Failure>(
        of read: (_ place: Int64, _ count: Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Bool {
        guard let type = try Self.header(at: 0, read), type.name == "ftyp", let place = Int64(exactly: type.length),
            let index = try Self.header(at: place, read), index.name == "moov", index.length > 0
        else { return false }
        // An empty box takes the rest, with a header of 8 bytes.
        return index.length + 8 <= UInt64(bytes)
    }

    private static func header<Failure>(
        at place: Int64, _ read: (_ place: Int64, _ count: Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> MP4BoxHeader? {
        try read(place, 16).withUnsafeBytes { MP4BoxHeader($0) }
    }
}
