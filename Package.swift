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

/// The folders of the providers that are one program, with what in them is no source.
let bundledProviders: [(folder: String, more: [String])] = [
    ("direct", ["plugin.yaml", "README.md", "fixtures"]), ("secure-link", ["plugin.yaml", "README.md", "fixtures"]),
    ("feed", ["plugin.yaml", "README.md", "fixtures"]), ("index", ["plugin.yaml", "README.md", "fixtures"]),
    ("webdav", ["plugin.yaml", "README.md", "fixtures"]), ("s3", ["plugin.yaml", "README.md", "fixtures"]),
    ("rclone", ["plugin.yaml", "README.md"]),
]

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
            name: "CLibCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .systemLibrary(
            name: "CLibYAML", pkgConfig: "yaml-0.1",
            providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
        .systemLibrary(
            name: "CLibExpat", pkgConfig: "expat",
            providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]),
        .target(
            name: "CPlatform", cSettings: [.define("_GNU_SOURCE"), .treatAllWarnings(as: .error)]),
        .target(
            name: "FileSystem", dependencies: ["CPlatform", crypto, system], swiftSettings: house),
        .target(name: "YAMLSource", dependencies: ["CLibYAML"], swiftSettings: house),
        .target(name: "ChildProcess", dependencies: [subprocess, system], swiftSettings: house),
        .target(name: "Hooks", dependencies: ["ChildProcess", "YAMLSource", system], swiftSettings: house),
        .target(name: "MediaMetadata", swiftSettings: house),
        .target(name: "PathLayout", dependencies: ["YAMLSource"], swiftSettings: house),
        .target(name: "CourseCatalog", dependencies: ["YAMLSource", "PathLayout"], swiftSettings: house),
        .target(name: "ProviderKit", swiftSettings: house),
        .target(name: "NetworkAddresses", swiftSettings: house),
        .target(
            name: "ProviderHTTP", dependencies: ["CLibCurl", "CLibExpat", "ProviderKit", "NetworkAddresses"],
            swiftSettings: house),
        .target(
            name: "ProviderHost",
            dependencies: ["FileSystem", "ProviderKit", "YAMLSource", "ChildProcess", subprocess, logging, system],
            swiftSettings: house),
        .target(
            name: "ProviderConformance",
            dependencies: [
                "ProviderKit", "ProviderHost", "YAMLSource", "ChildProcess", "CPlatform", "MediaTransfer", "FileSystem",
                subprocess, system,
            ],
            swiftSettings: house),
        .target(
            name: "MediaTransfer", dependencies: ["CLibCurl", "CPlatform", "NetworkAddresses", crypto],
            swiftSettings: house),
        .target(
            name: "HLSMedia",
            dependencies: [
                "MediaTransfer", "NetworkAddresses", "CPlatform", "ChildProcess", crypto, ciphers, system,
            ],
            swiftSettings: house),
        .target(name: "DownloadStore", dependencies: ["FileSystem", grdb, sqlite, system], swiftSettings: house),
        .target(
            name: "RunSchedule", dependencies: ["FileSystem", "DownloadStore", deques, heaps], swiftSettings: house),
        .target(
            name: "MediaLibrary", dependencies: ["CPlatform", "FileSystem", "PathLayout", crypto, system],
            swiftSettings: house),
        .target(
            name: "UserState", dependencies: ["FileSystem", "YAMLSource", "ProviderKit", system], swiftSettings: house),
        .target(
            name: "SyncFacts",
            dependencies: [
                "YAMLSource", "PathLayout", "MediaMetadata", "Hooks", "ProviderKit", "FileSystem", "CourseCatalog",
                "DownloadStore", "RunSchedule",
                "MediaLibrary", "UserState", system, deques,
                orderedCollections,
            ],
            swiftSettings: house),
        .target(
            name: "DownloadJobs",
            dependencies: [
                "FileSystem", "YAMLSource", "CourseCatalog", "ProviderKit", "ProviderHost", "MediaTransfer",
                "HLSMedia", "NetworkAddresses", "ChildProcess", "Hooks", "DownloadStore", "RunSchedule",
                "MediaLibrary", "UserState", "SyncFacts", crypto, logging, system,
            ],
            swiftSettings: house),
        .target(
            name: "CourseDiscovery",
            dependencies: [
                "FileSystem", "YAMLSource", "CourseCatalog", "ProviderKit", "DownloadStore", "SyncFacts", crypto,
                deques,
            ],
            swiftSettings: house),
        .target(
            name: "CatalogComparison",
            dependencies: [
                "FileSystem", "YAMLSource", "PathLayout", "CourseCatalog", "DownloadStore", "RunSchedule",
                "MediaLibrary", "SyncFacts",
                "DownloadJobs", crypto,
            ],
            swiftSettings: house),
        .target(
            name: "DownloadRunner",
            dependencies: [
                "CourseDiscovery", "CatalogComparison", "FileSystem", "YAMLSource", "CourseCatalog", "ProviderKit",
                "ProviderHost", "MediaTransfer", "HLSMedia", "MediaMetadata", "Hooks",
                "DownloadStore", "RunSchedule", "MediaLibrary", "UserState", "SyncFacts", "DownloadJobs",
                crypto, logging, system, deques, orderedCollections,
            ],
            swiftSettings: house),
        .target(
            name: "MigrationSources",
            dependencies: ["FileSystem", "YAMLSource", "ProviderHTTP", grdb, sqlite, system], swiftSettings: house),
        .target(
            name: "Operations",
            dependencies: [
                "MigrationSources",
                "FileSystem", "YAMLSource", "CourseCatalog", "ProviderKit", "ProviderHost", "MediaTransfer",
                "HLSMedia", "DownloadStore", "RunSchedule", "MediaLibrary", "UserState", "SyncFacts", "DownloadJobs",
                "CourseDiscovery", "CatalogComparison", "DownloadRunner", "ProviderConformance", crypto, logging,
                system,
            ],
            swiftSettings: house),
        .target(
            name: "CommandOutput",
            dependencies: [
                "MigrationSources", "ProviderConformance", "Operations", "DownloadRunner", "SyncFacts",
                "DownloadStore", "MediaLibrary",
                "UserState", "FileSystem",
                "YAMLSource", "Hooks", logging,
                system,
            ],
            swiftSettings: house),
        .target(
            name: "CourseFetchCommands",
            dependencies: [
                "CommandOutput", "MigrationSources", "Operations", "DownloadRunner", "SyncFacts", "DownloadStore",
                "FileSystem", "UserState",
                "YAMLSource", "PathLayout", "MediaMetadata", "Hooks", argumentParser, logging, subprocess, system,
            ],
            swiftSettings: house),
        .executableTarget(name: "coursefetch", dependencies: ["CourseFetchCommands"], swiftSettings: house),

        // The plugins in Swift: most of them are one program.
        .executableTarget(
            name: "demo", dependencies: ["ProviderKit"], path: "Plugins/demo",
            exclude: ["plugin.yaml", "media", "fixtures"],
            swiftSettings: house),
        .target(
            name: "BundledProviders", dependencies: ["ProviderKit", "ProviderHTTP", crypto, subprocess, system],
            path: "Plugins",
            exclude: ["demo", "yt-dlp", "program"]
                + bundledProviders.flatMap { folder, more in more.map { "\(folder)/\($0)" } },
            sources: ["shared"] + bundledProviders.map(\.folder), swiftSettings: house),
        .executableTarget(
            name: "coursefetch-providers", dependencies: ["BundledProviders", "ProviderKit"], path: "Plugins/program",
            swiftSettings: house),

        // What the tests share.
        .target(name: "SeededGenerator", path: "Tests/SeededGenerator", swiftSettings: house),
        .target(
            name: "TestSupport", dependencies: ["DownloadJobs", "DownloadStore", subprocess, system],
            path: "Tests/TestSupport",
            swiftSettings: house),
        .target(
            name: "TestServers",
            dependencies: ["SeededGenerator", nioCore, nioPosix, subprocess, system, crypto], path: "Tests/TestServers",
            swiftSettings: house),
        .executableTarget(
            name: "library-step", dependencies: ["FileSystem", "MediaLibrary", "UserState", system],
            path: "Tests/LibraryStep",
            swiftSettings: house),
        .executableTarget(
            name: "live-view-rehearsal",
            dependencies: ["CommandOutput", "SyncFacts", "CourseFetchCommands", "DownloadStore"],
            path: "Tests/LiveViewRehearsal", swiftSettings: house),

        .target(
            name: "FuzzHarnesses",
            dependencies: [
                "SeededGenerator", "YAMLSource", "CourseCatalog", "ProviderKit", "ProviderHost", "MediaTransfer",
                "HLSMedia", "MigrationSources", "ProviderHTTP", "BundledProviders",
            ], path: "Tests/FuzzHarnesses", swiftSettings: house),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzHarnesses", "TestSupport", system], swiftSettings: house),

        .testTarget(
            name: "ArchitectureTests", dependencies: ["DownloadStore", "TestSupport", "coursefetch", system],
            swiftSettings: house),
        .testTarget(
            name: "FileSystemTests", dependencies: ["FileSystem", "TestSupport", system], swiftSettings: house),
        .testTarget(name: "YAMLSourceTests", dependencies: ["YAMLSource"], swiftSettings: house),
        .testTarget(
            name: "HookTests", dependencies: ["Hooks", "ChildProcess", "TestSupport", system], swiftSettings: house),
        .testTarget(
            name: "MediaMetadataTests", dependencies: ["MediaMetadata"], swiftSettings: house),
        .testTarget(name: "PathLayoutTests", dependencies: ["PathLayout"], swiftSettings: house),
        .testTarget(
            name: "CourseCatalogTests", dependencies: ["CourseCatalog", "YAMLSource", "PathLayout"],
            swiftSettings: house),
        .executableTarget(
            name: "plugin-host-probe", dependencies: ["ProviderHost", "ProviderKit", logging, system],
            path: "Tests/PluginHostProbe", swiftSettings: house),
        .testTarget(name: "ProviderKitTests", dependencies: ["ProviderKit"], swiftSettings: house),
        .testTarget(
            name: "ProviderHTTPTests",
            dependencies: ["NetworkAddresses", "ProviderHTTP", "ProviderKit", "TestServers", system],
            swiftSettings: house),
        .testTarget(
            name: "BundledProviderTests",
            dependencies: [
                "BundledProviders", "coursefetch-providers", "ProviderHTTP", "ProviderKit", "TestSupport", system,
            ],
            swiftSettings: house),
        .testTarget(
            name: "ProviderHostTests",
            dependencies: [
                "FileSystem", "ProviderHost", "ProviderKit", "CourseCatalog", "YAMLSource", "demo", "BundledProviders",
                "coursefetch-providers", "plugin-host-probe",
                subprocess, logging, system,
            ],
            swiftSettings: house),
        .testTarget(
            name: "ProviderConformanceTests",
            dependencies: [
                "ProviderConformance", "ProviderHost", "ProviderKit", "CommandOutput", "TestSupport", "coursefetch",
                "demo", "coursefetch-providers", system,
            ],
            exclude: ["faulty.py", "asking.py"], swiftSettings: house),
        .testTarget(
            name: "MediaTransferTests",
            dependencies: ["MediaTransfer", "NetworkAddresses", "TestServers", crypto, system],
            swiftSettings: house),
        .testTarget(
            name: "HLSMediaTests",
            dependencies: [
                "HLSMedia", "MediaTransfer", "NetworkAddresses", "ChildProcess", "SeededGenerator", "TestServers",
                "TestSupport",
                crypto, ciphers, subprocess, system,
            ],
            swiftSettings: house),
        .testTarget(
            name: "DownloadStoreTests", dependencies: ["DownloadStore", "FileSystem", "TestSupport", grdb, system],
            swiftSettings: house),
        .target(
            name: "NightSimulation",
            dependencies: [
                "DownloadJobs", "RunSchedule", "DownloadStore", "FileSystem", "MediaTransfer", "SeededGenerator", heaps,
            ],
            path: "Tests/NightSimulation", swiftSettings: house),
        .executableTarget(
            name: "nights", dependencies: ["NightSimulation"], path: "Tests/Nights", swiftSettings: house),
        .testTarget(name: "NightSimulationTests", dependencies: ["NightSimulation"], swiftSettings: house),
        .testTarget(
            name: "RunScheduleTests", dependencies: ["RunSchedule", "DownloadStore", "FileSystem"], swiftSettings: house
        ),
        .testTarget(
            name: "LibraryTests",
            dependencies: [
                "SyncFacts", "DownloadJobs", "Operations", "DownloadStore", "FileSystem", "MediaLibrary", "UserState",
                "PathLayout", "TestSupport",
                "library-step", crypto, subprocess, system,
            ],
            swiftSettings: house),
        .testTarget(
            name: "UserStateTests", dependencies: ["UserState", "TestSupport", system], swiftSettings: house),
        .testTarget(
            name: "CourseDiscoveryTests",
            dependencies: [
                "CourseDiscovery", "CourseCatalog", "DownloadStore", "ProviderKit", "SyncFacts", "YAMLSource",
                "TestSupport", system,
            ],
            swiftSettings: house),
        .testTarget(
            name: "MigrationTests",
            dependencies: [
                "Operations", "MigrationSources", "CourseCatalog", "YAMLSource", "DownloadStore", "FileSystem",
                "SyncFacts",
                "TestSupport", system,
            ],
            swiftSettings: house),
        .testTarget(
            name: "MigrationSourcesTests",
            dependencies: [
                "MigrationSources", "FileSystem", "SeededGenerator", "TestServers", "TestSupport", grdb, subprocess,
                system,
            ],
            swiftSettings: house),
        .testTarget(
            name: "CatalogComparisonTests",
            dependencies: [
                "CatalogComparison", "SyncFacts", "RunSchedule", "DownloadStore", "FileSystem", "CourseCatalog",
                "YAMLSource", "PathLayout", "MediaLibrary", "TestSupport", system,
            ],
            swiftSettings: house),
        .testTarget(
            name: "DownloadRunnerTests",
            dependencies: [
                "CatalogComparison", "YAMLSource", "ProviderHost", "HLSMedia", "SyncFacts", "DownloadJobs",
                "Operations",
                "DownloadRunner", "RunSchedule", "DownloadStore", "FileSystem", "CourseCatalog", "MediaLibrary",
                "MediaTransfer", "NetworkAddresses", "ProviderKit", "UserState", "Hooks", "TestSupport", logging,
                system,
            ],
            swiftSettings: house),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "CommandOutput", "SyncFacts", "MigrationSources", "Operations", "CourseFetchCommands", "DownloadRunner",
                "DownloadStore",
                "FileSystem", "MediaLibrary", "UserState",
                "YAMLSource", "coursefetch", "TestSupport",
                "live-view-rehearsal", argumentParser, logging, subprocess, system,
            ],
            swiftSettings: house),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "SyncFacts", "DownloadRunner", "DownloadStore", "FileSystem", "SeededGenerator", "TestServers",
                "TestSupport", "coursefetch", "demo", "coursefetch-providers", subprocess, system, crypto, sqlite,
                logging,
            ],
            swiftSettings: house),
    ]
)

// `make fuzz`: COURSEFETCH_FUZZER is libFuzzer's library. Only then is what reads bytes from outside compiled so that it
// tells libFuzzer which ways it goes.
if let fuzzer = Context.environment["COURSEFETCH_FUZZER"] {
    let readers = [
        "YAMLSource", "CourseCatalog", "ProviderKit", "ProviderHost", "MediaTransfer", "HLSMedia", "MigrationSources",
        "ProviderHTTP", "BundledProviders",
    ]
    for target in package.targets where readers.contains(target.name) {
        target.swiftSettings = house + [.unsafeFlags(["-sanitize=fuzzer"])]
    }
    package.targets.append(
        .executableTarget(
            name: "fuzz", dependencies: ["FuzzHarnesses"], path: "Tests/Fuzz", exclude: ["run"], swiftSettings: house,
            linkerSettings: [.unsafeFlags([fuzzer]), .linkedLibrary("stdc++")]))
}
