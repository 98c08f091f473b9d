/// The points of a run at which the user's commands run.
package enum HookPoint: String, Sendable, Hashable, CaseIterable {
    /// Before the first request to an address: may change it, or refuse.
    case beforeRequest = "before-request"
    /// When all bytes of a video are there, before it has its name: the command accepts, rejects, or asks for another
    /// try.
    case afterDownload = "after-download"
    /// At the end of a run, for each course with videos that are new in the library.
    case onNew = "on-new"
    /// After a run that failed.
    case onFailure = "on-failure"

    /// The default limit on a command's time.
    package var standardTimeout: Duration {
        switch self {
        case .beforeRequest: .seconds(30)
        case .afterDownload, .onNew, .onFailure: .seconds(300)
        }
    }
}

/// A command of the user.
package struct Hook: Sendable, Equatable {
    /// The text for `/bin/sh -c`.
    package var command: String
    /// The limit after which it is ended with all its children.
    package var timeout: Duration

    package init(command: String, timeout: Duration) {
        self.command = command
        self.timeout = timeout
    }
}

/// The commands of a run, in the order in which they run.
package struct HookSettings: Sendable, Equatable {
    package var commands: [HookPoint: [Hook]] = [:]
    package var notifications: [NotificationReceiver] = []
    /// Their working folder: that of the settings. Nil for the current one.
    package var folder: String?

    package init() {}

    /// Whether there is a command for a point.
    package func has(_ point: HookPoint) -> Bool { commands[point]?.isEmpty == false }

    /// Whether new videos are reported to any command or receiver.
    package var tellsNews: Bool { has(.onNew) || notifications.contains { $0.isTold(of: .new) } }

    /// Whether failures are reported to any command or receiver.
    package var tellsFailures: Bool { has(.onFailure) || notifications.contains { $0.isTold(of: .failures) } }

    /// Whether any receiver gets pings.
    package var pings: Bool { notifications.contains { $0.format == .healthchecks } }
}
