/// The outcome of one check.
package enum CheckVerdict: Sendable {
    /// The plugin does what the protocol says.
    case passed
    /// It doesn't; each fault with its lines, at most ``bound`` of them.
    case failed([CheckFailure])
    /// The check couldn't be made or has no object.
    case skipped(SkipReason)

    /// How many faults of one check are kept.
    static let bound = 3

    /// Failed if there is a fault.
    init(_ failures: [CheckFailure]) {
        self = failures.isEmpty ? .passed : .failed(Array(failures.prefix(Self.bound)))
    }

    /// A single fault.
    static func failed(_ fault: ConformanceFault, _ exchange: Exchange? = nil) -> CheckVerdict {
        .failed([CheckFailure(fault, exchange)])
    }

    /// Whether it is ``failed(_:)-([CheckFailure])``.
    package var isFailure: Bool { if case .failed = self { true } else { false } }
}

/// A request line and its answer, without secrets and cut, as they may be shown.
package struct Exchange: Sendable, Equatable {
    /// The line that was sent; empty if none was.
    package var sent: String
    /// The line that came; nil if none came.
    package var came: String?

    /// Makes an exchange of texts that are fit to be shown.
    package init(sent: String, came: String?) {
        self.sent = sent
        self.came = came
    }
}

/// A fault that a check found.
package struct CheckFailure: Sendable {
    package var fault: ConformanceFault
    /// The lines that show it, if there are any.
    package var exchange: Exchange?
    /// What the plugin wrote to stderr meanwhile, without secrets.
    package var stderr: [String] = []

    init(_ fault: ConformanceFault, _ exchange: Exchange? = nil) {
        self.fault = fault
        self.exchange = exchange
    }
}
