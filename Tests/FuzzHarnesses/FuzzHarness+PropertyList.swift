import Foundation
import MigrationSources

extension FuzzHarness {
    private static let keyedSeed = """
        <plist><dict><key>$archiver</key><string>NSKeyedArchiver</string><key>$version</key><integer>100000</integer>
        <key>$top</key><dict><key>root</key><dict><key>CF$UID</key><integer>1</integer></dict></dict>
        <key>$objects</key><array><string>$null</string>
        <dict><key>$class</key><dict><key>CF$UID</key><integer>3</integer></dict><key>url</key><dict><key>CF$UID</key>
        <integer>2</integer></dict><key>list</key><dict><key>CF$UID</key><integer>4</integer></dict></dict>
        <dict><key>NS.relative</key><string>https://h/v</string><key>NS.base</key><dict><key>CF$UID</key>
        <integer>0</integer></dict></dict>
        <dict><key>$classes</key><array><string>Model</string></array><key>$classname</key><string>Model</string></dict>
        <dict><key>NS.keys</key><array><string>NSURLSessionDownloadURL</string></array><key>NS.objects</key><array>
        <string>https://h/v</string></array></dict></array></dict></plist>
        """

    /// The same in the binary form, with other lists of it.
    private static let binarySeeds: [[UInt8]] = {
        let lists: [Any] = [
            ["a": [1, -1, 1.5, true, Data([1, 2]), "x", "中", Date(timeIntervalSince1970: 1)] as [Any]],
            (0..<20).map { ["k\($0)": [$0, 1 << 40]] }, String(repeating: "x", count: 300),
        ]
        let written = lists.compactMap {
            try? PropertyListSerialization.data(fromPropertyList: $0, format: .binary, options: 0)
        }
        let archiver = NSKeyedArchiver(requiringSecureCoding: false)
        archiver.encode(
            ["NSURLSessionDownloadURL": "https://h/v", "list": [1, "a"] as [Any]] as [String: Any] as NSDictionary,
            forKey: "root")
        archiver.finishEncoding()
        return (written + [archiver.encodedData]).map { Array($0) }
    }()

    private static let listWords = [
        "bplist00", "<plist>", "</plist>", "<dict>", "</dict>", "<key>", "</key>", "<array>", "</array>", "<string>",
        "<integer>", "<real>", "<date>", "<data>", "<true/>", "CF$UID", "<!DOCTYPE", "&amp;", "{", "}", "(", ")", "=",
        ";",
        ",", "\"", "'", "\\U4e2d", "\\Ud83d", "\\101", "/*", "*/", "//", "<0f", ">", "$null", "NS.string", "NS.objects",
        "NS.keys", "((((((((", "{a={a=", "\u{FEFF}",
    ]

    /// Property lists: refused, or of a depth and size that their bytes can have.
    static let propertyList = FuzzHarness(
        name: "property-list",
        seeds: binarySeeds
            + [
                "{ a = 1; \"b c\" = \"\\U4e2d\\Ud83d\\Ude00\\n\\101\"; l = (1, {x = 'y';}, ); d = <0fbd 77>; } // end",
                "/**/ (a)",
                "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>a</key><array><integer>-7</integer><real>1.5</real>"
                    + "<true/><data>AQI=</data><date>2023-11-14T22:13:20Z</date></array></dict></plist>", keyedSeed,
            ].map { Array($0.utf8) },
        words: listWords
    ) { bytes in
        guard let list = try? PropertyList(Array(bytes)) else { return false }
        var (count, deepest) = (0, 0)
        measure(list, depth: 1, &count, &deepest)
        try promise(count <= bytes.count * 4 + 1000, "\(count) values of \(bytes.count) bytes")
        try promise(deepest <= 64, "\(deepest) levels")
        return true
    }

    private static func measure(_ list: PropertyList, depth: Int, _ count: inout Int, _ deepest: inout Int) {
        (count, deepest) = (count + 1, max(deepest, depth))
        switch list {
        case .array(let members): for member in members { measure(member, depth: depth + 1, &count, &deepest) }
        case .dictionary(let members):
            for member in members.values { measure(member, depth: depth + 1, &count, &deepest) }
        default: return
        }
    }

    /// Keyed archives, and resume data: refused, or all that they name can be asked for.
    static let keyedArchive = FuzzHarness(
        name: "keyed-archive", seeds: binarySeeds.suffix(1) + [Array(keyedSeed.utf8)], words: listWords
    ) { bytes in
        let bytes = Array(bytes)
        let resume = try? ResumeData(bytes)
        try promise(resume?.fileNames.allSatisfy { !$0.contains("/") } ?? true, "a path for a name")
        guard let archive = try? KeyedArchive(bytes) else { return false }
        var waiting = archive.top.sorted { $0.key < $1.key }.map(\.value)
        for _ in 0..<500 {
            guard let value = waiting.popLast() else { break }
            _ = try? archive.plain(value)
            _ = try? archive.requestAddress(value)
            guard let object = try? archive.object(value) else { continue }
            _ = try? archive.classNames(of: object)
            waiting += (try? archive.members(of: object)) ?? []
            waiting += ((try? archive.dictionary(of: object)) ?? []).map(\.value)
            if case .dictionary(let fields) = object { waiting += fields.sorted { $0.key < $1.key }.map(\.value) }
        }
        return true
    }
}
