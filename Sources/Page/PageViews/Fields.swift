package import Foundation
import TextFormats

/// What a template gets: texts, numbers, truth values, lists and further fields, by their names.
///
/// An absent value has to be said (``absent``): otherwise Mustache takes that of the fields around.
package typealias Fields = [String: Any]

/// Stands for a value that isn't there. NSNull as swift-mustache knows it.
var absent: Any { NSNull() }

func orAbsent(_ value: Any?) -> Any { value ?? absent }

/// What all pages have in common.
package struct PageFrame: Sendable {
    /// The prefix of the page's relative addresses: `./`, `../`, `../../`.
    package var root: String
    /// What forms have to bring back.
    package var formToken: String
    /// The address of the page below its root, to which forms return.
    package var back: String
    /// The content of the search box.
    package var query = ""
    /// Nil if there is only one.
    package var user: String?
    package var library: String
    /// A sentence about the form that was sent; nil without one.
    package var message: String?
    package var isError = false
    package var now = Date()
    package var zone = TimeZone.current

    package init(root: String, formToken: String, back: String, user: String?, library: String) {
        self.root = root
        self.formToken = formToken
        self.back = back
        self.user = user
        self.library = library
    }
}

/// A page, or a part of one, made of facts.
protocol PageView {
    var frame: PageFrame { get }
}

/// The pages that the navigation names.
enum NavigationPlace: String, CaseIterable {
    case home = "onHome"
    case courses = "onCourses"
    case now = "onNow"
    case nights = "onNights"
    case search = "onSearch"
    case settings = "onSettings"
}

extension PageView {
    var root: String { frame.root }
    var now: Date { frame.now }
    var zone: TimeZone { frame.zone }

    func fields(_ title: String, _ place: NavigationPlace? = nil, _ own: Fields) -> Fields {
        var fields: Fields = [
            "root": root, "title": title, "csrf": frame.formToken, "back": frame.back, "query": frame.query,
            "user": orAbsent(frame.user),
            "library": frame.library, "message": orAbsent(frame.message), "isError": frame.isError,
        ]
        for one in NavigationPlace.allCases { fields[one.rawValue] = one == place }
        return fields.merging(own) { _, own in own }
    }

    // MARK: addresses

    func address(_ kind: String, _ parts: String...) -> String {
        root + ([kind] + parts.map { PercentEncoding.encoded($0) }).joined(separator: "/")
    }

    func query(_ fields: [(String, String?)]) -> String {
        let pairs = fields.compactMap { name, value in value.map { "\(name)=\(PercentEncoding.encoded($0))" } }
        return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }
}
