// Several videos in step: the stream with sound leads, the others follow it, muted.

const tickMilliseconds = 250
const secondsBetweenSeeks = 5
// A stream that doesn't answer must not hold the sound for ever.
const longestHoldSeconds = 20

/**
 * What a follower does about being `difference` seconds behind (negative: ahead).
 * `rate` is the leader's; `isCorrecting` says that a correction is under way, which then goes on to 10 ms, so that a
 * stream that drifts doesn't stay at the edge. Safari stutters at each change of rate, so `seeksOnly`.
 */
export function correction(difference, { rate, seeksOnly = false, isCorrecting = false, maySeek = true }) {
  const distance = Math.abs(difference)
  if (seeksOnly) return { rate, seek: maySeek && distance >= 0.1 }
  if (distance < (isCorrecting ? 0.01 : 0.04)) return { rate, seek: false }
  if (distance > 1 && maySeek) return { rate, seek: true }
  const factor = Math.min(1.1, Math.max(0.9, 1 + difference / 2))
  return { rate: rate * factor, seek: false, isCorrecting: true }
}

/** Whether the browser is Safari, or another one on iOS, which is Safari inside. */
export function isSafari(agent, vendor) {
  return /Apple/.test(vendor) && !/Chrom|Edg|Android/.test(agent)
}

function tailTime({ time, since, runs }, rate) {
  return runs ? time + (performance.now() - since) / 1000 * rate : time
}

/** One media element, which can give up its source (and with it a connection) and take it back. */
class Stream {
  constructor(media) {
    this.media = media
    this.role = media.dataset.role
    this.source = media.dataset.src
    this.offset = Number(media.dataset.offset) || 0
    this.keptTime = 0
    this.keptDuration = NaN
    this.isReleased = false
    this.isBroken = false
    this.isCorrecting = false
    this.lastSeek = -Infinity
    this.seekCost = 0.1
    media.addEventListener('seeked', () => {
      if (!this.seekBegan) return
      this.seekCost = Math.min(1, (performance.now() - this.seekBegan) / 1000)
      this.seekBegan = 0
    })
  }

  get time() { return this.isReleased ? this.keptTime : this.media.currentTime }
  set time(seconds) {
    this.keptTime = seconds
    if (!this.isReleased) this.media.currentTime = seconds
  }

  get duration() { return this.isReleased ? this.keptDuration : this.media.duration }

  /** Whether it can show the picture at its time and the next ones. */
  get isReady() { return !this.media.seeking && this.media.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA }

  release() {
    if (this.isReleased) return
    this.keptTime = this.media.currentTime
    this.keptDuration = this.media.duration
    this.isReleased = true
    this.media.pause()
    this.media.removeAttribute('src')
    this.media.load()
  }

  takeBack() {
    if (!this.isReleased) return
    this.isReleased = false
    this.media.src = this.source
    this.media.load()
    this.media.currentTime = this.keptTime
  }
}

/**
 * The streams of one video. Sends `change` (plays or not, waits or not), `lost` (a follower is broken), and what the
 * leader sends: `timeupdate`, `seeking`, `durationchange` and `ended`.
 */
export class StreamGroup extends EventTarget {
  constructor(medias) {
    super()
    const streams = medias.map(media => new Stream(media))
    this.lead = streams.find(stream => 'lead' in stream.media.dataset) ?? streams[0]
    this.followers = streams.filter(stream => stream !== this.lead)
    this.streams = streams
    this.seeksOnly = isSafari(navigator.userAgent, navigator.vendor)
    this.wantsToPlay = false
    this.holdBegan = 0
    this.rate = 1
    // Where the leader has ended and another stream goes on: our own clock, { time, since, runs }.
    this.tail = null
    for (const follower of this.followers) this.listenTo(follower)
    this.listenToLead()
    // A browser may begin a stream by itself (its own controls were there before this script).
    if (!this.lead.media.paused) this.play()
  }

  get media() { return this.lead.media }
  get time() { return this.tail ? tailTime(this.tail, this.rate) : this.lead.time }

