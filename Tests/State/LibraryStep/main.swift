// Does one thing in a library or state folder and says what came of it, for tests that need a process of its own: to be
// killed, to hold a lock, or to live in its own mounts and limits.
import FileSystem
import Foundation
import MediaLibrary
import SystemPackage
import UserState

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }
let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 2 else {
    say("usage: library-step hold|moves|place|replace|copy FOLDER …")
    exit(64)
}
let folder = FilePath(arguments[1])
let rest = arguments.dropFirst(2).map { String($0) }
let owner = LibraryOwner(user: "alice", host: "here")

/// The library of the tests has this id.
func library() throws -> LibraryFolder {
    try LibraryFolder.open(folder, expecting: .new(LibraryID(rawValue: "test")), owner: owner)
}

do {
    switch arguments[0] {
    case "hold":
        // hold STATE [CATALOG…]: takes the lock, says so, and ends with standard input.
        let state = StateFolder(path: folder, user: try UserName("alice"))
        switch try await state.acquireLock(catalogs: rest, grace: .zero) {
        case .held(let holder): say("refused \(holder?.pid ?? 0)")
        case .acquired(let lock):
            say("held")
            while readLine() != nil {}
            withExtendedLifetime(lock) {}
        }
    case "moves":
        // moves LIBRARY PLAN.json: runs the recorded plan.
        let recorded = try JSONDecoder().decode([PlannedMove].self, from: Data(contentsOf: URL(filePath: rest[0])))
        guard let plan = MovePlan.plans(recorded: recorded).first else { exit(65) }
        for result in try library().moves.carryOut(plan) { say("\(result)") }
    case "place":
        // place LIBRARY ID PATH
        let library = try library()
        say("\(try library.placing.put(PartialName(download: Int64(rest[0]) ?? 0), at: rest[1]))")
        try library.folders.flushNames(of: [rest[1]])
    case "replace":
        // replace LIBRARY ID PATH SIZE SHA256
        let record = FileRecord(size: Int64(rest[2]) ?? 0, modified: nil, sha256: Checksum(hex: rest[3]))
        let partial = PartialName(download: Int64(rest[0]) ?? 0)
        say("\(try library().placing.replace(rest[1], with: partial, record: record))")
    case "copy":
        // copy LIBRARY DONOR ID SIZE SHA256 [LIMIT]: without links and clones; files no longer than LIMIT.
        let library = try library()
        if rest.count > 4, let limit = UInt64(rest[4]) {
            signal(SIGXFSZ, SIG_IGN)
            var bounds = rlimit(rlim_cur: rlim_t(limit), rlim_max: rlim_t(limit))
            #if canImport(Glibc)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &bounds)
            #else
            setrlimit(RLIMIT_FSIZE, &bounds)
            #endif
        }
        let record = FileRecord(size: Int64(rest[2]) ?? 0, modified: nil, sha256: Checksum(hex: rest[3]))
        let name = PartialName(download: Int64(rest[1]) ?? 0)
        say("\(try library.duplicates.make(of: rest[0], record: record, as: name, methods: [.copy]))")
    default:
        exit(64)
    }
} catch let error as LibraryError {
    say("error full=\(error.isFull) \(error)")
    exit(73)
} catch {
    say("error \(error)")
    exit(73)
}
