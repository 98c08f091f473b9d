// What the server keeps: the position, watched or not, the course's speed, offsets.

const secondsBetweenSaves = 10

/** Whether a position counts as having seen it all: 95 %, or the last 30 s of what has three minutes at least. */
export function isSeen(position, length) {
  if (!(length > 0)) return false
  return position >= 0.95 * length || (length >= 180 && length - position <= 30)
}

/** A setting of this browser; one that blocks storage forgets it. */
export const stored = {
  get(name) { try { return localStorage.getItem(name) } catch { return null } },
  set(name, value) { try { localStorage.setItem(name, value) } catch { /* kept for this page only */ } },
}

function form(csrf, fields) { return new URLSearchParams({ csrf, ...fields }) }

/** Sends a form; a failure is tried again with the next save, so nobody is told. */
async function send(address, body) {
  try {
    const answer = await fetch(address, { method: 'POST', body, headers: { Accept: 'application/json' } })
    return answer.ok
  } catch { return false }
}

/** Saves where one is. `group` has time, duration and paused. */
export class Marks {
  constructor(data, group) {
    Object.assign(this, { address: data.marks, course: data.courseMarks, csrf: data.csrf, group })
    this.isWatched = 'watched' in data
    this.lastSaved = Number(data.start) || 0
    this.hasPlayed = false
  }

  /** Called while it plays: saves every 10 s of the clock, and the mark as soon as it is due. */
  played(now = performance.now()) {
    this.hasPlayed = true
    this.lastSave ??= now
    if (this.isDue) this.setWatched(true)
    if (now - this.lastSave >= secondsBetweenSaves * 1000) this.save(now)
  }

  get isDue() { return !this.isWatched && isSeen(this.group.time, this.group.duration) }

  get fields() {
    const fields = { position: this.group.time.toFixed(1) }
    if (Number.isFinite(this.group.duration)) fields.length = this.group.duration.toFixed(1)
    return fields
  }

  save(now = performance.now()) {
    if (!this.hasPlayed) return
    this.lastSave = now
    this.lastSaved = this.group.time
    send(this.address, form(this.csrf, this.fields))
  }

  /** When the page goes away nothing but a beacon is sure to arrive. */
  saveAtEnd() {
    if (!this.hasPlayed || Math.abs(this.group.time - this.lastSaved) < 1) return
    this.lastSaved = this.group.time
    navigator.sendBeacon(this.address, form(this.csrf, this.fields))
  }

  async setWatched(isWatched) {
    this.isWatched = isWatched
    const saved = await send(this.address, form(this.csrf, { watched: isWatched ? '1' : '0' }))
    if (saved) this.onWatched?.(isWatched)
    return saved
  }

  /** Keys change the speed in steps: the last one within half a second is kept. */
  setSpeed(speed) {
    clearTimeout(this.speedTimer)
    this.speedTimer = setTimeout(() => send(this.course, form(this.csrf, { speed: String(speed) })), 500)
  }

  setOffset(role, seconds) { send(this.address, form(this.csrf, { [`offset.${role}`]: String(seconds) })) }
}
