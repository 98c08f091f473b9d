import Foundation
import MigrationSources
import SeededGenerator
import TestSupport
import Testing

@Suite("keyed archives")
struct KeyedArchiveTests {
    private static func model() throws -> ArchivedModel {
        ArchivedModel(
            [
                "text": "中文" as NSString, "mutable": NSMutableString(string: "m"), "data": NSData(data: Data([1, 2])),
                "url": try #require(NSURL(string: "b?x=1", relativeTo: URL(string: "https://h/a/c"))),
                "date": NSDate(timeIntervalSinceReferenceDate: 5), "number": NSNumber(value: 9),
                "one": NSNumber(value: 1), "true": NSNumber(value: true),
                "request": try Archives.request("https://h/v.mp4?t=1"),
                "list": NSArray(array: ["a" as NSString, NSNumber(value: 7)]),
                "members": NSDictionary(dictionary: ["k": "v"]), "null": NSNull(),
            ], ["state": 6])
    }

    @Test(
        "what NSKeyedArchiver writes is read as data",
        arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
    func fields(format: PropertyListSerialization.PropertyListFormat) throws {
        let archive = try KeyedArchive(Array(Archives.archive(try Self.model(), format)))
        let model = try #require(try archive.object(archive.root))
        guard case .dictionary(let fields) = model else { throw RecordFault.wrongType(field: "root") }
        #expect(try archive.classNames(of: model).first?.hasSuffix("ArchivedModel") == true)
        #expect(try archive.plain(fields["text"]) == .string("中文"))
        #expect(try archive.plain(fields["mutable"]) == .string("m"))
        #expect(try archive.plain(fields["data"]) == .data(Data([1, 2])))
        #expect(try archive.plain(fields["url"]) == .string("https://h/a/b?x=1"))
        #expect(try archive.plain(fields["date"]) == .date(Date(timeIntervalSinceReferenceDate: 5)))
        #expect(try archive.plain(fields["number"]) == .integer(9))
        #expect(try archive.plain(fields["state"]) == .integer(6))
        #expect(try archive.requestAddress(fields["request"]) == "https://h/v.mp4?t=1")
        #expect(try archive.plain(fields["missing"]) == nil)
        let list = try #require(try archive.object(fields["list"]))
        let values = try (archive.members(of: list) ?? []).map { try archive.plain($0) }
        #expect(values == [.string("a"), .integer(7)])
        let dictionary = try #require(try archive.object(fields["members"]))
        let members = try #require(try archive.dictionary(of: dictionary))
        #expect(members.map(\.key) == ["k"])
        #expect(try archive.plain(members.first?.value) == .string("v"))
    }

    /// An archive with these objects, the first of which is the root.
    private static func archive(_ objects: String) -> [UInt8] {
        Array(
            """
            <plist><dict><key>$archiver</key><string>NSKeyedArchiver</string><key>$version</key><integer>100000</integer>
            <key>$top</key><dict><key>root</key>\(uid(1))</dict>
            <key>$objects</key><array><string>$null</string>\(objects)</array></dict></plist>
            """.utf8)
    }

    private static func uid(_ number: Int) -> String { "<dict><key>CF$UID</key><integer>\(number)</integer></dict>" }

    @Test("objects that lead to themselves, or nowhere, are refused and not followed for ever")
    func cycles() throws {
        let wrapped = try KeyedArchive(Self.archive("<dict><key>NS.string</key>\(Self.uid(1))</dict>"))
        #expect(throws: FormatFault.tooDeep) { try wrapped.plain(wrapped.root) }
        let based = try KeyedArchive(
            Self.archive("<dict><key>NS.relative</key><string>a</string><key>NS.base</key>\(Self.uid(1))</dict>"))
        #expect(throws: FormatFault.tooDeep) { try based.plain(based.root) }
        let requested = try KeyedArchive(
            Self.archive("<dict><key>$1</key>\(Self.uid(1))<key>$2</key>\(Self.uid(1))</dict>"))
        #expect(try requested.requestAddress(requested.root) == nil)
        let outside = try KeyedArchive(Self.archive("<dict><key>a</key>\(Self.uid(99))</dict>"))
        let root = try #require(try outside.object(outside.root))
        guard case .dictionary(let fields) = root else { throw RecordFault.wrongType(field: "root") }
        #expect(throws: FormatFault.malformed) { try outside.plain(fields["a"]) }
        let chained = try KeyedArchive(Self.archive(Self.uid(1)))
        #expect(throws: FormatFault.malformed) { try chained.plain(chained.root) }
        let null = try KeyedArchive(Self.archive("<string>$null</string>"))
        #expect(try null.plain(null.root) == nil)
    }

    @Test("a property list that is no archive is foreign")
    func foreign() throws {
        for text in ["<plist><dict/></plist>", "{a = 1;}", "<plist><array/></plist>"] {
            #expect(throws: FormatFault.foreign) { try KeyedArchive(Array(text.utf8)) }
        }
        #expect(throws: FormatFault.foreign) { try KeyedArchive(PropertyListTests.bytes(["a": 1], .binary)) }
    }

    @Test("resume data are read as a list, as an archive, and from base64, without the folders of the other device")
    func resumeData() throws {
        let file = "/private/var/mobile/tmp/CFNetworkDownload_a1.tmp"
        let lists = [
            try Archives.resumeData("https://h/v.mp4", received: 7, file: file),
            try Archives.resumeData("https://h/v.mp4", received: 7, file: file, .xml),
            try Archives.resumeData("https://h/v.mp4", received: 7, file: file, withAddress: false),
            Archives.archive(
                try Archives.resumeList("https://h/v.mp4", received: 7, file: file) as NSDictionary,
                key: "NSKeyedArchiveRootObjectKey"),
        ]
        for list in lists + lists.map({ Data($0.base64EncodedString(options: .lineLength64Characters).utf8) }) {
            let resume = try ResumeData(Array(list))
            #expect(resume.address == "https://h/v.mp4")
            #expect(resume.received == 7)
            #expect(resume.fileNames == ["CFNetworkDownload_a1.tmp"])
        }
        #expect(throws: FormatFault.foreign) { try ResumeData(Array("{a = 1;}".utf8)) }
        #expect(throws: FormatFault.self) { try ResumeData([]) }
    }

    @Test("changed bytes are read or refused")
    func mutations() throws {
        let whole = Array(Archives.archive(try Self.model()))
        var generator = SeededGenerator(seed: 12)
        for _ in 0..<300 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            guard let archive = try? KeyedArchive(bytes), let root = try? archive.object(archive.root),
                case .dictionary(let fields) = root
            else { continue }
            for value in fields.values {
                _ = try? archive.plain(value)
                _ = try? archive.requestAddress(value)
            }
        }
    }
}
