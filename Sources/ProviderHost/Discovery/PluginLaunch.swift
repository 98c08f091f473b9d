import ProviderKit

#if canImport(System)
package import System
#else
package import SystemPackage
#endif

/// How to start a plugin's process.
package struct PluginLaunch: Sendable, Hashable, PrintsRedacted {
    /// The executable, as an absolute path.
    package var executable: FilePath
    /// What follows it in argv.
    package var arguments: [String]
    /// All variables of its environment; nothing is inherited.
    package var environment: [String: String]
    /// Its working directory: the plugin's folder.
    package var folder: FilePath

    /// Makes a launch.
    package init(
        executable: FilePath, arguments: [String] = [], environment: [String: String] = [:], folder: FilePath
    ) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
        self.folder = folder
    }
}

/// How long a plugin's process may take to end.
package struct PluginTimeouts: Sendable, Hashable {
    /// From the end of its standard input to TERM.
    package var afterEndOfInput: Duration
    /// From TERM to KILL.
    package var afterTerminate: Duration

    /// From the end of its standard input until it is given up, whether it ended or not.
    var untilGone: Duration { afterEndOfInput + afterTerminate + .seconds(10) }

    /// Without arguments those of the protocol.
    package init(afterEndOfInput: Duration = .milliseconds(1500), afterTerminate: Duration = .seconds(2)) {
        self.afterEndOfInput = afterEndOfInput
        self.afterTerminate = afterTerminate
    }
}
