/// A moment on the clock of a stream, in ticks of 90 kHz.
///
/// Transport Stream and packed audio count in 33 bits and begin again after 26½ hours; fragmented MP4 counts on without end.
package struct MediaTime: Sendable, Equatable {
    /// How many ticks a second has.
    package static let frequency: UInt64 = 90_000
    /// After how many ticks the clock of a Transport Stream begins again. Related: ISO/IEC 13818-1 §2.4.3.7.
    package static let transportPeriod: UInt64 = 1 << 33

    /// Less than ``transportPeriod`` if it is a transport time.
    package let ticks: UInt64
    /// Whether the clock begins again at ``transportPeriod``.
    package let isTransport: Bool

    /// A time of Transport Stream; what is above 33 bits is left out.
    package init(transport ticks: UInt64) {
        self.ticks = ticks % Self.transportPeriod
        isTransport = true
    }

    /// A time of ISO base media, in units of its track; rounded down to a tick, and not wrapped. Nil if there is no such
    /// unit or the ticks don't fit into 64 bits.
    package init?(_ value: UInt64, timescale: UInt32) {
        let product = value.multipliedFullWidth(by: Self.frequency)
        let divisor = UInt64(timescale)
        guard product.high < divisor else { return nil }
        ticks = divisor.dividingFullWidth(product).quotient
        isTransport = false
    }

    private init(_ ticks: UInt64) {
        self.ticks = ticks
        isTransport = false
    }

    /// So many ticks later, of a time of ISO base media. Nil if the ticks don't fit into 64 bits.
    func later(by wait: UInt64) -> MediaTime? {
        let (sum, isTooMuch) = ticks.addingReportingOverflow(wait)
        return isTooMuch ? nil : MediaTime(sum)
    }
}
