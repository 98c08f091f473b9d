import MediaTransfer

/// The variants of a master playlist, in the form for preferences of quality.
struct VariantLadder: RedactedInPrint {
    /// Those with a picture, or all if none has.
    private let pictures: [Variant]
    /// The best of those without a picture.
    let sound: Variant?

    init(_ variants: [Variant]) {
        let silent = variants.filter { $0.resolution == nil && CodecPreference.areAudioOnly($0.codecs) }
        sound = Self.best(silent)
        pictures =
            silent.count == variants.count
            ? variants : variants.filter { $0.resolution != nil || !CodecPreference.areAudioOnly($0.codecs) }
    }

    /// Nil if the preference can't be met.
    func variant(for quality: StreamPreference.Quality) -> Variant? {
        switch quality {
        case .best: return Self.best(pictures)
        case .worst: return worst
        case .audio: return sound
        case .height(let wanted):
            let fitting = sized.filter { Self.shortSide($0) <= wanted }
            let shortSide = fitting.map(Self.shortSide).max()
            return Self.best(fitting.filter { Self.shortSide($0) == shortSide })
        case .bitrate(let kilobits):
            let (bits, overflow) = Int64(kilobits).multipliedReportingOverflow(by: 1_000)
            let fitting = rated.filter { (overflow && kilobits > 0) || $0.bandwidth <= bits }
            let bandwidth = fitting.map(\.bandwidth).max()
            return Self.best(fitting.filter { $0.bandwidth == bandwidth })
        }
    }

    /// The substitute if no preference is possible and this was the first.
    func fallback(for quality: StreamPreference.Quality) -> Variant? {
        switch quality {
        case .height:
            let shortSide = sized.map(Self.shortSide).min()
            return Self.best(sized.filter { Self.shortSide($0) == shortSide }) ?? Self.best(pictures)
        case .bitrate, .audio:
            let bandwidth = rated.map(\.bandwidth).min()
            return Self.best(rated.filter { $0.bandwidth == bandwidth }) ?? worst
        case .best, .worst: return variant(for: quality)
        }
    }

    private var sized: [Variant] { pictures.filter { $0.resolution != nil } }

    private var rated: [Variant] { pictures.filter { $0.bandwidth > 0 } }

    /// The fewest pixels across the short side, then the usual order of codecs, then the least bandwidth.
    private var worst: Variant? {
        let candidates = sized.isEmpty ? pictures : sized
        return Self.first(candidates) { one, other in
            let (left, right) = (Self.shortSide(one), Self.shortSide(other))
            if left != right { return left < right }
            let (codec, otherCodec) = (CodecPreference.rank(one.codecs), CodecPreference.rank(other.codecs))
            if codec != otherCodec { return codec < otherCodec }
            return one.bandwidth < other.bandwidth
        }
    }

    private static func best(_ variants: [Variant]) -> Variant? {
        first(variants) { one, other in
            if shortSide(one) != shortSide(other) { return shortSide(one) > shortSide(other) }
            let (codec, otherCodec) = (CodecPreference.rank(one.codecs), CodecPreference.rank(other.codecs))
            if codec != otherCodec { return codec < otherCodec }
            let (rate, otherRate) = (one.frameRate ?? 0, other.frameRate ?? 0)
            if rate != otherRate { return rate > otherRate }
            return one.bandwidth > other.bandwidth
        }
    }

    private static func shortSide(_ variant: Variant) -> Int { variant.resolution?.shortSide ?? 0 }

    /// The first in the playlist that no other precedes in the order.
    private static func first(_ variants: [Variant], before: (Variant, Variant) -> Bool) -> Variant? {
        variants.dropFirst().reduce(variants.first) { chosen, next in
            guard let chosen else { return next }
            return before(next, chosen) ? next : chosen
        }
    }
}
