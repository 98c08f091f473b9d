import NightSimulation
import SystemPackage

/// Seven nights of a library: what its catalog lists, which courses are listed late, what people do, and what fails.
package struct LibraryWeek: Sendable {
    package static let nights = 7
    /// From this night on nothing fails and nobody interferes.
    static let calm = 5

    struct Video: Sendable, Equatable {
        /// Unique in its course only.
        var id: String
        /// The nights on which the catalog has it.
        var nights: ClosedRange<Int>
        /// The chapter; nil: directly in its course.
        var chapter: Int?
        var priority: Int
        /// By night: what its title ends with and how far it is moved, both in the list; and which version of its bytes
        /// the catalog names, whatever the list.
        var titles: [Int]
        var shifts: [Int]
        var versions: [Int]
    }

    struct Course: Sendable, Equatable {
        var id: String
        var videos: [Video]
        var nights: ClosedRange<Int>
        /// By night: what its title ends with.
        var titles: [Int]
        /// By night: when its provider has listed it, in seconds after the turns began; nil if before.
        var arrivals: [Double?]
    }

    struct Command: Sendable, Equatable {
        var night: Int
        /// In seconds after the turns began; before the night if negative.
        var at: Double
        var what: What
        /// Places of videos: course and video.
        var videos: [[Int]]

        enum What: Int, Sendable, CaseIterable { case pause, resume, cancel, retry, remove, logout }
    }

    enum Trouble: Sendable, Equatable {
        /// So many calls of the file system fail, one after the other.
        case errors(call: Int, count: Int, CInt)
        /// So many renames fail.
        case renames(first: Int, count: Int, CInt)
        case kill(call: Int)
        /// Loses this share of what no flush followed.
        case powerLoss(call: Int, share: Double)
        /// The course's folder can't be opened.
        case unreadable(course: Int)
        /// A file of somebody stands where the course's folder of this night goes.
        case inTheWay(course: Int)
        /// A file of somebody stands where a video goes.
        case foreign(course: Int, video: Int)
        /// Somebody deletes a file.
        case deleted(course: Int, video: Int)
    }

    struct Event: Sendable, Equatable {
        var night: Int
        var trouble: Trouble
    }

    package var seed: UInt64
    var courses: [Course]
    var commands: [Command]
    var events: [Event]
    var jobs: Int
    var prunes: Bool

    package init(seed: UInt64) {
        self.seed = seed
        var dice = Dice(seed, 10)
        jobs = dice.number(1...3)
        prunes = dice.happens(30)
        // In a third of the weeks most files move each night.
        let change = dice.happens(33) ? 60 : 15
        let courses = (0..<dice.number(1...4)).map { Self.course($0, change, Dice(seed, 11, $0)) }
        self.courses = courses
        let videos = courses.indices.flatMap { course in courses[course].videos.indices.map { [course, $0] } }
        commands = (0..<dice.number(0...12)).map { Self.command(videos, Dice(seed, 12, $0)) }
        events = (0..<dice.number(0...7)).map { Self.event(videos, Dice(seed, 13, $0)) }
    }

    private static func course(_ number: Int, _ change: Int, _ dice: Dice) -> Course {
        var dice = dice
        let first = dice.happens(80) ? 0 : dice.number(0...3)
        let chapters = dice.happens(40) ? dice.number(1...2) : 0
        let isLate = dice.happens(50)
        return Course(
            id: "c\(number)",
            videos: (0..<dice.number(1...5)).map { video($0, chapters, change, Dice(dice.next(), $0)) },
            nights: first...(dice.happens(90) ? nights : max(first, dice.number(1...5))),
            titles: changes(change, &dice),
            arrivals: (0..<nights).map { _ in isLate && dice.happens(70) ? dice.seconds(0...30) : nil })
    }

    private static func video(_ number: Int, _ chapters: Int, _ change: Int, _ dice: Dice) -> Video {
        var dice = dice
        let first = dice.happens(70) ? 0 : dice.number(0...4)
        return Video(
            id: "v\(number)", nights: first...(dice.happens(85) ? nights : max(first, dice.number(0...5))),
            chapter: chapters == 0 || dice.happens(30) ? nil : dice.number(0...chapters - 1),
            priority: dice.happens(20) ? dice.number(-1...1) : 0, titles: changes(change, &dice),
            shifts: changes(change, &dice), versions: changes(15, &dice))
    }

    /// A number for each night, which changes with this chance and stays the same on the calm ones.
    private static func changes(_ percent: Int, _ dice: inout Dice) -> [Int] {
        var all = [0]
        for night in 1..<nights {
            all.append(night <= calm && dice.happens(percent) ? dice.number(0...3) : all[night - 1])
        }
        return all
    }

    private static func command(_ videos: [[Int]], _ dice: Dice) -> Command {
        var dice = dice
        let count = dice.number(1...min(3, videos.count))
        let often: [Command.What] = [.pause, .pause, .resume, .resume]
        let all = Command.What.allCases + often
        return Command(
            night: dice.number(0...calm - 1),
            at: dice.happens(15) ? -1 : dice.seconds(0...(dice.happens(70) ? 12 : 40)),
            what: all[dice.number(0...all.count - 1)],
            videos: (0..<count).map { _ in videos[dice.number(0...videos.count - 1)] })
    }

    private static func event(_ videos: [[Int]], _ dice: Dice) -> Event {
        var dice = dice
        let one = videos[dice.number(0...videos.count - 1)]
        let call = dice.happens(50) ? dice.number(1...60) : dice.number(1...400)
        let errors: [Errno] = [.ioError, .noSpace, .permissionDenied, .readOnlyFileSystem]
        let trouble: Trouble =
            switch dice.number(0...12) {
            case 0...1:
                .errors(
                    call: call, count: dice.happens(50) ? 1 : dice.number(2...8),
                    errors[dice.number(0...errors.count - 1)].rawValue)
            case 2...3:
                .renames(
                    first: dice.number(1...20), count: dice.number(1...6),
                    errors[dice.number(0...errors.count - 1)].rawValue)
            case 4...6: .kill(call: call)
            case 7...8: .powerLoss(call: call, share: dice.share())
            case 9: .unreadable(course: one[0])
            case 10: .inTheWay(course: one[0])
            case 11: .foreign(course: one[0], video: one[1])
            default: .deleted(course: one[0], video: one[1])
            }
        return Event(night: dice.number(0...calm - 1), trouble: trouble)
    }
}

