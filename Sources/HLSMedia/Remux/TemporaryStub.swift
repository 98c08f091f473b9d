package enum RemuxError: Error { case cancelled, noSpace, failed
    package var sentence: String { "x" } }
package struct RemuxJob: Sendable { 
  package init(video: String, kind: MediaKind, audio: String?, audioKind: MediaKind?, audioLanguage: String?, output: String) {} }
package struct FFmpeg: Sendable { 
  package func run(_ job: RemuxJob) async throws(RemuxError) {} }
