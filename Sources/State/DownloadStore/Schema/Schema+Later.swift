/// The later migrations; a new one belongs at the end.
extension Schema {
    /// Who owns a path is asked for each file that is placed.
    static let thirteenth = """
        PRAGMA user_version = 13;
        CREATE INDEX downloads_by_path ON downloads (path) WHERE path IS NOT NULL;
        CREATE INDEX downloads_by_old_path ON downloads (old_path) WHERE old_path IS NOT NULL;
        CREATE INDEX sidecars_by_path ON sidecars (path) WHERE path IS NOT NULL;
        """

    /// Whether a move has failed, and is made again by the next run.
    static let fourteenth = """
        PRAGMA user_version = 14;
        ALTER TABLE moves ADD COLUMN is_put_off INTEGER NOT NULL DEFAULT 0;
        """

    /// What a listing that wasn't believed had lost: only one like it is believed later. An older doubt begins again.
    static let fifteenth = """
        PRAGMA user_version = 15;
        ALTER TABLE listings ADD COLUMN doubted_loss BLOB;
        """

    /// The published checksums that a file was compared with, and the title that a provider gave a video.
    static let sixteenth = """
        PRAGMA user_version = 16;
        ALTER TABLE downloads ADD COLUMN checksums TEXT;
        ALTER TABLE downloads ADD COLUMN given_title TEXT;
        CREATE INDEX downloads_with_given_title ON downloads (course) WHERE given_title IS NOT NULL;
        """

    /// The SHA-256 of what a video consists of, and where these files are.
    static let seventeenth = """
        PRAGMA user_version = 17;
        ALTER TABLE sidecars ADD COLUMN sha256 BLOB;
        CREATE INDEX sidecars_of_streams ON sidecars (download) WHERE kind = 'stream';
        """

    /// Which view of its video a file is, and what ffmpeg has to make of its files once there is one. The file of an
    /// unfinished row was always to be replaced; from now on it stays if its source does.
    static let eighteenth = """
        PRAGMA user_version = 18;
        ALTER TABLE downloads ADD COLUMN role TEXT;
        ALTER TABLE downloads ADD COLUMN old_role TEXT;
        UPDATE downloads SET file_source = NULL
            WHERE state <> 'finished' AND path IS NOT NULL AND is_placing = 0;
        UPDATE downloads SET old_source = NULL WHERE old_path IS NOT NULL;
        ALTER TABLE downloads ADD COLUMN joining TEXT;
        ALTER TABLE downloads ADD COLUMN old_joining TEXT;
        CREATE INDEX downloads_to_join ON downloads (id) WHERE joining IS NOT NULL;
        """

    /// What a run did, and why it ended. `last_download` is the newest row of a download when it began. Each run sums
    /// up the sizes of all files, in the indexes alone.
    static let nineteenth = """
        PRAGMA user_version = 19;
        ALTER TABLE runs ADD COLUMN last_download INTEGER;
        ALTER TABLE runs ADD COLUMN added INTEGER;
        ALTER TABLE runs ADD COLUMN moved INTEGER;
        ALTER TABLE runs ADD COLUMN removed INTEGER;
        ALTER TABLE runs ADD COLUMN stop TEXT;
        ALTER TABLE runs ADD COLUMN conditions TEXT;
        ALTER TABLE runs ADD COLUMN message TEXT;
        ALTER TABLE runs ADD COLUMN failed_at TEXT;
        ALTER TABLE runs ADD COLUMN library_bytes INTEGER;
        DROP INDEX downloads_by_path;
        DROP INDEX sidecars_by_path;
        CREATE INDEX downloads_by_path ON downloads (path, size) WHERE path IS NOT NULL;
        CREATE INDEX sidecars_by_path ON sidecars (path, size) WHERE path IS NOT NULL;
        """

    /// Notes of runs that found nothing to do. A change of any row drops them all, whoever makes it, in its own
    /// transaction; only those of the history, of requests, and of what a run waits for don't. A new table whose rows a
    /// sync reads gets the same triggers: `IdleTableTests` asks for them.
    static let twentieth =
        """
        PRAGMA user_version = 20;
        CREATE TABLE idle (
            subject BLOB PRIMARY KEY NOT NULL,
            number INTEGER NOT NULL,
            note BLOB
        ) STRICT;

        """ + notedTables.flatMap(droppingNotes).joined(separator: "\n")

    /// The tables of version 20 on whose rows the work of a sync depends.
    private static let notedTables = [
        "facts", "courses", "chapters", "downloads", "sidecars", "parts", "moves", "session", "provider_sessions",
        "metadata", "metadata_courses", "listings", "listed_chapters", "listed_videos", "migrations",
    ]

    private static func droppingNotes(at table: String) -> [String] {
        ["insert": "NEW", "update": "NEW", "delete": "OLD"].sorted { $0.key < $1.key }.map { change, row in
            // What a run waits for is shown while it runs, and deleted by the next one.
            let condition = table == "facts" ? "\(row).name <> 'waits' AND " : ""
            // Even an empty table is written if all of it is deleted.
            return """
                CREATE TRIGGER idle_after_\(change)_of_\(table) AFTER \(change.uppercased()) ON \(table)
                    WHEN \(condition)EXISTS (SELECT 1 FROM idle) BEGIN DELETE FROM idle; END;
                """
        }
    }
}
