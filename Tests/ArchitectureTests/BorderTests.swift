import Foundation
import Testing

/// docs/architecture.md has the table; here it is held against `import` lines, Package.swift and folders.
@Suite("The borders of the rooms")
struct BorderTests {
    /// What every room may import.
    static let system: Set<String> = [
        "Foundation", "FoundationEssentials", "Dispatch", "Synchronization", "Glibc", "Musl", "Darwin",
    ]
    /// The additional modules that every room except those of plugins may import.
    static let usual: Set<String> = [
        "Logging", "System", "SystemPackage", "DequeModule", "HeapModule", "OrderedCollections",
    ]

    /// Each room with what its row allows.
    static let table: [(room: String, allowed: Set<String>)] = {
        let rows = (try? Page("docs/architecture.md").table("room", "owns", "may import")) ?? []
        return rows.flatMap { row in
            Page.quoted(row[0]).map { (room: $0, allowed: Set(Page.quoted(row[2]))) }
        }
    }()

    static let swiftRooms = table.filter { !Checkout.swiftFiles(under: "Sources/" + $0.room).isEmpty }

    @Test("the table has a row for every folder under Sources, and no other row")
    func rooms() {
        #expect(Self.table.map(\.room).sorted() == Checkout.folders(in: "Sources"))
    }

    @Test("a room imports only what its row allows", arguments: swiftRooms)
    func imports(room: String, allowed: Set<String>) throws {
        let allowed = allowed.union(Self.system).union(
            ["ProviderKit", "NetworkAddresses", "ProviderHTTP"].contains(room) ? [] : Self.usual)
        for file in Checkout.swiftFiles(under: "Sources/" + room) {
            for line in try Checkout.code(file) {
                guard let module = Self.imported(line) else { continue }
                #expect(allowed.contains(module), "\(file) imports \(module), which docs/architecture.md doesn't allow")
            }
        }
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
            let forward = allowed.intersection(Self.table.map(\.room)).subtracting(seen)
            #expect(forward.isEmpty, "\(room) may import \(forward), which stand below it in the table")
            seen.insert(room)
        }
    }

    @Test("Package.swift gives a room only the rooms of its row, and each target has its folder")
    func manifest() throws {
        let targets = try PackageTarget.all()
        let rooms = targets.filter { $0.folder.hasPrefix("Sources/") }
        #expect(rooms.map(\.name).sorted() == Checkout.folders(in: "Sources"))
        for target in rooms {
            let allowed = Self.table.first { $0.room == target.name }?.allowed ?? []
            #expect(Set(target.rooms).isSubset(of: allowed), "\(target.name)")
        }
        let tests = targets.filter { $0.folder.hasPrefix("Tests/") }.map(\.folder)
        let folders = Checkout.folders(in: "Tests").map { "Tests/" + $0 }
        let withSources = folders.filter { !Checkout.swiftFiles(under: $0).isEmpty }
        #expect(tests.sorted() == withSources)
        for plugin in targets where plugin.folder.hasPrefix("Plugins") {
            #expect(
                Set(plugin.rooms).isSubset(of: ["ProviderKit", "ProviderHTTP", "BundledProviders"]),
                "\(plugin.name): a plugin gets by with what any plugin has")
        }
    }
}
