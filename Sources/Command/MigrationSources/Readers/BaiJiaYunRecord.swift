import FileSystem

/// A record of BaiJiaYun's player: a video with its `vid`, or the playback of a class with its `classId` and, of a
/// longer class, its `sessionId`.
struct BaiJiaYunRecord {
    private static let definitions = ["low", "high", "superhigh", "720p", "1080p"]

    private let fields: RecordList.Fields
    private let vid: String?
    private let classID: String?
    private let sessionID: String?

    init(_ fields: RecordList.Fields) {
        self.fields = fields
        vid = Self.id(fields["vid"])
        // The two as one text are all that some versions have.
        let both = Self.id(fields["classIdSessionId"])?.split(separator: "_", maxSplits: 1).map(String.init)
        classID = Self.id(fields["classId"]) ?? both?.first
        sessionID = Self.id(fields["sessionId"]) ?? (both?.count == 2 ? both?.last : nil)
    }

    private static func id(_ value: PropertyList?) -> String? { value?.text.flatMap { $0 == "0" ? nil : $0 } }

    /// - Parameter key: for a record without any id.
    func record(key: String, in place: SourceFolder, prefix: String) -> SourceRecord {
        let type = fields["downloadFileType"]?.wholeNumber ?? 0
        let isPlayback = type == 2 || type == 0 && vid == nil
        let lesson = classID.map { $0 + (sessionID.map { "_" + $0 } ?? "") }
        let id = isPlayback ? lesson ?? vid : vid ?? lesson
        var record = SourceRecord(key: id ?? key, state: .unfinished)
        describe(&record, id)
        guard id != nil else {
            record.fault = .missing(field: isPlayback ? "classId" : "vid")
            return record
        }
        guard (0...2).contains(type) else {
            record.fault = .unknownValue(field: "downloadFileType")
            return record
        }
        let video = fields["videoFileName"]?.text
        record.fault = video == nil ? .missing(field: "videoFileName") : nil
        guard let video else { return record }
        guard let path = Self.path(prefix, "Cache", video), let begun = Self.path(prefix, "Temp", video) else {
            record.fault = .badPath(video)
            return record
        }
        let size = size(isPlayback)
        let there = SourceEntry.size(of: path, in: place)
        switch fields["state"]?.wholeNumber {
        case 3: record.state = .finished
        case 0, 1, 2, 4: break
        case nil where fields["state"] == nil: record.state = there == nil ? .unfinished : .finished
        case nil: record.fault = .wrongType(field: "state")
        default: record.fault = .unknownValue(field: "state")
        }
        if record.state == .finished || there != nil && there == size {
            record.file = SourceFile(path: path, size: size)
        } else if SourceEntry.size(of: begun, in: place) != nil {
            record.partial = SourcePartial(path: begun, total: size)
        }
        if isPlayback, record.file != nil, record.fault == nil { addSignal(to: &record, prefix) }
        return record
    }

    private func describe(_ record: inout SourceRecord, _ id: String?) {
        record.video = id
        record.names = SourceRecord.names(id, fields["videoFileName"]?.text, fields["showFileName"]?.text)
        record.title = fields["showFileName"]?.text
        record.cover = fields["imageUrl"]?.webAddress
        record.duration = fields["duration"]?.seconds
        record.parameters = ["vid": vid, "classId": classID, "sessionId": sessionID].compactMapValues(\.self)
        if let number = fields["definitionType"]?.wholeNumber, let place = Int(exactly: number),
            Self.definitions.indices.contains(place)
        {
            record.parameters["definition"] = Self.definitions[place]
        }
    }

    /// Of the video alone: for a playback the total has the signal file in it.
    private func size(_ isPlayback: Bool) -> Int64? {
        if let size = fields["videoTotalSize"]?.size { return size }
        guard let total = fields["totalLength"]?.size else { return nil }
        guard isPlayback else { return total }
        return fields["signalTotalSize"]?.size.flatMap { $0 < total ? total - $0 : nil }
    }

    private func addSignal(to record: inout SourceRecord, _ prefix: String) {
        let named = fields["signalFileName"]?.text
        // A name of which nothing can be there, so that it is missed.
        let name = named ?? (record.title ?? record.key).replacing("/", with: "_") + ".signal"
        guard let path = Self.path(prefix, "Cache", name) else {
            record.fault = .badPath(name)
            return
        }
        record.companions = [SourceFile(path: path, size: fields["signalTotalSize"]?.size)]
    }

    private static func path(_ prefix: String, _ folder: String, _ name: String) -> String? {
        SourceFolder.relative(name).flatMap { SourceFolder.relative("\(prefix)\(folder)/\($0)") }
    }
}
