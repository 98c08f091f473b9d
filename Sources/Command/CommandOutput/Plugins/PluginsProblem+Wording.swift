package import Operations
import ProviderConformance
import SyncFacts

extension PluginsProblem {
    /// Whole sentences for the user, remedies included.
    package var message: String {
        switch self {
        case .noFolder(let folder): "there is no folder \(ShellWord.quoted(folder))"
        case .notAssignment(let text): "'\(text)' isn't a parameter; write KEY=VALUE"
        case .parameters(let texts): texts.joined(separator: "\n")
        case .fixtures(let problem): problem.message
        case .realHost(let host):
            """
            this would send about a hundred requests to \(host), five a second; without a terminal to ask on it needs \
            --real-host. --record sends only a few
            """
        case .badName(let name):
            """
            '\(name)' can't be a plugin's name: use 1 to 64 letters, digits, '.', '_' or '-', beginning with a letter \
            or digit
            """
        case .exists(let path): "\(ShellWord.quoted(path)) is there already; nothing was changed"
        case .noKit(.python): "the Python module isn't installed; install coursefetch with: make install"
        case .noKit: "the kit for Swift isn't installed; install coursefetch with: make install"
        case .unreadable(let path): "can't read \(path)"
        case .unwritable(let path): "can't write \(path)"
        case .noPlugin(let path):
            "\(ShellWord.quoted(path)) is neither a folder with a plugin.yaml nor a .tar.gz or .zip of one"
        case .broken(let reason): "the plugin can't be used: \(reason)"
        case .unsafeEntry(let name): "the archive can't be unpacked: '\(name)' is a link, or leads out of the archive"
        case .unusualEntry(let name): "'\(name)' is neither a file nor a folder; a plugin has nothing else"
        case .tooLarge(let bytes, let files):
            "a plugin has at most \(Wording.size(Int64(bytes))) and \(Wording.grouped(files)) files"
        case .unpack(let words): "the archive can't be unpacked: \(words)"
        case .failedChecks(let folder):
            """
            the plugin fails checks, and isn't installed; for all of them: coursefetch plugins check \
            \(ShellWord.quoted(folder))
            """
        case .installed(let name, let present, let offered):
            """
            \(name) \(present ?? "without a version") is installed, and \(offered ?? "one without a version") isn't \
            newer; to replace it: --force
            """
        case .installedBroken(let name, let reason):
            "\(name) is installed and can't be used: \(reason); to replace it: --force"
        case .notInstalled(let name, nil):
            "you have no plugin '\(name)'; for the list: \(SuggestedCommand.text("plugins list"))"
        case .notInstalled(let name, let folder?):
            """
            '\(name)' is in \(folder), which isn't in your folder of plugins; nothing was removed. To remove it, \
            delete that folder. A plugin of the same name that you install is used instead of one that comes with \
            coursefetch
            """
        case .noHome: "HOME isn't set, so there is no place for plugins"
        }
    }
}

extension FixtureProblem {
    fileprivate var message: String {
        switch self {
        case .unreadable(let path): "can't read \(path)"
        case .mistakes(let texts): texts.joined(separator: "\n")
        case .keys(let places):
            places.map { place in
                place.key.isEmpty
                    ? "\(place.place): fixtures are described by parameters, credentials, videos and now"
                    : """
                    \(place.place): '\(place.key)' isn't parameters, credentials, videos or now, or has a wrong \
                    value
                    """
            }.joined(separator: "\n")
        case .exchange(let file, let line):
            "\(file):\(line): an exchange is a request line, headers, an empty line and a response"
        case .noEndpoint: "the fixtures have exchanges, but fixture.yaml has no parameter 'endpoint'"
        case .badEndpoint: "the parameter 'endpoint' isn't an http or https URL"
        case .noPort: "no port of 127.0.0.1 can be opened"
        case .notEmpty(let folder): "\(ShellWord.quoted(folder)) isn't empty; name a new folder"
        case .unwritable(let path): "can't write \(path)"
        }
    }
}
