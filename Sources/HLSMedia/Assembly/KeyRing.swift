import MediaTransfer

/// The keys of a stream, each fetched once for each URL, for all who wait for it.
actor KeyRing: RedactedInPrint {
    /// The largest answer that is read for a key of 16 bytes: a page in its place has to be told from a transfer that fails.
    private static let limit: Int64 = 1 << 20

    /// How many keys are kept; a stream that has more uses each for a while.
    private static let most = 1_000

    private typealias Answer = Result<SegmentCipher, StreamFailure>

    private var ciphers: [String: SegmentCipher] = [:]
    private var waiting: [String: [CheckedContinuation<Result<SegmentCipher, StreamFailure>, Never>]] = [:]

    /// The cipher of a key's URL. A failure is that of everybody who waits for it; the next who asks tries again.
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

    /// No key is known any more: one of them was wrong.
    func forget() { ciphers = [:] }

    private static func fetch(_ url: String, _ access: StreamAccess) async -> Answer {
        switch await access.fetch(url, range: nil, part: .key, maxSize: limit).result {
        case .failure(let failure): return .failure(failure)
        case .success(let bytes):
            // An answer of another length is a page or an API's error, whatever its type says.
            return (try? SegmentCipher(key: bytes)).map { .success($0) } ?? .failure(.notMedia(.key))
        }
    }
}
