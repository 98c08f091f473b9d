/// A plugin in shell and jq.
enum ShellTemplate {
    static let program = #"""
        #!/bin/sh
        # A provider for coursefetch. jq reads a request a line and writes an answer a line, at once (--unbuffered).
        # @uri percent-encodes whatever is in an id; a line without an id isn't a request.
        exec jq -c --unbuffered '
          .params.video as $video
          | if .id == null then empty
            elif .method != "resolve" then {id, error: {code: -32601, message: "unknown method"}}
            elif $video.parameters.endpoint then
              {id, result: {url: "\($video.parameters.endpoint | rtrimstr("/"))/\($video.id | @uri).mp4"}}
            else
              {id, error: {code: -32000, message: "endpoint is missing",
                data: {kind: "invalid_parameters", parameter: "endpoint"}}} end'

        """#
}
