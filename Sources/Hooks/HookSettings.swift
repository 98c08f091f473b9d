/// Where in a run commands of the person run.
package enum HookPoint: String, Sendable, Hashable, CaseIterable {
    /// Before the first request to an address: may change it, or refuse.
    case beforeRequest = "before-request"
    /// When all bytes of a video are there, before it has its name: accepts, rejects, or asks for another try.
    case afterDownload = "after-download"
    /// At the end of a run, for each course with videos that are new in the library.
    case onNew = "on-new"

    /// How long a command may take where nobody says so.
    package var standardTimeout: Duration {
        switch self {
        case .beforeRequest: .seconds(30)
        case .afterDownload, .onNew: .seconds(300)
        }
    }
}

/// A command of the person.
package struct Hook: Sendable, Equatable {
    /// As `/bin/sh -c` takes it.
    package var command: String
    /// After which it is ended, with all that it has started.
    package var timeout: Duration

    package init(command: String, timeout: Duration) {
        self.command = command
        self.timeout = timeout
    }
}

/// The commands of a run, in the order in which they run.
package struct HookSettings: Sendable, Equatable {
    package var commands: [HookPoint: [Hook]] = [:]
    /// Where news are posted to.
    package var notifications: [NewsReceiver] = []
    /// Where they run: the folder of the settings. Nil for the current one.
    package var folder: String?

    package init() {}

    /// Whether there is a command for a point.
    package func has(_ point: HookPoint) -> Bool { commands[point]?.isEmpty == false }

    /// Whether anybody is to be told of new videos.
    package var tellsNews: Bool { has(.onNew) || !notifications.isEmpty }
}
