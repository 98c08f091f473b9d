package import DownloadStore

/// What the state says of a partial.
package struct ResumeRecord: Sendable, Equatable {
    package var durableBytes: Int64
    package var total: Int64?
    package var validators: Validators
    package var highWater: Int64
    package var validatorFailures: Int
    package var startOvers: Int
    /// As the server said.
    package var mediaType: String?
    package var hasGivenUpRanges: Bool
    /// What they are partials of.
    package var kind: DownloadKind
    /// What the kind has noted of them.
    package var position: String?

    package init(_ record: DownloadRecord) {
        durableBytes = record.durableBytes
        total = record.totalBytes
        validators = record.validators
        highWater = record.highWater
        validatorFailures = record.validatorFailures
        startOvers = record.startOvers
        mediaType = record.mediaType
        hasGivenUpRanges = record.hasGivenUpRanges
        kind = record.kind ?? .file
        position = record.position
    }

    /// The bytes are of another source. Those of one file, which needs no position, stay only if a checksum decides at the
    /// end: no validator of one URL says anything of another one's bytes.
    package mutating func sourceChanged(hasChecksum: Bool) {
        if position != nil || !hasChecksum { durableBytes = 0 }
        position = nil
        total = nil
        validators = Validators()
        mediaType = nil
        highWater = 0
        validatorFailures = 0
        startOvers = 0
        hasGivenUpRanges = false
    }
}
