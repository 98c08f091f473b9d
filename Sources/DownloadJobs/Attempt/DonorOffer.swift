import RunSchedule

/// A file of the library that a download may have to share, until it is decided whether it does.
struct DonorOffer: Sendable {
    /// May have the bytes; nil once that is decided.
    private(set) var donor: Donor?
    /// Whether that is proven, so that nobody has to be asked.
    private var isProven = false
    /// Whether the video's place has been looked at.
    private var hasLookedAtPlace = false

    mutating func make(_ donor: Donor, isProven: Bool) {
        self.donor = donor
        self.isProven = isProven
    }

    /// One that is proven; it is offered once.
    mutating func takeProven() -> Donor? {
        guard isProven else { return nil }
        isProven = false
        return take()
    }

    mutating func take() -> Donor? {
        defer { donor = nil }
        return donor
    }

    /// Whether this is the first time that the video's place may be looked at.
    mutating func mayLookAtPlace() -> Bool {
        defer { hasLookedAtPlace = true }
        return !hasLookedAtPlace
    }
}
