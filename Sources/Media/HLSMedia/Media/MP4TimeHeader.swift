/// Unit and duration, the first fields of `mvhd` and `mdhd`. Related: ISO/IEC 14496-12 §8.2.2, §8.4.2.
struct MP4TimeHeader {
    /// Units per second; may be 0.
    var timescale: UInt32
    /// In units; nil if the file marks it as unknown.
    var duration: UInt64?

    /// Reads the body of such a box, of version 0 or 1. Nil if it is too short.
    init?(_ body: UnsafeRawBufferPointer) {
        switch body.first {
        case 0:
            guard let timescale = body.big(UInt32.self, at: 12), let short = body.big(UInt32.self, at: 16) else {
                return nil
            }
            self.timescale = timescale
            duration = short == .max ? nil : UInt64(short)
        case 1:
            guard let timescale = body.big(UInt32.self, at: 20), let long = body.big(UInt64.self, at: 24) else {
                return nil
            }
            self.timescale = timescale
            duration = long == .max ? nil : long
        default: return nil
        }
    }

    /// The duration in seconds; nil if it isn't known.
    var seconds: Double? {
        guard let duration, timescale > 0 else { return nil }
        return Double(duration) / Double(timescale)
    }
}
