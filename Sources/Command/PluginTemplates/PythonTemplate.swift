/// A plugin in Python, with the module `coursefetch_provider` beside it.
enum PythonTemplate {
    static func program(type: String) -> String {
        #"""
        #!/usr/bin/env python3
        """A provider for coursefetch: a folder of a web server, with an index.json that lists its videos."""

        from coursefetch_provider import Provider, run, url


        class \#(type)(Provider):
            def list(self, request):
                # The status of the answer becomes the kind of error: 401 auth_required, 404 not_found, ...
                index = request.get(url(request.parameter("endpoint"), "index.json")).json()
                videos = [{"id": video["id"], "title": video.get("title")} for video in index["videos"]]
                return {"title": index.get("title"), "videos": videos}

            def resolve(self, request):
                # url() percent-encodes whatever is in an id.
                return {"url": url(request.parameter("endpoint"), request.video.id + ".mp4")}


        if __name__ == "__main__":
            run(\#(type)())

        """#
    }
}
