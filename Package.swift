// swift-tools-version: 6.2
import PackageDescription

let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let ciphers = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let deques = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let heaps = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let orderedCollections = Target.Dependency.product(name: "OrderedCollections", package: "swift-collections")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")

/// A room: a target in the folder of its floor. docs/architecture.md has the floors, from the lowest to the highest, and
/// what each room may import; a test compares it with what is declared here and with the `import` lines.
func room(_ floor: String, _ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(floor)/\(name)", swiftSettings: house)
}

/// The tests of a floor.
func tests(_ floor: String, _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, path: "Tests/\(floor)/\(name)", exclude: exclude, swiftSettings: house)
}

/// What several tests share.
func shared(_ floor: String, _ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/\(floor)/\(name)", swiftSettings: house)
}

/// The folders of the providers that are one program, with what in them is no source.
let bundledProviders: [(folder: String, more: [String])] =
    [("rclone", ["plugin.yaml", "README.md"])]
    + [
        "direct", "secure-link", "feed", "index", "webdav", "s3", "moodle", "kolibri", "bigbluebutton", "opencast",
        "peertube", "internet-archive", "kaltura", "openedx", "panopto", "canvas", "baijiayun", "ilias",
        "cloudfront", "akamai", "bunny", "mux", "cloudflare-stream",
    ].map { ($0, ["plugin.yaml", "README.md", "fixtures"]) }

