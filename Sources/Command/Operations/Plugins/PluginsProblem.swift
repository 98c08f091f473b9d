package import ProviderConformance

/// The reason why a command about plugins does nothing.
package enum PluginsProblem: Error, Sendable, Equatable {
    /// There is no such folder.
    case noFolder(String)
    /// `KEY=VALUE` was expected.
    case notAssignment(String)
    /// Mistakes in parameters, one sentence each, in the words of the manifest.
    case parameters([String])
    /// A check would ask this host over the network, and nobody has allowed it.
    case realHost(String)
    /// Something is wrong with the fixtures.
    case fixtures(FixtureProblem)
    /// No plugin can have this name.
    case badName(String)
    /// Something has this path already.
    case exists(String)
    /// What the language needs is installed nowhere.
    case noKit(PluginLanguage)
    case unreadable(String)
    case unwritable(String)
    /// Neither a folder with a plugin nor an archive of one.
    case noPlugin(String)
    /// The manifest can't be used; the reason.
    case broken(String)
    /// An entry of the archive isn't safe to unpack.
    case unsafeEntry(String)
    /// An entry of a folder that isn't a file or folder.
    case unusualEntry(String)
    /// The archive or folder has more than these bytes or files.
    case tooLarge(bytes: Int, files: Int)
    /// The archive can't be unpacked; the last words of the program.
    case unpack(String)
    case failedChecks(String)
    /// This version, or a newer one, is there.
    case installed(String, present: String?, offered: String?)
    /// The one that is there can't be used, so that nobody knows its version.
    case installedBroken(String, reason: String)
    /// The user has no plugin of this name; where there is one, its folder.
    case notInstalled(String, elsewhere: String?)
    /// There is no place for the user's data.
    case noHome
}
