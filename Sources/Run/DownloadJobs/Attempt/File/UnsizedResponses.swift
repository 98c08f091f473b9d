import Crypto
import Foundation
import MediaTransfer

/// Answers without a length that ended with their connections: nothing outside says whether they were whole. Two equal
/// ones were, if their container says the same.
struct UnsizedResponses: Sendable {
    /// What follows an answer.
    enum Judgement: Sendable {
        /// The file is complete.
        case whole
        /// The whole file is requested once more.
        case again
        /// A later run tries again.
        case waits
    }

    /// Answers in one turn.
    private static let most = 3
    private var digests: Set<[UInt8]> = []
    private var count = 0

    /// Takes an answer: its digest if it is whole by its container, else nil.
    mutating func take(_ digest: [UInt8]?) -> Judgement {
        count += 1
        if let digest, !digests.insert(digest).inserted { return .whole }
        guard count < Self.most else {
            count = 0
            return .waits
        }
        return .again
    }

    /// The digest of a file whose container is whole; nil for others. Blocks.
    static func digest(of partial: PartialFile) throws(FileError) -> [UInt8]? {
        let length = partial.length
        let isWhole = try ContainerCompleteness.isWhole(length: length) { offset, count throws(FileError) in
            try partial.bytes(at: offset, count: count)
        }
        guard isWhole else { return nil }
        var hash = SHA256()
        var offset: Int64 = 0
        while offset < length {
            let bytes = try partial.bytes(at: offset, count: Int(min(1 << 20, length - offset)))
            guard !bytes.isEmpty else { return nil }
            hash.update(data: bytes)
            offset += Int64(bytes.count)
        }
        return Array(hash.finalize())
    }
}
