/// Matches a wanted language with those of a playlist.
///
/// A preference matches its own subtags and more specific ones (`en` matches `en-US`; RFC 4647 §3.3.1), without regard
/// to letter case; if nothing does, its last subtag is removed and it tries again (§3.4). Codes of three letters, which
/// many hosts write, are equal to those of two (`eng` and `en`, `ger` and `deu` and `de`). `*` matches any.
enum LanguageMatch {
    /// The indexes of the languages that match the preference best; none matches nil.
    static func indexes(of preference: String, in languages: [String?]) -> [Int] {
        let tags = languages.map { $0.map(tag) }
        var range = tag(preference)
        while !range.isEmpty {
            let found = tags.indices.filter { index in tags[index].map { matches(range, $0) } ?? false }
            if !found.isEmpty { return found }
            range.removeLast()
        }
        return []
    }

    /// The normalized tag of a language, for comparisons.
    static func normal(_ language: String) -> String { tag(language).joined(separator: "-") }

    private static func matches(_ range: [String], _ tag: [String]) -> Bool {
        range == ["*"] ? !tag.isEmpty : tag.starts(with: range)
    }

    private static func tag(_ language: String) -> [String] {
        var parts = language.lowercased().split { $0 == "-" || $0 == "_" }.prefix(8).map(String.init)
        if let first = parts.first, let short = shortCodes[first] { parts[0] = short }
        return parts
    }

    /// ISO 639-2 to ISO 639-1.
    private static let shortCodes = [
        "ara": "ar", "bul": "bg", "ben": "bn", "cat": "ca", "ces": "cs", "cze": "cs", "dan": "da", "deu": "de",
        "ger": "de", "ell": "el", "gre": "el", "eng": "en", "spa": "es", "est": "et", "eus": "eu", "baq": "eu",
        "fas": "fa", "per": "fa", "fin": "fi", "fra": "fr", "fre": "fr", "gle": "ga", "glg": "gl", "heb": "he",
        "hin": "hi", "hrv": "hr", "hun": "hu", "hye": "hy", "arm": "hy", "ind": "id", "isl": "is", "ice": "is",
        "ita": "it", "jpn": "ja", "kat": "ka", "geo": "ka", "kor": "ko", "lit": "lt", "lav": "lv", "mkd": "mk",
        "mac": "mk", "msa": "ms", "may": "ms", "nld": "nl", "dut": "nl", "nor": "no", "pol": "pl", "por": "pt",
        "ron": "ro", "rum": "ro", "rus": "ru", "slk": "sk", "slo": "sk", "slv": "sl", "sqi": "sq", "alb": "sq",
        "srp": "sr", "swe": "sv", "tam": "ta", "tel": "te", "tha": "th", "tur": "tr", "ukr": "uk", "urd": "ur",
        "vie": "vi", "zho": "zh", "chi": "zh",
    ]
}
