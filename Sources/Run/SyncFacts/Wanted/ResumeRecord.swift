package import DownloadStore

/// The state's record of a partial.
package struct ResumeRecord: Sendable, Equatable {
    package var durableBytes: Int64
    package var total: Int64?
    package var validators: Validators
    package var highWater: Int64
    package var validatorFailures: Int
    package var startOvers: Int
    /// The media type that the server sent.
    package var mediaType: String?
    package var hasGivenUpRanges: Bool
    /// The kind of download that they belong to.
    package var kind: DownloadKind
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

    /// Of one of the files of a download.
    package init(
        durableBytes: Int64, total: Int64?, validators: Validators, validatorFailures: Int, startOvers: Int,
        mediaType: String?, hasGivenUpRanges: Bool, position: String?
    ) {
        self.durableBytes = durableBytes
        self.total = total
        self.validators = validators
        highWater = durableBytes
        self.validatorFailures = validatorFailures
        self.startOvers = startOvers
        self.mediaType = mediaType
        self.hasGivenUpRanges = hasGivenUpRanges
        kind = .file
        self.position = position
    }

    /// All durable bytes, also those after a gap.
    package var heldBytes: Int64 { FileRanges.held(durableBytes, position) }

    /// Whether a part of a live stream was recorded, which can't be had again.
    package var isRecording: Bool { position?.contains("\"recording\":") == true }

    /// Marks the bytes as those of another source. The bytes of a single file, which has no position, stay only if a
    /// checksum decides at the end: a validator of one URL proves nothing about the bytes of another. What was recorded
    /// stays.
    package mutating func sourceChanged(hasChecksum: Bool) {
        if isRecording { return }
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
