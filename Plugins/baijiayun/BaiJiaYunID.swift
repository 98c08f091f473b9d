import ProviderHTTP
import ProviderKit

/// An uploaded video, or the playback of a class.
enum BaiJiaYunID: Sendable {
    case video(String)
    /// A room that is open for long has several sessions.
    case playback(classID: String, sessionID: String?)

    /// Which one an id of a catalog is: `vid`, `classId` or `classId_sessionId`. The parameters say it of a number
    /// alone, and of ids that a user has chosen. Nil for what can't be one.
    init?(_ id: String, _ parameters: [String: JSONValue]) {
        let vid = Self.number(parameters["vid"])
        let classID = Self.number(parameters["classId"])
        let playback = classID.map { Self.playback(classID: $0, sessionID: Self.number(parameters["sessionId"])) }
        if let match = id.wholeMatch(of: /([0-9]{1,20})_([0-9]{1,20})/) {
            guard let classID = Self.number(.string(String(match.output.1))) else { return nil }
            self = .playback(classID: classID, sessionID: Self.number(.string(String(match.output.2))))
        } else if let playback, id == classID {
            self = playback
        } else if let vid {
            self = .video(vid)
        } else if let playback {
            self = playback
        } else if let vid = Self.number(.string(id)) {
            self = .video(vid)
        } else {
            return nil
        }
    }

    /// What the address of a page with a player plays, and the token in it.
    static func read(_ address: WebAddress) -> (id: BaiJiaYunID, token: String?)? {
        var fields: [String: String] = [:]
        for field in (address.query ?? "").split(separator: "&") {
            let pair = field.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { fields[String(pair[0])] = PercentEncoding.decoded(pair[1]) }
        }
        func number(_ name: String) -> String? { Self.number(fields[name].map { .string($0) }) }
        let token = fields["token"].flatMap { $0.isEmpty ? nil : $0 }
        switch address.path {
        case "/web/video/player", "/m/video/player": return number("vid").map { (.video($0), token) }
        case "/web/playback/index":
            return number("classid").map { (.playback(classID: $0, sessionID: number("session_id")), token) }
        default: return nil
        }
    }

    /// Digits without zeros before them; nil for others, and for the zero that stands for none.
    private static func number(_ value: JSONValue?) -> String? {
        let text = value?.string ?? value?.wholeNumber.map(String.init) ?? ""
        let digits = text.wholeMatch(of: /0*([1-9][0-9]{0,19})/)?.output.1
        return text.utf8.count <= 20 ? digits.map(String.init) : nil
    }

    /// The playback of an element of a list.
    static func playback(_ entry: JSONValue) -> BaiJiaYunID? {
        number(entry["room_id"]).map { .playback(classID: $0, sessionID: number(entry["session_id"])) }
    }

    /// The video of an element of a list.
    static func video(_ entry: JSONValue) -> BaiJiaYunID? { number(entry["video_id"]).map { .video($0) } }

    var isPlayback: Bool { if case .playback = self { true } else { false } }

    var text: String {
        switch self {
        case .video(let vid): vid
        case .playback(let classID, let sessionID): classID + (sessionID.map { "_\($0)" } ?? "")
        }
    }

    /// In the words of catalogs; none for a video, whose id says it all.
    var parameters: [String: JSONValue] {
        guard case .playback(let classID, let sessionID) = self else { return [:] }
        return ["classId": .string(classID), "sessionId": sessionID.map { .string($0) }].compactMapValues(\.self)
    }

    /// In the words of the server API.
    var fields: [(name: String, value: String)] {
        if case .video(let vid) = self { [("video_id", vid)] } else { playerFields }
    }

    /// In the words of the players' API.
    var playerFields: [(name: String, value: String)] {
        switch self {
        case .video(let vid): [("vid", vid)]
        case .playback(let classID, let sessionID):
            [("room_id", classID)] + (sessionID.map { [("session_id", $0)] } ?? [])
        }
    }
}
