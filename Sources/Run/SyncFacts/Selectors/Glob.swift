import DownloadStore

/// One part of a selector: an id, or a pattern over ids.
package struct Glob: Sendable, Hashable {
    /// One step of a pattern.
    enum Step: Sendable, Hashable {
        case literal(Unicode.Scalar)
        /// `?`: one scalar.
        case one
        /// `*`: any number of scalars.
        case many
        /// `[a-z_]`, `[!a-z]`.
        case oneOf([ClosedRange<Unicode.Scalar>], negated: Bool)
    }

    /// The id, if there is no wildcard: it is compared as a whole.
    private let literal: String?
    private let steps: [Step]

    /// `*`.
    package static let anything = Glob(steps: [.many])

    /// Matches only this id.
    package init(literal: String) {
        self.literal = Identifier.normalized(literal)
        steps = []
    }

    /// Reads one part of a selector.
    package init(_ part: some StringProtocol) throws(SelectorError) {
        self.init(steps: try Self.parsed(Array(part.utf8), text: String(part)))
    }

    private init(steps: [Step]) {
        var scalars = String.UnicodeScalarView()
        for step in steps {
            guard case .literal(let scalar) = step else {
                literal = nil
                self.steps = steps
                return
            }
            scalars.append(scalar)
        }
        literal = String(scalars)
        self.steps = []
    }

    /// Whether every id matches.
    package var isAnything: Bool { literal == nil && steps.allSatisfy { $0 == .many } }

    /// The id, if this isn't a pattern.
    package var id: String? { literal }

    var pattern: String { steps.map(\.description).joined() }

    /// The ids that it may match; nil for any.
    var filter: DownloadFilter.Name? {
        if let literal { return .exactly(literal) }
        var prefix = String.UnicodeScalarView()
        for step in steps {
            guard case .literal(let scalar) = step else { break }
            prefix.append(scalar)
        }
        return prefix.isEmpty ? nil : .beginning(with: String(prefix))
    }

    /// The pattern of SQLite's LIKE, with `\` as its escape, that lets each text in ASCII through that it matches.
    var asciiPattern: String {
        let steps = literal.map { $0.unicodeScalars.map(Step.literal) } ?? self.steps
        return steps.map { step in
            switch step {
            case .literal(let scalar) where "%_\\".unicodeScalars.contains(scalar): "\\\(scalar)"
            case .literal(let scalar) where scalar.isASCII: String(scalar)
            case .literal, .one, .oneOf: "_"
            case .many: "%"
            }
        }.joined()
    }

    /// Whether the id matches in any Unicode spelling.
    package func matches(_ id: String) -> Bool {
        let id = Identifier.normalized(id)
        if let literal { return literal.utf8.elementsEqual(id.utf8) }
        if isAnything { return true }
        return matches(scalars: id.unicodeScalars)
    }

    /// Backtracks to the last `*` only, so that the cost is at most the pattern's length times the id's.
    private func matches(scalars: String.UnicodeScalarView) -> Bool {
        var position = scalars.startIndex
        var step = 0
        var retry: (step: Int, position: String.UnicodeScalarView.Index)?
        while position < scalars.endIndex {
            if step < steps.count {
                if steps[step] == .many {
                    retry = (step, position)
                    step += 1
                    continue
                }
                if steps[step].takes(scalars[position]) {
                    step += 1
                    position = scalars.index(after: position)
                    continue
                }
            }
            guard let last = retry else { return false }
            let next = scalars.index(after: last.position)
            retry = (last.step, next)
            (step, position) = (last.step + 1, next)
        }
        return steps[step...].allSatisfy { $0 == .many }
    }
}

extension Glob.Step {
    /// Whether this one scalar satisfies the step.
    fileprivate func takes(_ scalar: Unicode.Scalar) -> Bool {
        switch self {
        case .literal(let wanted): wanted == scalar
        case .one: true
        case .many: false
        case .oneOf(let ranges, let negated): ranges.contains { $0.contains(scalar) } != negated
        }
    }
}
