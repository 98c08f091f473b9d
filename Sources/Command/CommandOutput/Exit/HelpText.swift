/// The help of a command, with its common ending.
package enum HelpText {
    /// Completes a message of the argument parser: help gets the table of exit codes appended, an error gets our
    /// spelling.
    package static func completed(_ message: String) -> String {
        if message.hasPrefix("Error: ") { return "error: " + message.dropFirst("Error: ".count) }
        guard message.hasPrefix("OVERVIEW: ") else { return message }
        var text = message
        while text.last?.isNewline == true { text.removeLast() }
        return text + "\n\n" + ExitStatus.table
    }
}
