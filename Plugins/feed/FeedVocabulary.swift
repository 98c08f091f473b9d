/// The vocabularies of feeds, by whichever spelling of their namespaces a feed uses.
///
/// Many feeds write `https` for `http`, other letter cases, or leave the declaration out; what is meant is clear.
enum FeedVocabulary: String {
    /// That of the feed's outermost element, or of RSS.
    case own = ""
    case atom
    case itunes
    case podcast
    case media
    case dublinCore = "dc"
    case terms = "dcterms"

    private static let known: [String: FeedVocabulary] = [
        "": .own, "purl.org/rss/1.0": .own, "my.netscape.com/rdf/simple/0.9": .own,
        "channel.netscape.com/rdf/simple/0.9": .own, "backend.userland.com/rss2": .own,
        "backend.userland.com/rss": .own, "blogs.law.harvard.edu/tech/rss": .own,
        "cyber.law.harvard.edu/rss/rss.html": .own, "rssboard.org/rss-specification": .own,
        "w3.org/2005/atom": .atom, "purl.org/atom/ns": .atom,
        "itunes.com/dtds/podcast-1.0.dtd": .itunes, "itunes.apple.com/dtds/podcast-1.0.dtd": .itunes,
        "podcastindex.org/namespace/1.0": .podcast,
        "github.com/podcastindex-org/podcast-namespace/blob/main/docs/1.0.md": .podcast,
        "search.yahoo.com/mrss": .media, "search.yahoo.com/mrss/rss": .media, "tools.search.yahoo.com/mrss": .media,
        "purl.org/dc/elements/1.1": .dublinCore, "purl.org/dc/elements/1.0": .dublinCore, "purl.org/dc/terms": .terms,
    ]

    /// The vocabulary of a namespace; nil if it is none of a feed's.
    init?(namespace: String) {
        var name = namespace.lowercased()[...]
        for prefix in ["http://", "https://", "www."] where name.hasPrefix(prefix) {
            name = name.dropFirst(prefix.count)
        }
        while let last = name.last, last == "/" || last == "#" { name.removeLast() }
        guard let found = Self.known[String(name)] else { return nil }
        self = found
    }
}
