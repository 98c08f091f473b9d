import ProviderKit

#if canImport(System)
package import System
#else
package import SystemPackage
#endif

/// The parameters of a plugin's process.
package struct PluginLaunch: Sendable, Hashable, PrintsRedacted {
    /// The executable, as an absolute path.
    package var executable: FilePath
    /// The rest of argv.
    package var arguments: [String]
    /// All variables of its environment; nothing is inherited.
    package var environment: [String: String]
    /// Its working directory: the plugin's folder.
    package var folder: FilePath

    package init(
        executable: FilePath, arguments: [String] = [], environment: [String: String] = [:], folder: FilePath
    ) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
        self.folder = folder
    }
}

/// The time limits for the end of a plugin's process.
package struct PluginTimeouts: Sendable, Hashable {
    /// From the end of its standard input to TERM.
    package var afterEndOfInput: Duration
    /// From TERM to KILL.
    package var afterTerminate: Duration

    /// From the end of its standard input until it is given up, whether it has ended or not.
    var untilGone: Duration { afterEndOfInput + afterTerminate + .seconds(10) }

    /// The wait for descriptors before a process is given up that can't be started without: in that time another that
    /// ends has given back its own.
    var untilDescriptors: Duration { afterEndOfInput + afterTerminate }

    /// The defaults are those of the protocol.
    package init(afterEndOfInput: Duration = .milliseconds(1500), afterTerminate: Duration = .seconds(2)) {
        self.afterEndOfInput = afterEndOfInput
        self.afterTerminate = afterTerminate
    }
}
