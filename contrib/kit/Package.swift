// swift-tools-version: 6.2
// What a provider in Swift is written with: a package without dependencies but for libcurl and expat, which ProviderHTTP
// uses; installed as PREFIX/share/coursefetch/kit.
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "kit",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "ProviderKit", targets: ["ProviderKit"]),
        .library(name: "ProviderHTTP", targets: ["ProviderHTTP"]),
    ],
    targets: [
        .target(name: "TextFormats", path: "Sources/Ground/TextFormats", swiftSettings: settings),
        .target(
            name: "ProviderKit", dependencies: ["TextFormats"], path: "Sources/Provider/ProviderKit",
            swiftSettings: settings),
        .systemLibrary(
            name: "CLibCurl", path: "Sources/Ground/CLibCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .systemLibrary(
            name: "CLibExpat", path: "Sources/Ground/CLibExpat", pkgConfig: "expat",
            providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]),
        .target(
            name: "XMLSource", dependencies: ["CLibExpat"], path: "Sources/Ground/XMLSource", swiftSettings: settings),
        .target(
            name: "NetworkAddresses", dependencies: ["CLibCurl"], path: "Sources/Ground/NetworkAddresses",
            swiftSettings: settings),
        .target(
            name: "ProviderHTTP", dependencies: ["ProviderKit", "XMLSource", "NetworkAddresses", "CLibCurl"],
            path: "Sources/Provider/ProviderHTTP", swiftSettings: settings),
    ])
