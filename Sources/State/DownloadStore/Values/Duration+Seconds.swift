package import Foundation

extension Date {
    /// The instant `duration` later.
    package func advanced(by duration: Duration) -> Date { addingTimeInterval(duration.timeInterval) }
}

extension Duration {
    /// In seconds.
    package var timeInterval: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
