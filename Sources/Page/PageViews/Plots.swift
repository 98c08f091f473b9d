import CommandOutput
import DownloadStore
import Foundation
import Operations
import TextFormats

/// Plots of the last syncs as SVG, made from numbers alone.
struct Plots: PageView {
    let frame: PageFrame

    private static let (width, height, left, bottom, top) = (360.0, 180.0, 16.0, 22.0, 20.0)

    /// Those of the runs, the oldest first.
    func all(_ runs: [PastRun]) -> [Fields] {
        let ended = runs.filter { $0.record.end != nil }
        guard ended.count > 1 else { return [] }
        let received = ended.map { Double($0.record.end?.bytes ?? 0) }
        let sizes = ended.map { Double($0.record.libraryBytes ?? 0) }
        let ends = ended.map { PageWords.instant($0.record.startedAt, frame) }
        var plots = [
            plot(
                "Received by each sync", Self.received(received), bars(of: received.map { [$0] }, ends: ends),
                legend: [])
        ]
        if sizes.contains(where: { $0 > 0 }) {
            plots.append(plot("Size of the library", Self.size(sizes), area(of: sizes, ends: ends), legend: []))
        }
        if let failures = failures(ended, ends: ends) { plots.append(failures) }
        return plots
    }

    private func plot(_ title: String, _ summary: String, _ svg: String, legend: [Fields]) -> Fields {
        ["title": title, "summary": summary, "svg": svg, "hasLegend": !legend.isEmpty, "legend": legend]
    }

    private static func received(_ bytes: [Double]) -> String {
        let all = Wording.size(Int64(min(bytes.reduce(0, +), 1e18)))
        return "\(all) in \(bytes.count) syncs; the most was \(Wording.size(Int64(bytes.max() ?? 0)))."
    }

    private static func size(_ bytes: [Double]) -> String {
        let known = bytes.filter { $0 > 0 }
        let (first, last) = (Wording.size(Int64(known.first ?? 0)), Wording.size(Int64(known.last ?? 0)))
        return "From \(first) to \(last) in \(bytes.count) syncs."
    }

    /// The hosts with most failures, and all others together.
    private func failures(_ runs: [PastRun], ends: [String]) -> Fields? {
        var sums: [String: Int] = [:]
        for run in runs { sums.merge(run.record.end?.failedAt ?? [:], uniquingKeysWith: +) }
        guard !sums.isEmpty else { return nil }
        let hosts = sums.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
        let shown = hosts.prefix(3)
        let rows = runs.map { run -> [Double] in
            let failed = run.record.end?.failedAt ?? [:]
            let others = hosts.dropFirst(3).reduce(0) { $0 + (failed[$1] ?? 0) }
            return shown.map { Double(failed[$0] ?? 0) } + (hosts.count > 3 ? [Double(others)] : [])
        }
        var legend: [Fields] = shown.enumerated().map { index, host in
            ["series": index + 1, "name": host, "value": Wording.grouped(sums[host] ?? 0)]
        }
        if hosts.count > 3 {
            let others = hosts.dropFirst(3).reduce(0) { $0 + (sums[$1] ?? 0) }
            legend.append(["series": 4, "name": "others", "value": Wording.grouped(others)])
        }
        let all = sums.values.reduce(0, +)
        return plot(
            "Failures by host", "\(Wording.count(all, "failure")) at \(Wording.count(hosts.count, "host")).",
            bars(of: rows, ends: ends, isCount: true), legend: legend)
    }

    // MARK: SVG

    /// Stacked bars.
    private func bars(of rows: [[Double]], ends: [String], isCount: Bool = false) -> String {
        let most = max(1, rows.map { $0.reduce(0, +) }.max() ?? 1)
        let (plotWidth, plotHeight) = (Self.width - Self.left - 4, Self.height - Self.bottom - Self.top)
        let step = plotWidth / Double(rows.count)
        var svg = frame(most: most, ends: ends, isCount: isCount)
        for (index, row) in rows.enumerated() {
            var base = Self.height - Self.bottom
            for (series, value) in row.enumerated() where value > 0 {
                let height = max(1, value / most * plotHeight)
                base -= height
                let x = Self.left + Double(index) * step + step * 0.1
                svg += """
                    <rect class="bar series-\(series + 1)" x="\(Self.text(x))" y="\(Self.text(base))" \
                    width="\(Self.text(step * 0.8))" height="\(Self.text(height))"/>
                    """
            }
        }
        return svg + "</svg>"
    }

    private func area(of values: [Double], ends: [String]) -> String {
        let most = max(1, values.max() ?? 1)
        let (plotWidth, plotHeight) = (Self.width - Self.left - 4, Self.height - Self.bottom - Self.top)
        let step = plotWidth / Double(max(1, values.count - 1))
        let points = values.enumerated().map { index, value in
            let y = Self.height - Self.bottom - value / most * plotHeight
            return "\(Self.text(Self.left + Double(index) * step)),\(Self.text(y))"
        }.joined(separator: " ")
        let floor = Self.text(Self.height - Self.bottom)
        let (start, end) = (Self.text(Self.left), Self.text(Self.width - 4))
        return frame(most: most, ends: ends, isCount: false) + """
            <polygon class="area" points="\(start),\(floor) \(points) \(end),\(floor)"/>\
            <polyline class="curve" points="\(points)"/></svg>
            """
    }

    /// The axes with their ends. The figure's heading and sentence say the same to those who can't see it.
    private func frame(most: Double, ends: [String], isCount: Bool) -> String {
        let label = isCount ? "\(Int(most))" : Wording.size(Int64(min(most, 9e18)))
        let (floor, foot) = (Self.text(Self.height - Self.bottom), Self.text(Self.height - 6))
        let right = Self.text(Self.width - 4)
        return """
            <svg class="plot" viewBox="0 0 \(Self.text(Self.width)) \(Self.text(Self.height))" aria-hidden="true">\
            <line class="grid" x1="\(Self.text(Self.left))" x2="\(right)" y1="\(floor)" y2="\(floor)"/>\
            <line class="grid" x1="\(Self.text(Self.left))" x2="\(right)" y1="\(Self.text(Self.top))" \
            y2="\(Self.text(Self.top))"/><text class="end" x="\(Self.text(Self.left - 4))" y="\(floor)">0</text>\
            <text class="start" x="\(Self.text(Self.left))" y="\(Self.text(Self.top - 6))">\(label)</text>\
            <text class="start" x="\(Self.text(Self.left))" y="\(foot)">\(ends.first ?? "")</text>\
            <text class="end" x="\(right)" y="\(foot)">\(ends.last ?? "")</text>
            """
    }

    /// With one decimal.
    private static func text(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(Double(tenths) / 10)"
    }
}
