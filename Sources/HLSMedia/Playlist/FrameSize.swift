/// The size of a picture, in pixels; 1 to 65,535 each.
package struct FrameSize: Sendable, Equatable {
    /// Across.
    package var width: Int
    /// Down.
    package var height: Int

    /// What `1080p` speaks of: the height, or the width of a picture that stands upright.
    package var shortSide: Int { min(width, height) }

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}
