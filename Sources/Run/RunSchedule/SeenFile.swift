package import DownloadStore
package import FileSystem

/// What a download has seen of its own file when it was compared with another one. In memory only.
package struct SeenFile: Sendable, Equatable {
    /// What a server said of the file when it was asked for a range of it.
    package struct Response: Sendable, Equatable {
        /// The strong entity tag; nil without one, so that no file can be proven to be the same.
        package var etag: String?
        /// Digest of the bytes in the middle; nil if the compared file has another size, and so another middle.
        package var middle: Checksum?

        package init(etag: String?, middle: Checksum? = nil) {
            self.etag = etag
            self.middle = middle
        }
    }

    /// Digest of the URL and headers of its answer.
    package var request: RequestDigest?
    /// Expected by the catalog or the answer.
    package var sha256: Checksum?
    /// Expected by the catalog or the answer.
    package var checksums: PublishedChecksums?
    /// In bytes, by the server, or else by the answer.
    package var size: Int64?
    /// Whether its server was asked for bytes.
    package var isAsked = false
    package var response: Response?
    package var stream: StreamDigest?

    package init(request: RequestDigest? = nil) { self.request = request }

    /// Whether a comparison could prove that it has the bytes of this file: nothing that was seen contradicts that.
    func allows(_ donor: Donor) -> Bool {
        if let request, request == donor.request { return true }
        if let sha256 { return donor.file.sha256 == sha256 }
        if let checksums, !checksums.isContained(in: donor.file.checksums) { return false }
        if let size, size != donor.file.size { return false }
        return switch donor.file.proof {
        case nil: false
        case .etag(let etag): response.map { $0.etag == etag } ?? true
        case .stream(let digest): stream.map { $0 == digest } ?? true
        }
    }

    /// What two downloads have in common, after each was compared with this file and has other bytes, if they may have
    /// the same ones. As hashes: a collision leads to one comparison too many.
    func likenesses(besides donor: Donor) -> [Int] {
        var facts: [Fact] = request.map { [.request($0)] } ?? []
        // Of files of this run without a proof the servers give none.
        let isComparable = donor.request == nil || donor.file.proof != nil
        if let sha256 {
            facts.append(.sha256(sha256))
        } else if let checksums {
            facts.append(.checksums(checksums))
        } else if let stream {
            facts.append(.stream(stream))
        } else if let response {
            if let etag = response.etag, let size { facts.append(.tagged(etag, size, response.middle)) }
        } else if isComparable, let size {
            facts.append(.size(size))
        } else if isComparable, !isAsked {
            facts.append(.unseen)
        }
        return facts.map { fact in
            var hasher = Hasher()
            hasher.combine(donor.file.path)
            hasher.combine(fact)
            return hasher.finalize()
        }
    }

    private enum Fact: Hashable {
        case request(RequestDigest)
        case sha256(Checksum)
        case checksums(PublishedChecksums)
        case stream(StreamDigest)
        case tagged(String, Int64, Checksum?)
        case size(Int64)
        /// Nothing was asked: the file that it was compared with has no proof.
        case unseen
    }
}