  /** Until the last stream's end. */
  get duration() {
    const ends = this.followers.map(follower => follower.duration - follower.offset).filter(Number.isFinite)
    return Math.max(this.lead.duration, ...ends)
  }

  get hasTail() { return this.duration - this.lead.duration > 0.5 }
  get paused() { return !this.wantsToPlay }
  get isHolding() { return this.holdBegan > 0 }

  play() {
    this.lead.takeBack()
    if (this.time >= this.duration - 0.05) this.seek(0)
    this.wantsToPlay = true
    this.prime()
    this.update()
    this.dispatchEvent(new Event('change'))
  }

  /** Safari and Firefox load no more than the metadata before a play(), which on iOS has to be in a person's tap. */
  prime() {
    for (const { media, isReleased } of this.streams) {
      if (isReleased || media.preload === 'auto') continue
      media.preload = 'auto'
      if (media.readyState < HTMLMediaElement.HAVE_FUTURE_DATA) media.play().catch(() => {})
    }
  }

  pause() {
    this.wantsToPlay = false
    this.update()
    this.dispatchEvent(new Event('change'))
  }

  seek(seconds) {
    const end = Number.isFinite(this.duration) ? this.duration : Infinity
    const time = Math.max(0, Math.min(end, seconds))
    const isInTail = this.hasTail && time >= this.lead.duration
    this.tail = isInTail ? { time, since: performance.now(), runs: false } : null
    this.lead.time = isInTail ? this.lead.duration : time
    this.align()
    this.update()
  }

  setRate(rate) {
    this.runTail(this.tail?.runs)
    this.rate = rate
    for (const { media } of this.streams) {
      // load() goes back to the default rate, so that one is set, too.
      media.defaultPlaybackRate = rate
      media.playbackRate = rate
    }
  }

  setOffset(role, seconds) {
    for (const follower of this.followers) if (follower.role === role) follower.offset = seconds
    this.align()
  }

  releaseFollowers() {
    for (const follower of this.followers) follower.release()
    this.update()
  }

  takeBackFollowers() {
    for (const follower of this.followers) if (!follower.isBroken) follower.takeBack()
    this.align()
    this.update()
  }

  releaseAll() {
    this.pause()
    for (const stream of this.streams) stream.release()
  }

  takeBackAll() {
    this.lead.takeBack()
    this.takeBackFollowers()
  }

  /** Puts every follower where it belongs by seeking, whatever was tried before. */
  align() {
    for (const follower of this.followers) if (this.isWithin(follower)) this.seekFollower(follower)
    this.tick()
  }

  // MARK: Inside

  listenToLead() {
    const { media } = this
    // Events come late: what they tell of may be over.
    media.addEventListener('pause', () => {
      // Also a headset, or the browser in a call, pauses the leader.
      const isTheirs = media.paused && this.wantsToPlay && !this.isHolding && !media.ended && !this.lead.isReleased
      if (isTheirs && !media.seeking) this.pause()
    })
    media.addEventListener('play', () => { if (!media.paused && !this.wantsToPlay) this.play() })
    media.addEventListener('ended', () => {
      if (!this.tail && this.hasTail) this.tail = { time: this.lead.duration, since: performance.now(), runs: false }
      if (this.tail) this.update()
      else this.end()
    })
    media.addEventListener('seeking', () => this.align())
    for (const name of ['waiting', 'canplay', 'seeked']) media.addEventListener(name, () => this.update())
    for (const name of ['timeupdate', 'seeking', 'durationchange']) {
      media.addEventListener(name, () => this.dispatchEvent(new Event(name)))
    }
  }

  end() {
    this.pause()
    this.dispatchEvent(new Event('ended'))
  }

  listenTo(follower) {
    const { media } = follower
    media.muted = true
    for (const name of ['waiting', 'canplay', 'seeked', 'ended']) media.addEventListener(name, () => this.update())
    media.addEventListener('loadedmetadata', () => { if (this.isWithin(follower)) this.seekFollower(follower) })
    media.addEventListener('error', () => {
      if (follower.isReleased) return
      follower.isBroken = true
      this.update()
      this.dispatchEvent(new CustomEvent('lost', { detail: follower }))
    })
  }

