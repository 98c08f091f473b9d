/// The style of the pages, with the colours and shapes of the page that `coursefetch serve` shows.
enum PageStyle {
    static let text = #"""
        :root {
          color-scheme: light dark;
          --ground: #f7f7f5; --surface: #fff; --line: #dcdedf; --edge: #868d96; --text: #1b1f24; --muted: #59616b;
          --accent: #2458b8; --tint: #e8eefb; --notice: #7a4b00;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #131518; --surface: #1c1f24; --line: #31363d; --edge: #7b848f; --text: #e8eaed; --muted: #a5adb8;
            --accent: #8ab4f8; --tint: #222d42; --notice: #f0bf6b;
          }
        }

        * { box-sizing: border-box; }
        html { -webkit-text-size-adjust: 100%; }
        body {
          width: min(100%, 104rem); margin: 0 auto; padding: 1rem clamp(1rem, 3vw, 2.5rem) 3rem;
          background: var(--ground); color: var(--text); overflow-wrap: anywhere;
          font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
        }
        h1, h2, p, ul, ol, figure { margin: 0; }
        ul, ol { padding: 0; list-style: none; }
        h1 { font-size: 1.75rem; line-height: 1.2; letter-spacing: -.01em; text-wrap: balance; }
        h2 { font-size: 1.25rem; line-height: 1.3; }
        small { color: var(--muted); font-size: .875rem; font-weight: 400; }
        a { color: var(--accent); text-underline-offset: .2em; text-decoration-thickness: 1px; }
        img { display: block; max-width: 100%; }
        [hidden] { display: none !important; }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        .hidden { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); }

        .head { display: grid; gap: 1.25rem 2rem; align-items: start; }
        .head > div:last-child { display: grid; gap: .6rem; }
        .course-head { grid-template-columns: minmax(14rem, 22rem) 1fr; }
        .course-head .letters { font-size: 3rem; }
        .meta { display: flex; flex-wrap: wrap; gap: 0 .35em; color: var(--muted); font-size: .875rem; }
        .meta > :not(:last-child)::after { content: "·"; display: inline-block; padding-inline-start: .35em; }
        .about { max-width: 48rem; color: var(--muted); white-space: pre-line; }
        .state {
          display: inline-block; padding: .1rem .5rem; border: 1px solid currentcolor; border-radius: 6px;
          color: var(--notice); font-size: .8125rem; line-height: 1.4;
        }

        .tools { display: flex; flex-wrap: wrap; align-items: center; gap: .75rem 1.5rem; margin-top: 1.5rem; }
        .tools [role="search"] { display: flex; flex: 1 1 16rem; flex-wrap: wrap; align-items: center; gap: 0 1rem; }
        .tools label { flex: 0 1 34rem; }
        input, button {
          min-height: 2.5rem; padding: .4rem .8rem; border: 1px solid var(--edge); border-radius: 8px;
          background: var(--surface); color: inherit; font: inherit;
        }
        input { width: 100%; }
        ::placeholder { color: var(--muted); opacity: 1; }
        nav { flex: 1 1 100%; }
        nav ol { display: flex; flex-wrap: wrap; gap: .4rem; }
        nav a {
          display: flex; align-items: center; min-height: 2.5rem; padding: 0 .9rem; border: 1px solid var(--line);
          border-radius: 1.25rem; color: inherit; text-decoration: none;
        }
        nav a:hover { border-color: var(--accent); }

        .picture {
          position: relative; display: grid; aspect-ratio: 16 / 9; overflow: hidden; border-radius: 10px;
          background: #3b4a63;
        }
        .picture[data-tone="1"] { background: #2f5d62; }
        .picture[data-tone="2"] { background: #5b4a72; }
        .picture[data-tone="3"] { background: #6b4b43; }
        .picture[data-tone="4"] { background: #42603f; }
        .picture[data-tone="5"] { background: #6a4460; }
        .picture > * { grid-area: 1 / 1; }
        .picture img { position: absolute; width: 100%; height: 100%; object-fit: cover; }
        .letters { place-self: center; color: #fffc; font-size: 1.75rem; font-weight: 600; white-space: nowrap; }
        .length {
          place-self: end; z-index: 1; margin: .4rem; padding: 0 .4rem; border-radius: 5px; background: #101317e0;
          color: #fff; font-size: .8125rem; font-variant-numeric: tabular-nums;
        }

        .group { margin-top: 2rem; }
        .group-head { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem; margin-bottom: .75rem; }
        .group-head .picture { flex: 0 0 7.5rem; }
        .group-head .about { flex: 0 0 100%; max-width: none; }
        .rows { display: grid; gap: .25rem 2rem; }
        .rows { grid-template-columns: repeat(auto-fill, minmax(min(100%, 44rem), 1fr)); }
        /* What is far from the screen isn't laid out: a course may have thousands. */
        .rows > li, .cards > li { content-visibility: auto; contain-intrinsic-size: auto 7rem; }
        .rows > li { min-width: 0; padding: .5rem; margin-inline: -.5rem; border-radius: 10px; }
        .rows > li:has(details[open]) { grid-column: 1 / -1; background: var(--surface); }
        .rows > li.sound:has(details[open]) { grid-column: auto; }
        .row {
          display: grid; grid-template-columns: 2.25rem 11rem minmax(0, 1fr); gap: 0 1rem; align-items: center;
        }
        summary { border-radius: 10px; cursor: pointer; }
        summary.row { list-style: none; }
        summary.row::-webkit-details-marker { display: none; }
        summary.row:hover .title { text-decoration: underline; text-underline-offset: .2em; }
        .number { justify-self: end; color: var(--muted); font-variant-numeric: tabular-nums; }
        .text { display: grid; gap: .2rem; justify-items: start; }
        .title { font-weight: 600; line-height: 1.35; }
        .open { display: grid; gap: .75rem; margin-top: .75rem; }
        video { display: block; width: 100%; max-height: 80vh; border-radius: 10px; background: #000; }
        audio { display: block; width: 100%; }
        .sound audio { margin-top: .5rem; }
        .sound summary { display: inline-block; padding: .25rem .5rem; color: var(--accent); font-size: .875rem; }
        .views { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); gap: .5rem; }
        .views figure { align-self: start; min-width: 0; }
        .views .large { grid-column: 1 / -1; order: -1; }
        figcaption {
          display: flex; align-items: center; justify-content: space-between; gap: 1rem; min-height: 2.5rem;
          margin-top: .25rem; color: var(--muted); font-size: .875rem;
        }
        button { cursor: pointer; }
        button:hover, button[aria-pressed="true"] { border-color: var(--accent); background: var(--tint); }
        .files { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; font-size: .9375rem; }

        .cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(15.5rem, 1fr)); gap: 1rem .75rem; }
        .cards { margin: 1.5rem -.5rem 0; }
        .cards > li { position: relative; display: grid; align-content: start; gap: .25rem; padding: .5rem; }
        .cards .picture { margin-bottom: .35rem; }
        .cards .picture + .title { font-size: 1rem; }
        .cards a { color: inherit; }
        .cards li:not(:hover) a { text-decoration: none; }
        /* The whole card is the link. */
        .cards a::after { content: ""; position: absolute; inset: .25rem; border-radius: 10px; }
        .cards a:focus-visible { outline: none; }
        .cards a:focus-visible::after { outline: 3px solid var(--accent); outline-offset: -2px; }
        #hits { margin-top: 1.5rem; }
        #hits ol { display: grid; gap: .25rem; margin-top: .5rem; }
        .hit { padding: .35rem 0; border-bottom: 1px solid var(--line); }

        @media (max-width: 48rem) {
          h1 { font-size: 1.5rem; }
          input, button, nav a { min-height: 2.75rem; }
          .tools label { flex: 1 1 100%; }
          .course-head { grid-template-columns: 1fr; }
          .course-head .picture { aspect-ratio: 5 / 2; }
          .row { grid-template-columns: 7.5rem minmax(0, 1fr); gap: 0 .75rem; align-items: start; }
          .row > :is(.number, .picture) { grid-area: 1 / 1; }
          .row > .number {
            z-index: 1; place-self: start; margin: 2.6rem 0 0 .3rem; padding: 0 .35rem; border-radius: 5px;
            background: #101317e0; color: #fff; font-size: .8125rem;
          }
          .row > .text { grid-column: 2; }
          .row .letters { font-size: 1.5rem; }
          figcaption button { display: none; }
          .files a, .sound summary, .head .meta a, .hit a { padding-block: .6rem; }
          .cards { grid-template-columns: 1fr 1fr; }
        }
        @media (forced-colors: active) { .picture, .state { forced-color-adjust: none; } }

        """#
}
