package import SyncFacts

/// What a person does in a login that has steps.
package struct LoginDialog: Sendable {
    /// A text that the provider asks for.
    package struct Question: Sendable, Equatable {
        package let name: String
        /// What the person reads.
        package let label: String
        /// Whether it isn't shown while it is typed.
        package let isSecret: Bool
    }

    /// What the person does in a browser.
    package struct Notice: Sendable, Equatable {
        /// The page to open; nil for none.
        package let page: String?
        /// The code to type there; nil for none.
        package let code: String?
        /// Whether a question follows, which the person can answer when that is done.
        package let asksOn: Bool
    }

    /// The answer to a question; refused if there is nobody to ask.
    package var ask: @Sendable (Question) async -> Result<String, Refusal>
    /// Shows a notice. Returns a refusal if there is nobody to see it.
    package var tell: @Sendable (Notice) async -> Refusal?
    /// The page in HTML that a browser gets when it comes back to this machine.
    package var arrival: String

    package init(
        arrival: String, ask: @escaping @Sendable (Question) async -> Result<String, Refusal>,
        tell: @escaping @Sendable (Notice) async -> Refusal?
    ) {
        self.arrival = arrival
        self.ask = ask
        self.tell = tell
    }
}
