import SyncFacts

/// The next step for a record that isn't in the library yet.
enum MigrationRemedy: Hashable {
    /// It waits as every video that isn't there.
    case sync
    case requeue
    /// A map has to say which video it is.
    case map
    /// A map, or a new catalog.
    case mapOrCatalog
    case correctMap
    case otherUser(String)
    case refetchLost(course: String?)
    case retry(Selector)
    case copy
    case room
    case correctRecord
    /// Nothing has to be done.
    case leave
    case again

    /// The step, as an end of a sentence.
    var sentence: String {
        switch self {
        case .sync: "the next sync downloads it; --requeue counts it as done now"
        case .requeue: "--requeue queues it for the next sync"
        case .map: "name its video in --map FILE"
        case .mapOrCatalog: "name its video in --map FILE, or write a catalog of such records with --write-catalog FILE"
        case .correctMap: "correct the map"
        case .otherUser(let user): "--source-user \(ShellWord.quoted(user)) takes that user's records over"
        case .refetchLost(let course?):
            """
            if a disk isn't mounted, mount it; otherwise: \
            \(SuggestedCommand.text("verify \(Self.quoted(Selector(course: course))) --repair"))
            """
        case .refetchLost: "if a disk isn't mounted, mount it; otherwise: \(SuggestedCommand.text("verify --repair"))"
        case .retry(let selector): "\(SuggestedCommand.text("retry \(Self.quoted(selector))")) takes it back"
        case .copy: "use --copy"
        case .room: "make room, and run it again"
        case .correctRecord: "correct it in the source, or name its file in a manifest"
        case .leave: "nothing has to be done"
        case .again: "run it again"
        }
    }

    /// What a command to paste has more than the one that was given; nil if it isn't a command like that.
    var options: [String]? {
        switch self {
        case .sync, .requeue: ["--requeue"]
        case .mapOrCatalog: ["--write-catalog", "migrated.yaml"]
        case .otherUser(let user): ["--source-user", user]
        case .copy: ["--copy"]
        case .room, .again: []
        case .map, .correctMap, .refetchLost, .retry, .correctRecord, .leave: nil
        }
    }

    private static func quoted(_ selector: Selector) -> String { ShellWord.quoted(selector.description) }
}
