/// The tables, each with the statements that are its own. What a function of one does is one transaction.
extension DownloadStore {
    /// The downloads.
    package var downloads: DownloadTable { DownloadTable(store: self) }
    /// Courses, chapters, and what the catalogs want.
    package var catalogs: CatalogTable { CatalogTable(store: self) }
    /// What belongs beside videos.
    package var sidecars: SidecarTable { SidecarTable(store: self) }
    /// Moves that are under way.
    package var moves: MoveTable { MoveTable(store: self) }
    /// The history of runs, and what one begins with.
    package var runs: RunTable { RunTable(store: self) }
    /// Logins and logouts.
    package var sessions: SessionTable { SessionTable(store: self) }
    /// What commands ask of the process that holds the user's lock.
    package var requests: RequestTable { RequestTable(store: self) }
    /// What the library's list of files is made of.
    package var kept: KeptTable { KeptTable(store: self) }
    /// What is remembered by name.
    package var facts: FactTable { FactTable(store: self) }
    /// The state file itself.
    package var health: StoreHealth { StoreHealth(store: self) }
}
