package import Foundation

/// What a cover, subtitle or attachment of one video is called: unique within the video.
package struct SidecarName: Sendable, Hashable {
    /// What it is.
    package var kind: SidecarRecord.Kind
    /// Language or title, made unique within the kind; empty for a cover.
    package var name: String

    package init(_ kind: SidecarRecord.Kind, _ name: String) {
        self.kind = kind
        self.name = name
    }
}

/// Something that belongs beside a video and isn't there: what is there is a ``SidecarRecord``.
///
/// No address of it is kept: that is secret, and ends. Its provider is asked for a new one.
package struct OpenSidecar: Sendable, Equatable {
    /// Where it is.
    package enum State: String, Sendable {
        /// The next run fetches it.
        case wanted
        /// It wasn't available. A later run tries again if there is a time for that, else only if the person says so.
        case failed
    }

    /// The download that it belongs to.
    package var download: DownloadID
    /// Which of that one's.
    package var name: SidecarName
    /// Where it is.
    package var state: State
    /// Not before then; nil of one that failed for good, and of one that may at once.
    package var retryAt: Date?
    /// Runs in a row that ended with it failed.
    package var failedRuns: Int
    /// What went wrong last; nil if nothing did.
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

    /// Whether a run that looks at `now` fetches it.
    package func isDue(at now: Date) -> Bool {
        switch (state, retryAt) {
        // A time beyond what anybody may ask for was set by another clock.
        case (.wanted, let retryAt?): retryAt <= now || retryAt > now + RowStanding.longestWait
        case (.wanted, nil): true
        case (.failed, let retryAt): retryAt.map { $0 <= now } ?? false
        }
    }
}

extension SidecarRecord {
    /// What it is called.
    package var key: SidecarName { SidecarName(kind, name) }
}
