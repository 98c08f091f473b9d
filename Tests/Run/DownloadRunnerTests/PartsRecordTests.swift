import DownloadStore
import SyncFacts
import Testing

@testable import DownloadJobs

@Suite("The progress of a download that consists of several")
struct PartsRecordTests {
    private static let facts = ProgressFacts(
        bytes: 700, total: 1000, validators: Validators(etag: "\"a\"", lastModified: nil), position: "ranges 800-900",
        mediaType: "video/mp4")

    @Test("what is written is read")
    func text() throws {
        var record = PartsRecord(labels: ["", "audio de 1"])
        record.files[0].take(Self.facts)
        record.files[1].startOvers = 2
        #expect(PartsRecord(text: try #require(record.text)) == record)
        let resume = record.files[0].resume
        #expect(resume.durableBytes == 700 && resume.total == 1000 && resume.position == "ranges 800-900")
        #expect(resume.validators == Self.facts.validators && resume.mediaType == "video/mp4")
    }

    @Test(
        "what can't be is another download's",
        arguments: [
            "", "{}", "{\"files\":[{\"label\":\"\",\"bytes\":-1}]}", "ranges 1-2",
            "{\"files\":[{\"label\":\"\",\"bytes\":1,\"validatorFailures\":0,\"startOvers\":99}]}",
        ])
    func invalid(text: String) { #expect(PartsRecord(text: text) == nil) }

    @Test("the row has the sum; the total is known once that of each file is")
    func sum() {
        var record = PartsRecord(labels: ["", "audio de 1"])
        record.files[0].take(Self.facts)
        #expect(record.facts.bytes == 700 && record.facts.total == nil)
        record.files[1].take(ProgressFacts(bytes: 1, total: 10, validators: Validators()))
        #expect(record.facts.bytes == 701 && record.facts.total == 1010)
        record.files[1].take(ProgressFacts(bytes: .max, total: .max, validators: Validators()))
        #expect(record.facts.bytes > 0)
    }

    @Test("one file is forgotten without the others, but for how often it has begun anew")
    func forget() {
        var record = PartsRecord(labels: ["", "audio de 1"])
        record.files[0].take(Self.facts)
        record.files[1].take(Self.facts)
        let progress = PartsProgress(record) { .progress(DownloadID(rawValue: 7), $0) }
        var policy = AttemptPolicy(retries: 3, record: nil)
        _ = policy.verificationFailed(.wrongChecksum)
        _ = progress.forget(1, policy)
        #expect(progress.facts.bytes == 700)
        let read = progress.facts.position.flatMap(PartsRecord.init)
        #expect(read?.files[1].validatorFailures == 2 && read?.files[1].bytes == 0)
    }
}
