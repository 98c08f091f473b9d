package import ProviderKit

/// One line of a plugin, decoded in one pass.
package enum AnswerLine: PrintsRedacted {
    /// The methods that a plugin can be asked.
    package enum Method: String, Sendable {
        case resolve, list, courses, recognise, login
    }

    /// A plugin's reply to one request.
    package enum Reply: Sendable, PrintsRedacted {
        case resolution(Resolution)
        case listing(Listing)
        case courses(CourseList)
        case recognition(Recognition)
        case login(Login)
        /// An error; of kind `pluginFault` if its own kind isn't one of the protocol's.
        case error(ProviderError)
        /// An answer that violates the protocol, with the mistake, and the new credentials that came with it.
        case wrong(String, renewed: Secret<JSONValue>? = nil)
    }

    case reply(wire: Int, Reply)
    /// An answer to a request that isn't open.
    case stray(wire: Int)
    case log(HostLog.Level, String)
    /// A notification unknown to this host.
    case ignored
    /// Not a line of the protocol, with the reason.
    case violation(String)
}
