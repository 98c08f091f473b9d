package import ProviderConformance

extension ConformanceCheck {
    /// What a passing plugin does.
    package var title: String {
        switch self {
        case .manifest: "the folder has a valid manifest and can be trusted"
        case .parameters: "the given parameters fit the manifest's schema"
        case .starts: "it starts and answers"
        case .unknownMethod: "an unknown method is refused with -32601"
        case .login: "a login gives credentials that resolve takes"
        case .list: "each page of the listing is valid"
        case .listPages: "the pages end, and no cursor is repeated"
        case .listIDs: "ids in the listing are unique"
        case .listKnown: "'known' is short, and 'unchanged' only answers a 'known'"
        case .resolution: "sample videos have valid answers"
        case .nulls: "null is accepted where it is allowed"
        case .unknownKeys: "unknown keys in requests are ignored"
        case .linesWithoutID: "a line without an id is ignored"
        case .oddIDs: "ids have blanks, quotes, line ends and every plane of Unicode"
        case .longIDs: "ids of 64 KiB work"
        case .longLines: "a request of 1 MiB is read"
        case .concurrency: "requests in flight get their own answers"
        case .now: "the plugin uses 'now', not its own clock"
        case .expiry: "answers expire later than 'now'"
        case .rejected: "a rejected answer isn't given again"
        case .ignoresCourse: "answers don't depend on the course, as the manifest says"
        case .selfContained: "a new process answers like the first one"
        case .growth: "memory and open files don't grow over 1,000 requests"
        case .endOfInput: "it ends when its stdin closes"
        case .terminate: "it ends on TERM"
        case .stdout: "stdout has only answers"
        case .flush: "each answer is flushed"
        case .requestIDs: "answers have the ids of their requests"
        case .answersOnce: "each request is answered once"
        case .errors: "errors have a message and a kind"
        case .timeout: "answers come within the manifest's timeout"
        case .secretsInStderr: "no secret is on stderr"
        case .secretsInMessages: "no secret is in a message or log line"
        case .secretsInListings: "no secret is in a listing"
        case .folder: "the plugin writes nothing into its own folder"
        }
    }

    /// The sentence of docs/protocol.md that a failing plugin violates, word for word.
    package var sentence: String {
        switch self {
        case .manifest: "`name`, `protocol` and `run` are required."
        case .parameters:
            "coursefetch checks catalogs against it before it starts anything, and reports each mistake with its line"
        case .starts:
            "The plugin reads one request per line from **stdin** and writes one answer per line to **stdout**"
        case .unknownMethod: "For a method that you don't have, answer code -32601."
        case .login: "what you want handed back in every request, kept in a file that only the user can read"
        case .list: "A video is its `id` as a string, or has the words of the catalog"
        case .listPages: "The pages of a listing must end, and no cursor comes twice."
        case .listIDs: "The id of a video is unique in its course, that of a chapter on its page."
        case .listKnown: "only as the first page, and only if `known` was sent"
        case .resolution: "An invalid resolution is a plugin error, too"
        case .nulls: "`credentials`, `data_folder`, `chapter` and `previous` may be null in any request"
        case .unknownKeys: "both sides ignore unknown keys"
        case .linesWithoutID: "ignore a line without `id`"
        case .oddIDs: "An id is any text, with blanks, quotes, line ends and any character of Unicode"
        case .longIDs: "It may have 64 KiB; coursefetch refuses a URL that gets too long by it"
        case .longLines: "each line is one JSON object (JSON-RPC 2.0), in UTF-8, ended by LF, at most 1 MiB long"
        case .concurrency: "With a `concurrency` above 1 several requests come before the first is answered"
        case .now: "Use this clock for signatures, not your own"
        case .expiry: "It must be later than `now`."
        case .rejected: "In that case don't answer from a cache."
        case .ignoresCourse: "the answers to `resolve` depend only on the video's id and parameters"
        case .selfContained: "There is no handshake, and every request is self-contained"
        case .growth: "its memory and open files must not grow with their number"
        case .endOfInput: "When stdin closes, the plugin ends."
        case .terminate: "its process group gets TERM, and KILL 2 s after that"
        case .stdout: "each line is one JSON object (JSON-RPC 2.0), in UTF-8, ended by LF, at most 1 MiB long"
        case .flush: "Flush stdout after each answer: coursefetch waits for it while stdin is open."
        case .requestIDs: "`id` is a whole number below 2³¹; the answer has the same one."
        case .answersOnce: "answers an id that isn't open (unknown, or a second time)"
        case .errors: "`message` is shown to the user; `data.kind` decides what happens"
        case .timeout: "takes longer than `timeout` for a request"
        case .secretsInStderr: "No text for the log and no message contains a secret."
        case .secretsInMessages: "It can't know all secrets: don't put any into messages."
        case .secretsInListings: "A listing whose parameters contain one that the host knows is refused."
        case .folder: "A plugin may write to its `data_folder` and to the system's temporary folder, and nowhere else."
        }
    }
}