extension LibraryWeek: SimulatedWeek {
    package var shorter: [LibraryWeek] {
        var all: [LibraryWeek] = []
        func add(_ change: (inout LibraryWeek) -> Void) {
            var week = self
            change(&week)
            all.append(week)
        }
        for index in events.indices { add { $0.events.remove(at: index) } }
        for index in commands.indices { add { $0.commands.remove(at: index) } }
        // Their numbers are those of commands and troubles: what is left out is never listed.
        for index in courses.indices where courses[index].nights.lowerBound < Self.nights {
            add { $0.courses[index].nights = Self.nights...Self.nights }
        }
        for course in courses.indices {
            for video in courses[course].videos.indices {
                let old = courses[course].videos[video]
                func set(_ change: (inout Video) -> Void) { add { change(&$0.courses[course].videos[video]) } }
                if old.nights.lowerBound < Self.nights { set { $0.nights = Self.nights...Self.nights } }
                if Set(old.titles).count > 1 { set { $0.titles = $0.titles.map { _ in 0 } } }
                if Set(old.shifts).count > 1 { set { $0.shifts = $0.shifts.map { _ in 0 } } }
                if Set(old.versions).count > 1 { set { $0.versions = $0.versions.map { _ in 0 } } }
                if old.chapter != nil { set { $0.chapter = nil } }
                if old.priority != 0 { set { $0.priority = 0 } }
            }
            if Set(courses[course].titles).count > 1 {
                add { $0.courses[course].titles = $0.courses[course].titles.map { _ in 0 } }
            }
            for night in courses[course].arrivals.indices where courses[course].arrivals[night] != nil {
                add { $0.courses[course].arrivals[night] = nil }
            }
        }
        for (index, command) in commands.enumerated() where command.videos.count > 1 {
            add { $0.commands[index].videos.removeLast() }
        }
        if prunes { add { $0.prunes = false } }
        return all
    }
}

extension LibraryWeek: CustomStringConvertible {
    package var description: String {
        var lines = ["seed \(seed), \(jobs) jobs\(prunes ? ", prunes" : "")"]
        for course in courses where course.nights.lowerBound < Self.nights {
            lines.append("  \(course.id) nights \(course.nights), titles \(course.titles), arrivals \(course.arrivals)")
            lines += course.videos.filter { $0.nights.lowerBound < Self.nights }.map { "    \($0)" }
        }
        lines += commands.map { "  night \($0.night) at \($0.at): \($0.what) \($0.videos)" }
        lines += events.map { "  night \($0.night): \($0.trouble)" }
        return lines.joined(separator: "\n")
    }
}
