/// Seven nights: what the catalogs want, and what hosts, providers, the disk and people do. Times are in seconds.
package struct Week: Sendable {
    package static let nights = 7
    static let day = 86_400.0
    /// From this night on everything works and nobody interferes, so that what can come, comes.
    static let calm = 4

    /// What is wrong with a video.
    package enum Trouble: Sendable, Equatable {
        case none
        /// Its provider says so.
        case gone
        /// Not there before then.
        case notReady(until: Double)
        /// Its first complete files have another checksum than they should.
        case badChecksum(times: Int)
        /// The disk fails to take its bytes so often.
        case lostFlush(times: Int)
        /// Its host doesn't know it.
        case missing
        /// Its provider is always unavailable to it.
        case away
    }

    package struct Video: Sendable, Equatable {
        package var id: Int64
        package var provider: String
        /// The provider's server; nil if nothing names one.
        package var server: String?
        package var host: String
        /// Where every other answer leads.
        package var mirror: String?
        package var size: Int64
        package var priority: Int
        /// Videos of one group may have the same bytes; nil is on its own.
        package var group: Int?
        /// Whether it has other bytes than its group.
        package var isOther = false
        package var trouble: Trouble
        package var sidecars: Int
        /// Connections that it takes beside its own.
        package var extra: Int
        /// The nights on which the catalog has it.
        package var nights: ClosedRange<Int>
        /// Its provider lists its course while downloads have their turns: this one of ``late``.
        package var listing: Int?

        /// The server of the provider, as in ``Times/who``.
        package var place: String { provider + (server.map { "/\($0)" } ?? "") }
    }

    /// When a host or a provider doesn't do what it should.
    package struct Times: Sendable, Equatable {
        package var what: What
        package var who: String
        package var from: Double
        package var to: Double

        package enum What: String, Sendable {
            /// A host that doesn't answer.
            case silent
            /// A host that answers 429.
            case busy
            /// A host that answers 403 to all.
            case refusing
            /// A provider's server that is unavailable.
            case unavailable
            /// A provider's server that asks to be left alone.
            case rateLimited
            /// A provider's server that wants a login, until somebody logs in.
            case wantsLogin
        }
    }

    package struct Command: Sendable, Equatable {
        package var night: Int
        /// After the night's beginning.
        package var at: Double
        package var what: What
        package var ids: [Int64]

        package enum What: String, Sendable, CaseIterable {
            case pause, resume, cancel, retry, prioritize, now, jobs, providerLogout, providerLogin, logout, kill,
                window
        }
    }

    /// When somebody else takes some of the disk.
    package struct Crowd: Sendable, Equatable {
        package var from: Double
        package var to: Double
        package var bytes: Int64
    }

    /// How a provider answers.
    package struct Answers: Sendable, Equatable {
        /// About how long it takes for one.
        package var time: Double
        /// How long one can be used; nil for ever.
        package var life: Double?
        package var isSingleUse: Bool
        /// Requests that it takes at a time.
        package var concurrency: Int
    }

    package var seed: UInt64
    package var videos: [Video]
    package var times: [Times]
    package var commands: [Command]
    package var jobs: Int
    package var hostCap: Int
    /// Bytes that are free on the first night, above the floor.
    package var room: Int64?
    package var crowds: [Crowd] = []
    package var rates: [String: Double]
    /// By provider.
    package var answers: [String: Answers] = [:]
    /// How long after a night's beginning the courses that list themselves are known.
    package var late: [Double] = []

    /// When a night begins.
    static func start(_ night: Int) -> Double { Double(night) * day + 7200 }

    package init(seed: UInt64) {
        self.seed = seed
        var dice = Dice(seed, 0)
        jobs = dice.number(1...4)
        hostCap = dice.number(1...4)
        let hosts = (0..<dice.number(1...4)).map { "h\($0)" }
        let providers = (0..<dice.number(1...3)).map { "p\($0)" }
        let servers = [nil] + (0..<dice.number(0...2)).map { "s\($0)" }
        let places = providers.flatMap { provider in servers.map { provider + ($0.map { "/\($0)" } ?? "") } }
        rates = [:]
        for host in hosts { rates[host] = dice.seconds(1...40) * 1e6 }
        videos = (1...Int64(dice.number(2...24))).map { id in
            Self.video(id, hosts, providers, servers, Dice(seed, 1, Int(id)))
        }
        if dice.happens(25) {
            let sizes = videos.reduce(0) { $0 + $1.size }
            room = Int64(dice.seconds(0.2...1.4) * Double(sizes))
            crowds = (0..<dice.number(0...6)).map { Self.crowd(sizes, Dice(seed, 4, $0)) }
        }
        times = (0..<dice.number(0...5)).map { Self.times(hosts, places, Dice(seed, 2, $0)) }
        for (index, provider) in providers.enumerated() {
            var dice = Dice(seed, 6, index)
            answers[provider] = Answers(
                time: dice.happens(30) ? 0 : dice.seconds(0...5),
                life: dice.happens(60) ? nil : dice.happens(50) ? dice.seconds(3...60) : dice.seconds(60...900),
                isSingleUse: dice.happens(20), concurrency: dice.happens(50) ? 1 : dice.number(2...16))
        }
        let ids = videos.map(\.id)
        commands = (0..<dice.number(0...8)).map { Self.command(ids, Dice(seed, 3, $0)) }
        var listings = Dice(seed, 5)
        guard listings.happens(40) else { return }
        late = (0..<listings.number(1...3)).map { _ in
            listings.happens(50) ? listings.seconds(0...60) : listings.seconds(0...1500)
        }
        for index in videos.indices where listings.happens(50) {
            videos[index].listing = listings.number(0...late.count - 1)
        }
    }

    private static func video(
        _ id: Int64, _ hosts: [String], _ providers: [String], _ servers: [String?], _ dice: Dice
    ) -> Video {
        var dice = dice
        let first = dice.happens(75) ? 0 : dice.number(0...3)
        let trouble: Trouble =
            switch dice.number(0...19) {
            case 0: .gone
            case 1: .notReady(until: dice.seconds(0...4) * day + 7200)
            case 2: .badChecksum(times: dice.number(1...3))
            case 3: .lostFlush(times: dice.number(1...3))
            case 4: .missing
            case 5 where dice.happens(50): .away
            default: .none
            }
        var video = Video(
            id: id, provider: providers[dice.number(0...providers.count - 1)],
            host: hosts[dice.number(0...hosts.count - 1)], size: Int64(dice.seconds(1...3000) * 1e6),
            priority: dice.happens(20) ? 10 * dice.number(-1...1) : 0,
            group: dice.happens(30) ? dice.number(0...2) : nil, isOther: dice.happens(25), trouble: trouble,
            sidecars: dice.happens(40) ? dice.number(1...3) : 0, extra: dice.happens(20) ? dice.number(1...3) : 0,
            nights: first...(dice.happens(90) ? nights : max(first, dice.number(0...5))))
        video.server = servers[dice.number(0...servers.count - 1)]
        if dice.happens(10) { video.mirror = hosts[dice.number(0...hosts.count - 1)] }
        return video
    }

    private static func times(_ hosts: [String], _ places: [String], _ dice: Dice) -> Times {
        var dice = dice
        let what: Times.What =
            switch dice.number(0...12) {
            case 0...3: .silent
            case 4...5: .busy
            case 6...8: .unavailable
            case 9...10: .refusing
            case 11: .rateLimited
            default: .wantsLogin
            }
        let isHost = [.silent, .busy, .refusing].contains(what)
        let who = isHost ? hosts[dice.number(0...hosts.count - 1)] : places[dice.number(0...places.count - 1)]
        let from = start(dice.number(0...calm - 1)) + dice.seconds(-600...1800)
        // A minute, an hour, or days.
        let length = [dice.seconds(1...300), dice.seconds(300...7200), dice.seconds(1...3) * day][dice.number(0...2)]
        return Times(what: what, who: who, from: from, to: min(from + length, start(calm) - 1))
    }

    private static func crowd(_ sizes: Int64, _ dice: Dice) -> Crowd {
        var dice = dice
        let from = start(dice.number(0...calm - 1)) + dice.seconds(0...900)
        let length = dice.happens(50) ? dice.seconds(1...60) : dice.seconds(60...3600)
        return Crowd(from: from, to: from + length, bytes: Int64(dice.seconds(0...0.8) * Double(sizes)))
    }

    private static func command(_ ids: [Int64], _ dice: Dice) -> Command {
        var dice = dice
        let what = Command.What.allCases[dice.number(0...Command.What.allCases.count - 1)]
        let count = dice.happens(30) ? ids.count : dice.number(1...min(4, ids.count))
        let chosen = (0..<count).map { _ in ids[dice.number(0...ids.count - 1)] }
        return Command(
            night: dice.number(0...calm - 1), at: dice.happens(50) ? dice.seconds(0...60) : dice.seconds(0...1500),
            what: what, ids: count == ids.count ? ids : Array(Set(chosen)).sorted())
    }

    /// This week with one thing less, one after the other.
    package var shorter: [Week] {
        var all: [Week] = []
        func add(_ change: (inout Week) -> Void) {
            var week = self
            change(&week)
            all.append(week)
        }
        for half in [videos.count / 2, videos.count / 4] where half > 0 {
            for start in stride(from: 0, to: videos.count, by: half) {
                add { $0.videos.removeSubrange(start..<min(start + half, videos.count)) }
            }
        }
        for index in videos.indices where videos.count > 1 { add { $0.videos.remove(at: index) } }
        for index in times.indices { add { $0.times.remove(at: index) } }
        for index in crowds.indices { add { $0.crowds.remove(at: index) } }
        for index in commands.indices { add { $0.commands.remove(at: index) } }
        for (index, video) in videos.enumerated() {
            if video.trouble != .none { add { $0.videos[index].trouble = .none } }
            if video.group != nil { add { $0.videos[index].group = nil } }
            if video.sidecars > 0 { add { $0.videos[index].sidecars = 0 } }
            if video.extra > 0 { add { $0.videos[index].extra = 0 } }
            if video.nights != 0...Self.nights { add { $0.videos[index].nights = 0...Self.nights } }
            if video.mirror != nil { add { $0.videos[index].mirror = nil } }
            if video.listing != nil { add { $0.videos[index].listing = nil } }
            if video.server != nil { add { $0.videos[index].server = nil } }
            if video.priority != 0 { add { $0.videos[index].priority = 0 } }
        }
        for (index, command) in commands.enumerated() where command.ids.count > 1 {
            add { $0.commands[index].ids = Array(command.ids.dropLast()) }
        }
        if room != nil { add { $0.room = nil } }
        return all
    }
}

