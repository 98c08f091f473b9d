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
}
