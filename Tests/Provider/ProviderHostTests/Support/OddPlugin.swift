/// A plugin in Python that misbehaves by the name of the video.
enum OddPlugin {
    static let script = #"""
        import json, os, signal, subprocess, sys, time

        def say(message):
            sys.stdout.write(json.dumps(message) + "\n")
            sys.stdout.flush()

        held = []
        answered = 0
        for line in sys.stdin:
            request = json.loads(line)
            id, video = request["id"], request["params"]["video"]["id"]
            good = {"id": id, "result": {"url": "https://media.example.org/" + video}}
            kind = video.split("-")[0]
            if kind == "exit": os._exit(3)
            elif kind == "segv": os.kill(os.getpid(), signal.SIGSEGV)
            elif kind == "words":
                print("before the end", file=sys.stderr)
                print("token s3cr3t at https://u:p@media.example.org/a?sig=abc", file=sys.stderr, flush=True)
                os._exit(1)
            elif kind == "once":
                # Ends after the first answer.
                say(good); os._exit(0)
            elif kind == "hang": time.sleep(60)
            elif kind == "nothing":
                # Answers nothing of use, and doesn't end by itself any more.
                say({"id": id, "result": {}})
                for line in sys.stdin:
                    request = json.loads(line)
                    video = request["params"]["video"]["id"]
                    say({"id": request["id"], "result": {} if video.startswith("nothing") else {"url": "https://media.example.org/" + video}})
                time.sleep(60)
            elif kind == "garbage": print("Hello, world", flush=True)
            elif kind == "array": print("[1]", flush=True)
            elif kind == "blank": print("", flush=True)
            elif kind == "utf16":
                sys.stdout.buffer.write(json.dumps(good).encode("utf-16")); sys.stdout.buffer.write(b"\n"); sys.stdout.flush()
            elif kind == "latin1":
                sys.stdout.buffer.write(b'{"id": %d, "result": {"url": "https://h/\xe9"}}\n' % id); sys.stdout.flush()
            elif kind == "huge": sys.stdout.write("x" * (2 << 20)); sys.stdout.flush(); time.sleep(60)
            elif kind == "wrongid": say({"id": id + 1000, "result": good["result"]})
            elif kind == "textid": say({"id": str(id), "result": good["result"]})
            elif kind == "noid": say({"id": None, "error": {"code": -32700, "message": "what?"}})
            elif kind == "twice": say(good); say(good)
            elif kind == "flood":
                for _ in range(65): os.write(2, (b"x" * 1023 + b"\n") * 1023 + b"flood\n")
                say(good)
            elif kind == "chatty":
                for i in range(5000): print("chatter", i, file=sys.stderr)
                sys.stderr.flush(); say(good)
            elif kind == "stdin": os.close(0); time.sleep(60)
            elif kind == "stdout": os.close(1); time.sleep(60)
            elif kind == "grandchild":
                subprocess.Popen(["sleep", "60"])
                say(good)
            elif kind == "daemon":
                good["result"]["size"] = subprocess.Popen(["sleep", "600"], start_new_session=True).pid
                say(good)
            elif kind == "orphan":
                subprocess.Popen(["sleep", "60"])
                os._exit(4)
            elif kind == "deaf":
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                say(good)
                while True: time.sleep(1)
            elif kind == "held":
                held.append(good)
                if len(held) == 4:
                    for message in reversed(held): say(message)
                    held = []
            elif kind == "count": answered += 1; good["result"]["size"] = answered; say(good)
            elif kind == "error": say({"id": id, "error": json.loads(request["params"]["video"]["parameters"]["error"])})
            elif kind == "result": say({"id": id, "result": json.loads(request["params"]["video"]["parameters"]["result"])})
            elif kind == "log":
                say({"method": "log", "params": {"level": "warning", "message": "s3cr3t is https://h/x?y"}})
                say({"method": "news"})
                say(good)
            elif kind == "raw":
                sys.stdout.buffer.write(bytes.fromhex(request["params"]["video"]["parameters"]["bytes"]) + b"\n")
                sys.stdout.flush()
            else: say(good)
        """#
}
