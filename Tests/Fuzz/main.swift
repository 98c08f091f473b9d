import Foundation
import FuzzHarnesses

// fuzz NAME [OPTION…] [FOLDER…]   libFuzzer on one harness, with its options
// fuzz --list                     the names
// fuzz --corpus NAME              the folder of the corpora that has more to begin from, if there is one
// fuzz --write NAME FOLDER        what there is to begin from, and the words as FOLDER.dict

/// libFuzzer's own entry, in the library that is linked without its `main`.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

private func harness(_ name: String?) -> FuzzHarness {
    guard let found = FuzzHarness.all.first(where: { $0.name == name }) else {
        FileHandle.standardError.write(Data("no harness of this name; fuzz --list\n".utf8))
        exit(64)
    }
    return found
}

/// What libFuzzer calls back for; it takes a C function, which can't hold anything.
private let chosen = harness(CommandLine.arguments.dropFirst().first { !$0.hasPrefix("--") } ?? "playlist")

switch CommandLine.arguments.dropFirst().first {
case "--list":
    for harness in FuzzHarness.all { print(harness.name) }
case "--corpus": print(chosen.corpus ?? "")
case "--write":
    let folder = URL(filePath: CommandLine.arguments.last ?? ".")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (number, bytes) in chosen.seeds.enumerated() {
        try Data(bytes).write(to: folder.appending(path: "seed-\(number)"))
    }
    let words = chosen.words.map { word in
        "\"" + word.utf8.map { ($0 < 16 ? "\\x0" : "\\x") + String($0, radix: 16) }.joined() + "\"\n"
    }
    try Data(words.joined().utf8).write(to: URL(filePath: folder.path() + ".dict"))
default:
    // Without the name of the harness, which libFuzzer would take for a folder.
    var arguments = (CommandLine.arguments.prefix(1) + CommandLine.arguments.dropFirst(2)).map { strdup($0) } + [nil]
    var count = CInt(arguments.count - 1)
    let status = arguments.withUnsafeMutableBufferPointer { buffer -> CInt in
        guard var first = buffer.baseAddress else { return 64 }
        return runDriver(&count, &first) { bytes, length in
            do {
                _ = try chosen.read(UnsafeRawBufferPointer(start: bytes, count: length))
            } catch {
                fatalError("\(error)")
            }
            return 0
        }
    }
    exit(status)
}