let package = Package(
    name: "coursefetch",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "coursefetch", targets: ["coursefetch"]),
        .library(name: "ProviderKit", targets: ["ProviderKit"]),
        .library(name: "ProviderHTTP", targets: ["ProviderHTTP"]),
        .executable(name: "coursefetch-providers", targets: ["coursefetch-providers"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .systemLibrary(
            name: "CLibCurl", path: "Sources/Ground/CLibCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .systemLibrary(
            name: "CLibYAML", path: "Sources/Ground/CLibYAML", pkgConfig: "yaml-0.1",
            providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
        .systemLibrary(
            name: "CLibExpat", path: "Sources/Ground/CLibExpat", pkgConfig: "expat",
            providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]),
        .target(
            name: "CPlatform", path: "Sources/Ground/CPlatform",
            cSettings: [.define("_GNU_SOURCE"), .treatAllWarnings(as: .error)]),
        room("Ground", "TextFormats"),
        room("Ground", "FileSystem", ["CPlatform", "TextFormats", crypto, system]),
        room("Ground", "YAMLSource", ["CLibYAML", "TextFormats"]),
        room("Ground", "XMLSource", ["CLibExpat"]),
        room("Ground", "ChildProcess", [subprocess, system]),
        room("Ground", "NetworkAddresses", ["CLibCurl"]),

        room("Catalog", "PathLayout", ["YAMLSource"]),
        room("Catalog", "CourseCatalog", ["TextFormats", "FileSystem", "YAMLSource", "PathLayout", crypto]),

        room("Media", "MediaMetadata", ["TextFormats", crypto]),
        room("Media", "MediaTransfer", ["CLibCurl", "CPlatform", "TextFormats", "NetworkAddresses", crypto]),
        room(
            "Media", "HLSMedia",
            ["TextFormats", "XMLSource", "ChildProcess", "NetworkAddresses", "MediaTransfer", crypto, ciphers, system]),

        room("Provider", "ProviderKit", ["TextFormats"]),
        room("Provider", "ProviderHTTP", ["CLibCurl", "XMLSource", "NetworkAddresses", "ProviderKit"]),
        room(
            "Provider", "ProviderHost",
            ["TextFormats", "FileSystem", "YAMLSource", "ChildProcess", "ProviderKit", logging, subprocess, system]),
        room(
            "Provider", "ProviderConformance",
            [
                "TextFormats", "YAMLSource", "ChildProcess", "MediaTransfer", "ProviderKit", "ProviderHost", subprocess,
                system,
            ]),

        room("State", "DownloadStore", ["TextFormats", "FileSystem", grdb, sqlite, system]),
        room("State", "MediaLibrary", ["CPlatform", "TextFormats", "FileSystem", "PathLayout", crypto, system]),
        room("State", "SearchIndex", ["FileSystem", "DownloadStore", grdb, system]),
        room("State", "ViewerMarks", ["DownloadStore", grdb]),
        room("State", "UserState", ["TextFormats", "FileSystem", "YAMLSource", "ProviderKit", system]),

        room("Run", "Hooks", ["TextFormats", "YAMLSource", "ChildProcess", system]),
        room("Run", "RunSchedule", ["FileSystem", "DownloadStore", deques, heaps]),
        room(
            "Run", "SyncFacts",
            [
                "TextFormats", "FileSystem", "YAMLSource", "PathLayout", "CourseCatalog", "MediaMetadata",
                "ProviderKit", "DownloadStore", "MediaLibrary", "UserState", "Hooks", "RunSchedule", deques,
                orderedCollections,
            ]),
        room(
            "Run", "CourseDiscovery",
            [
                "TextFormats", "FileSystem", "YAMLSource", "CourseCatalog", "ProviderKit", "DownloadStore", "SyncFacts",
                crypto, deques,
            ]),
        room(
            "Run", "FilePlacement",
            ["FileSystem", "MediaTransfer", "DownloadStore", "MediaLibrary", "SyncFacts", system]),
        room(
            "Run", "DownloadJobs",
            [
                "TextFormats", "FileSystem", "YAMLSource", "ChildProcess", "NetworkAddresses", "CourseCatalog",
                "MediaTransfer", "HLSMedia", "ProviderKit", "ProviderHost", "DownloadStore", "MediaLibrary",
                "UserState", "Hooks", "RunSchedule", "SyncFacts", "FilePlacement", crypto, logging, system,
            ]),
        room(
            "Run", "CatalogComparison",
            [
                "TextFormats", "FileSystem", "YAMLSource", "PathLayout", "CourseCatalog", "DownloadStore",
                "MediaLibrary", "RunSchedule", "SyncFacts", crypto,
            ]),
        room(
            "Run", "RunAccess",
            [
                "TextFormats", "FileSystem", "YAMLSource", "CourseCatalog", "MediaTransfer", "ProviderKit",
                "ProviderHost", "DownloadStore", "MediaLibrary", "UserState", "SyncFacts", "FilePlacement",
                "DownloadJobs", crypto, system,
            ]),
        room(
            "Run", "DownloadRunner",
            [
                "TextFormats", "FileSystem", "YAMLSource", "CourseCatalog", "MediaMetadata", "MediaTransfer",
                "HLSMedia", "ProviderKit", "ProviderHost", "DownloadStore", "MediaLibrary", "UserState", "Hooks",
                "RunSchedule", "SyncFacts", "CourseDiscovery", "FilePlacement", "DownloadJobs", "CatalogComparison",
                "RunAccess", crypto, logging, system, deques,
            ]),

        room(
            "Command", "MigrationSources",
            ["TextFormats", "FileSystem", "YAMLSource", "XMLSource", "ProviderHTTP", grdb, sqlite, system]),
        room(
            "Command", "Migration",
            [
                "TextFormats", "FileSystem", "YAMLSource", "CourseCatalog", "DownloadStore", "MediaLibrary",
                "UserState", "SyncFacts", "CourseDiscovery", "FilePlacement", "DownloadJobs",
                "CatalogComparison", "RunAccess", "MigrationSources", crypto, system,
            ]),
        room(
            "Command", "Operations",
            [
                "TextFormats", "FileSystem", "YAMLSource", "ChildProcess", "CourseCatalog", "MediaMetadata",
                "MediaTransfer", "HLSMedia", "ProviderKit", "ProviderHost", "ProviderConformance", "DownloadStore",
                "MediaLibrary", "SearchIndex", "UserState", "ViewerMarks", "SyncFacts", "CourseDiscovery",
                "FilePlacement",
                "DownloadJobs", "CatalogComparison", "RunAccess", crypto, logging, system,
            ]),
        room("Command", "PluginTemplates", ["Operations"]),
        room("Command", "Terminal", ["YAMLSource"]),
        room(
            "Command", "CommandOutput",
            [
                "TextFormats", "FileSystem", "YAMLSource", "ProviderKit", "ProviderConformance", "DownloadStore",
                "MediaLibrary", "UserState", "Hooks", "SyncFacts", "RunAccess", "MigrationSources", "Migration",
                "Operations", "Terminal", logging, system,
            ]),
        room("Command", "SyncDisplay", ["DownloadStore", "SyncFacts", "Terminal", "CommandOutput"]),
        room(
            "Command", "CourseFetchCommands",
            [
                "FileSystem", "YAMLSource", "PathLayout", "CourseCatalog", "MediaMetadata", "DownloadStore",
                "UserState", "Hooks", "SyncFacts", "RunAccess", "DownloadRunner", "MigrationSources", "Migration",
                "Operations", "PluginTemplates", "Terminal", "CommandOutput", "SyncDisplay", argumentParser, logging,
                subprocess, system,
            ]),
        room("Page", "PageHTTP", ["TextFormats", "FileSystem", crypto]),
        .executableTarget(
            name: "coursefetch", dependencies: ["CourseFetchCommands"], path: "Sources/Command/coursefetch",
            swiftSettings: house),

        // The plugins in Swift: most of them are one program.
        .executableTarget(
            name: "demo", dependencies: ["ProviderKit"], path: "Plugins/demo",
            exclude: ["plugin.yaml", "media", "fixtures"], swiftSettings: house),
        .target(
            name: "BundledProviders",
            dependencies: ["ProviderKit", "ProviderHTTP", crypto, ciphers, subprocess, system],
            path: "Plugins",
            exclude: ["demo", "yt-dlp", "program"]
                + bundledProviders.flatMap { folder, more in more.map { "\(folder)/\($0)" } },
            sources: ["shared"] + bundledProviders.map(\.folder), swiftSettings: house),
        .executableTarget(
            name: "coursefetch-providers", dependencies: ["BundledProviders", "ProviderKit"], path: "Plugins/program",
            swiftSettings: house),

        shared("Support", "Checkout", [system]),
        shared("Support", "SeededGenerator"),
        shared("Support", "TestSupport", ["DownloadStore", "DownloadJobs", subprocess, system]),
        shared("Support", "TestServers", ["SeededGenerator", nioCore, nioPosix, subprocess, system, crypto]),

        tests("Ground", "TextFormatsTests", ["TextFormats"]),
        tests(
            "Ground", "FileSystemTests",
            [
                "TextFormats", "FileSystem", "TestSupport", system,
            ]),
        tests("Ground", "ChildProcessTests", ["ChildProcess", system]),
        tests("Ground", "XMLSourceTests", ["XMLSource"]),
        tests("Ground", "YAMLSourceTests", ["YAMLSource", "Checkout"]),

        tests("Catalog", "PathLayoutTests", ["PathLayout"]),
        tests("Catalog", "CourseCatalogTests", ["CourseCatalog", "YAMLSource", "PathLayout", "Checkout"]),

        tests("Media", "MediaMetadataTests", ["MediaMetadata", crypto]),
        tests(
            "Media", "MediaTransferTests",
            ["CPlatform", "MediaTransfer", "NetworkAddresses", "TextFormats", "TestServers", crypto, system]),
        tests(
            "Media", "HLSMediaTests",
            [
                "HLSMedia", "MediaTransfer", "NetworkAddresses", "ChildProcess", "SeededGenerator", "Checkout",
                "TestServers", "TestSupport", crypto, ciphers, subprocess, system,
            ]),

        tests("Provider", "ProviderKitTests", ["ProviderKit"]),
        tests(
            "Provider", "ProviderHTTPTests",
            ["NetworkAddresses", "ProviderHTTP", "ProviderKit", "TestServers", system]),
        tests(
            "Provider", "BundledProviderTests",
            ["BundledProviders", "coursefetch-providers", "ProviderHTTP", "ProviderKit", "TestSupport", system]),
        .executableTarget(
            name: "plugin-host-probe", dependencies: ["ProviderHost", "ProviderKit", logging, system],
            path: "Tests/Provider/PluginHostProbe", swiftSettings: house),
        tests(
            "Provider", "ProviderHostTests",
            [
                "FileSystem", "ProviderHost", "ProviderKit", "CourseCatalog", "YAMLSource", "demo", "BundledProviders",
                "coursefetch-providers", "plugin-host-probe", "Checkout", subprocess, logging, system,
            ]),
        tests(
            "Provider", "ProviderConformanceTests",
            [
                "ProviderConformance", "ProviderHost", "ProviderKit", "CommandOutput", "Checkout", "TestSupport",
                "coursefetch", "demo", "coursefetch-providers", system,
            ], exclude: ["faulty.py", "asking.py", "portal.py"]),

        tests("State", "SearchIndexTests", ["SearchIndex", "DownloadStore", "TestSupport", system]),
        tests("State", "DownloadStoreTests", ["DownloadStore", "FileSystem", "TestSupport", grdb, system]),
        .executableTarget(
            name: "library-step", dependencies: ["FileSystem", "MediaLibrary", "UserState", system],
            path: "Tests/State/LibraryStep", swiftSettings: house),
        shared("State", "LibraryFixture", ["MediaLibrary", system]),
        tests(
            "State", "LibraryTests",
            [
                "TextFormats", "FileSystem", "MediaLibrary", "UserState", "PathLayout", "LibraryFixture", "Checkout",
                "TestSupport", "library-step", crypto, subprocess, system,
            ]),
        tests("State", "ViewerMarksTests", ["ViewerMarks", "DownloadStore", "TestSupport", system]),
        tests("State", "UserStateTests", ["UserState", "TestSupport", system]),

        tests("Run", "HookTests", ["Hooks", "ChildProcess", "TestSupport", system]),
        tests("Run", "RunScheduleTests", ["RunSchedule", "DownloadStore", "FileSystem"]),
        shared(
            "Run", "NightSimulation",
            [
                "DownloadJobs", "RunSchedule", "DownloadStore", "FileSystem", "MediaTransfer", "SeededGenerator", heaps,
            ]),
        shared(
            "Run", "LibrarySimulation",
            [
                "NightSimulation", "CatalogComparison", "CourseCatalog", "DownloadRunner", "DownloadStore",
                "FilePlacement", "FileSystem", "MediaLibrary", "RunAccess", "RunSchedule", "SyncFacts", crypto, heaps,
                system,
            ]),
        .executableTarget(
            name: "nights", dependencies: ["LibrarySimulation", "NightSimulation"], path: "Tests/Run/Nights",
            swiftSettings: house),
        tests("Run", "NightSimulationTests", ["LibrarySimulation", "NightSimulation", "FileSystem", system]),
        tests(
            "Run", "FilePlacementTests",
            [
                "FilePlacement", "CatalogComparison", "DownloadStore", "FileSystem", "MediaLibrary", "MediaTransfer",
                "LibraryFixture", "TestSupport", system,
            ]),
        tests(
            "Run", "CourseDiscoveryTests",
            [
                "CourseDiscovery", "CourseCatalog", "DownloadStore", "ProviderKit", "SyncFacts", "YAMLSource",
                "TestSupport", system,
            ]),
        tests(
            "Run", "CatalogComparisonTests",
            [
                "CatalogComparison", "SyncFacts", "RunSchedule", "DownloadStore", "FileSystem", "CourseCatalog",
                "YAMLSource", "PathLayout", "MediaLibrary", "TestSupport", system,
            ]),
        tests(
            "Run", "DownloadRunnerTests",
            [
                "CatalogComparison", "YAMLSource", "ProviderHost", "HLSMedia", "SyncFacts", "FilePlacement",
                "DownloadJobs", "RunAccess", "DownloadRunner", "RunSchedule", "DownloadStore", "FileSystem",
                "CourseCatalog", "MediaLibrary", "MediaTransfer", "NetworkAddresses", "ProviderKit", "UserState",
                "Hooks", "TestSupport", logging, system,
            ]),

        tests(
            "Command", "OperationsTests",
            [
                "Operations", "CourseCatalog", "DownloadJobs", "DownloadStore", "FilePlacement", "FileSystem",
                "MediaLibrary", "MediaTransfer", "ProviderKit", "RunAccess", "SearchIndex", "SyncFacts", "UserState",
                "LibraryFixture", "TestSupport", system,
            ]),
        tests(
            "Command", "MigrationSourcesTests",
            [
                "MigrationSources", "FileSystem", "SeededGenerator", "TestServers", "TestSupport", grdb, subprocess,
                system,
            ]),
        tests(
            "Command", "MigrationTests",
            [
                "Migration", "MigrationSources", "CourseCatalog", "YAMLSource", "DownloadStore", "FileSystem",
                "SyncFacts", "TestSupport", system,
            ]),
        .executableTarget(
            name: "live-view-rehearsal",
            dependencies: [
                "Terminal", "CommandOutput", "SyncDisplay", "SyncFacts", "CourseFetchCommands", "DownloadStore",
            ],
            path: "Tests/Command/LiveViewRehearsal", swiftSettings: house),
        tests(
            "Command", "CommandTests",
            [
                "Terminal", "CommandOutput", "SyncDisplay", "SyncFacts", "CourseCatalog", "MigrationSources",
                "Migration", "Operations", "CourseFetchCommands", "RunAccess", "DownloadStore", "FileSystem", "Hooks",
                "MediaLibrary", "UserState", "YAMLSource", "coursefetch", "Checkout", "TestSupport",
                "live-view-rehearsal", argumentParser, logging, subprocess, system,
            ]),

        // What looks at the whole.
        .target(
            name: "FuzzHarnesses",
            dependencies: [
                "SeededGenerator", "YAMLSource", "CourseCatalog", "ProviderKit", "ProviderHost", "MediaTransfer",
                "HLSMedia", "SearchIndex", "MigrationSources", "ProviderHTTP", "BundledProviders",
            ], path: "Tests/FuzzHarnesses", swiftSettings: house),
        tests("Page", "PageHTTPTests", ["PageHTTP"]),
        .testTarget(
            name: "FuzzTests", dependencies: ["FuzzHarnesses", "Checkout", "TestSupport", system], swiftSettings: house),
        .testTarget(
            name: "ArchitectureTests",
            dependencies: ["DownloadStore", "Checkout", "TestSupport", "coursefetch", system], swiftSettings: house),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "SyncFacts", "DownloadRunner", "DownloadStore", "FileSystem", "SeededGenerator", "TestServers",
                "Checkout", "TestSupport", "coursefetch", "demo", "coursefetch-providers", subprocess, system, crypto,
                sqlite, logging,
            ], swiftSettings: house),
    ]
)

