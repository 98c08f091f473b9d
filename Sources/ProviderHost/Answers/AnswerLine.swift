package import ProviderKit

/// One line that a plugin wrote, decoded in one pass.
package enum AnswerLine: PrintsRedacted {
    /// What a plugin can be asked.
    package enum Method: String, Sendable {
        case resolve, list, login
    }

    /// What a plugin said to one request.
    package enum Reply: Sendable, PrintsRedacted {
        case resolution(Resolution)
        case listing(Listing)
        case login(Login)
        /// An error; of kind `pluginFault` if its own is none of the protocol's.
        case error(ProviderError)
        /// No answer that the protocol knows; says what is wrong with it.
        case wrong(String)
    }

    case reply(wire: Int, Reply)
    /// An answer to something that isn't open.
    case stray(wire: Int)
    case log(HostLog.Level, String)
    /// A notification that this host doesn't know.
    case ignored
    /// No line of the protocol at all; says why.
    case violation(String)
}
