package import ProviderKit

/// Requirements for a page of a listing beyond its JSON form. A plugin that violates them is at fault.
///
/// No message quotes a value.
package enum ListingCheck {
    private static let idBound = 1024
    private static let titleBound = 1024
    private static let knownBound = 4096
    private static let cursorBound = 65_536
    private static let numbers = 0...99_999_999

    /// The mistake in a page, or nil. `toleratesIDs`: a video's id that nobody can use costs that video only, not the
    /// page.
    package static func fault(in listing: Listing, toleratesIDs: Bool = false) -> String? {
        if let known = listing.known, known.utf8.count > knownBound {
            return "'known' in its answer is longer than \(knownBound) bytes"
        }
        if let fault = listing.next.flatMap(cursorFault) { return fault }
        if let title = listing.title, let fault = titleFault(title) { return "'title' in its answer \(fault)" }
        for chapter in listing.chapters {
            if let fault = idFault(chapter.id) { return "a chapter in its answer has an 'id' that \(fault)" }
            if let title = chapter.title, let fault = titleFault(title) {
                return "'title' of a chapter in its answer \(fault)"
            }
            if let season = chapter.season, !numbers.contains(season) {
                return "'season' of a chapter in its answer isn't between 0 and 99,999,999"
            }
        }
        func fault(in video: Listing.Video) -> String? { self.fault(in: video, toleratesIDs) }
        return (listing.videos.lazy.compactMap(fault).first)
            ?? listing.chapters.lazy.flatMap(\.videos).compactMap(fault).first
    }

    /// Removes from `listing` what isn't worth failing it: answers that aren't valid in every part, and covers,
    /// subtitles and attachments without a valid URL, language or title. Returns messages about them.
    static func drop(from listing: inout Listing) -> [String] {
        var count = 0
        var answers = 0
        func isValid(_ url: String?) -> Bool {
            let isValid = url.map { ResolutionCheck.urlFault($0) == nil } ?? true
            if !isValid { count += 1 }
            return isValid
        }
        func clean(_ videos: inout [Listing.Video]) {
            for index in videos.indices {
                if !isValid(videos[index].cover) { videos[index].cover = nil }
                if var answer = videos[index].resolved {
                    if !ResolutionCheck.drop(from: &answer).isEmpty || ResolutionCheck.fault(in: answer) != nil {
                        answers += 1
                        videos[index].resolved = nil
                    }
                }
                // A change would copy all of them.
                guard !(videos[index].subtitleFiles.isEmpty && videos[index].attachments.isEmpty) else { continue }
                videos[index].subtitleFiles.removeAll { file in
                    guard ResolutionCheck.isLanguageTag(file.lang) else {
                        count += 1
                        return true
                    }
                    return !isValid(file.url)
                }
                videos[index].attachments.removeAll { file in
                    guard ResolutionCheck.isTitle(file.title) else {
                        count += 1
                        return true
                    }
                    return !isValid(file.url)
                }
            }
        }
        if !isValid(listing.cover) { listing.cover = nil }
        clean(&listing.videos)
        for index in listing.chapters.indices {
            if !isValid(listing.chapters[index].cover) { listing.chapters[index].cover = nil }
            clean(&listing.chapters[index].videos)
        }
        var reasons: [String] = []
        if count > 0 {
            reasons.append(
                "\(count) covers, subtitles or attachments of its listing left out: a URL, language or title is invalid"
            )
        }
        if answers > 0 { reasons.append("\(answers) 'resolved' of its listing left out: they are invalid") }
        return reasons
    }

    private static func fault(in video: Listing.Video, _ toleratesID: Bool) -> String? {
        if !toleratesID, let fault = idFault(video.id) { return "a video in its answer has an 'id' that \(fault)" }
        if let title = video.title, let fault = titleFault(title) { return "'title' of a video in its answer \(fault)" }
        if let size = video.size, let fault = ResolutionCheck.sizeFault(size) {
            return "'size' of a video in its answer \(fault)"
        }
        if let sha256 = video.sha256, !(sha256.utf8.count == 64 && sha256.utf8.allSatisfy(ResolutionCheck.isHexDigit)) {
            return "'sha256' of a video in its answer isn't 64 hexadecimal digits"
        }
        if let fault = video.checksums.flatMap(ResolutionCheck.checksumsFault) {
            return "'checksums' of a video in its answer \(fault)"
        }
        if let duration = video.duration, !(0...1e9).contains(duration) {
            return "'duration' of a video in its answer isn't between 0 and 10^9 seconds"
        }
        if let provider = video.provider, !isProviderName(provider) {
            return "'provider' of a video in its answer isn't a provider's name"
        }
        if let episode = video.episode, !numbers.contains(episode) {
            return "'episode' of a video in its answer isn't between 0 and 99,999,999"
        }
        return nil
    }

    private static func isProviderName(_ name: String) -> Bool {
        LoginCheck.isName(name) && name.utf8.first != UInt8(ascii: ".") && name.utf8.first != UInt8(ascii: "-")
    }

    static func idFault(_ id: String) -> String? {
        if id.isEmpty { return "is empty" }
        if id.utf8.count > idBound { return "is longer than \(idBound) bytes" }
        return id.utf8.contains(0) ? "contains the character NUL" : nil
    }

    static func cursorFault(_ next: String) -> String? {
        next.isEmpty || next.utf8.count > cursorBound ? "'next' in its answer has a wrong length" : nil
    }

    static func titleFault(_ title: String) -> String? {
        title.utf8.count > titleBound ? "is longer than \(titleBound) bytes" : nil
    }
}
