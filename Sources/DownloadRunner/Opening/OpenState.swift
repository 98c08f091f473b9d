import DownloadStore
import ProviderHost

/// What a run has opened and holds to its end.
struct OpenState: Sendable {
    let place: StateLocation.Place
    let registry: PluginRegistry
    let store: DownloadStore
    let library: RunLibrary
    /// The user's session as the run began.
    let session: UserSession
}
