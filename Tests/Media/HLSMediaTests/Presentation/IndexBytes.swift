/// Indexes of segments made by hand.
enum IndexBytes {
    /// A `sidx` box of version 0 with sizes and durations; `hierarchical` counts the reference to another index.
    static func box(
        timescale: UInt32 = 1, first: UInt32 = 0, gap: UInt32 = 0, _ references: [(size: UInt32, duration: UInt32)],
        version: UInt8 = 0
    ) -> [UInt8] {
        var body: [UInt8] = [version, 0, 0, 0] + big(1) + big(timescale)
        let zeros = [UInt8](repeating: 0, count: version == 0 ? 0 : 4)
        body +=
            zeros + big(first) + zeros + big(gap) + [0, 0, UInt8(references.count >> 8), UInt8(references.count & 255)]
        for reference in references { body += big(reference.size) + big(reference.duration) + big(0x9000_0000) }
        return big(UInt32(body.count + 8)) + Array("sidx".utf8) + body
    }

    static func big(_ number: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }
}
