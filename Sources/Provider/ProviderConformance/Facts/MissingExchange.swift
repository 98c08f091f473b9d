import ProviderKit

/// A request of a plugin that none of its fixtures' exchanges answers.
package struct MissingExchange: Sendable, Equatable {
    /// `GET /videos?count=15`, without secrets.
    package var request: String
    /// The file of the exchange that comes nearest; nil if there is none.
    package var nearest: String?
    /// In what that one differs; the most telling first.
    package var differences: [ExchangeDifference] = []

    package init(request: String, nearest: String? = nil, differences: [ExchangeDifference] = []) {
        self.request = request
        self.nearest = nearest
        self.differences = differences
    }
}

/// A difference between an exchange and a request.
package struct ExchangeDifference: Sendable, Equatable {
    /// The part of the request.
    package enum Part: Sendable, Equatable, PrintsRedacted {
        case method
        case path
        /// A field of the query.
        case query(String)
        case header(String)
        /// A field of a form, or a member of a JSON object as `a.b`.
        case field(String)
        /// The whole body.
        case body
    }

    package var part: Part
    /// As the exchange has it; nil if it doesn't have it.
    package var recorded: String?
    /// As the request has it; nil if it doesn't have it.
    package var sent: String?

    package init(_ part: Part, recorded: String?, sent: String?) {
        self.part = part
        self.recorded = recorded
        self.sent = sent
    }
}