  target(follower) { return this.time + follower.offset }

  /** Whether the leader's time is inside this follower: a short one keeps its last picture. */
  isWithin(follower) {
    if (follower.isReleased || follower.isBroken) return false
    const target = this.target(follower)
    return target >= 0 && !(target >= follower.media.duration)
  }

  seekFollower(follower) {
    const { media } = follower
    follower.lastSeek = performance.now()
    follower.seekBegan = follower.lastSeek
    // What plays on during the seek is added, else each seek ends behind.
    const ahead = this.wantsToPlay && !this.isHolding ? follower.seekCost * this.rate : 0
    media.currentTime = Math.max(0, this.target(follower) + ahead)
  }

  /** Plays, pauses and holds the elements as their state asks for it. */
  update() {
    const waiting = this.wantsToPlay && this.streams.some(stream => this.isWaitedFor(stream))
    if (waiting !== this.isHolding) {
      this.holdBegan = waiting ? performance.now() : 0
      if (!waiting) this.holdEnded()
      this.dispatchEvent(new Event('change'))
    }
    // A single video waits by itself, and its own pause would be taken for a person's.
    const plays = this.wantsToPlay && !(waiting && this.followers.length > 0)
    this.runTail(plays)
    this.setPlaying(this.lead, plays)
    for (const follower of this.followers) this.setPlaying(follower, plays && this.isWithin(follower))
    if (this.wantsToPlay) this.ticks ??= setInterval(() => { this.update(); this.tick() }, tickMilliseconds)
    else this.ticks = clearInterval(this.ticks)
  }

  isWaitedFor(stream) {
    if (stream === this.lead) return !stream.isReady && !stream.media.ended
    if (!this.isWithin(stream) || stream.media.ended || stream.isReady) {
      stream.isLate = false
      return false
    }
    const held = this.isHolding ? (performance.now() - this.holdBegan) / 1000 : 0
    stream.isLate ||= held > longestHoldSeconds && this.lead.isReady
    return !stream.isLate
  }

  holdEnded() {
    for (const follower of this.followers) {
      if (this.isWithin(follower) && Math.abs(this.difference(follower)) > 0.2) this.seekFollower(follower)
    }
  }

  setPlaying({ media, isReleased }, plays) {
    if (isReleased || media.paused !== plays) return
    if (!plays) return media.pause()
    if (media.ended) return
    media.play().catch(error => {
      // Only the leader has sound, so only it needs a person's leave.
      if (error.name === 'NotAllowedError' && media === this.media) this.pause()
    })
  }

  /** Starts or stops our own clock, if it is ours that counts. */
  runTail(runs) {
    if (this.tail) this.tail = { time: this.time, since: performance.now(), runs }
  }

  difference(follower) { return this.target(follower) - follower.media.currentTime }

  tick() {
    if (this.tail) {
      if (this.wantsToPlay && this.time >= this.duration) this.end()
      this.dispatchEvent(new Event('timeupdate'))
    }
    for (const follower of this.followers) {
      const { media } = follower
      if (follower.isReleased || follower.isBroken || media.seeking || media.readyState === 0) continue
      if (!this.isWithin(follower)) { this.park(follower); continue }
      if (media.paused || (this.media.paused && !this.tail)) continue
      const step = correction(this.difference(follower), {
        rate: this.rate, seeksOnly: this.seeksOnly, isCorrecting: follower.isCorrecting,
        maySeek: performance.now() - follower.lastSeek > secondsBetweenSeeks * 1000,
      })
      follower.isCorrecting = step.isCorrecting === true
      if (step.seek) this.seekFollower(follower)
      if (Math.abs(media.playbackRate - step.rate) > 0.004) media.playbackRate = step.rate
    }
  }

  /** The first or the last picture of a follower that hasn't begun or has ended. */
  park({ media, offset }) {
    const place = this.time + offset < 0 ? 0 : media.duration
    if (Math.abs(media.currentTime - place) > 0.2) media.currentTime = place
  }
}
