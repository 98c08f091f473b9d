import HLSMedia

/// The reasons why a presentation isn't downloaded, in the words of a ``DownloadError``.
extension PresentationError {
    /// Without its full stop.
    var sentence: String {
        // The reader's words have the line.
        if case .malformed(let mistake) = fact { return "the presentation can't be read: \(mistake)" }
        return "presentation, line \(line): \(reason)"
    }

    private var reason: String {
        switch fact {
        case .malformed(let mistake): mistake
        case .isElsewhere: "a part of it is in another document (xlink:href), which coursefetch doesn't load"
        case .value(let name): "\(name) has no possible value"
        case .tooMany(.periods): "more than 1,000 periods"
        case .tooMany(.representations): "too many representations"
        case .tooMany(.segments): "more than 100,000 segments"
        case .tooLong: "the addresses of the segments take too much memory"
        case .template: "the address of the segments has an unknown identifier"
        case .noAddress: "the segments have no addresses"
        case .noDuration: "nothing says how many segments there are"
        case .unlikePeriods:
            "some of its periods have separate sound, a picture or an initialization section, and others don't"
        case .index(.missing): "the file has no index of its segments at the given place"
        case .index(.invalid): "the index of the segments is truncated or has impossible numbers"
        case .index(.hierarchical): "the index of the segments names further indexes, which coursefetch doesn't read"
        case .index(.tooLarge): "the index of the segments is larger than 16 MiB"
        }
    }
}
