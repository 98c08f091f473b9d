/// A process's access to a state file.
package enum StateRole: Sendable {
    /// Holds the user's lock: creates the file, migrates it.
    case holder
    /// Anybody else: refuses a schema that isn't this program's, and a file that has none yet.
    case client
}
