import Foundation
import MigrationSources
import SystemPackage
import TestSupport
import Testing

@Suite("The source baijiayun", .serialized)
struct BaiJiaYunReaderTests {
    private static var video: [String: Any] {
        [
            "vid": "123", "definitionType": 2, "downloadFileType": 1, "showFileName": "第一课", "videoFileName": "123.mp4",
            "state": 3, "totalLength": 5, "duration": 60.0, "token": "secret", "videoUrl": "https://h/expired",
        ]
    }
    private static var playback: [String: Any] {
        [
            "classId": "77", "sessionId": "9", "definitionType": 4, "downloadFileType": 2, "showFileName": "Live",
            "videoFileName": "77_9.mp4", "signalFileName": "77_9.json", "state": 3, "totalLength": 12,
            "signalTotalSize": 2,
        ]
    }

    /// The forms in which an app may have its records.
    private enum Form: String, CaseIterable {
        case list, xml, dictionary, grouped, archive, models, defaults, json
    }

    private func write(_ records: [[String: Any]], _ form: Form, to folder: TemporaryFolder, _ root: String = "") throws
    {
        let keyed = Dictionary(uniqueKeysWithValues: records.enumerated().map { ("k\($0)", $1) })
        let models = records.map { record in
            ArchivedModel(record.filter { !($0.value is Int) }, record.compactMapValues { $0 as? Int })
        }
        let bytes: [UInt8] =
            switch form {
            case .list: try PropertyListTests.bytes(records, .binary)
            case .xml: try PropertyListTests.bytes(records, .xml)
            case .dictionary: try PropertyListTests.bytes(keyed, .binary)
            case .grouped: try PropertyListTests.bytes(["a": records], .xml)
            case .archive: Array(Archives.archive(records.map { $0 as NSDictionary } as NSArray))
            case .models: Array(Archives.archive(models as NSArray))
            case .defaults: try PropertyListTests.bytes(["all": models.map { Archives.archive($0) }], .binary)
            case .json: Array(try JSONSerialization.data(withJSONObject: records))
            }
        let ending = form == .json ? "json" : form == .archive || form == .models ? "archive" : "plist"
        try folder.write(bytes, to: "\(root)records.\(ending)")
    }

    @Test("videos and playbacks are read from each form of an archive", arguments: Form.allCases.map(\.rawValue))
    func forms(name: String) throws {
        let folder = TemporaryFolder()
        let form = try #require(Form(rawValue: name))
        try write([Self.video, Self.playback], form, to: folder, "PMDownload/")
        try folder.write("12345", to: "PMDownload/Cache/123.mp4")
        var video = SourceRecord(key: "123", state: .finished)
        video.names = ["123", "123.mp4", "第一课"]
        (video.video, video.title, video.duration) = ("123", "第一课", 60)
        video.parameters = ["vid": "123", "definition": "superhigh"]
        video.file = SourceFile(path: "PMDownload/Cache/123.mp4", size: 5)
        var playback = SourceRecord(key: "77_9", state: .finished)
        playback.names = ["77_9", "77_9.mp4", "Live"]
        (playback.video, playback.title) = ("77_9", "Live")
        playback.parameters = ["classId": "77", "sessionId": "9", "definition": "1080p"]
        playback.file = SourceFile(path: "PMDownload/Cache/77_9.mp4", size: 10)
        playback.companions = [SourceFile(path: "PMDownload/Cache/77_9.json", size: 2)]
        let found = try Reading.records(BaiJiaYunReader.self, folder)
        #expect(found.sorted { $0.key < $1.key } == [video, playback])
    }

