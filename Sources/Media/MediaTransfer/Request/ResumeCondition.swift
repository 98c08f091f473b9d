/// The proof that the bytes of a partial and those of a range belong to the same file.
package enum ResumeCondition: Sendable, Hashable, RedactedInPrint {
    /// A strong entity tag, sent as `If-Range`; the response must have the same one. One made of time and size proves
    /// no more than a date.
    case etag(String)
    /// A `Last-Modified` that ``ResponseHead/lastModified`` has accepted, sent as `If-Range`; the response must have
    /// the same one, or none, and the same total. The last bytes of the partial are requested again, and must be the
    /// same.
    case lastModified(String)
    /// A checksum is known and the caller compares it at the end: a plain range, whose response must have the same
    /// total.
    case checksum
}
