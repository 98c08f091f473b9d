// The transcript beside the video: the lines of a subtitle track, the running one marked.

const secondsLeftAlone = 8

/** The index of the line that runs at a time, or of the last one that ran: lines are sorted by their start. */
export function runningLine(starts, time) {
  let low = 0, high = starts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (starts[middle] <= time) low = middle + 1
    else high = middle
  }
  return low - 1
}

export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds || 0))
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const shown = parts[0] > 0 ? parts : parts.slice(1)
  return shown.map((part, index) => index === 0 ? part : String(part).padStart(2, '0')).join(':')
}

/** The text of a line without its tags (`<v Anna>`, `<i>`). */
function text(cue) {
  return (cue.getCueAsHTML?.().textContent ?? cue.text).replace(/\s+/g, ' ').trim()
}

export class Transcript {
  /** `jump` is called with the seconds of a line. */
  constructor(elements, jump) {
    Object.assign(this, elements, { jump })
    this.starts = []
    this.items = []
    this.running = -1
    this.scrolledAt = -Infinity
    this.cues.addEventListener('click', event => this.choose(event.target))
    this.cues.addEventListener('keydown', event => this.move(event))
    // Only a person's own scrolling counts, which no scroll event tells apart from the page's.
    for (const name of ['wheel', 'touchmove', 'pointerdown']) {
      this.cues.addEventListener(name, () => this.leaveAlone(), { passive: true })
    }
    this.follow.addEventListener('click', () => this.followAgain())
    this.search.addEventListener('input', () => this.find())
  }

  /** Shows the lines of a track, which may still be loading. */
  show(track) {
    this.track = track
    const cues = track?.cues ? [...track.cues].filter(cue => text(cue)) : []
    this.starts = cues.map(cue => cue.startTime)
    this.items = cues.map(cue => this.line(cue))
    this.cues.replaceChildren(...this.items)
    this.cues.lang = track?.language ?? ''
    this.section.hidden = cues.length === 0
    document.getElementById('player').classList.toggle('with-transcript', cues.length > 0)
    this.running = -1
    this.makeStop(this.items[0])
    this.find()
  }

  line(cue) {
    const item = document.createElement('li')
    const button = document.createElement('button')
    const time = document.createElement('span')
    const words = document.createElement('bdi')
    button.type = 'button'
    button.tabIndex = -1
    time.className = 'at'
    time.textContent = clock(cue.startTime)
    words.textContent = text(cue)
    words.dir = 'auto'
    button.append(time, ' ', words)
    item.append(button)
    item.dataset.start = cue.startTime
    return item
  }

  /** The list is one stop of the Tab key, whose lines the arrows reach: there can be a thousand. */
  move(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (!step || event.ctrlKey || event.altKey || event.metaKey) return
    event.preventDefault()
    event.stopPropagation()
    const shown = this.items.filter(item => !item.hidden)
    const next = shown[shown.indexOf(event.target.closest('li')) + step]
    if (!next) return
    this.leaveAlone()
    this.makeStop(next)
    next.firstChild.focus()
  }

  makeStop(item) {
    if (this.stop) this.stop.firstChild.tabIndex = -1
    this.stop = item
    if (item) item.firstChild.tabIndex = 0
  }

  choose(target) {
    const item = target.closest('li')
    if (!item) return
    this.scrolledAt = -Infinity
    this.jump(Number(item.dataset.start))
  }

  /** Marks the line that runs at a time. */
  update(time) {
    const index = runningLine(this.starts, time)
    if (index === this.running) return
    this.items[this.running]?.removeAttribute('aria-current')
    this.running = index
    this.items[index]?.setAttribute('aria-current', 'true')
    if (!this.cues.contains(document.activeElement)) this.makeStop(this.items[Math.max(0, index)])
    if (performance.now() - this.scrolledAt > secondsLeftAlone * 1000) this.followAgain()
  }

  leaveAlone() {
    this.scrolledAt = performance.now()
    this.follow.hidden = this.running < 0
  }

  /** Scrolls inside the box only: scrollIntoView would move the page away from the video. */
  followAgain() {
    this.scrolledAt = -Infinity
    this.follow.hidden = true
    const item = this.items[this.running]
    if (!item || item.hidden) return
    const top = item.offsetTop - this.cues.clientHeight / 3
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches
    this.cues.scrollTo({ top, behavior: isCalm ? 'auto' : 'smooth' })
  }

  find() {
    const words = this.search.value.trim().toLocaleLowerCase()
    let found = 0
    for (const item of this.items) {
      const has = !words || item.textContent.toLocaleLowerCase().includes(words)
      item.hidden = !has
      if (words && has) found += 1
    }
    this.found.textContent = words ? `${found} of ${this.items.length} lines` : ''
    if (!words) this.followAgain()
  }
}
