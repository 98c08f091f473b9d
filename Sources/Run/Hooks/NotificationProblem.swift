/// The reason why a notification failed.
package enum NotificationProblem: Sendable, Equatable {
    /// A command failed; its last line of output.
    case refused(String?)
    case hook(HookProblem)
    /// The host answered with this status.
    case status(Int, host: String)
    /// The host couldn't be reached; the transfer's own sentence.
    case unreachable(host: String, String)
}

/// What a notification is about.
package enum NotificationTopic: Sendable, Equatable {
    /// New videos of a course, with its title.
    case news(course: String)
    /// A sync that failed.
    case failure
    /// A ping at the begin or the end of a sync.
    case begin
    case end
}

/// A notification about a run that failed.
package struct UnsentNotice: Sendable, Equatable {
    package var topic: NotificationTopic
    package var problem: NotificationProblem

    package init(_ topic: NotificationTopic, _ problem: NotificationProblem) {
        self.topic = topic
        self.problem = problem
    }
}

extension HookRunner {
    /// Runs the commands of `on-new` in sequence. Nil if all of them succeeded; else the first failure.
    package func onNew(_ news: NewVideoFacts) async -> NotificationProblem? { await tell(.onNew, news) }

    /// The same for `on-failure`.
    package func onFailure(_ failure: FailureFacts) async -> NotificationProblem? { await tell(.onFailure, failure) }

    private func tell(_ point: HookPoint, _ facts: some Encodable) async -> NotificationProblem? {
        for hook in settings.commands[point] ?? [] {
            switch await ask(hook, facts, hiding: []).verdict {
            case .accept: break
            case .reject(let reason), .again(let reason): return .refused(reason)
            case .broken(let trouble): return .hook(trouble)
            }
        }
        return nil
    }
}
