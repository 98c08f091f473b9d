import MediaTransfer

/// A part of a presentation with its own encodings, as around advertisements. Related: ISO/IEC 23009-1 §5.3.2.
package struct PresentationPeriod: Sendable, Equatable, RedactedInPrint {
    /// In seconds; nil if it isn't known.
    package var duration: Double?
    /// In the order of the presentation.
    package var representations: [Representation] = []
    /// From 1 on.
    package var line: Int

    init(line: Int) { self.line = line }

    /// Whether there is anything to play.
    var isEmpty: Bool { !representations.contains { $0.kind != .text } }
}
