import Foundation
import TestServers
import TestSupport

/// A stage with a plugin that lists what stands in its `listings.json`: by course its pages, with `delay` in seconds, or
/// an `error`; `{"unchanged": true}` is answered to an equal `known`. With `endless` each page has a next one.
struct ListingStage {
    let stage: Stage
    let host: FaultHost

    init() async throws {
        stage = try Stage()
        host = try await FaultHost.start()
        try stage.plugin(
            "lister", concurrency: 4, manifest: ["methods: [resolve, list]", "credentials: [password]"],
            script: #"""
                #!/usr/bin/env python3
                import json, os, sys, threading, time
                lock = threading.Lock()
                busy = 0
                def say(answer):
                    with lock: print(json.dumps(answer), flush=True)
                def note(text):
                    with lock:
                        with open("requests", "a") as log: log.write(text + "\n")
                def serve(request):
                    global busy
                    params, number = request["params"], request["id"]
                    if request["method"] == "resolve":
                        note("resolve " + params["video"]["id"])
                        with lock:
                            with open("videos", "a") as log: log.write(json.dumps(params["video"]) + "\n")
                        name = params["video"]["parameters"].get("path", params["video"]["id"])
                        return say({"id": number, "result": {"url": os.path.join(open("base").read(), name, "3000.mp4")}})
                    if request["method"] != "list":
                        return say({"id": number, "error": {"code": -32601, "message": "unknown"}})
                    with lock:
                        busy += 1
                        count = busy
                    note("list %s %s %d" % (params["course"]["id"], params["cursor"] or params["known"], count))
                    spec = json.load(open("listings.json"))[params["course"]["id"]]
                    time.sleep(spec.get("delay", 0))
                    with lock: busy -= 1
                    if "error" in spec:
                        return say({"id": number, "error": {"code": -32000, "message": "no listing", "data": {"kind": spec["error"]}}})
                    if "endless" in spec:
                        return say({"id": number, "result": {"videos": [], "next": str(int(params["cursor"] or 0) + 1)}})
                    page = spec["pages"][int(params["cursor"] or 0)]
                    time.sleep(page.pop("delay", 0))
                    if params["known"] and params["known"] == page.get("known"): page = {"unchanged": True}
                    say({"id": number, "result": page})
                for line in sys.stdin:
                    threading.Thread(target=serve, args=(json.loads(line),)).start()
                """#)
        try stage.folder.write(host.url("/media"), to: "plugins/lister/base")
    }

    /// What the plugin answers for each course.
    func list(_ courses: [String: Any]) throws {
        let data = try JSONSerialization.data(withJSONObject: courses)
        try stage.folder.write(String(decoding: data, as: UTF8.self), to: "plugins/lister/listings.json")
    }

    static func page(_ videos: [Any], known: String? = nil, title: String? = nil) -> [String: Any] {
        var page: [String: Any] = ["videos": videos]
        page["known"] = known
        page["title"] = title
        return ["pages": [page]]
    }

    func catalog(_ courses: String) throws {
        try stage.folder.write("version: 1\ndefaults: {provider: lister}\ncourses:\n\(courses)\n", to: "catalog.yaml")
    }

    /// The last videos that the plugin was asked for, by their ids.
    func videos() throws -> [String: [String: Any]] {
        var videos: [String: [String: Any]] = [:]
        for line in (stage.folder.read("plugins/lister/videos") ?? "").split(separator: "\n") {
            guard let video = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
                continue
            }
            videos[video["id"] as? String ?? ""] = video
        }
        return videos
    }

    /// The plugin's requests since the last call.
    func requests() throws -> [String] {
        let lines = (stage.folder.read("plugins/lister/requests") ?? "").split(separator: "\n").map(String.init)
        try? stage.folder.remove("plugins/lister/requests")
        return lines
    }
}
