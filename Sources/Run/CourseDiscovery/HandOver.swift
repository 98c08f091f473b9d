package import CourseCatalog
package import SyncFacts
package import YAMLSource

/// Which videos of a listing that belong to another provider are taken: the catalog has to allow that provider, and its
/// schema the parameters. Nobody else looks at them before the provider is asked.
package struct HandOver: Sendable {
    /// The first mistake in parameters for a provider; nil without one.
    package typealias Check = @Sendable (_ parameters: [String: YAMLNode], _ provider: String) -> String?

    /// Videos left out, in the order in which they came, of at most so many providers.
    package private(set) var refused: [SyncWarning.RefusedHandOver] = []
    private static let bound = 20

    private let lister: String
    private let allowed: Set<String>
    private let check: Check

    /// - Parameters:
    ///   - lister: The provider that lists.
    ///   - allowed: Those that it may name.
    package init(lister: String, allowed: Set<String>, check: @escaping Check) {
        self.lister = lister
        self.allowed = allowed
        self.check = check
    }

    /// For the listing of a course.
    package init(of course: Course, check: @escaping Check) {
        self.init(
            lister: course.settings.provider?.name ?? "",
            allowed: Set((course.discovery?.handOver ?? []).map(\.name)), check: check)
    }

    /// The provider that takes a listed video: nil if its own lists it.
    enum Taker: Equatable {
        case own
        case other(String)
        /// It is left out.
        case nobody
    }

    /// Who takes a video with these parameters.
    mutating func taker(of provider: String?, _ parameters: [YAMLMapping.Entry]) -> Taker {
        guard let provider, provider != lister else { return .own }
        guard allowed.contains(provider) else {
            refuse(provider, mistake: nil)
            return .nobody
        }
        let values = parameters.filter { !$0.value.isNull }.map { ($0.key, $0.value) }
        if let mistake = check(Dictionary(values) { $1 }, provider) {
            refuse(provider, mistake: mistake)
            return .nobody
        }
        return .other(provider)
    }

    private mutating func refuse(_ provider: String, mistake: String?) {
        if let index = refused.firstIndex(where: { $0.provider == provider && ($0.mistake == nil) == (mistake == nil) })
        {
            refused[index].count += 1
        } else if refused.count < Self.bound {
            refused.append(.init(provider: provider, mistake: mistake, count: 1))
        }
    }
}
