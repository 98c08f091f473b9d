import Foundation
import MigrationSources
import SystemPackage
import TestSupport
import Testing

@Suite("The source lyfdownloader")
struct LYFDownloaderReaderTests {
    @Test("complete files are finished, lists without a file unfinished, and each is named by its key")
    func records() throws {
        let folder = TemporaryFolder()
        let list = try Archives.resumeData("https://h/v.mp4", received: 3, file: "CFNetworkDownload_1.tmp", .xml)
        try folder.write("12345", to: "downloadFile/k1.mp4")
        try folder.write("12345", to: "downloadFile/k2")
        try folder.write("", to: "downloadFile/.DS_Store")
        try folder.write(list, to: "resumeData/k2")
        try folder.write(list, to: "resumeData/k3")
        try folder.write("123", to: "tmp/CFNetworkDownload_1.tmp")
        try folder.link("downloadFile/linked", to: "/etc/passwd")
        let found = try Reading.records(LYFDownloaderReader.self, folder)
        #expect(found.map(\.key) == ["k1.mp4", "k2", "k3"])
        #expect(found.map(\.names) == [["k1.mp4", "k1"], ["k2"], ["k3"]])
        #expect(found.map(\.state) == [.finished, .finished, .unfinished])
        #expect(found.map(\.file?.path) == ["downloadFile/k1.mp4", "downloadFile/k2", nil])
        #expect(found.map(\.url) == [nil, "https://h/v.mp4", "https://h/v.mp4"])
        #expect(found[2].partial == SourcePartial(path: "tmp/CFNetworkDownload_1.tmp", length: 3))
        #expect(found.allSatisfy { $0.video == nil && $0.fault == nil })
        #expect(try Reading.open(LYFDownloaderReader.self, folder).storeFiles() == ["resumeData/k2", "resumeData/k3"])
    }

    @Test("lists that can't be read are faults of their own")
    func faults() throws {
        let folder = TemporaryFolder()
        let list = try Archives.resumeData("https://h/v.mp4", received: 3, file: "x.tmp")
        try folder.write(list.prefix(50), to: "resumeData/cut")
        try folder.write([], to: "resumeData/empty")
        try folder.write(list, to: "resumeData/good")
        try folder.write(Data(count: 5 << 20), to: "resumeData/large")
        try folder.write("{a = 1;}", to: "resumeData/other")
        let found = try Reading.records(LYFDownloaderReader.self, folder)
        #expect(
            found.map(\.fault) == [
                .unreadable(path: "resumeData/cut", .malformed), .unreadable(path: "resumeData/empty", .truncated), nil,
                .unreadable(path: "resumeData/large", .tooLarge), .unreadable(path: "resumeData/other", .foreign),
            ])
    }

    @Test("a folder that has neither of its folders is refused")
    func nothing() throws {
        let folder = TemporaryFolder()
        #expect(
            throws: SourceProblem.nothingFound(path: folder.path.string, expected: ["downloadFile/", "resumeData/"])
        ) {
            try Reading.records(LYFDownloaderReader.self, folder)
        }
        try folder.write("x", to: "file")
        #expect(throws: SourceProblem.notAFolder(path: folder.at("file").string)) {
            try Reading.records(LYFDownloaderReader.self, folder, "file")
        }
    }
}
