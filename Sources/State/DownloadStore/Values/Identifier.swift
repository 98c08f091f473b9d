import Foundation

/// The one spelling in which ids of courses, chapters and videos are stored and compared.
///
/// Unicode spells some texts in several ways (é as one scalar or two; K and the Kelvin sign): these are one id.
package enum Identifier {
    /// The id in Unicode's normal form C. ASCII text is in that form already.
    package static func normalized(_ id: String) -> String {
        id.utf8.allSatisfy { $0 < 0x80 } ? id : id.precomposedStringWithCanonicalMapping
    }
}
