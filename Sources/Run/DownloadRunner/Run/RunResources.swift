import DownloadStore
import ProviderHost
import RunAccess

/// The resources that a run opens and holds to its end.
struct RunResources: Sendable {
    let place: StateLocation.Place
    let registry: PluginRegistry
    let store: DownloadStore
    /// The state with the user's sessions; the same, unless the run is about a shard.
    let sessions: DownloadStore
    let library: RunLibrary
    /// What may be known of the last run; nil if each run looks at everything.
    let idle: IdleRun?
    /// The user's session at the start of the run.
    let session: UserSession
}
