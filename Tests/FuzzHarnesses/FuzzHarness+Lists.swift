import Foundation
import MigrationSources

extension FuzzHarness {
    /// CSV: in pieces it reads as it does in whole, and every row has fields or a fault.
    static let csv = FuzzHarness(
        name: "csv",
        texts: [
            "\u{FEFF}path,size\r\n\"a \"\"b\"\"\",5\r\n\"x\ny\",\r\n", "course;video;url\nc;v;https://h/a\n",
            "a\tb\n1\t\"2\"\n",
            "é,\"\"\n\n,\r\"",
        ],
        words: [",", ";", "\t", "\"", "\"\"", "\r\n", "\r", "\n", "\u{FEFF}", "\u{0}", "é", "path", "\",\""]
    ) { bytes in
        func rows(_ length: Int) throws -> [CSV.Row] {
            var csv = CSV()
            var rows: [CSV.Row] = []
            try inPieces(bytes, length) { try csv.feed($0) { rows.append($0) } }
            try csv.finish { rows.append($0) }
            return rows
        }
        let whole = try rows(.max)
        try promise(whole == (try rows(3)), "read otherwise in pieces")
        try promise(whole.allSatisfy { $0.fields.isEmpty == ($0.fault != nil) }, "\(whole)")
        return whole.count > 1 && whole.allSatisfy { $0.fault == nil }
    }

    /// JSON lists: in pieces they read as they do in whole.
    static let jsonList = FuzzHarness(
        name: "json-list",
        texts: [
            #"[{"path":"a","size":5},{"path":"\u00e9\ud83d\ude00\"}{","x":[[{}]]}]"#,
            #"{"by":"m","n":[1],"videos":[{"path":"a"},{"url":"https://h","size":1.5e3}],"z":{"y":[]}}"#,
            "{\"path\":\"a\"}\n{\"path\":null,\"duration\":-0}\n\n{\"path\":true}",
        ],
        words: [
            "[", "]", "{", "}", "[[[[[[[[", "{\"a\":{\"a\":", "null", "\"path\":", "1e999", "\\ud800", "\\", "\"", ",",
            ":", "\n", "\n{", "\u{FEFF}", "\u{0}", "é",
        ],
        corpus: "json-test-suite"
    ) { bytes in
        let start: JSONList.Start
        do { start = try JSONList.start(in: bytes, known: ["path"]) } catch { return false }
        try promise(start.offset <= bytes.count, "\(start)")
        func items(_ length: Int) throws -> [String] {
            var list = JSONList(start)
            var items: [String] = []
            func take(_ item: JSONList.Item) {
                switch item {
                case .fault(let fault, let line): items.append("\(line) \(fault)")
                case .object(let bytes, let line):
                    do throws(FormatFault) {
                        let path = try JSONFields.of(bytes, wanted: ["path"])["path"]
                        items.append("\(line) \(path.map { "\($0)" } ?? "-")")
                    } catch { items.append("\(line) \(error)") }
                }
            }
            try inPieces(UnsafeRawBufferPointer(rebasing: bytes[start.offset...]), length) {
                try list.feed($0, take)
            }
            try list.finish(take)
            return items
        }
        let whole = try items(.max)
        try promise(whole == (try items(3)), "read otherwise in pieces")
        return !whole.isEmpty
    }

    /// Maps of names, in both forms: each of their names is found.
    static let nameMap = FuzzHarness(
        name: "name-map",
        texts: [
            "old name: c/v\n\"12\": c/w/x\n'a,b': d/v\n", "{\"a\": c/v, b: &x c/w, c: *x}", "old,c/v\n\"a,b\",c/w\n",
            "name;video\na;c/v\n",
        ],
        words: [
            ": ", "/", "c/v", ",", ";", "\"", "'", "\n", "<<: ", "&a ", "*a", "[", "{", "e\u{301}", "\u{E9}", "\u{0}",
        ]
    ) { bytes in
        let data = Data(bytes)
        var isRead = false
        for path in ["m.yaml", "m.csv"] {
            guard let map = try? NameMap(data: data, path: path) else { continue }
            isRead = true
            let names = map.unused
            try promise(names.count == map.count, "\(names)")
            for name in names { try promise(map.target(named: name) != nil, name) }
            try promise(map.unused.isEmpty, "\(map.unused)")
        }
        return isRead
    }

    /// aria2's control files: what is proven is in the file.
    static let aria2Control = FuzzHarness(
        name: "aria2-control",
        seeds: [
            [
                0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 45, 0xC6, 0xC0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                0, 1,
                0x80, 0, 0, 0, 1, 0, 0, 0, 1, 0, 16, 0, 0, 0, 0, 0, 8, 0xFF, 0xFC, 0, 0, 0, 0, 0, 0,
            ],
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 5, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 8)
                + [1, 0, 0, 0, 0xE0, 0, 0, 0, 0],
            [0, 1, 0, 0, 0, 1, 0, 0, 0, 20] + [UInt8](repeating: 7, count: 20) + [0, 0, 1, 0]
                + [UInt8](repeating: 0, count: 24),
        ],
        words: ["\u{0}", "\u{1}", "\u{0}\u{0}\u{0}\u{0}", "\u{7F}\u{7F}\u{7F}\u{7F}"]
    ) { bytes in
        let control: Aria2Control
        do { control = try Aria2Control(bytes) } catch { return false }
        try promise(control.pieceLength > 0 && (0...control.total).contains(control.proven), "\(control)")
        return true
    }

    /// curl's configuration files and aria2's lists: in pieces they read as they do in whole.
    static let downloadList = FuzzHarness(
        name: "download-list",
        texts: [
            "# c\nurl = \"https://h/a b\"\noutput = \"x\\\"y\"\n--url https://h/b\n-O\nnext\noutput-dir: d\nurl=h\n-o f\n",
            "https://h/a\thttps://m/a\n  out=x\n\tdir = d\n\n#c\nhttps://h/b\n gid=1\n",
            "https://h/a\r\nhttps://h/b\r\n",
        ],
        words: [
            "url", "=", ":", " ", "\t", "\n", "\r\n", "\"", "\\", "-O", "-o ", "next\n", "https://", " out=",
            "\u{FEFF}", "#",
        ]
    ) { bytes in
        func items(_ length: Int) throws -> [String] {
            var (config, list, items) = (CurlConfig(), Aria2List(), [String]())
            try inPieces(bytes, length) { piece in
                try config.feed(piece) { items.append("\($0)") }
            }
            try config.finish { items.append("\($0)") }
            try inPieces(bytes, length) { piece in
                try list.feed(piece) {
                    items.append("\($0.line) \($0.addresses) \($0.options.sorted { $0.key < $1.key })")
                }
            }
            try list.finish { items.append("\($0.line) \($0.addresses)") }
            return items
        }
        let whole = try items(.max)
        try promise(whole == (try items(3)), "read otherwise in pieces")
        return !whole.isEmpty && !whole.contains { $0.contains("fault: Optional") }
    }

    private static func inPieces(
        _ bytes: UnsafeRawBufferPointer, _ length: Int, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var index = 0
        while index < bytes.count {
            let end = index + min(length, bytes.count - index)
            try body(UnsafeRawBufferPointer(rebasing: bytes[index..<end]))
            index = end
        }
    }
}
