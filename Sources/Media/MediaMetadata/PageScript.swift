/// The script of the pages: search, and views of a video in step. Without it they show and play the same.
///
/// It takes nothing for code or markup: texts that it adds are text nodes, and what it looks at are the page's own
/// elements, and the titles in `#titles`.
enum PageScript {
    static let text = #"""
        "use strict";

        // MARK: Views of one video in step

        const tickMilliseconds = 250;
        const secondsBetweenSeeks = 5;
        // A view that doesn't answer must not hold the sound for ever.
        const longestHoldSeconds = 20;
        // Safari stutters at each change of rate.
        const seeksOnly = /Apple/.test(navigator.vendor) && !/Chrom|Edg|Android/.test(navigator.userAgent);
        const now = () => performance.now() / 1000;

        // Browsers tell in different ways, some of them only after it has played for a moment.
        const isSilent = ({ media }) => {
          if (media.mozHasAudio !== undefined) return media.readyState > 0 && !media.mozHasAudio;
          if (media.audioTracks) return media.readyState > 0 && media.audioTracks.length === 0;
          return media.webkitAudioDecodedByteCount === 0 && media.readyState > 2 && media.currentTime > 0.5;
        };

        // The view with sound leads, with the browser's controls; the others follow it, muted.
        class Views {
          constructor(figures) {
            this.views = figures.map((figure) => (
              { figure, media: figure.querySelector("video, audio"), sought: -Infinity, cost: 0.1 }));
            this.rate = 1;
            this.heldSince = 0;
            for (const view of this.views) this.listen(view);
            this.choose(this.views[0]);
          }

          get lead() { return this.chosen.media; }
          get followers() { return this.views.filter((view) => view !== this.chosen); }
          get runs() { return !this.lead.paused && !this.lead.ended; }

          choose(chosen) {
            const { muted, volume } = this.chosen?.media ?? chosen.media;
            this.chosen = chosen;
            for (const { media } of this.views) {
              media.controls = media === chosen.media;
              media.muted = media === chosen.media ? muted : true;
            }
            chosen.media.volume = volume;
            chosen.media.playbackRate = this.rate;
          }

          listen(view) {
            const { media } = view;
            for (const name of ["play", "pause", "waiting", "canplay", "ended"]) {
              media.addEventListener(name, () => this.update());
            }
            media.addEventListener("seeking", () => { if (media === this.lead) this.align(); });
            media.addEventListener("seeked", () => {
              if (view.began) view.cost = Math.min(1, now() - view.began);
              view.began = 0;
              this.update();
            });
            media.addEventListener("loadedmetadata", () => { if (media !== this.lead) this.seek(view); });
            media.addEventListener("error", () => {
              view.isBroken = true;
              this.update();
            });
          }

          load() {
            for (const { media } of this.views) media.preload = "auto";
          }

          // A short view keeps its last picture.
          isWithin({ media, isBroken }) { return !isBroken && !(this.lead.currentTime >= media.duration); }

          isWaitedFor(view) {
            const { media } = view;
            const isReady = !media.seeking && media.readyState > 2;
            if (isReady || media.ended || !this.isWithin(view)) view.isLate = false;
            else if (this.heldSince && now() - this.heldSince > longestHoldSeconds) view.isLate = true;
            else return !view.isLate;
            return false;
          }

          update() {
            // Views that last longer than the one with sound play on.
            if (this.lead.ended) return this.tickWhile(false);
            const { runs } = this;
            // Another one than 0, and than what was set here, is what a person has chosen.
            this.rate = this.lead.playbackRate || this.rate;
            const waits = runs && this.followers.some((view) => this.isWaitedFor(view));
            const isOver = this.heldSince > 0 && !waits;
            this.heldSince = waits ? this.heldSince || now() : 0;
            // Not a pause: the browser's controls would show one, and then start what a person wants to stop.
            const rate = waits ? 0 : this.rate;
            if (this.lead.playbackRate !== rate) this.lead.playbackRate = rate;
            const leadIsReady = !this.lead.seeking && this.lead.readyState > 2;
            for (const view of this.followers) {
              if (isOver && this.isWithin(view) && Math.abs(this.difference(view)) > 0.2) this.seek(view);
              const plays = runs && !waits && leadIsReady && this.isWithin(view);
              if (plays && view.media.paused && !view.media.ended) view.media.play().catch(() => {});
              if (!plays && !view.media.paused) view.media.pause();
            }
            this.tickWhile(runs);
          }

          tickWhile(runs) {
            if (runs) this.ticks ??= setInterval(() => { this.update(); this.tick(); }, tickMilliseconds);
            else this.ticks = clearInterval(this.ticks);
          }

          tick() {
            if (isSilent(this.chosen)) {
              const loud = this.followers.find((view) => !view.isBroken && view.media.currentTime > 0.5
                && !isSilent(view));
              if (loud) this.choose(loud);
            }
            for (const view of this.followers) {
              const { media } = view;
              if (media.paused || media.seeking || !this.isWithin(view)) continue;
              const difference = this.difference(view);
              const distance = Math.abs(difference);
              const maySeek = now() - view.sought > secondsBetweenSeeks;
              let rate = this.rate;
              if (seeksOnly || distance > 1) {
                if (maySeek && distance >= 0.1) this.seek(view);
              }
              // A correction goes on to 10 ms, so that a view that drifts doesn't stay at the edge.
              view.isCorrected = !seeksOnly && distance >= (view.isCorrected ? 0.01 : 0.04);
              if (view.isCorrected) rate *= Math.min(1.1, Math.max(0.9, 1 + difference / 2));
              if (Math.abs(media.playbackRate - rate) > 0.004) media.playbackRate = rate;
            }
          }

