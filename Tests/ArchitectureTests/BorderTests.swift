import Checkout
import Foundation
import Testing

/// docs/architecture.md has the table; here it is held against `import` lines, Package.swift and folders.
@Suite("The borders of the rooms")
struct BorderTests {
    /// What every room may import.
    static let system: Set<String> = [
        "Foundation", "FoundationEssentials", "Dispatch", "Synchronization", "Glibc", "Musl", "Darwin", "System",
    ]
    /// The additional modules that every room except those of plugins may import.
    static let usual: Set<String> = [
        "Logging", "SystemPackage", "DequeModule", "HeapModule", "OrderedCollections",
    ]

    /// Each room with what its row allows.
    static let table: [(room: String, allowed: [String])] = {
        let rows = (try? Page("docs/architecture.md").table("room", "owns", "imports")) ?? []
        return rows.flatMap { row in
            Page.quoted(row[0]).map { (room: $0, allowed: Page.quoted(row[2])) }
        }
    }()

    static let swiftRooms = Room.all.filter { !$0.files.isEmpty }

    @Test("the page has every floor, and the table every room, in their order")
    func rooms() {
        #expect(Room.floors.sorted() == Checkout.folders(in: "Sources"))
        #expect(Self.table.map(\.room).sorted() == Room.all.map(\.name).sorted())
        let floors = Self.table.compactMap { row in Room.floors.firstIndex { $0 == Room.named(row.room)?.floor } }
        #expect(floors == floors.sorted())
    }

    @Test("what a room imports, what Package.swift declares for it and what its row allows are the same")
    func imports() throws {
        let targets = try PackageTarget.all()
        for room in Self.swiftRooms {
            var imported: Set<String> = []
            for file in room.files { imported.formUnion(try Checkout.code(file).compactMap(Self.imported)) }
            imported.subtract(Self.system)
            let target = targets.first { $0.name == room.name }
            #expect(imported == Set((target?.rooms ?? []) + (target?.products ?? [])), "\(room.name): Package.swift")
            let usual =
                ["TextFormats", "XMLSource", "ProviderKit", "NetworkAddresses", "ProviderHTTP"].contains(room.name)
                ? [] : Self.usual
            let allowed = Self.table.first { $0.room == room.name }?.allowed ?? []
            #expect(imported.subtracting(usual).sorted() == allowed.sorted(), "\(room.name): docs/architecture.md")
        }
    }

    @Test("the kit's manifest has the same dependencies for its rooms as Package.swift")
    func kit() throws {
        let targets = try PackageTarget.all()
        let kit = try PackageTarget.all(in: "contrib/kit/Package.swift")
        #expect(kit.contains { $0.name == "ProviderHTTP" })
        for target in kit {
            let original = targets.first { $0.name == target.name }
            #expect(target.rooms.sorted() == original?.rooms.sorted(), "\(target.name)")
            #expect(target.folder == original?.folder)
        }
    }

    @Test("the tests of a floor use only rooms of it and of those below")
    func testFloors() throws {
        // It also runs `plugins check` as users do.
        let excepted: Set = ["ProviderConformanceTests"]
        for target in try PackageTarget.all() where !excepted.contains(target.name) {
            let place = target.folder.split(separator: "/")
            guard place.first == "Tests", place.count == 3,
                let floor = Room.floors.firstIndex(where: { $0 == place[1] })
            else { continue }
            for other in target.rooms {
                guard let its = Room.named(other)?.floor else { continue }
                #expect(Room.floors[...floor].contains(its), "\(target.name): \(other)")
            }
        }
    }

    @Test("a room imports only its own floor and those below")
    func floors() throws {
        for target in try PackageTarget.all() {
            guard let floor = Room.floors.firstIndex(where: { $0 == Room.named(target.name)?.floor }) else { continue }
            for other in target.rooms {
                #expect(Room.floors[...floor].contains(Room.named(other)?.floor ?? ""), "\(target.name): \(other)")
            }
        }
    }

    @Test("the page's picture is what contrib/rooms draws from Package.swift")
    func picture() throws {
        let script = Process()
        script.executableURL = URL(filePath: "/usr/bin/env")
        script.arguments = ["python3", Checkout.path("contrib/rooms")]
        let output = Pipe()
        script.standardOutput = output
        try script.run()
        let drawn = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        script.waitUntilExit()
        #expect(Room.all.allSatisfy { drawn.contains($0.name) })
        #expect(try Checkout.text("docs/architecture.md").contains("```\n\(drawn)```\n"))
    }

    @Test(
        "every form of an import is seen",
        arguments: [
            ("import Foundation", "Foundation"), ("package import DownloadStore", "DownloadStore"),
            ("@testable import CourseCatalog", "CourseCatalog"), ("@preconcurrency public import GRDB", "GRDB"),
            ("  import struct Foundation.Data", "Foundation"), ("import CLibCurl;", "CLibCurl"),
            ("let important = 1", nil), ("\"import x\"", nil), ("imported(line)", nil),
        ] as [(String, String?)])
    func forms(line: String, module: String?) { #expect(Self.imported(line) == module) }

    static func imported(_ line: String) -> String? {
        guard line.contains("import") else { return nil }
        let form =
            /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)/
        return line.prefixMatch(of: form).map { String($0.1) }
    }

    @Test("the table's arrows point one way")
    func oneWay() {
        var seen: Set<String> = []
        for (room, allowed) in Self.table {
            let forward = Set(allowed).intersection(Self.table.map(\.room)).subtracting(seen)
            #expect(forward.isEmpty, "\(room) may import \(forward), which stand below it in the table")
            seen.insert(room)
        }
    }

    @Test("each target has its folder, and each folder its target; tests lie in the floors of the product")
    func manifest() throws {
        let targets = try PackageTarget.all()
        let rooms = targets.filter { $0.folder.hasPrefix("Sources/") }
        #expect(rooms.map(\.folder).sorted() == Room.all.map(\.folder).sorted())
        let floors = Room.floors + ["Support"]
        let folders = Checkout.folders(in: "Tests").flatMap { folder in
            floors.contains(folder)
                ? Checkout.folders(in: "Tests/" + folder).map { "Tests/\(folder)/\($0)" } : ["Tests/" + folder]
        }
        let withSources = folders.filter { !Checkout.swiftFiles(under: $0).isEmpty }
        #expect(targets.map(\.folder).filter { $0.hasPrefix("Tests/") }.sorted() == withSources.sorted())
        for plugin in targets where plugin.folder.hasPrefix("Plugins") {
            #expect(
                Set(plugin.rooms).isSubset(of: ["ProviderKit", "ProviderHTTP", "BundledProviders"]),
                "\(plugin.name): a plugin gets by with what any plugin has")
        }
    }
}
