import Foundation

/// The names of languages in ISO base media.
enum LanguageCode {
    /// The three letters of ISO 639-2 for the language of a BCP 47 tag: `deu` for `de-AT`. Nil for an invalid tag, or a
    /// language without a code. Related: ISO/IEC 14496-12 §8.4.2.
    static func threeLetters(_ tag: String) -> String? {
        let language = tag.prefix { $0 != "-" && $0 != "_" }.lowercased()
        guard (2...3).contains(language.utf8.count), language.utf8.allSatisfy({ (0x61...0x7A).contains($0) })
        else { return nil }
        return Locale.LanguageCode(language).identifier(.alpha3) ?? (language.utf8.count == 3 ? language : nil)
    }
}
