import ArgumentParser
import CommandOutput
import Foundation
import Operations
import Terminal

struct PluginsInstall: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Check a plugin and copy it to your folder of plugins.",
        discussion: """
            Copies a folder with a plugin.yaml, or a .tar.gz or .zip of one, to \
            ~/.local/share/coursefetch/plugins/NAME, where nobody else can write. Hidden files aren't copied. A newer \
            version replaces an older one in one step. A plugin runs with your permissions: install what you trust.

            EXAMPLES:
              coursefetch plugins install ./my-host
              coursefetch plugins install peertube-1.2.tar.gz
              coursefetch plugins install ./my-host --force
            """)

    @Argument(help: "The plugin's folder, or an archive.", completion: .file())
    var source: String

    @Flag(help: "Replace the same or a newer version.")
    var force = false

    @Flag(inversion: .prefixedNo, help: "Run coursefetch plugins check on it first (default: on).")
    var check = true

    func run() async throws {
        let context = CommandContext()
        let text = PluginCheckText(style: context.style(of: STDOUT_FILENO))
        let installed = try await PluginsProblem.refused(in: context) { () throws(PluginsProblem) in
            try await PluginInstallation(environment: context.environment)
                .install(source, isChecked: check, isForced: force) { result in
                    text.failure(result).map(context.say)
                }
        }
        InstallationText.lines(installed).forEach(context.say)
        try await context.finish()
    }
}

struct PluginsRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a plugin from your folder of plugins.",
        discussion: """
            Removes ~/.local/share/coursefetch/plugins/NAME and nothing else: neither videos, nor logins, nor plugins \
            that came with coursefetch.

            EXAMPLES:
              coursefetch plugins remove my-host
            """)

    @Argument(help: "The provider's name.")
    var name: String

    func run() async throws {
        let context = CommandContext()
        let settings = try await context.settings([:])
        let folder = try await PluginsProblem.refused(in: context) { () throws(PluginsProblem) in
            try await PluginInstallation(environment: context.environment)
                .remove(name, plugins: settings.plugins.value)
        }
        context.say(InstallationText.removed(folder))
        try await context.finish()
    }
}
