/// A reader of bytes from outside, with what to begin from and what must hold whatever comes.
package struct FuzzHarness: Sendable, CustomStringConvertible {
    /// By which it is called.
    package let name: String
    /// Texts to begin from.
    package let seeds: [[UInt8]]
    /// Pieces of the format, which a change may put anywhere.
    package let words: [String]
    /// The folder among the corpora whose files are more to begin from.
    package let corpus: String?
    /// Reads the bytes. False if they are refused; throws if a promise is broken.
    package let read: @Sendable (UnsafeRawBufferPointer) throws -> Bool

    init(
        name: String, seeds: [[UInt8]], words: [String], corpus: String? = nil,
        read: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Bool
    ) {
        self.name = name
        self.seeds = seeds
        self.words = words
        self.corpus = corpus
        self.read = read
    }

    init(
        name: String, texts: [String], words: [String], corpus: String? = nil,
        read: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Bool
    ) {
        self.init(name: name, seeds: texts.map { Array($0.utf8) }, words: words, corpus: corpus, read: read)
    }

    package var description: String { name }

    /// All of them.
    package static let all = [
        playlist, presentation, segmentIndex, webVTT, subtitles, media, responseHead, contentRange, json, answer,
        manifest, yaml,
        catalog, csv,
        jsonList, nameMap, aria2Control, downloadList, propertyList, keyedArchive, xml, feed, folderIndex, webDAV,
        bucket, plainText, date,
    ]

    /// The same for bytes in an array.
    @discardableResult
    package func read(_ bytes: [UInt8]) throws -> Bool { try bytes.withUnsafeBytes { try read($0) } }
}

/// A promise that a reader broke.
package struct BrokenPromise: Error, CustomStringConvertible {
    package let description: String
}

/// Throws unless a promise is kept.
func promise(_ isKept: Bool, _ text: @autoclosure () -> String) throws(BrokenPromise) {
    guard isKept else { throw BrokenPromise(description: text()) }
}
