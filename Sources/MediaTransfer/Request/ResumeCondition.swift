/// What proves that the bytes of a partial and those of an answer to a range belong to the same file.
package enum ResumeCondition: Sendable, Hashable, RedactedInPrint {
    /// A strong entity tag, sent as `If-Range`; the answer must bear the same one. One that is made of time and size
    /// proves no more than a date.
    case etag(String)
    /// A `Last-Modified` that ``ResponseHead/lastModified`` has let through, sent as `If-Range`; the answer must bear
    /// the same one, or none, and the same total. The last bytes of the partial are asked for again, and must be the same.
    case lastModified(String)
    /// A checksum is known and the caller compares it at the end: a plain range, whose answer must have the same total.
    case checksum
}
