import Foundation
import TestServers
import TestSupport

/// A provider of streams behind nginx's secure_link: with a token for the query of each request, or one in the path.
enum StreamSigner {
    enum Place: String, CaseIterable {
        case query, path
    }

    static let name = "signer"

    /// Installs it. The parameter `file` is the playlist's path on the server.
    static func install(in stage: Stage, _ place: Place, _ nginx: NginxServer, secret: String, lifetime: Int) throws {
        let answer =
            switch place {
            case .query:
                #"""
                {url: "\#(nginx.baseURL)/stream/\(.params.video.parameters.file)",
                 token: {in: "query", name: "token", value: "\($md5),\($expires)", origins: ["\#(nginx.baseURL)"]}}
                """#
            case .path: #"{url: "\#(nginx.baseURL)/streampath/\($md5)/\($expires)/\(.params.video.parameters.file)"}"#
            }
        try stage.plugin(
            name, concurrency: 1,
            script: #"""
                #!/bin/sh
                exec 2>>errors
                while read -r line; do
                  printf '%s' "$line" | jq -r '.params.previous.reason // "first"' >> reasons
                  expires=$(($(date +%s) + \#(lifetime)))
                  md5=$(printf '%s' "$expires \#(secret)" | openssl md5 -binary | base64 | tr '+/' '-_' | tr -d '=\n')
                  echo "$md5" >> tokens
                  printf '%s' "$line" | jq -c --arg md5 "$md5" --argjson expires "$expires" '
                    {id, result: (\#(answer) + {kind: "hls", expires_at: ($expires | todate)})}'
                done
                """#)
    }

    /// The secrets that it has given out.
    static func tokens(in stage: Stage) -> [String] {
        (stage.folder.read("plugins/\(name)/tokens") ?? "").split(separator: "\n").map(String.init)
    }
}