          // In seconds; positive for a view that is behind.
          difference({ media }) { return this.lead.currentTime - media.currentTime; }

          seek(view) {
            const { media } = view;
            if (view.isBroken || media.readyState === 0) return;
            if (!this.isWithin(view)) {
              media.currentTime = media.duration;
              return;
            }
            view.sought = view.began = now();
            // What plays on during the seek is added, else each seek ends behind.
            const ahead = this.runs && !this.heldSince ? view.cost * this.rate : 0;
            media.currentTime = this.lead.currentTime + ahead;
          }

          align() {
            for (const view of this.followers) this.seek(view);
            this.update();
          }
        }

        const groups = new Map();
        for (const element of document.querySelectorAll(".views")) {
          const figures = [...element.querySelectorAll("figure")];
          groups.set(element.closest("li"), new Views(figures));
          for (const figure of figures) {
            const button = figure.querySelector("button");
            button.hidden = false;
            button.addEventListener("click", () => {
              const isLarge = !figure.classList.contains("large");
              for (const other of figures) {
                other.classList.toggle("large", isLarge && other === figure);
                other.querySelector("button").setAttribute("aria-pressed", isLarge && other === figure);
              }
            });
          }
        }
        // A tab in the background may leave out pictures of those without sound.
        document.addEventListener("visibilitychange", () => {
          if (!document.hidden) for (const group of groups.values()) if (group.runs) group.align();
        });

        // MARK: One video at a time

        const pause = (item) => {
          for (const media of item.querySelectorAll("video, audio")) media.pause();
        };
        let playing = null;
        document.addEventListener("play", (event) => {
          const item = event.target.closest("li");
          if (playing && playing !== item) pause(playing);
          playing = item;
        }, true);
        document.addEventListener("toggle", (event) => {
          const item = event.target.closest("li");
          if (!item || item.classList.contains("sound")) return;
          if (!event.target.open) pause(item);
          else if (groups.has(item)) groups.get(item).load();
          else for (const media of item.querySelectorAll("video")) media.preload = "metadata";
        }, true);

        // A link from the page of all courses opens its video.
        const openTarget = () => {
          const details = document.getElementById(location.hash.slice(1))?.querySelector("details");
          if (!details) return;
          details.open = true;
          details.closest("li").scrollIntoView();
        };
        addEventListener("hashchange", openTarget);
        openTarget();

        // MARK: Search

        const mostHits = 100;
        // Without accents, whatever the letter case.
        const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
        const textOf = (item, parts) => plain([...item.querySelectorAll(parts)].map((e) => e.textContent).join(" "));
        const tool = document.querySelector("[role=search]");
        const input = tool.querySelector("input");
        const found = tool.querySelector("[role=status]");
        const hits = document.getElementById("hits");
        let items, titles;

        // The titles of all videos are data of this page: for each course, in the order of its cards, [title, number].
        const prepare = () => {
          items = [...document.querySelectorAll(".searched > li")].map((element) => (
            { element, text: textOf(element, ".title, .about") }));
          const data = document.getElementById("titles");
          titles = data ? JSON.parse(data.textContent) : [];
          titles = titles.flatMap((videos, course) => videos.map(([title, number]) => (
            { title, number, course: items[course].element.querySelector("a"), text: plain(title) })));
        };

        const add = (parent, name, text = "", className = "") => {
          const element = parent.appendChild(document.createElement(name));
          element.textContent = text;
          element.className = className;
          return element;
        };

        const showHit = ({ title, number, course }) => {
          const item = add(hits.querySelector("ol"), "li", "", "hit");
          const link = add(item, "a");
          const page = course.getAttribute("href");
          link.href = number > 0 && !page.endsWith("/") ? `${page}#video-${number}` : page;
          add(link, "bdi", title);
          add(add(item, "span", "", "meta"), "bdi", course.textContent);
        };

        const count = (number, name) => `${number} ${name}${number === 1 ? "" : "s"}`;

        const search = () => {
          if (!items) prepare();
          const words = plain(input.value).split(/\s+/).filter(Boolean);
          const matches = ({ text }) => words.every((word) => text.includes(word));
          let shown = 0;
          for (const item of items) {
            item.element.hidden = !matches(item);
            if (!item.element.hidden) shown += 1;
          }
          for (const section of document.querySelectorAll("section.group")) {
            section.hidden = !section.querySelector(".searched > li:not([hidden])");
          }
          for (const element of document.querySelectorAll("nav")) element.hidden = words.length > 0;
          found.textContent = words.length > 0 ? count(shown, hits ? "course" : "video") : "";
          if (!hits) return;
          const matching = words.length > 0 ? titles.filter(matches) : [];
          hits.querySelector("ol").replaceChildren();
          matching.slice(0, mostHits).forEach(showHit);
          hits.hidden = matching.length === 0;
          if (words.length > 0 && titles.length > 0) found.textContent += `, ${count(matching.length, "video")}`;
          if (matching.length > mostHits) found.textContent += `, of which ${mostHits} are shown`;
        };

        tool.hidden = false;
        input.addEventListener("input", search);
        // A browser that comes back to a page may fill in what was in the box.
        if (input.value) search();
        document.addEventListener("keydown", (event) => {
          if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
          if (event.target.matches("input")) return;
          event.preventDefault();
          input.focus();
          input.select();
        });

        """#
}
