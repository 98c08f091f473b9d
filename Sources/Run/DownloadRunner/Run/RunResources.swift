import DownloadStore
import ProviderHost
import RunAccess

/// The resources that a run opens and holds to its end.
struct RunResources: Sendable {
    let place: StateLocation.Place
    let registry: PluginRegistry
    let store: DownloadStore
    let library: RunLibrary
    /// The user's session at the start of the run.
    let session: UserSession
}
