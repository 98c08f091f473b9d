/// The largest size of a file, in bytes.
struct SizeLimit: Sendable, Equatable {
    /// Of a file whose size its server tells; nil for any.
    let known: Int64?
    /// Of one whose size nobody tells: it may never end, as a radio's.
    let unknown: Int64

    static let standard: Int64 = 64 << 30

    /// - Parameters:
    ///   - option: of the run; nil for none.
    ///   - catalog: of the video, which goes before that.
    init(option: Int64?, catalog: Int64?) {
        known = catalog ?? option
        unknown = known ?? Self.standard
    }
}
