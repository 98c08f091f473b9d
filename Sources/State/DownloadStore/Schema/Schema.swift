import GRDB

/// The schema and its migrations. A released migration is never edited; a change is a new one at the end.
enum Schema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in try db.execute(sql: first) }
        migrator.registerMigration("2") { db in try db.execute(sql: second) }
        migrator.registerMigration("3") { db in try db.execute(sql: third) }
        migrator.registerMigration("4") { db in
            try db.execute(sql: fourth)
            try IdentifierMigration(db: db).run()
        }
        migrator.registerMigration("5") { db in try db.execute(sql: fifth) }
        migrator.registerMigration("6") { db in try db.execute(sql: sixth) }
        migrator.registerMigration("7") { db in try db.execute(sql: seventh) }
        migrator.registerMigration("8") { db in try db.execute(sql: eighth) }
        migrator.registerMigration("9") { db in try db.execute(sql: ninth) }
        migrator.registerMigration("10") { db in try db.execute(sql: tenth) }
        migrator.registerMigration("11") { db in try db.execute(sql: eleventh) }
        migrator.registerMigration("12") { db in try db.execute(sql: twelfth) }
        migrator.registerMigration("13") { db in try db.execute(sql: thirteenth) }
        migrator.registerMigration("14") { db in try db.execute(sql: fourteenth) }
        migrator.registerMigration("15") { db in try db.execute(sql: fifteenth) }
        migrator.registerMigration("16") { db in try db.execute(sql: sixteenth) }
        migrator.registerMigration("17") { db in try db.execute(sql: seventeenth) }
        migrator.registerMigration("18") { db in try db.execute(sql: eighteenth) }
        migrator.registerMigration("19") { db in try db.execute(sql: nineteenth) }
        migrator.registerMigration("20") { db in try db.execute(sql: twentieth) }
        return migrator
    }

    /// `user_version` lets a program that knows fewer migrations, or doesn't know GRDB's table, refuse the file.
    static let version = 20

    private static let first = """
        PRAGMA user_version = 1;
        CREATE TABLE facts (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID, STRICT;
        CREATE TABLE courses (
            id TEXT PRIMARY KEY NOT NULL,
            file TEXT NOT NULL,
            ordinal INTEGER NOT NULL,
            title TEXT NOT NULL,
            folder TEXT NOT NULL,
            cover BLOB,
            cover_path TEXT,
            cover_size INTEGER,
            cover_modified INTEGER
        ) WITHOUT ROWID, STRICT;
        CREATE TABLE chapters (
            course TEXT NOT NULL,
            id TEXT NOT NULL,
            title TEXT NOT NULL,
            position INTEGER NOT NULL,
            folder TEXT NOT NULL,
            cover BLOB,
            cover_path TEXT,
            cover_size INTEGER,
            cover_modified INTEGER,
            PRIMARY KEY (course, id)
        ) WITHOUT ROWID, STRICT;
        CREATE TABLE downloads (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            course TEXT NOT NULL,
            video TEXT NOT NULL,
            chapter TEXT,
            title TEXT NOT NULL,
            position INTEGER NOT NULL,
            ordinal INTEGER NOT NULL,
            provider TEXT NOT NULL,
            source BLOB NOT NULL,
            priority INTEGER NOT NULL,
            extras BLOB,
            stem TEXT NOT NULL,
            expected_size INTEGER,
            expected_sha256 BLOB,
            state TEXT NOT NULL CHECK (state IN
                ('waiting', 'active', 'paused', 'suspended', 'finished', 'failed', 'cancelled')),
            reason TEXT,
            priority_override INTEGER,
            durable_bytes INTEGER NOT NULL DEFAULT 0,
            total_bytes INTEGER,
            etag TEXT,
            last_modified TEXT,
            high_water INTEGER NOT NULL DEFAULT 0,
            validator_failures INTEGER NOT NULL DEFAULT 0,
            start_overs INTEGER NOT NULL DEFAULT 0,
            error_kind TEXT,
            error_message TEXT,
            error_status INTEGER,
            retry_at REAL,
            failed_runs INTEGER NOT NULL DEFAULT 0,
            is_placing INTEGER NOT NULL DEFAULT 0,
            path TEXT,
            size INTEGER,
            modified INTEGER,
            sha256 BLOB,
            file_source BLOB,
            old_path TEXT,
            old_size INTEGER,
            old_modified INTEGER,
            old_sha256 BLOB,
            old_source BLOB,
            stored_extras BLOB,
            updated_at REAL NOT NULL,
            is_gone INTEGER NOT NULL DEFAULT 0,
            UNIQUE (course, video),
            CHECK (state <> 'finished' OR path IS NOT NULL)
        ) STRICT;
        CREATE INDEX downloads_by_video ON downloads (video);
        CREATE INDEX downloads_unfinished ON downloads (state) WHERE state <> 'finished';
        CREATE TABLE sidecars (
            download INTEGER NOT NULL REFERENCES downloads (id) ON DELETE CASCADE,
            kind TEXT NOT NULL,
            name TEXT NOT NULL,
            path TEXT NOT NULL,
            size INTEGER NOT NULL,
            modified INTEGER NOT NULL,
            PRIMARY KEY (download, kind, name)
        ) WITHOUT ROWID, STRICT;
        CREATE TABLE moves (
            id TEXT PRIMARY KEY NOT NULL,
            from_path TEXT NOT NULL,
            to_path TEXT NOT NULL,
            owner TEXT NOT NULL
        ) WITHOUT ROWID, STRICT;
        CREATE TABLE runs (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            started_at REAL NOT NULL,
            ended_at REAL,
            catalogs TEXT NOT NULL,
            exit INTEGER,
            finished INTEGER,
            failed INTEGER,
            bytes INTEGER
        ) STRICT;
        """

    /// Users' sessions, requests to the process that holds the lock, and the speed of active downloads.
    private static let second = """
        PRAGMA user_version = 2;
        CREATE TABLE session (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            is_open INTEGER NOT NULL,
            generation INTEGER NOT NULL,
            closed_generation INTEGER NOT NULL,
            changed_at REAL NOT NULL
        ) STRICT;
        CREATE TABLE provider_sessions (
            provider TEXT PRIMARY KEY NOT NULL,
            generation INTEGER NOT NULL
        ) WITHOUT ROWID, STRICT;
        CREATE TABLE requests (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            body TEXT NOT NULL,
            answer TEXT,
            made_at REAL NOT NULL
        ) STRICT;
        ALTER TABLE downloads ADD COLUMN bytes_per_second INTEGER;
        """

    /// Progress and duration of streams.
    private static let third = """
        PRAGMA user_version = 3;
        ALTER TABLE downloads ADD COLUMN stream TEXT;
        ALTER TABLE downloads ADD COLUMN media_seconds REAL;
        CREATE TABLE parts (
            download INTEGER NOT NULL REFERENCES downloads (id) ON DELETE CASCADE,
            kind TEXT NOT NULL,
            name TEXT NOT NULL,
            partial TEXT NOT NULL,
            path TEXT NOT NULL,
            size INTEGER NOT NULL,
            modified INTEGER NOT NULL,
            sha256 BLOB,
            PRIMARY KEY (download, kind, name)
        ) WITHOUT ROWID, STRICT;
        """

    /// The media type of a partial's bytes, and the proof for later comparisons of its file.
    private static let fourth = """
        PRAGMA user_version = 4;
        ALTER TABLE downloads ADD COLUMN media_type TEXT;
        ALTER TABLE downloads ADD COLUMN file_proof TEXT;
        ALTER TABLE downloads ADD COLUMN ranges_given_up INTEGER NOT NULL DEFAULT 0;
        UPDATE downloads SET total_bytes = NULL WHERE total_bytes NOT BETWEEN 0 AND 9007199254740992;
        UPDATE downloads SET expected_size = NULL WHERE expected_size NOT BETWEEN 0 AND 9007199254740992;
        """

    /// The kind of a download: before, only its recorded position implied it. The download in progress counts, not the
    /// kind of the file that it replaces.
    private static let fifth = """
        PRAGMA user_version = 5;
        ALTER TABLE downloads ADD COLUMN kind TEXT;
        UPDATE downloads SET kind = CASE
            WHEN stream IS NOT NULL THEN 'stream'
            WHEN durable_bytes > 0 THEN 'file'
            WHEN media_seconds IS NOT NULL THEN 'stream'
            WHEN path IS NOT NULL THEN 'file'
        END;
        UPDATE downloads SET media_seconds = NULL WHERE kind = 'file';
        """

    /// Missing sidecars: before, only stored ones had rows, and missing ones were lost with their run. A finished video
    /// without sidecars may have lost some: if the same provider has named some for another video of its course, or if
    /// it was finished in the last run and that didn't end well. Its provider is asked once; lost sidecars are in no
    /// row, and asking for all videos could mean ten thousand requests.
    private static let sixth = """
        PRAGMA user_version = 6;
        CREATE TABLE sidecars_6 (
            download INTEGER NOT NULL REFERENCES downloads (id) ON DELETE CASCADE,
            kind TEXT NOT NULL,
            name TEXT NOT NULL,
            path TEXT,
            size INTEGER,
            modified INTEGER,
            state TEXT NOT NULL DEFAULT 'stored' CHECK (state IN ('wanted', 'stored', 'failed')),
            retry_at REAL,
            failed_runs INTEGER NOT NULL DEFAULT 0,
            error_kind TEXT,
            error_message TEXT,
            error_status INTEGER,
            PRIMARY KEY (download, kind, name),
            CHECK (state <> 'stored' OR path IS NOT NULL)
        ) WITHOUT ROWID, STRICT;
        INSERT INTO sidecars_6 (download, kind, name, path, size, modified)
            SELECT download, kind, name, path, size, modified FROM sidecars;
        DROP TABLE sidecars;
        ALTER TABLE sidecars_6 RENAME TO sidecars;
        CREATE INDEX sidecars_open ON sidecars (state) WHERE state <> 'stored';
        INSERT INTO sidecars (download, kind, name, state)
            SELECT id, 'unasked', '', 'wanted' FROM downloads AS bare
            WHERE state = 'finished' AND is_gone = 0
                AND NOT EXISTS (SELECT 1 FROM sidecars WHERE download = bare.id AND kind <> 'stream')
                AND ((course, provider) IN (
                    SELECT DISTINCT course, provider FROM downloads
                        JOIN sidecars ON sidecars.download = downloads.id
                    WHERE downloads.state = 'finished' AND extras IS NULL AND sidecars.kind <> 'stream'
                        -- Subtitles of a stream come with it, never later.
                        AND NOT (downloads.kind IS 'stream' AND sidecars.kind = 'subtitle'))
                OR updated_at >= (SELECT started_at FROM runs
                    WHERE id = (SELECT max(id) FROM runs) AND (ended_at IS NULL OR exit <> 0)));
        """

    /// The layout by which a course's videos are named. Unknown for older rows: each name is checked once.
    private static let seventh = """
        PRAGMA user_version = 7;
        ALTER TABLE courses ADD COLUMN layout TEXT;
        """

    /// Files made from the facts about courses, and those facts.
    private static let eighth = """
        PRAGMA user_version = 8;
        CREATE TABLE metadata (
            path TEXT PRIMARY KEY NOT NULL,
            course TEXT NOT NULL,
            size INTEGER NOT NULL,
            modified INTEGER,
            sha256 BLOB NOT NULL,
            old_size INTEGER,
            old_sha256 BLOB
        ) WITHOUT ROWID, STRICT;
        CREATE TABLE metadata_courses (
            course TEXT PRIMARY KEY NOT NULL,
            stamp TEXT NOT NULL
        ) WITHOUT ROWID, STRICT;
        """

    /// Whether the notification of a new video has been sent. Older videos aren't new.
    private static let ninth = """
        PRAGMA user_version = 9;
        ALTER TABLE downloads ADD COLUMN announced INTEGER NOT NULL DEFAULT 1;
        UPDATE downloads SET announced = 0 WHERE state <> 'finished' AND path IS NULL;
        CREATE INDEX downloads_unannounced ON downloads (id) WHERE announced = 0;
        """

    /// The last listing of each course that its provider lists.
    private static let tenth = """
        PRAGMA user_version = 10;
        CREATE TABLE listings (
            course TEXT PRIMARY KEY NOT NULL,
            question BLOB NOT NULL,
            asked_at REAL NOT NULL,
            known TEXT,
            title TEXT,
            cover TEXT,
            doubted_at REAL
        ) WITHOUT ROWID, STRICT;
        CREATE TABLE listed_chapters (
            course TEXT NOT NULL,
            ordinal INTEGER NOT NULL,
            id TEXT NOT NULL,
            title TEXT,
            cover TEXT,
            PRIMARY KEY (course, ordinal)
        ) WITHOUT ROWID, STRICT;
        CREATE TABLE listed_videos (
            course TEXT NOT NULL,
            ordinal INTEGER NOT NULL,
            id TEXT NOT NULL,
            chapter INTEGER,
            title TEXT,
            description TEXT,
            published_at REAL,
            duration REAL,
            cover TEXT,
            parameters TEXT,
            size INTEGER,
            sha256 BLOB,
            extras TEXT,
            PRIMARY KEY (course, ordinal)
        ) WITHOUT ROWID, STRICT;
        """

    /// What became of each record of another downloader's store.
    private static let eleventh = """
        PRAGMA user_version = 11;
        CREATE TABLE migrations (
            source TEXT NOT NULL,
            record BLOB NOT NULL,
            code TEXT NOT NULL,
            course TEXT,
            video TEXT,
            PRIMARY KEY (source, record)
        ) WITHOUT ROWID, STRICT;
        """

    /// The numbers of videos and chapters: before, they were places in the last catalog. Each keeps the number that is
    /// in its name, also where two have the same one, or its source has another.
    private static let twelfth = """
        PRAGMA user_version = 12;
        ALTER TABLE downloads ADD COLUMN number INTEGER;
        ALTER TABLE downloads ADD COLUMN number_in_course INTEGER;
        ALTER TABLE downloads ADD COLUMN keeps_number INTEGER NOT NULL DEFAULT 0;
        UPDATE downloads SET number = position, number_in_course = ordinal + 1, keeps_number = 1;
        ALTER TABLE chapters ADD COLUMN number INTEGER;
        ALTER TABLE chapters ADD COLUMN season INTEGER;
        ALTER TABLE chapters ADD COLUMN keeps_number INTEGER NOT NULL DEFAULT 0;
        UPDATE chapters SET season = position, keeps_number = 1, number = position + coalesce(
            (SELECT max(position) FROM downloads
                WHERE downloads.course = chapters.course AND downloads.chapter IS NULL AND is_gone = 0), 0);
        ALTER TABLE courses ADD COLUMN season INTEGER;
        UPDATE courses SET season = NOT EXISTS (SELECT 1 FROM downloads
            WHERE downloads.course = courses.id AND downloads.chapter IS NOT NULL AND is_gone = 0);
        ALTER TABLE listed_chapters ADD COLUMN season INTEGER;
        ALTER TABLE listed_videos ADD COLUMN episode INTEGER;
        """
}
