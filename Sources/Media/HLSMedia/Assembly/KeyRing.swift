import MediaTransfer

/// The keys of a stream, each downloaded once for each URL, for all waiting tasks.
actor KeyRing: RedactedInPrint {
    /// The largest response that is read for a key of 16 bytes: a page in its place has to be distinguished from a
    /// failed transfer.
    private static let limit: Int64 = 1 << 20

    /// The limit on kept keys; a stream with more uses each for a while.
    private static let most = 1_000

    private typealias Answer = Result<SegmentCipher, StreamFailure>

    private var ciphers: [String: SegmentCipher] = [:]
    private var waiting: [String: [CheckedContinuation<Result<SegmentCipher, StreamFailure>, Never>]] = [:]

    /// The cipher of a key's URL. A failure applies to all waiting tasks; the next one tries again.
    func cipher(_ url: String, _ access: StreamAccess) async -> Result<SegmentCipher, StreamFailure> {
        if let cipher = ciphers[url] { return .success(cipher) }
        if waiting[url] != nil {
            return await withCheckedContinuation { waiting[url, default: []].append($0) }
        }
        waiting[url] = []
        let answer = await Self.fetch(url, access)
        if case .success(let cipher) = answer {
            if ciphers.count >= Self.most { ciphers = [:] }
            ciphers[url] = cipher
        }
        for continuation in waiting.removeValue(forKey: url) ?? [] { continuation.resume(returning: answer) }
        return answer
    }

    /// Forgets all keys: one of them was wrong.
    func forget() { ciphers = [:] }

    private static func fetch(_ url: String, _ access: StreamAccess) async -> Answer {
        switch await access.fetch(url, range: nil, part: .key, maxSize: limit).result {
        case .failure(let failure): return .failure(failure)
        case .success(let bytes):
            // A response of another length is a page or an API's error, whatever its type.
            return (try? SegmentCipher(key: bytes)).map { .success($0) } ?? .failure(.notMedia(.key))
        }
    }
}
