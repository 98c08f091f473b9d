/// The parts of WebM, by the names of their elements. Related: RFC 9559.
enum WebM {
    static let header: UInt32 = 0x1A45_DFA3
    static let segment: UInt32 = 0x1853_8067
    static let cluster: UInt32 = 0x1F43_B675
    static let info: UInt32 = 0x1549_A966
    static let timestampScale: UInt32 = 0x2AD7B1
    static let duration: UInt32 = 0x4489
    static let timestamp: UInt32 = 0xE7
    static let cues: UInt32 = 0x1C53_BB6B
    static let cuePoint: UInt32 = 0xBB
    static let cueTime: UInt32 = 0xB3
    static let cueTrackPositions: UInt32 = 0xB7
    static let cueClusterPosition: UInt32 = 0xF1

    /// The elements that may come first in a cluster: its time, a checksum, padding.
    private static let firstInCluster: Set<UInt32> = [timestamp, 0xBF, 0xEC]
    /// Those that may come first in the header of the file: versions, lengths, the document's type.
    private static let firstInHeader: Set<UInt32> = [0x4286, 0x42F7, 0x42F2, 0x42F3, 0x4282, 0xBF, 0xEC]

    /// Whether the bytes begin like a file, its initialization section, or a cluster.
    static func begins(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var elements = EBMLElements(bytes)
        guard let first = elements.next() else { return false }
        var content = first.elements
        guard let inner = content.next() else {
            return false
        }
        switch first.name {
        case header: return firstInHeader.contains(inner.name)
        case cluster: return firstInCluster.contains(inner.name)
        default: return false
        }
    }

    /// The time of the first cluster. Nil unless the bytes contain a complete initialization section and the beginning
    /// of a cluster after it.
    static func begin(of bytes: UnsafeRawBufferPointer) -> MediaTime? {
        guard let file = EBMLElements(bytes).first(segment) else { return nil }
        var scale = defaultScale
        for element in file.elements {
            if element.name == info { scale = element.elements.first(timestampScale)?.number ?? defaultScale }
            guard element.name == cluster else { continue }
            guard let time = element.elements.first(timestamp)?.number else { return nil }
            let (nanoseconds, isTooMuch) = time.multipliedReportingOverflow(by: scale)
            return isTooMuch ? nil : MediaTime(nanoseconds, timescale: 1_000_000_000)
        }
        return nil
    }

    /// Nanoseconds per unit of time, unless a file says otherwise.
    static let defaultScale: UInt64 = 1_000_000
}
