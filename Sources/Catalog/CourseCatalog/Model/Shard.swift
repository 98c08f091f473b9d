import TextFormats

/// What is divided among shards.
package enum ShardUnit: String, Sendable, CaseIterable {
    /// Whole courses.
    case course
    /// The videos of each course. Each shard knows all courses.
    case video
}

/// One of the parts that the courses of catalogs, or their videos, are divided into. Each machine works its part out by
/// itself, from the number of parts and the ids alone.
package struct Shard: Sendable, Hashable {
    /// The largest number of parts.
    package static let bound = 10_000

    /// 1 to ``count``.
    package let index: Int
    /// The number of parts.
    package let count: Int

    /// Nil unless 1 ≤ `index` ≤ `count` ≤ ``bound``.
    package init?(index: Int, count: Int) {
        guard (1...Self.bound).contains(count), (1...count).contains(index) else { return nil }
        self.index = index
        self.count = count
    }

    /// `2/8`; nil for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2,
            parts.allSatisfy({ (1...5).contains($0.utf8.count) && $0.utf8.allSatisfy(Self.isDigit) }),
            let index = Int(parts[0]), let count = Int(parts[1])
        else { return nil }
        self.init(index: index, count: count)
    }

    /// `2/8`.
    package var text: String { "\(index)/\(count)" }

    /// Its name as a folder: `2-of-8`.
    package var folderName: String { "\(index)-of-\(count)" }

    /// The shard of a folder of such a name; nil for another name.
    package init?(folderName: String) {
        self.init(folderName.replacing("-of-", with: "/", maxReplacements: 1))
        guard self.folderName == folderName else { return nil }
    }

    /// Whether a course belongs to it: by rendezvous hashing of its id in its one spelling, so that of all courses only
    /// one in N + 1 moves if there is one shard more. Every version of coursefetch gives the same answer.
    ///
    /// Related: D. G. Thaler and C. V. Ravishankar, "Using name-based mappings to increase hit rates", 1998
    package func has(course id: String) -> Bool {
        let key = FNV1a.digest(id.utf8)
        let own = Self.weight(of: key, in: index)
        // Of equal weights the first shard has it.
        return (1...count).allSatisfy { other in
            let weight = Self.weight(of: key, in: other)
            return weight < own || (weight == own && other >= index)
        }
    }

    /// The one of so many shards that has a course.
    package static func owner(of course: String, among count: Int) -> Shard? {
        owner(of: FNV1a.digest(course.utf8), among: count)
    }

    /// The one of so many shards that has a video, where videos are divided: by the ids of its course and its own.
    package static func owner(of video: String, in course: String, among count: Int) -> Shard? {
        // Pairs that make the same text are in the same shard.
        owner(of: FNV1a.digest("\(course)\n\(video)".utf8), among: count)
    }

    private static func owner(of key: UInt64, among count: Int) -> Shard? {
        guard (1...bound).contains(count) else { return nil }
        var owner = 1
        var most = weight(of: key, in: 1)
        for index in 1...count {
            let weight = weight(of: key, in: index)
            if weight > most { (owner, most) = (index, weight) }
        }
        return Shard(index: owner, count: count)
    }

    /// The digest mixed with the number of a shard as in SplitMix64.
    private static func weight(of key: UInt64, in shard: Int) -> UInt64 {
        var value = key &+ UInt64(shard) &* 0x9e37_79b9_7f4a_7c15
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

/// What is kept of the courses of a run's catalogs: those of one shard.
package struct CatalogPart: Sendable {
    let shard: Shard
    /// A title in the form in which the names of two courses are compared.
    private let name: @Sendable (String) -> String

    /// - Parameter name: a title in the form in which the names of two courses are compared.
    package init(_ shard: Shard, name: @escaping @Sendable (String) -> String) {
        self.shard = shard
        self.name = name
    }

    /// The digest of a course's name. It differs from run to run.
    func nameDigest(_ title: String) -> Int { name(title).hashValue }
}
