"""Lectures with several pictures: each a file or a stream, beside each other under one name."""

import hashlib
import json
import os
import shutil
import signal
import unittest
import urllib.parse

from host import File, Host
from killed import FORMS, muxed, source
from media import playlist, ts
from stage import Stage
from tracks import hashes, picture, sound, streams


class Views(unittest.TestCase):
    def setUp(self):
        self.host, self.stage = Host(), Stage()
        self.addCleanup(self.host.close)
        self.addCleanup(self.stage.close)

    def at(self, path, body, **how):
        how.setdefault("etag", f'"{path}"')
        return self.host.at(path, File(body, **how))

    def film(self, role):
        """A film of its own for each role."""
        return picture("libx264", f"{role}.mp4", "-metadata", f"title={role}", "-vf", f"drawbox=w={20 + 9 * len(role)}:h=40:t=fill")

    def answer(self, *roles, main="combined", **rest):
        return {
            "url": self.at(f"/{main}.mp4", self.film(main)), "role": main,
            "streams": [{"role": role, "url": self.at(f"/{role}.mp4", self.film(role))} for role in roles], **rest}

    def write(self, answer, **settings):
        self.stage.urls({"v": answer})
        self.stage.write([{"id": "c", "videos": [{"id": "v", "title": "Talk"}], **settings}])

    def files(self):
        """The files of the library by their last names, without their numbers."""
        return {p.rsplit("/", 1)[-1].partition(" ")[2]: b for p, b in self.stage.files().items() if not p.endswith(".html")}

    def again(self):
        before, requests = self.stage.files(), len(self.host.asked())
        self.stage.sync(exit=0)
        self.assertEqual((self.stage.files(), len(self.host.asked())), (before, requests))
        self.assertEqual(self.stage.command("verify").exit, 0)

    def test_the_catalog_chooses_the_views(self):
        roles = ("presenter", "presentation")
        for streams_, names in [
            (None, {"Talk.mp4": "combined"}), ("all", {"Talk.mp4": "combined", "Talk (presenter).mp4": "presenter",
                                                       "Talk (presentation).mp4": "presentation"}),
            (["presentation", "presenter"], {"Talk.mp4": "presentation", "Talk (presenter).mp4": "presenter"}),
            ("presenter", {"Talk.mp4": "presenter"}), (["screen"], {"Talk.mp4": "combined"}),
            (["presenter", "combined", "screen"], {"Talk.mp4": "presenter", "Talk (combined).mp4": "combined"}),
        ]:
            with self.subTest(str(streams_)):
                stage, self.stage = self.stage, Stage()
                self.addCleanup(self.stage.close)
                self.write(self.answer(*roles), **({"streams": streams_} if streams_ else {}))
                run = self.stage.sync(exit=0)
                self.assertEqual(self.files(), {name: self.film(role) for name, role in names.items()}, list(self.files()))
                self.assertEqual(len(run.of("download_finished")), 1)
                self.assertEqual(self.stage.partials(), [])
                self.again()
                self.stage = stage

    def test_each_view_has_its_own_form(self):
        dash = muxed("-f", "dash", "-seg_duration", "1", *FORMS["template"], name="index.mpd")
        for name, body in dash.items():
            self.at(f"/{name}", body, kind="application/octet-stream")
        answer = self.answer("presenter")
        answer["streams"] += [
            {"role": "slides", "kind": "dash", "url": self.host.url("/index.mpd")},
            {"role": "screen", "url": self.at("/silent.mp4", picture()),
             "tracks": [{"kind": "audio", "lang": "de", "url": self.at("/de.m4a", sound(400), kind="audio/mp4")}]}]
        self.write(answer, streams="all")
        self.stage.sync(exit=0)
        files = self.files()
        self.assertEqual(set(files), {"Talk.mp4", "Talk (presenter).mp4", "Talk (slides).mp4", "Talk (screen).mp4"})
        self.assertEqual(hashes(files["Talk (slides).mp4"], "v:0"), hashes(source(), "v:0"))
        self.assertEqual(hashes(files["Talk (screen).mp4"], "a:0"), hashes(sound(400), "a:0"))
        self.assertEqual(self.stage.partials(), [])
        self.again()

    def test_without_ffmpeg_everything_stays_beside_its_view(self):
        answer = self.answer()
        answer["streams"] = [{
            "role": "screen", "url": self.at("/silent.mp4", picture()),
            "tracks": [{"kind": "audio", "lang": "de", "url": self.at("/de.m4a", sound(400), kind="audio/mp4")}]}]
        self.write(answer, streams="all")
        self.stage.sync("--ffmpeg", "none", exit=0)
        self.assertEqual(self.files(), {
            "Talk.mp4": self.film("combined"), "Talk (screen).mp4": picture(), "Talk (screen).de.m4a": sound(400)})
        self.assertEqual(self.stage.command("verify").exit, 0)

    def test_a_killed_run_continues_each_view(self):
        self.write(self.answer("presenter", "presentation"), streams="all")
        paths = {f"/{role}.mp4": self.film(role) for role in ("presentation", "presenter", "combined")}
        for path, body in paths.items():
            self.at(path, body, rate=80_000)
            running = self.stage.start_sync()
            running.wait_for(
                lambda events: len(self.host.asked(path)) > 0
                and any(e.get("bytes", 0) > 30_000 for e in self.stage.status().values()), 40)
            running.stop(signal.SIGKILL)
            self.at(path, body)
        self.stage.sync(exit=0)
        self.assertEqual(set(self.files().values()), set(paths.values()))
        self.assertTrue(any(r.range_start for r in self.host.asked()))
        self.again()

    def test_a_title_and_a_removal_take_all_views_along(self):
        self.write(self.answer("presenter"), streams="all")
        self.stage.sync("--write-index", exit=0)
        page = next(b for p, b in self.stage.files().items() if p.endswith("/index.html")).decode()
        self.assertEqual(page.count("<video"), 2)
        self.assertIn("(presenter).mp4", urllib.parse.unquote(page))
        self.stage.write([{"id": "c", "streams": "all", "videos": [{"id": "v", "title": "Speech"}]}])
        requests = len(self.host.asked())
        self.stage.sync(exit=0)
        self.assertEqual(set(self.files()), {"Speech.mp4", "Speech (presenter).mp4"})
        self.assertEqual(len(self.host.asked()), requests)
        self.assertEqual(self.stage.command("remove", "c/v", "--yes").exit, 0)
        self.assertEqual(self.files(), {})

    def test_a_damaged_view_is_found_and_fetched_again(self):
        self.write(self.answer("presenter"), streams="all")
        self.stage.sync(exit=0)
        path = next(self.stage.library.rglob("*(presenter).mp4"))
        path.write_bytes(b"damaged")
        self.assertNotEqual(self.stage.command("verify").exit, 0)
        self.stage.command("verify", "--repair")
        self.host.forget()
        self.stage.sync(exit=0)
        self.assertEqual([r.path for r in self.host.asked()], ["/presenter.mp4"])
        self.assertEqual(path.read_bytes(), self.film("presenter"))

    def test_a_changed_view_stays_and_remove_says_so(self):
        self.write(self.answer("presenter"), streams="all")
        self.stage.sync(exit=0)
        path = next(self.stage.library.rglob("*(presenter).mp4"))
        path.write_bytes(b"mine")
        run = self.stage.command("remove", "c/v", "--yes")
        self.assertIn("(presenter).mp4 was changed", run.out + run.err)
        self.assertEqual(self.files(), {"Talk (presenter).mp4": b"mine"})

    def test_a_damaged_bit_and_a_deleted_view_are_found(self):
        self.write(self.answer("presenter"), streams="all")
        self.stage.sync(exit=0)
        path = next(self.stage.library.rglob("*(presenter).mp4"))
        body, facts = bytearray(path.read_bytes()), path.stat()
        body[len(body) // 2] ^= 1
        path.write_bytes(body)
        os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))
        self.assertEqual(self.stage.command("verify").exit, 1)
        path.unlink()
        self.host.forget()
        self.stage.sync(exit=0)
        self.assertEqual([r.path for r in self.host.asked()], ["/presenter.mp4"])
        self.assertEqual(self.files(), {"Talk.mp4": self.film("combined"), "Talk (presenter).mp4": self.film("presenter")})
        self.again()

    def test_a_complete_view_of_another_version_isnt_placed(self):
        self.write(self.answer("presenter"), streams="all")
        self.at("/combined.mp4", self.film("combined"), rate=60_000)
        running = self.stage.start_sync()
        running.wait_for(lambda events: any(
            e.get("bytes", 0) > len(self.film("presenter")) + 20_000 for e in self.stage.status().values()), 40)
        running.stop(signal.SIGKILL)
        self.write({"url": self.at("/v2/a.mp4", self.film("a")), "role": "combined", "streams": [
            {"role": "presenter", "url": self.at("/v2/b.mp4", self.film("bbb"))}]}, streams="all")
        self.stage.sync(exit=0)
        self.assertEqual(self.files(), {"Talk.mp4": self.film("a"), "Talk (presenter).mp4": self.film("bbb")})

    def test_another_order_of_the_same_views_goes_on(self):
        self.write(self.answer("presenter", "slides"), streams="all")
        self.at("/combined.mp4", self.film("combined"), rate=60_000)
        running = self.stage.start_sync()
        done = len(self.film("presenter")) + len(self.film("slides"))
        running.wait_for(lambda events: any(
            e.get("bytes", 0) > done + 20_000 for e in self.stage.status().values()), 40)
        running.stop(signal.SIGKILL)
        self.write(self.answer("slides", "presenter"), streams="all")
        self.stage.sync(exit=0)
        self.assertEqual(set(self.files()), {"Talk.mp4", "Talk (presenter).mp4", "Talk (slides).mp4"})
        self.assertEqual([r.range_start is None for r in self.host.asked("/slides.mp4")], [True, False])

    def test_resolve_shows_every_view(self):
        self.write(self.answer("presenter"), streams="all")
        run = self.stage.command("resolve", self.stage.catalog, "c", "--json")
        shown = json.loads(run.out)
        self.assertEqual((shown["role"], [s["role"] for s in shown["streams"]]), ("combined", ["presenter"]))

    def test_hooks_see_every_view_before_it_is_placed(self):
        hook = self.stage.folder / "scan.sh"
        hook.write_text('#!/bin/sh\ngrep -q presenter "$(jq -r .path)" && exit 1\nexit 0\n')
        hook.chmod(0o755)
        settings = self.stage.folder / "home/.config/coursefetch/config.yaml"
        settings.parent.mkdir(parents=True)
        settings.write_text(f"hooks:\n  after-download: {hook}\n")
        self.write(self.answer("presenter"), streams="all")
        run = self.stage.sync(exit=1)
        self.assertEqual(run.of("download_failed")[0]["error"]["kind"], "rejected_by_hook")
        self.assertEqual(self.stage.files(), {})

    def test_a_view_beside_a_package_keeps_its_place(self):
        self.at("/1.ts", ts(1), kind="video/mp2t")
        answer = self.answer()
        answer["streams"] = [{"role": "slides", "kind": "hls", "url": self.at(
            "/s.m3u8", playlist(["1.ts"]), kind="application/vnd.apple.mpegurl")}]
        self.write(answer, streams=["slides", "combined"])
        self.stage.sync("--container", "package", exit=0)
        self.stage.write([{"id": "c", "streams": ["slides", "combined"], "videos": [{"id": "v", "title": "New"}]}])
        self.stage.sync("--container", "package", exit=0)
        self.assertTrue((self.stage.library / "c/01 New (combined).mp4").exists(), list(self.stage.files()))
        self.assertTrue((self.stage.library / "c/01 New.hls/index.m3u8").exists(), list(self.stage.files()))

    def secrets(self, path, host=None):
        return [tuple(r.headers.get(name) for name in ("authorization", "x-key")) for r in (host or self.host).asked(path)]

    def test_a_secret_of_the_main_view_goes_where_that_goes_and_nowhere_else(self):
        other = Host()
        self.addCleanup(other.close)
        other.at("/1.ts", File(ts(1), etag='"1"', kind="video/mp2t"))
        token = lambda value, *origins: {"value": value, "in": "header", "name": "X-Key", "origins": list(origins)}  # noqa: E731
        slides = {"role": "slides", "kind": "hls", "url": self.at(
            "/s.m3u8", playlist([other.url("/1.ts")]), kind="application/vnd.apple.mpegurl")}
        main = {"url": self.at("/combined.mp4", self.film("combined")), "role": "combined",
                "headers": {"Authorization": "Bearer MAIN"}}
        for answer, seen in (
                # A token of its own leads to the other origin; the main view's header doesn't.
                ({**main, "streams": [{**slides, "token": token("OWN", other.url(""))}]}, (None, "OWN")),
                # What it has from the main view goes where that goes.
                ({**main, "token": token("MAIN", other.url("")), "streams": [slides]}, ("Bearer MAIN", "MAIN"))):
            for streams_ in ("all", ["slides"], ["slides", "combined"]):
                with self.subTest(f"{streams_} {seen}"):
                    self.stage = Stage()
                    self.addCleanup(self.stage.close)
                    other.forget()
                    self.write(answer, streams=streams_)
                    self.stage.sync(exit=0)
                    self.assertEqual(set(self.secrets("/1.ts", other)), {seen})

    def test_each_view_keeps_its_own_secrets_whichever_comes_first(self):
        token = lambda value: {"value": value, "in": "header", "name": "X-Key"}  # noqa: E731
        for mains, seen in (({"tokens": [token("MAIN")]}, "MAIN"), ({}, None)):
            for streams_ in ("all", ["presentation", "combined"]):
                with self.subTest(f"{streams_} {seen}"):
                    self.stage = Stage()
                    self.addCleanup(self.stage.close)
                    self.host.forget()
                    answer = {**self.answer("presentation"), **mains}
                    answer["streams"][0]["token"] = token("OWN")
                    self.write(answer, streams=streams_)
                    self.stage.sync(exit=0)
                    self.assertEqual(set(self.secrets("/combined.mp4")), {(None, seen)})
                    self.assertEqual(set(self.secrets("/presentation.mp4")), {(None, "OWN")})

    def test_a_title_that_becomes_the_name_of_a_view_takes_it_from_none(self):
        def write(a, b):
            self.stage.write([{"id": "c", "layout": "{course}/{title}.{ext}", "streams": "all", "videos": [
                {"id": "a", "title": a}, {"id": "b", "title": b}]}])

        self.stage.urls({"a": self.answer("presentation"), "b": self.at("/other.mp4", self.film("other"))})
        write("Z", "Talk")
        self.stage.sync(exit=0)
        write("Talk", "Talk (presentation)")
        self.stage.sync(exit=0)
        self.assertEqual(
            {p.partition("/")[2]: b for p, b in self.stage.files().items()},
            {"Talk.mp4": self.film("combined"), "Talk (presentation).mp4": self.film("presentation"),
             "Talk (presentation) [b].mp4": self.film("other")})
        requests = len(self.host.asked())
        self.stage.sync(exit=0)
        self.assertEqual(len(self.host.asked()), requests)

    def test_a_missing_view_fails_the_video_with_its_name(self):
        answer = self.answer()
        answer["streams"] = [{"role": "presenter", "url": self.host.url("/gone")}]
        self.write(answer, streams="all")
        run = self.stage.sync(exit=1)
        self.assertIn("presenter: ", run.of("download_failed")[0]["error"]["message"])
        self.assertEqual(self.files(), {})
        # Who doesn't want it doesn't miss it.
        self.write(answer)
        self.assertEqual(self.stage.command("retry", "c/v").exit, 0)
        self.stage.sync(exit=0)
        self.assertEqual(self.files(), {"Talk.mp4": self.film("combined")})

    # Two things at a time.

    def test_one_video_in_two_courses_has_the_views_of_each(self):
        self.stage.urls({"v": self.answer("presenter")}, ignores_course=True)
        for order in (["all", "combined"], ["combined", "all"]):
            with self.subTest(str(order)):
                stage, self.stage = self.stage, Stage()
                self.addCleanup(self.stage.close)
                self.stage.urls({"v": self.answer("presenter")}, ignores_course=True)
                self.stage.write([
                    {"id": wanted, "streams": wanted, "videos": [{"id": "v", "title": "Talk"}]} for wanted in order])
                self.stage.sync(exit=0)
                both, one = self.film("combined"), self.film("presenter")
                self.assertEqual(
                    {p.replace("01 ", ""): b for p, b in self.stage.files().items()},
                    {"all/Talk.mp4": both, "all/Talk (presenter).mp4": one, "combined/Talk.mp4": both})
                self.again()
                self.stage = stage

    def test_an_equal_main_view_does_not_stand_for_all(self):
        sha256 = hashlib.sha256(self.film("combined")).hexdigest()
        for said in ("by the provider", "in the catalog"):
            with self.subTest(said):
                stage, self.stage = self.stage, Stage()
                self.addCleanup(self.stage.close)
                known = {"sha256": sha256} if said == "by the provider" else {}
                written = {} if known else {"sha256": sha256}
                alone, several = self.answer(**known), self.answer("presenter", **known)
                self.stage.urls({"a": alone, "b": several})
                self.stage.write([{"id": "c", "streams": "all", "videos": [{"id": "a", **written}]}])
                self.stage.sync(exit=0)
                self.stage.write([{"id": "c", "streams": "all", "videos": [{"id": "a", **written}, {"id": "b", **written}]}])
                self.stage.sync(exit=0)
                self.assertEqual(
                    sorted(self.files()), ["a.mp4", "b (presenter).mp4", "b.mp4"])
                self.stage = stage

    def test_a_stop_in_the_middle_and_another_choice(self):
        answer = self.answer("presenter", "presentation")
        self.write(answer, streams="all")
        self.at("/presenter.mp4", self.film("presenter"), rate=60_000)
        self.stage.partial(lambda: self.host.asked("/presenter.mp4"), by=signal.SIGKILL, least=30_000)
        self.at("/presenter.mp4", self.film("presenter"))
        self.write(answer, streams=["presentation", "presenter"])
        self.stage.sync(exit=0)
        self.assertEqual(self.files(), {"Talk.mp4": self.film("presentation"), "Talk (presenter).mp4": self.film("presenter")})
        self.assertEqual(self.stage.partials(), [])

    # Another choice of a finished video.

    def inodes(self):
        return {p.name: (p.stat().st_ino, p.stat().st_mtime_ns) for p in self.stage.library.rglob("*.mp4")}

    def chosen(self, answer, streams, asks, files, *more, exit=0, **settings):
        """A sync with this choice: whether it asks the provider, and which files it requests. The others stay."""
        self.stage.urls({"v": answer})
        self.stage.write([{"id": "c", **({"streams": streams} if streams else {}), "videos": [{"id": "v", "title": "Talk"}], **settings}])
        before, asked = self.inodes(), len(self.stage.asked())
        self.host.forget()
        run = self.stage.sync(*more, exit=exit)
        self.assertEqual(len(self.stage.asked()) - asked, asks, run)
        self.assertEqual(sorted({r.path for r in self.host.asked()}), sorted(f"/{f}.mp4" for f in files), run)
        now = self.inodes()
        self.assertEqual({name: now.get(name) for name in before}, before, run)
        self.assertEqual(self.stage.command("verify").exit, 0)
        return run

    def test_another_choice_fetches_what_is_missing_and_nothing_else(self):
        answer = self.answer("presenter", "presentation")
        whole = {"Talk.mp4": "combined", "Talk (presentation).mp4": "presentation", "Talk (presenter).mp4": "presenter"}
        self.chosen(answer, None, 1, ["combined"])
        run = self.chosen(answer, ["combined", "presentation"], 1, ["presentation"])
        self.assertEqual([e["path"].rpartition("/")[2] for e in run.of("download_finished")], ["01 Talk.mp4"])
        self.chosen(answer, ["combined", "presentation"], 0, [])
        # Fewer, and another order: what there is stays, under its name.
        self.chosen(answer, ["presentation"], 1, [])
        self.chosen(answer, ["presenter", "combined", "presentation"], 1, ["presenter"])
        self.assertEqual(self.files(), {name: self.film(role) for name, role in whole.items()})
        self.chosen(answer, "all", 1, [])
        self.chosen(answer, None, 1, [])
        self.again()
        self.assertEqual(self.stage.partials(), [])
        # Whoever deletes what the catalog doesn't want is rid of it.
        next(self.stage.library.rglob("*(presenter).mp4")).unlink()
        self.chosen(answer, None, 1, [])
        self.again()
        self.assertEqual(self.stage.command("remove", "c/v", "--yes").exit, 0)
        self.assertEqual(self.files(), {})

    def test_the_first_view_keeps_its_name_whatever_the_choice(self):
        answer = self.answer("presentation")
        self.chosen(answer, ["presentation"], 1, ["presentation"])
        self.chosen(answer, None, 1, ["combined"])
        names = {"Talk.mp4": "presentation", "Talk (combined).mp4": "combined"}
        self.assertEqual(self.files(), {name: self.film(role) for name, role in names.items()})
        # Also if only the library remembers it, or the provider's word for the main one changes.
        shutil.rmtree(self.stage.state)
        self.assertEqual(self.stage.command("library adopt", "--rebuild").exit, 0)
        self.chosen(answer, ["combined", "presentation"], 1, [])
        self.chosen({**self.answer("combined", main="presentation")}, "all", 1, [])

    def test_a_choice_that_nothing_fits_and_one_of_another_source(self):
        answer = self.answer("presentation")
        self.chosen(answer, None, 1, ["combined"])
        self.chosen(answer, ["screen"], 1, [])
        self.chosen(answer, ["screen"], 0, [])
        # Another quality is another source: the file stays as it is.
        self.chosen(answer, "all", 0, [], quality="480p")

    def test_a_kill_while_a_view_is_added(self):
        answer = self.answer("presentation")
        self.chosen(answer, None, 1, ["combined"])
        self.write(answer, streams="all")
        self.at("/presentation.mp4", self.film("presentation"), rate=60_000)
        self.stage.partial(lambda: self.host.asked("/presentation.mp4"), by=signal.SIGKILL, least=30_000)
        self.assertEqual(self.files(), {"Talk.mp4": self.film("combined")})
        self.at("/presentation.mp4", self.film("presentation"))
        self.chosen(answer, "all", 1, ["presentation"])
        self.assertIsNotNone(self.host.asked("/presentation.mp4")[0].range_start)
        self.assertEqual(set(self.files()), {"Talk.mp4", "Talk (presentation).mp4"})
        self.again()

    def test_a_view_that_cannot_be_added_leaves_the_video(self):
        answer = self.answer("presentation")
        self.chosen(answer, None, 1, ["combined"])
        gone = {**answer, "streams": [{"role": "presentation", "url": self.host.url("/gone.mp4")}]}
        self.write(gone, streams="all")
        run = self.stage.sync(exit=1)
        self.assertIn("presentation: ", run.of("download_failed")[0]["error"]["message"])
        self.assertEqual(self.files(), {"Talk.mp4": self.film("combined")})
        self.chosen(gone, None, 0, [])
        self.chosen(answer, "all", 1, ["presentation"])

    def test_another_title_and_another_choice_at_once(self):
        answer = self.answer("presenter", "presentation")
        self.chosen(answer, ["combined", "presenter"], 1, ["combined", "presenter"])
        self.stage.write([{"id": "c", "streams": "all", "videos": [{"id": "v", "title": "Speech"}]}])
        self.host.forget()
        self.stage.sync(exit=0)
        self.assertEqual([r.path for r in self.host.asked()], ["/presentation.mp4"])
        self.assertEqual(self.files(), {"Speech.mp4": self.film("combined"), "Speech (presenter).mp4": self.film("presenter"),
                                        "Speech (presentation).mp4": self.film("presentation")})
        self.again()

    def test_a_view_that_isnt_wanted_any_more_stays_whatever_comes(self):
        answer = self.answer("presenter", "presentation")
        whole = {"Talk.mp4": "combined", "Talk (presentation).mp4": "presentation", "Talk (presenter).mp4": "presenter"}
        whole = {name: self.film(role) for name, role in whole.items()}
        self.chosen(answer, "all", 1, list(r for r in ("combined", "presenter", "presentation")))
        # Its main file comes again, since it was deleted or damaged, or all is wanted again.
        next(self.stage.library.rglob("* Talk.mp4")).unlink()
        self.write(answer, streams=["combined"])
        self.stage.sync(exit=0)
        self.assertEqual(self.files(), whole)
        self.damage("* Talk.mp4")
        self.assertEqual(self.stage.command("verify", "--repair").exit, 1)
        self.stage.sync(exit=0)
        self.assertEqual(self.files(), whole)
        self.write(answer, streams=["presentation"])
        self.stage.sync(exit=0)
        self.assertEqual(self.stage.command("retry", "c/v").exit, 0)
        self.stage.sync(exit=0)
        self.assertEqual(self.files(), whole)
        self.again()
        # A damaged one that can't be had any more stays, too.
        path = self.damage("*(presenter).mp4")
        damaged = path.read_bytes()
        self.assertEqual(self.stage.command("verify", "--repair").exit, 1)
        self.stage.sync(exit=0)
        self.assertEqual(path.read_bytes(), damaged)
        self.assertEqual(self.stage.command("remove", "c/v", "--yes").exit, 0)
        self.assertEqual(self.files(), {})

    def damage(self, name):
        path = next(self.stage.library.rglob(name))
        body, facts = bytearray(path.read_bytes()), path.stat()
        body[len(body) // 2] ^= 1
        path.write_bytes(body)
        os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))
        return path

    def test_the_former_choice_needs_no_provider(self):
        answer = self.answer("presentation")
        self.chosen(answer, None, 1, ["combined"])
        for kind in ("gone", "forbidden", "auth_required"):
            self.stage.urls({"v": {"refuse": {"kind": kind}}})
            self.write_course("Talk", streams="all")
            self.stage.sync()
            asked = len(self.stage.asked())
            self.write_course("Talk")
            run = self.stage.sync(exit=0)
            self.assertEqual((len(self.stage.asked()), run.of("sync_finished")[0]["downloads"]["finished"]), (asked, 1), run)
            self.assertEqual(self.stage.command("verify").exit, 0)
        self.chosen(answer, "all", 1, ["presentation"])

    def write_course(self, title, **settings):
        self.stage.write([{"id": "c", "videos": [{"id": "v", "title": title}], **settings}])

    def test_a_title_that_changes_while_a_view_is_missing(self):
        answer = self.answer("presentation")
        self.chosen(answer, None, 1, ["combined"])
        self.stage.urls({"v": {**answer, "streams": [{"role": "presentation", "url": self.host.url("/gone.mp4")}]}})
        self.write_course("Talk", streams="all")
        self.stage.sync("--write-nfo", exit=1)
        # What is there stays on the page and for players.
        self.assertTrue([p for p in self.stage.files() if p.endswith("Talk.nfo")], list(self.stage.files()))
        self.stage.sync("--no-write-nfo", exit=1)
        self.write_course("Speech", streams="all")
        self.stage.sync()
        self.assertEqual(list(self.files()), ["Speech.mp4"])
        self.stage.urls({"v": answer})
        self.stage.sync("--retry-failed", exit=0)
        self.assertEqual(set(self.files()), {"Speech.mp4", "Speech (presentation).mp4"})
        self.again()

    def test_a_main_view_without_a_role_is_a_choice_too(self):
        answer = self.answer("presenter")
        del answer["role"]
        self.chosen(answer, ["presenter"], 1, ["presenter"])
        self.chosen(answer, "all", 1, ["combined"])
        self.assertEqual(set(self.files()), {"Talk.mp4", "Talk (combined).mp4"})

    def laid_out(self, layout, names, title="Talk", **course):
        """A sync after which the views have these names, with no request for those that were there."""
        self.stage.write([{"id": "c", "streams": "all", "videos": [{"id": "v", "title": title}],
                           **({"layout": layout} if layout else {}), **course}])
        self.host.forget()
        before = self.inodes()
        self.stage.sync(exit=0)
        self.assertEqual(sorted(p.name for p in self.stage.library.rglob("*.m*")), sorted(names))
        if before:
            self.assertEqual((sorted(self.inodes().values()), self.host.asked()), (sorted(before.values()), []))
        self.again()

    def test_a_layout_names_the_views(self):
        answer = self.answer("presentation")
        answer["streams"].append({
            "role": "a/b. c" + "x" * 50, "url": self.at("/silent.mp4", picture()),
            "tracks": [{"kind": "audio", "lang": "de", "url": self.at("/de.m4a", sound(400), kind="audio/mp4")}]})
        self.stage.urls({"v": answer})
        role = "a_b_ c" + "x" * 26
        dashed = ["Talk.mp4", "Talk - presentation.mp4", f"Talk - {role}.mp4"]
        self.laid_out("{course}/{title}< - {stream}>.{ext}", dashed)
        self.laid_out("{course}/{title}< - {stream}>.{ext}", [n.replace("Talk", "Speech") for n in dashed], "Speech")
        front = ["01 Talk.mp4", "01 presentation, Talk.mp4", f"01 {role}, Talk.mp4"]
        self.laid_out("{course}/{number:02} <{stream}, >{title}.{ext}", front)
        self.laid_out(None, ["01 Talk.mp4", "01 Talk (presentation).mp4", f"01 Talk ({role}).mp4"])
        # The video's own name stays, and the views get another one.
        self.laid_out("{course}/{number:02} {title}< [{stream}]>.{ext}", [
            "01 Talk.mp4", "01 Talk [presentation].mp4", f"01 Talk [{role}].mp4"])
        self.laid_out("{course}/{number:02} {title}< - {stream}>.{ext}", [f"01 {n}" for n in dashed])
        # A long title is cut, and a role isn't.
        ends = {"": 215, "-presentation": 202, f"-{role}": 182}
        self.laid_out("{course}/{title}<-{stream}>.{ext}", ["T" * n + end + ".mp4" for end, n in ends.items()], "T" * 300)

    def test_views_that_a_layout_names_come_later_and_keep_others_names(self):
        answer = self.answer("presentation")
        other = self.at("/other.mp4", self.film("other"))
        self.stage.urls({"v": answer, "w": {"url": other}, "x": {"url": other}})
        videos = [{"id": "w", "title": "Talk - presentation"}, {"id": "x", "title": "Talk"}, {"id": "v", "title": "Talk"}]
        course = {"id": "c", "layout": "{course}/{title}< - {stream}>.{ext}", "videos": videos}
        self.stage.write([course])
        self.stage.sync(exit=0)
        self.stage.write([{**course, "streams": "all"}])
        self.host.forget()
        self.stage.sync(exit=0)
        self.assertEqual([r.path for r in self.host.asked()], ["/presentation.mp4"])
        names = ["Talk - presentation.mp4", "Talk.mp4", "Talk [v].mp4", "Talk - presentation [v].mp4"]
        self.assertEqual(sorted(p.name for p in self.stage.library.rglob("*.mp4")), sorted(names))
        self.again()
        # Nobody else is called Talk any more: both views are.
        videos[1]["title"], videos[0]["title"] = "X", "W"
        self.stage.write([{**course, "streams": "all"}])
        self.stage.sync(exit=0)
        names = ["W.mp4", "X.mp4", "Talk.mp4", "Talk - presentation.mp4"]
        self.assertEqual(sorted(p.name for p in self.stage.library.rglob("*.mp4")), sorted(names))
        self.again()

    def test_players_and_programs_find_every_view(self):
        answer = self.answer("presentation")
        self.write(answer, streams="all")
        self.stage.sync("--write-nfo", "--write-playlist", exit=0)
        nfo = {p.rpartition("/")[2]: b.decode() for p, b in self.stage.files().items() if p.endswith(".nfo")}
        self.assertIn("<title>Talk</title>", nfo["01 Talk.nfo"])
        self.assertIn("<title>Talk (presentation)</title>", nfo["01 Talk (presentation).nfo"])
        self.assertIn("<episode>1</episode>", nfo["01 Talk (presentation).nfo"])
        self.assertEqual(nfo["01 Talk (presentation).nfo"].count("c/v (presentation)"), 1)
        playlist = next(b for p, b in self.stage.files().items() if p.endswith(".m3u8")).decode()
        self.assertNotIn("presentation", playlist)
        main, other = (str(self.stage.library / "c" / name) for name in ("01 Talk.mp4", "01 Talk (presentation).mp4"))
        self.assertEqual(self.stage.command("path", "c").out.splitlines(), [main])
        self.assertEqual(self.stage.command("path", "--streams", "c/v").out.splitlines(), [main, other])
        self.assertEqual(self.stage.command("path", "-0", "--streams").out, f"{main}\0{other}\0")
        shown = [json.loads(line) for line in self.stage.command("path", "--json", "--streams").out.splitlines()]
        self.assertEqual([(e["path"], e["stream"], e["bytes"], e["sha256"]) for e in shown], [
            (path, role, len(self.film(role)), hashlib.sha256(self.film(role)).hexdigest())
            for path, role in ((main, "combined"), (other, "presentation"))])
        row = self.stage.status()["c", "v"]
        self.assertEqual((row["stream"], [(e["stream"], e["bytes"]) for e in row["streams"]]), (
            "combined", [("presentation", len(self.film("presentation")))]))
        self.assertIn("with presentation, ", self.stage.command("status", "c/v").out)
        # A title takes them along, and the video's removal removes them.
        self.stage.write([{"id": "c", "streams": "all", "videos": [{"id": "v", "title": "Speech"}]}])
        self.stage.sync("--write-nfo", exit=0)
        names = {p.rpartition("/")[2] for p in self.stage.files() if p.endswith(".nfo")}
        self.assertTrue(names >= {"01 Speech.nfo", "01 Speech (presentation).nfo"} and not any("Talk" in n for n in names), names)
        next(self.stage.library.rglob("*(presentation).mp4")).unlink()
        run = self.stage.command("path", "--streams")
        self.assertEqual((run.exit, run.out.count("\n")), (1, 1))

    def test_a_dry_run_says_that_a_view_is_missing(self):
        answer = self.answer("presentation")
        self.chosen(answer, None, 1, ["combined"])
        self.write(answer, streams="all")
        run = self.stage.command("sync", self.stage.catalog, "--dry-run", "--json")
        self.assertEqual([e["reason"] for e in run.of("would_download")], ["views_missing"], run)

    def test_what_the_person_wants_again_comes_as_a_whole(self):
        answer = self.answer("presentation")
        self.chosen(answer, None, 1, ["combined"])
        self.assertEqual(self.stage.command("retry", "c/v").exit, 0)
        self.host.forget()
        self.write(answer, streams="all")
        self.stage.sync(exit=0)
        self.assertEqual({r.path for r in self.host.asked()}, {"/combined.mp4", "/presentation.mp4"})

    def test_hooks_see_a_view_that_is_added(self):
        answer = self.answer("presentation")
        self.chosen(answer, None, 1, ["combined"])
        hook = self.stage.folder / "scan.sh"
        hook.write_text('#!/bin/sh\njq -r .final_path >> "$0.log"\nexit 0\n')
        hook.chmod(0o755)
        settings = self.stage.folder / "home/.config/coursefetch/config.yaml"
        settings.parent.mkdir(parents=True)
        settings.write_text(f"hooks:\n  after-download: {hook}\n")
        self.chosen(answer, "all", 1, ["presentation"])
        seen = hook.with_name("scan.sh.log").read_text().split("\n")
        self.assertEqual([line.rpartition("/")[2] for line in seen if line], ["01 Talk (presentation).mp4"])

    def test_a_lost_state_finds_the_views_again(self):
        self.write(self.answer("presenter"), streams="all")
        self.stage.sync(exit=0)
        shutil.rmtree(self.stage.state)
        self.assertEqual(self.stage.command("library adopt", "--rebuild").exit, 0)
        self.again()
        self.assertEqual(self.stage.command("remove", "c/v", "--yes").exit, 0)
        self.assertEqual(self.files(), {})

    def test_a_view_does_not_take_the_place_of_another_video(self):
        self.stage.urls({"a": self.answer("presenter"), "b": self.at("/other.mp4", self.film("other"))})
        videos = [{"id": "b", "title": "Talk (presenter)"}, {"id": "a", "title": "Talk"}]
        self.stage.write([{"id": "c", "layout": "{course}/{title}.{ext}", "streams": "all", "videos": videos}])
        self.stage.sync(exit=0)
        bodies = sorted(b for b in self.stage.files().values())
        self.assertEqual(bodies, sorted(self.film(role) for role in ("combined", "presenter", "other")), list(self.stage.files()))
        self.again()

    def test_secrets_of_a_view_stay_with_it(self):
        other = Host()
        self.addCleanup(other.close)
        answer = self.answer(token={"value": "main-secret", "in": "header", "name": "X-Key"}, headers={"Cookie": "a=1", "X-Lab": "7"})
        answer["streams"] = [
            {"role": "far", "url": other.at("/far.mp4", File(self.film("far"), etag='"f"'))},
            {"role": "own", "url": other.at("/own.mp4", File(self.film("own"), etag='"o"')),
             "token": {"value": "own-secret", "in": "header", "name": "X-Key"}}]
        for wanted in ("all", ["far", "combined", "own"]):
            self.write(answer, streams=wanted)
            self.stage.sync(exit=0)
            far, own = other.asked("/far.mp4")[-1].headers, other.asked("/own.mp4")[-1].headers
            self.assertEqual((far.get("x-key"), far.get("cookie"), far.get("x-lab")), (None, None, "7"))
            self.assertEqual((own.get("x-key"), own.get("cookie")), ("own-secret", None))
            main = self.host.asked("/combined.mp4")[-1].headers
            self.assertEqual((main.get("x-key"), main.get("cookie")), ("main-secret", "a=1"))
            self.stage.close()
            self.stage = Stage()
            self.addCleanup(self.stage.close)

    def test_wrong_streams_are_the_plugin_s_fault(self):
        good = {"role": "presenter", "url": self.at("/presenter.mp4", self.film("presenter"))}
        wrong = [
            {"streams": [{"url": good["url"]}]}, {"streams": [dict(good, role="")]}, {"streams": [dict(good, url="x")]},
            {"streams": [good, good]}, {"streams": [dict(good, role=f"r{n}") for n in range(17)]},
            {"role": "presenter", "streams": [good]}, {"streams": [dict(good, kind="film")]}, {"streams": good}]
        for number, case in enumerate(wrong):
            with self.subTest(json.dumps(case)[:120]):
                self.stage.urls({f"v{number}": {"url": good["url"], **case}})
                self.stage.write([{"id": "c", "streams": "all", "videos": [f"v{number}"]}])
                run = self.stage.sync(exit=1)
                self.assertRegex(run.of("download_failed")[0]["error"]["message"], "stream|role|kind")
        self.assertEqual(self.files(), {})
