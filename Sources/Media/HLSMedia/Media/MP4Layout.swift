/// The boxes of an MP4 at its top. Related: ISO/IEC 14496-12 §4.2.
package enum MP4Layout {
    /// Whether the boxes of a file follow each other up to its end, as they do in one that was written as a whole.
    ///
    /// - Parameters:
    ///   - size: of the file, in bytes.
    ///   - read: returns bytes from an offset, fewer only at the end of the file. It is called for 16 bytes up to
    ///     ``MovieLength/boxBound`` times.
    package static func isWhole<Failure>(
        size: Int64, from read: (_ place: Int64, _ count: Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Bool {
        var place: Int64 = 0
        for _ in 0..<MovieLength.boxBound {
            let header = try read(place, 16).withUnsafeBytes { MP4BoxHeader($0) }
            guard let header, header.length > 0, let length = Int64(exactly: header.length), length <= size - place
            else { return false }
            place += length
            if place == size { return true }
        }
        return false
    }
}
