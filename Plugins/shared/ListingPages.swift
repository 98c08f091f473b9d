import Crypto
import ProviderKit
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Hands out a listing in pages that fit into lines, and finds out whether it has changed.
///
/// A provider reads its course in whole. `known` is a digest of that, with the server's validator if it has one: an
/// equal digest, or the server's word, makes the answer `unchanged`.
final class ListingPages: Sendable {
    /// What a provider has read.
    enum Reading {
        /// The server says that nothing has changed since the validator.
        case unchanged
        /// All of it, with the validator for the next time.
        case whole(Listing, validator: String?)
    }

    /// Raised when a provider of a new version reads the same things differently.
    private static let version = "1"
    private static let videosBound = 1000
    private static let bytesBound = 600 << 10
    /// Listings whose later pages are waiting to be fetched.
    private static let keptBound = 16

    private struct Kept {
        var digest: String
        var pages: [Listing]
    }

    private let kept = Mutex<[Kept]>([])

    /// The page that `request` wants. `read` gets the validator of the last listing, or nil.
    func page(
        _ request: ListRequest, _ read: (String?) async throws(ProviderError) -> Reading
    ) async throws(ProviderError) -> Listing {
        if let cursor = request.cursor { return try await laterPage(cursor, read) }
        let words = request.known?.split(separator: " ", maxSplits: 2).map(String.init) ?? []
        let isCurrent = words.count >= 2 && words[0] == Self.version
        switch try await read(isCurrent && words.count == 3 ? words[2] : nil) {
        case .unchanged: return Listing(known: request.known, unchanged: true)
        case .whole(let listing, let validator):
            let pages = Self.pages(listing)
            let digest = Self.digest(pages)
            let known = ([Self.version, digest] + (validator.map { $0.utf8.count < 3000 ? [$0] : [] } ?? []))
                .joined(separator: " ")
            if isCurrent, words[1] == digest { return Listing(known: known, unchanged: true) }
            keep(digest, pages)
            return Self.page(0, of: pages, digest: digest, known: known)
        }
    }

    private func laterPage(
        _ cursor: String, _ read: (String?) async throws(ProviderError) -> Reading
    ) async throws(ProviderError) -> Listing {
        let words = cursor.split(separator: " ").map(String.init)
        guard words.count == 2, let number = Int(words[1]), number > 0 else {
            throw ProviderError(.pluginFault, "the cursor is none of this provider's")
        }
        var pages = kept.withLock { $0.first { $0.digest == words[0] }?.pages }
        if pages == nil, case .whole(let listing, _) = try await read(nil) {
            // A process was started anew in between.
            let again = Self.pages(listing)
            if Self.digest(again) == words[0] {
                keep(words[0], again)
                pages = again
            }
        }
        guard let pages, number < pages.count else {
            throw ProviderError(.unavailable, "the course changed while it was listed")
        }
        if number == pages.count - 1 { kept.withLock { $0.removeAll { $0.digest == words[0] } } }
        return Self.page(number, of: pages, digest: words[0], known: nil)
    }

    private func keep(_ digest: String, _ pages: [Listing]) {
        guard pages.count > 1 else { return }
        kept.withLock { kept in
            kept.removeAll { $0.digest == digest }
            if kept.count >= Self.keptBound { kept.removeFirst() }
            kept.append(Kept(digest: digest, pages: pages))
        }
    }

    private static func page(_ number: Int, of pages: [Listing], digest: String, known: String?) -> Listing {
        var page = pages[number]
        page.known = known
        page.next = number + 1 < pages.count ? "\(digest) \(number + 1)" : nil
        return page
    }

    /// A title without the control characters that none has a use for: a name of a file can't have them, and a stored
    /// text ends at U+0000.
    private static func title(_ title: String?) -> String? {
        guard let title, title.unicodeScalars.contains(where: isCut) else { return title }
        return String(String.UnicodeScalarView(title.unicodeScalars.filter { !isCut($0) }))
    }

    private static func cleaned(_ video: Listing.Video) -> Listing.Video {
        var video = video
        video.title = title(video.title)
        let resolved = title(video.resolved?.title)
        video.resolved?.title = resolved
        return video
    }

    private static func isCut(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control && !["\t", "\n", "\r"].contains(scalar)
    }

    /// The listing in pages, in its order; a chapter may continue on the next.
    private static func pages(_ listing: Listing) -> [Listing] {
        var pages = [Listing(title: title(listing.title), cover: listing.cover)]
        var (count, bytes) = (0, 0)
        func room(for video: Listing.Video) -> Bool {
            let size = size(video)
            if count > 0, count >= videosBound || bytes + size > bytesBound {
                pages.append(Listing())
                (count, bytes) = (0, 0)
            }
            count += 1
            bytes += size
            return count == 1
        }
        for listed in listing.videos {
            let video = cleaned(listed)
            _ = room(for: video)
            pages[pages.count - 1].videos.append(video)
        }
        for chapter in listing.chapters {
            var isOpen = false
            for listed in chapter.videos {
                let video = cleaned(listed)
                if room(for: video) || !isOpen {
                    var part = chapter
                    part.title = title(part.title)
                    part.videos = []
                    pages[pages.count - 1].chapters.append(part)
                    isOpen = true
                }
                let page = pages.count - 1
                pages[page].chapters[pages[page].chapters.count - 1].videos.append(video)
            }
        }
        return pages
    }

    /// The bytes of a video in JSON, rather too many.
    private static func size(_ video: Listing.Video) -> Int {
        let texts = [video.id, video.title, video.description, video.cover] + video.parameters.map { $0.value.string }
        let answer = video.resolved.flatMap { try? JSONEncoder().encode($0) }?.count ?? 0
        return texts.compactMap(\.self).reduce(300 + 100 * video.parameters.count + answer) { sum, text in
            text.utf8.reduce(sum) { $0 + ($1 < 0x20 || $1 == 0x7F ? 6 : $1 == 0x22 || $1 == 0x5C ? 2 : 1) }
        }
    }

    /// Of what the course has. The answers that came with it are none of that: they have tokens, and may differ each
    /// time.
    private static func digest(_ pages: [Listing]) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        var hash = SHA256()
        for var page in pages {
            for video in page.videos.indices { page.videos[video].resolved = nil }
            for chapter in page.chapters.indices {
                for video in page.chapters[chapter].videos.indices {
                    page.chapters[chapter].videos[video].resolved = nil
                }
            }
            if let data = try? encoder.encode(page) { hash.update(data: data) }
        }
        return hash.finalize().prefix(16).hex
    }
}