    @Test("states are those of the player; without one the file in Cache tells")
    func states() throws {
        let folder = TemporaryFolder()
        let states: [Any?] = [0, 1, 2, 3, 4, 5, nil, nil, "x"]
        let records = states.enumerated().map { number, state -> [String: Any] in
            var record = Self.video
            record["vid"] = "v\(number)"
            record["videoFileName"] = "v\(number).mp4"
            record["state"] = state
            return record
        }
        try write(records, .list, to: folder)
        try folder.write("12345", to: "Cache/v4.mp4")
        try folder.write("12345", to: "Cache/v7.mp4")
        try folder.write("12", to: "Temp/v1.mp4")
        let found = try Reading.records(BaiJiaYunReader.self, folder)
        #expect(
            found.map(\.state) == [
                .unfinished, .unfinished, .unfinished, .finished, .unfinished, .unfinished, .unfinished, .finished,
                .unfinished,
            ])
        #expect(found[5].fault == .unknownValue(field: "state"))
        #expect(found[8].fault == .wrongType(field: "state"))
        #expect(found[1].partial == SourcePartial(path: "Temp/v1.mp4", total: 5))
        #expect(found[4].file == SourceFile(path: "Cache/v4.mp4", size: 5))
    }

    @Test("a playback always has a signal file, which is missed if it has no name")
    func signals() throws {
        let folder = TemporaryFolder()
        var playback = Self.playback
        playback["signalFileName"] = nil
        var joined = playback
        (joined["classId"], joined["sessionId"], joined["classIdSessionId"]) = (nil, nil, "5_6")
        var whole = playback
        (whole["classId"], whole["sessionId"], whole["downloadFileType"]) = (88, 0, nil)
        try write([playback, joined, whole], .list, to: folder)
        let found = try Reading.records(BaiJiaYunReader.self, folder)
        #expect(found.map(\.key) == ["77_9", "5_6", "88"])
        #expect(found.map { $0.companions.map(\.path) } == Array(repeating: ["Cache/Live.signal"], count: 3))
    }

    @Test("records that lack something, repeat a key or lead elsewhere are faults of their own")
    func faults() throws {
        let folder = TemporaryFolder()
        var records = Array(repeating: Self.video, count: 6)
        records[0]["state"] = 1
        records[2]["vid"] = nil
        (records[3]["vid"], records[3]["videoFileName"]) = ("a", "../../x")
        (records[4]["vid"], records[4]["videoFileName"]) = ("b", nil)
        (records[5]["vid"], records[5]["downloadFileType"]) = ("c", 9)
        try write(records, .list, to: folder)
        try folder.write([], to: "broken.archive")
        try folder.write("bplist00", to: "cut.data")
        let found = try Reading.records(BaiJiaYunReader.self, folder)
        #expect(
            found.map(\.fault) == [
                .unreadable(path: "broken.archive", .truncated), .unreadable(path: "cut.data", .truncated), .repeated,
                nil,
                .missing(field: "vid"), .badPath("../../x"), .missing(field: "videoFileName"),
                .unknownValue(field: "downloadFileType"),
            ])
    }

    @Test("without records the complete files are taken by their names; another archive may be named")
    func other() throws {
        let folder = TemporaryFolder()
        try folder.write("12345", to: "Cache/1_2.mp4")
        let found = try Reading.records(BaiJiaYunReader.self, folder)
        #expect(found.map(\.names) == [["1_2.mp4", "1_2"]])
        #expect(found.map(\.file?.path) == ["Cache/1_2.mp4"])
        try folder.write(PropertyListTests.bytes([Self.video], .binary), to: "Documents/own")
        #expect(
            try Reading.records(BaiJiaYunReader.self, folder, "", SourceOptions(list: "Documents/own")).map(\.key) == [
                "123"
            ])
        try folder.write(PropertyListTests.bytes([Self.video], .binary), to: "own.plist")
        try folder.write(PropertyListTests.bytes(["of": "another"], .binary), to: "other.plist")
        #expect(try Reading.open(BaiJiaYunReader.self, folder).storeFiles() == ["own.plist"])
        let empty = TemporaryFolder()
        #expect(throws: SourceProblem.self) { try Reading.records(BaiJiaYunReader.self, empty) }
    }

    @Test("changed bytes of an archive are read or refused", arguments: [true, false])
    func mutations(isArchive: Bool) throws {
        let folder = TemporaryFolder()
        try write([Self.video, Self.playback], isArchive ? .models : .list, to: folder)
        let path = folder.at(isArchive ? "records.archive" : "records.plist").string
        let whole = Array(try #require(FileManager.default.contents(atPath: path)))
        var number = 5
        for _ in 0..<150 {
            var bytes = whole
            for _ in 0..<3 {
                number = (number &* 1_103_515_245 &+ 12345) & 0x7FFF_FFFF
                bytes[(number >> 8) % bytes.count] = UInt8(truncatingIfNeeded: number >> 4)
            }
            try Data(bytes).write(to: URL(filePath: path))
            do { _ = try Reading.records(BaiJiaYunReader.self, folder) } catch is SourceProblem {}
        }
    }

    @Test("10,000 records are read one by one")
    func many() throws {
        let folder = TemporaryFolder()
        let records = (0..<10_000).map {
            ["vid": "v\($0)", "videoFileName": "v\($0).mp4", "state": 1] as [String: Any]
        }
        try write(records, .list, to: folder)
        var count = 0
        let start = ContinuousClock.now
        try Reading.open(BaiJiaYunReader.self, folder).read { record in
            if record.fault == nil { count += 1 }
        }
        print("baijiayun: \(ContinuousClock.now - start)")
        #expect(count == 10_000)
    }
}
