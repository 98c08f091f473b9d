import Checkout
import Foundation
import FuzzHarnesses
import SystemPackage
import TestSupport
import Testing

/// Every reader of bytes from outside against changed texts: briefly here, for as long as wanted with `make fuzz`.
@Suite("mutated input")
struct FuzzTests {
    private static let seed = ProcessInfo.processInfo.environment["COURSEFETCH_SEED"].flatMap { UInt64($0) } ?? 0x5EED

    @Test("each reader's seeds keep its promises, and some of them are accepted", arguments: FuzzHarness.all)
    func beginnings(harness: FuzzHarness) throws {
        var read = 0
        for bytes in Self.beginnings(of: harness) where try harness.read(bytes) { read += 1 }
        #expect(read > 0)
        try harness.read([])
    }

    @Test(
        "mutated bytes are accepted or refused, and no reader traps or breaks a promise",
        arguments: FuzzHarness.all)
    func mutations(harness: FuzzHarness) throws {
        print("\(harness): COURSEFETCH_SEED=\(Self.seed)")
        var mutator = Mutator(seed: Self.seed)
        let beginnings = Self.beginnings(of: harness)
        var (read, refused) = (0, 0)
        let start = ContinuousClock.now
        // The beginnings as they are, of which some are right; then so many at least on a busy machine, and not for
        // long on an idle one.
        for round in 0..<20_000 where round < 300 || ContinuousClock.now - start < .milliseconds(500) {
            let bytes =
                round < beginnings.count ? beginnings[round] : mutator.input(of: beginnings, words: harness.words)
            do {
                if try harness.read(bytes) { read += 1 } else { refused += 1 }
            } catch {
                let small = Self.minimized(bytes, harness)
                Issue.record("seed \(Self.seed), round \(round): \(error); \(Data(small).base64EncodedString())")
                return
            }
        }
        #expect(read > 0)
        #expect(refused > 0)
    }

    @Test("a seed reproduces every mutation")
    func seeds() {
        let beginnings = FuzzHarness.all.flatMap(\.seeds)
        var (one, other) = (Mutator(seed: 7), Mutator(seed: 7))
        for _ in 0..<200 {
            #expect(one.input(of: beginnings, words: ["a"]) == other.input(of: beginnings, words: ["a"]))
        }
    }

    /// Its seeds, and the files of its corpus that aren't long, if they are there.
    private static func beginnings(of harness: FuzzHarness) -> [[UInt8]] {
        guard let folder = harness.corpus.flatMap({ Corpora.folder($0) }) else { return harness.seeds }
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder.string)) ?? []
        let files = names.sorted().compactMap { name in
            FileManager.default.contents(atPath: folder.appending(name).string).map { Array($0) }
        }
        return harness.seeds + files.filter { (1...4096).contains($0.count) }
    }

    /// As short as leaving out makes it while the promise is still broken.
    private static func minimized(_ bytes: [UInt8], _ harness: FuzzHarness) -> [UInt8] {
        var bytes = bytes
        var step = max(1, bytes.count / 2)
        while step > 0 {
            var place = 0
            while place < bytes.count {
                var shorter = bytes
                shorter.removeSubrange(place..<min(bytes.count, place + step))
                if (try? harness.read(shorter)) == nil { bytes = shorter } else { place += step }
            }
            step /= 2
        }
        return bytes
    }
}
