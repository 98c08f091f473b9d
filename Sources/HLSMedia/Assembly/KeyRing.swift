/// The keys of a stream, each fetched once for each URL, by whoever needs it first.
actor KeyRing {
    /// The largest answer that is read for a key of 16 bytes.
    private static let limit: Int64 = 4 << 10

    private var ciphers: [String: SegmentCipher] = [:]
    private var waiting: [String: [CheckedContinuation<Void, Never>]] = [:]

    /// The cipher of a key's URL.
    func cipher(
        _ url: String, _ access: StreamAccess
    ) async -> Result<SegmentCipher, StreamFailure> {
        while true {
            if let cipher = ciphers[url] { return .success(cipher) }
            guard waiting[url] != nil else { break }
            // Somebody is at it; if that fails, the next one tries.
            await withCheckedContinuation { waiting[url, default: []].append($0) }
        }
        waiting[url] = []
        defer { for continuation in waiting.removeValue(forKey: url) ?? [] { continuation.resume() } }
        let answer = await access.fetch(url, range: nil, part: .key, maxSize: Self.limit).result
        switch answer {
        case .failure(let failure): return .failure(failure)
        case .success(let bytes):
            guard let cipher = try? SegmentCipher(key: bytes) else {
                // An answer of another length is a page or an API's error, whatever its type says.
                return .failure(MediaKind.recognize(bytes) == .page ? .notMedia(.key) : .cipher(.key))
            }
            ciphers[url] = cipher
            return .success(cipher)
        }
    }
}
