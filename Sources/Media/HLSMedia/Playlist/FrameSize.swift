/// The size of a picture, in pixels; 1 to 65,535 each.
package struct FrameSize: Sendable, Equatable {
    package var width: Int
    package var height: Int

    /// The number in `1080p`: the height, or the width of an upright picture.
    package var shortSide: Int { min(width, height) }

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}
