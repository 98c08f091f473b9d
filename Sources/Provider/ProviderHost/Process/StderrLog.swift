import YAMLSource

/// Processes a plugin's standard error: log lines at a bounded rate, and the last lines to quote when it fails.
///
/// Everything is drained, so that a plugin never blocks on it. After a burst of 200 lines, 50 lines a second reach the
/// log, each cut after 2 KiB; the others are counted. More than 64 MiB since the plugin's last answer is a flood, which
/// is the plugin's fault.
struct StderrLog {
    /// The bytes allowed since the last answer.
    static let floodBound = 64 << 20
    static let burst = 200
    static let linesPerSecond = 50.0
    private static let lineBound = 2048
    private static let tailBound = 4096

    private var line: [UInt8] = []
    private var tail: [UInt8] = []
    private var sinceAnswer = 0
    private var leftOut = 0
    private var allowance = Double(burst)
    private var lastRefill: Duration = .zero

    /// Whether the plugin has written more than allowed since its last answer.
    var isFlood: Bool { sinceAnswer > Self.floodBound }

    /// Takes bytes that arrived at the time `now` (of any monotonic clock) and returns the lines to log.
    mutating func feed(_ bytes: UnsafeRawBufferPointer, now: Duration) -> [String] {
        sinceAnswer += bytes.count
        keepTail(bytes)
        refill(now)
        var lines: [String] = []
        var rest = bytes[...]
        while let end = rest.firstLineEnd {
            if allowance >= 1 {
                if leftOut > 0 { lines.append(leftOutNotice()) }
                line.append(contentsOf: rest[rest.startIndex..<end].prefix(Self.lineBound - line.count))
                allowance -= 1
                if !line.isEmpty { lines.append(Self.text(line)) }
            } else {
                leftOut += 1
            }
            line.removeAll(keepingCapacity: true)
            rest = rest[(end + 1)...]
        }
        line.append(contentsOf: rest.prefix(Self.lineBound - line.count))
        return lines
    }

    /// Takes the end of the stream and returns the remaining lines to log.
    mutating func finish() -> [String] {
        var lines = leftOut > 0 ? [leftOutNotice()] : []
        if !line.isEmpty { lines.append(Self.text(line)) }
        line = []
        return lines
    }

    /// Notes that the plugin has answered a request.
    mutating func answered() {
        sinceAnswer = 0
    }

    /// The last lines that aren't blank, at most `count`.
    func lastLines(_ count: Int) -> [String] {
        tail.split(separator: 0x0A).map { Self.text($0) }.filter { !$0.isEmpty }.suffix(count)
    }

    private mutating func leftOutNotice() -> String {
        defer { leftOut = 0 }
        return "… \(leftOut) lines left out …"
    }

    private mutating func refill(_ now: Duration) {
        let passed = max(0, (now - lastRefill) / .seconds(1))
        allowance = min(Double(Self.burst), allowance + passed * Self.linesPerSecond)
        lastRefill = now
    }

    private mutating func keepTail(_ bytes: UnsafeRawBufferPointer) {
        tail.append(contentsOf: bytes.suffix(Self.tailBound))
        if tail.count > 2 * Self.tailBound { tail.removeFirst(tail.count - Self.tailBound) }
    }

    /// `bytes` as readable text: invalid UTF-8 replaced, trailing blanks cut, at most 2 KiB.
    private static func text(_ bytes: some Collection<UInt8>) -> String {
        var line = Substring(String(decoding: bytes.prefix(lineBound), as: UTF8.self))
        while let last = line.last, last.isWhitespace { line.removeLast() }
        return PrintableScalars.safe(String(line))
    }
}
