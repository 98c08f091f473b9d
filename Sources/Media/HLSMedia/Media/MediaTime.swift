/// A moment on the clock of a stream, in ticks of 90 kHz.
///
/// Transport Stream and packed audio count in 33 bits and wrap after 26½ hours; fragmented MP4 doesn't wrap.
package struct MediaTime: Sendable, Equatable {
    /// Ticks per second.
    package static let frequency: UInt64 = 90_000
    /// The ticks after which the clock of a Transport Stream wraps. Related: ISO/IEC 13818-1 §2.4.3.7.
    package static let transportPeriod: UInt64 = 1 << 33

    /// Less than ``transportPeriod`` if it is a transport time.
    package let ticks: UInt64
    /// Whether the clock wraps at ``transportPeriod``.
    package let isTransport: Bool

    /// A time of Transport Stream; bits above 33 are dropped.
    package init(transport ticks: UInt64) {
        self.ticks = ticks % Self.transportPeriod
        isTransport = true
    }

    /// A time of ISO base media, in units of its track; rounded down to a tick, and not wrapped. Nil if the timescale
    /// is 0 or the ticks don't fit into 64 bits.
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

    /// The time this number of ticks later, for ISO base media. Nil if the ticks don't fit into 64 bits.
    func later(by wait: UInt64) -> MediaTime? {
        let (sum, isTooMuch) = ticks.addingReportingOverflow(wait)
        return isTooMuch ? nil : MediaTime(sum)
    }
}
