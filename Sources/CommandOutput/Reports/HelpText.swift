/// The help of a command, with what stands at the end of each.
package enum HelpText {
    /// A message of the argument parser: help gets the table of exit codes behind it, an error is spelled as all others.
    package static func completed(_ message: String) -> String {
        if message.hasPrefix("Error: ") { return "error: " + message.dropFirst("Error: ".count) }
        guard message.hasPrefix("OVERVIEW: ") else { return message }
        var text = message
        while text.last?.isNewline == true { text.removeLast() }
        return text + "\n\n" + ExitStatus.table
    }
}
