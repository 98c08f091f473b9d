import RunSchedule

/// A file of the library that a download may share, until that is decided.
struct DonorOffer: Sendable {
    /// May have the bytes; nil once it is decided.
    private(set) var donor: Donor?
    /// Whether that is proven, so that no request is needed.
    private var isProven = false
    /// Whether the video's place has been checked.
    private var hasLookedAtPlace = false
    /// The file of another shard that it was made from.
    private(set) var ofOtherShard: Donor?

    mutating func make(_ donor: Donor, isProven: Bool) {
        self.donor = donor
        self.isProven = isProven
    }

    /// Notes that it was made from a file of another shard.
    mutating func isMade(from donor: Donor) { ofOtherShard = donor }

    /// A proven donor; offered once.
    mutating func takeProven() -> Donor? {
        guard isProven else { return nil }
        isProven = false
        return take()
    }

    mutating func take() -> Donor? {
        defer { donor = nil }
        return donor
    }

    /// Whether the video's place hasn't been checked yet.
    mutating func mayLookAtPlace() -> Bool {
        defer { hasLookedAtPlace = true }
        return !hasLookedAtPlace
    }
}