extension Week: CustomStringConvertible {
    package var description: String {
        var lines = ["seed \(seed), \(jobs) jobs, \(hostCap) to a host, room \(room.map { "\($0)" } ?? "enough")"]
        lines += answers.keys.sorted().map { "  \($0) answers \(answers[$0].map { "\($0)" } ?? "")" }
        lines += videos.map { "  \($0)" }
        lines += times.map { "  \($0.what) \($0.who) \(Int($0.from))…\(Int($0.to))" }
        lines += crowds.map { "  others take \($0.bytes / 1_000_000) MB \(Int($0.from))…\(Int($0.to))" }
        lines += late.enumerated().map { "  listing \($0) after \(Int($1)) s" }
        lines += commands.map { "  night \($0.night) + \(Int($0.at)) s: \($0.what) \($0.ids)" }
        return lines.joined(separator: "\n")
    }
}

extension Week.Video: CustomStringConvertible {
    package var description: String {
        "video \(id) of \(place) at \(host)\(mirror.map { " or \($0)" } ?? ""), \(size / 1_000_000) MB, priority \(priority), group \(group ?? -1)"
            + "\(isOther ? " other" : ""), \(trouble), \(sidecars) sidecars, \(extra) extra, nights \(nights)"
            + (listing.map { ", listing \($0)" } ?? "")
    }
}
