package import ProviderKit

/// Requirements for the answer about an address beyond its JSON form. A plugin that violates them is at fault.
package enum RecognitionCheck {
    /// The mistake in an answer, or nil.
    package static func fault(in answer: Recognition) -> String? {
        if answer.course != nil, answer.video != nil { return "its answer has both a 'course' and a 'video'" }
        if let title = answer.course?.title, let fault = ListingCheck.titleFault(title) {
            return "'title' of the course in its answer \(fault)"
        }
        guard let video = answer.video else { return nil }
        if let fault = ListingCheck.idFault(video.id) { return "the video in its answer has an 'id' that \(fault)" }
        if let title = video.title, let fault = ListingCheck.titleFault(title) {
            return "'title' of the video in its answer \(fault)"
        }
        return nil
    }
}