// `make page`: what `coursefetch serve` starts. Only then are the packages of a web server resolved, three times as many.
if Context.environment["COURSEFETCH_PAGE"] != nil {
    package.dependencies += [
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ]
    let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
    let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
    let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
    let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
    let files: [Resource] = [.embedInCode("Templates"), .embedInCode("Assets")]
    package.products.append(.executable(name: "coursefetch-serve", targets: ["coursefetch-serve"]))
    package.targets += [
        room(
            "Page", "PageServer",
            ["FileSystem", "PageHTTP", hummingbird, hummingbirdCore, httpTypes, nioCore, nioPosix, logging, system]),
        .target(
            name: "PageViews",
            dependencies: [
                "TextFormats", "DownloadStore", "ViewerMarks", "SyncFacts", "Operations", "CommandOutput", mustache,
            ], path: "Sources/Page/PageViews", resources: files, swiftSettings: house),
        room(
            "Page", "PageSite",
            [
                "TextFormats", "FileSystem", "ChildProcess", "DownloadStore", "ViewerMarks", "UserState", "SyncFacts",
                "RunAccess", "Operations", "Terminal", "CommandOutput", "PageHTTP", "PageServer", "PageViews", nioCore,
                logging, subprocess, system,
            ]),
        .executableTarget(
            name: "coursefetch-serve", dependencies: ["PageSite"], path: "Sources/Page/coursefetch-serve",
            swiftSettings: house),
    ]
}

// `make fuzz`: COURSEFETCH_FUZZER is libFuzzer's library. Only then do readers of bytes from outside tell it their ways.
if let fuzzer = Context.environment["COURSEFETCH_FUZZER"] {
    let readers = [
        "YAMLSource", "CourseCatalog", "ProviderKit", "ProviderHost", "MediaTransfer", "HLSMedia", "SearchIndex",
        "MigrationSources", "ProviderHTTP", "BundledProviders",
    ]
    for target in package.targets where readers.contains(target.name) {
        target.swiftSettings = house + [.unsafeFlags(["-sanitize=fuzzer"])]
    }
    package.targets.append(
        .executableTarget(
            name: "fuzz", dependencies: ["FuzzHarnesses"], path: "Tests/Fuzz", exclude: ["run"], swiftSettings: house,
            linkerSettings: [.unsafeFlags([fuzzer]), .linkedLibrary("stdc++")]))
}
