package import ProviderKit

/// Requirements for a page of a user's courses beyond its JSON form. A plugin that violates them is at fault.
///
/// No message quotes a value.
package enum CourseListCheck {
    /// The mistake in a page, or nil.
    package static func fault(in list: CourseList) -> String? {
        if let fault = list.next.flatMap(ListingCheck.cursorFault) { return fault }
        for course in list.courses {
            if let fault = ListingCheck.idFault(course.id) { return "a course in its answer has an 'id' that \(fault)" }
            if let title = course.title, let fault = ListingCheck.titleFault(title) {
                return "'title' of a course in its answer \(fault)"
            }
        }
        return nil
    }
}
