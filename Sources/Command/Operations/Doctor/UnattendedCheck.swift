import Foundation

/// Finds what is installed with the program for syncs that nobody watches, from the program's own path.
struct UnattendedCheck {
    /// The folder that `make install` calls PREFIX.
    var prefix = URL(filePath: Bundle.main.executablePath ?? CommandLine.arguments.first ?? "")
        .resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()
    var environment = ProcessInfo.processInfo.environment

    func run() -> [DiagnosisFact] {
        var facts: [DiagnosisFact] = []
        if let timer = installed("share/systemd/user/coursefetch.timer") {
            facts.append(.units(path: timer, isEnabled: isTimerEnabled))
        }
        if let crontab = installed("share/doc/coursefetch/examples/crontab") { facts.append(.crontab(path: crontab)) }
        if let check = installed("share/doc/coursefetch/examples/check-json"),
            let schemas = installed("share/coursefetch/schemas")
        {
            facts.append(.jsonCheck(path: check, schemas: schemas))
        }
        return facts
    }

    private func installed(_ name: String) -> String? {
        let path = prefix.appending(path: name).path(percentEncoded: false)
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }

    /// As `systemctl --user enable` leaves it.
    private var isTimerEnabled: Bool {
        let base = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        guard let folder = base ?? environment["HOME"].map({ $0 + "/.config" }) else { return false }
        var facts = stat()
        return lstat(folder + "/systemd/user/timers.target.wants/coursefetch.timer", &facts) == 0
    }
}
