package import DownloadStore
package import SyncFacts
package import UserState

/// Credentials belong to a session: those outdated by a login or logout are never stored.
extension UserCredentials {
    /// Stores the result of `make`, which is called under the file's lock, if nobody has logged out or in, in general
    /// or at this provider, since its generation. Durable on return; returns whether it was stored.
    ///
    /// - Parameter make: gets what is stored for the provider.
    package func store(
        of provider: String, by state: DownloadStore,
        _ make: (_ present: StoredCredentials?) -> (StoredCredentials, since: Int64)?
    ) throws(Refusal) -> Bool {
        var failure: StoreError?
        let isStored: Bool
        do throws(CredentialsError) {
            isStored = try store(of: provider) { present in
                guard let (credentials, generation) = make(present) else { return nil }
                do throws(StoreError) {
                    return try state.sessions.mayStoreCredentials(of: provider, since: generation) ? credentials : nil
                } catch {
                    failure = error
                    return nil
                }
            }
        } catch { throw Refusal(error) }
        if let failure { throw Refusal(failure) }
        return isStored
    }

    /// Like ``store(of:by:_:)``, for known credentials.
    @discardableResult
    package func store(
        _ credentials: StoredCredentials, of provider: String, since generation: Int64, by state: DownloadStore
    ) throws(Refusal) -> Bool {
        try store(of: provider, by: state) { _ in (credentials, since: generation) }
    }
}
