package import Foundation

/// The name of a cover, subtitle or attachment, unique within its video.
package struct SidecarName: Sendable, Hashable {
    package var kind: SidecarRecord.Kind
    /// Language or title, made unique within the kind; empty for a cover.
    package var name: String

    package init(_ kind: SidecarRecord.Kind, _ name: String) {
        self.kind = kind
        self.name = name
    }
}

/// A missing sidecar: a stored one is a ``SidecarRecord``.
///
/// Its address isn't stored: it is secret, and expires. Its provider is asked for a new one.
package struct MissingSidecar: Sendable, Equatable {
    package enum State: String, Sendable {
        /// The next run downloads it.
        case wanted
        /// It wasn't available. A later run tries again if there is a time for that, else only after the user's
        /// `retry`.
        case failed
    }

    /// The download that it belongs to.
    package var download: DownloadID
    /// Its name within the download.
    package var name: SidecarName
    package var state: State
    /// The earliest time of the next try; nil after a permanent failure, and for at once.
    package var retryAt: Date?
    /// The number of consecutive runs in which it failed.
    package var failedRuns: Int
    /// The last error; nil if there is none.
    package var error: DownloadError?

    package init(
        download: DownloadID, name: SidecarName, state: State, retryAt: Date? = nil, failedRuns: Int = 0,
        error: DownloadError? = nil
    ) {
        self.download = download
        self.name = name
        self.state = state
        self.retryAt = retryAt
        self.failedRuns = failedRuns
        self.error = error
    }

    /// Whether a try before its time may end otherwise than the last one.
    package var mayPass: Bool { error.map(\.kind.mayPass) ?? false }

    /// Whether a run at `now` downloads it.
    package func isDue(at now: Date) -> Bool {
        switch (state, retryAt) {
        // A time beyond the allowed wait was set by another clock.
        case (.wanted, let retryAt?): retryAt <= now || retryAt > now + RowStatus.longestWait
        case (.wanted, nil): true
        case (.failed, let retryAt):
            retryAt.map { RowStatus.isOver($0, failedRuns: failedRuns, at: now) } ?? false
        }
    }
}

extension SidecarRecord {
    package var key: SidecarName { SidecarName(kind, name) }
}
