/// The place of a file beside the main one of a video.
package struct PartPath: Sendable, Equatable {
    package let path: String
    /// The role of the other view that it belongs to; nil for what belongs to the video's own file.
    package let role: String?
    /// Whether it is that view's own file.
    package let isView: Bool
    /// Whether it has to be replaced, since it isn't what was stored.
    package let isToBeReplaced: Bool

    package init(path: String, name: String, isToBeReplaced: Bool) {
        self.path = path
        self.isToBeReplaced = isToBeReplaced
        role = SidecarRecord.viewOfPart(name)
        isView = SidecarRecord.isView(name)
    }
}
