import DownloadStore
import Foundation
import SyncFacts
import TextFormats

/// The progress of a download that consists of several: what is in the partials of each.
struct PartsRecord: Sendable, Equatable, Codable {
    struct File: Sendable, Equatable, Codable {
        /// What it is, to recognise it in a later answer; empty for the first.
        var label: String
        var bytes: Int64 = 0
        var total: Int64?
        var etag: String?
        var lastModified: String?
        var mediaType: String?
        /// In the form of its own kind.
        var position: String?
        /// Of a stream.
        var seconds: Double?
        var validatorFailures = 0
        var startOvers = 0
        var hasGivenUpRanges = false

        init(label: String) { self.label = label }

        mutating func take(_ facts: ProgressFacts) {
            bytes = facts.bytes
            total = facts.total
            etag = facts.validators.etag
            lastModified = facts.validators.lastModified
            mediaType = facts.mediaType
            position = facts.position
            seconds = facts.seconds
        }

        var resume: ResumeRecord {
            ResumeRecord(
                durableBytes: bytes, total: total, validators: Validators(etag: etag, lastModified: lastModified),
                validatorFailures: validatorFailures, startOvers: startOvers, mediaType: mediaType,
                hasGivenUpRanges: hasGivenUpRanges, position: position)
        }
    }

    var files: [File]

    init(labels: [String]) { files = labels.map { File(label: $0) } }

    /// The form in the state.
    var text: String? { (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } }

    /// Nil if it can't be read: the download starts over then.
    init?(text: String) {
        guard let record = try? JSONReader.decode(Self.self, from: text.utf8),
            record.files.allSatisfy({ file in
                ByteCount.believed(file.bytes) != nil
                    && (file.total.map { ByteCount.believed($0) != nil } ?? true)
                    && (file.seconds.map { (0...1e8).contains($0) } ?? true) && 0...3 ~= file.startOvers
                    && 0...3 ~= file.validatorFailures
            })
        else { return nil }
        self = record
    }

    /// Of all files together.
    var facts: ProgressFacts {
        let totals = files.map(\.total)
        let total = totals.contains(nil) ? nil : totals.compactMap(\.self).reduce(ByteCount(0)) { $0 + ByteCount($1) }
        let bytes = files.reduce(ByteCount(0)) { $0 + ByteCount($1.bytes) }
        return ProgressFacts(
            bytes: bytes.value, total: total?.value, validators: Validators(), position: text,
            seconds: files.first?.seconds)
    }
}
