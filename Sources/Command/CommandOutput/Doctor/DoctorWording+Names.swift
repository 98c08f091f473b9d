package import Operations

extension DoctorWording {
    /// The name of a check in `doctor --json`; promised to readers.
    package static func name(_ fact: DiagnosisFact) -> String {
        switch fact {
        case .noState, .state: "state_folder"
        case .openToOthers: "permissions"
        case .ownedByAnother: "owner"
        case .stateNotWritable: "state_writable"
        case .stateOnNetwork, .stateInMemory: "state_file_system"
        case .stateDiskFull: "state_space"
        case .database, .databaseOlder, .databaseDamaged, .databaseUnusable: "database"
        case .lock, .lockUnusable: "lock"
        case .loggedIn, .loggedOut: "session"
        case .catalogMissing, .catalogUnreadable: "catalog"
        case .otherState: "other_state"
        case .noLibrary, .library, .libraryUnusable: "library"
        case .libraryInMemory: "library_file_system"
        case .libraryNotWritable: "library_writable"
        case .diskFull, .spaceShort, .spaceBelowFloor: "library_space"
        case .folderUnreadable: "library_readable"
        case .filesMissing: "files_missing"
        case .unknownFiles: "unknown_files"
        case .partials: "partials"
        case .leftovers: "leftovers"
        case .stranded: "stranded"
        case .noPlugins, .noPluginFolder, .plugin, .pluginDefect, .pluginBroken, .pluginWarned, .pluginHidden: "plugin"
        case .providerMissing: "provider"
        case .authorities, .noAuthorities: "certificate_authorities"
        case .clock, .clockUnknown, .clockUnchecked: "clock"
        case .units: "systemd_units"
        case .crontab: "crontab"
        case .jsonCheck: "json_check"
        case .ffmpeg, .noFFmpeg: "ffmpeg"
        case .versions: "versions"
        }
    }
}
