// The page of a video: joins the streams, the bar, the keys, the transcript and what the server keeps.

import { StreamGroup } from './streams.js'
import { Controls } from './player-controls.js'
import { listenToKeys } from './player-keys.js'
import { Marks, stored } from './player-marks.js'
import { Transcript } from './player-transcript.js'

const secondsUntilNext = 5
// A tab that is only looked away from for a moment needs no loading again.
const secondsUntilFollowersGo = 2
const secondsUntilAllGo = 60

const find = id => document.getElementById(id)

class Player {
  constructor(root) {
    this.data = root.dataset
    this.group = new StreamGroup([...root.querySelectorAll('video, audio')])
    this.lead = this.group.media
    this.marks = new Marks(this.data, this.group)
    this.controls = new Controls(find, this.group, this.marks)
    this.isSoundOnly = false
    this.begin()
    this.setUpSubtitles()
    this.setUpSaving()
    this.setUpWatched()
    this.setUpNext()
    this.setUpErrors()
    this.setUpSoundOnly()
    this.setUpOffsets()
    this.setUpVisibility()
    this.setUpSession()
    this.setUpKeys()
  }

  /** The address already ends in #t=, for browsers without script; followers have offsets that it doesn't know. */
  begin() {
    const start = Number(this.data.start) || 0
    const put = () => {
      if (Math.abs(this.lead.currentTime - start) > 1) this.group.seek(start)
      else this.group.align()
    }
    if (this.lead.readyState > 0) put()
    else this.lead.addEventListener('loadedmetadata', put, { once: true })
  }

  // MARK: Subtitles and transcript

  setUpSubtitles() {
    const choice = find('subtitles')
    this.tracks = [...this.lead.querySelectorAll('track')]
    this.transcript = new Transcript({
      section: find('transcript'), cues: find('cues'), search: find('transcript-search'),
      found: find('transcript-found'), follow: find('follow'),
    }, seconds => this.group.seek(seconds))
    find('subtitles-choice').hidden = this.tracks.length === 0
    choice.append(...this.tracks.map((element, index) => new Option(element.label, index)))
    choice.addEventListener('change', () => { this.chooseSubtitles(choice.value); choice.blur() })
    for (const element of this.tracks) {
      element.addEventListener('load', () => { if (element.track === this.shown) this.transcript.show(element.track) })
      element.track.addEventListener('cuechange', () => { if (element.track === this.shown) this.showCaption() })
    }
    for (const name of ['timeupdate', 'seeking']) {
      this.group.addEventListener(name, () => this.transcript.update(this.group.time))
    }
    // An iPhone's own full screen doesn't contain our caption.
    this.lead.addEventListener('webkitbeginfullscreen', () => { if (this.hasCaption) this.shown.mode = 'showing' })
    this.lead.addEventListener('webkitendfullscreen', () => { if (this.shown) this.shown.mode = 'hidden' })
    const chosen = this.tracks.findIndex(element => element.default)
    this.lastChoice = String(Math.max(0, chosen))
    this.chooseSubtitles(chosen < 0 ? '' : String(chosen))
  }

  /** Without subtitles the transcript stays, in the language that was last chosen. */
  chooseSubtitles(value) {
    find('subtitles').value = value
    this.hasCaption = value !== ''
    if (value !== '') this.lastChoice = value
    const shown = this.tracks[Number(this.lastChoice)]?.track
    // Hidden tracks are loaded and tell their cues, and draw nothing: we do, over all streams.
    for (const { track } of this.tracks) track.mode = track === shown ? 'hidden' : 'disabled'
    if (shown !== this.shown) {
      this.shown = shown
      this.transcript.show(shown)
    }
    this.showCaption()
  }

  toggleSubtitles() {
    if (this.tracks.length === 0) return
    this.chooseSubtitles(this.hasCaption ? '' : this.lastChoice)
    this.controls.tell(this.hasCaption ? 'Subtitles on' : 'Subtitles off')
  }

  showCaption() {
    const caption = find('caption')
    const cues = this.hasCaption ? [...(this.shown?.activeCues ?? [])] : []
    caption.replaceChildren(...cues.map(cue => {
      const line = document.createElement('bdi')
      // Its tags are those of WebVTT alone: the browser's parser makes no script and no attributes of them.
      line.append(cue.getCueAsHTML())
      return line
    }))
    caption.lang = this.shown?.language ?? ''
    caption.hidden = cues.length === 0
  }

  // MARK: What is kept

  setUpSaving() {
    this.group.addEventListener('timeupdate', () => { if (!this.group.paused) this.marks.played() })
    this.group.addEventListener('ended', () => { if (this.marks.isDue) this.marks.setWatched(true) })
    this.group.addEventListener('change', () => {
      if (this.wasPlaying && this.group.paused) this.marks.save()
      this.wasPlaying = !this.group.paused
    })
    addEventListener('pagehide', () => this.marks.saveAtEnd())
    // A phone ends hidden pages without a pagehide.
    document.addEventListener('visibilitychange', () => { if (document.hidden) this.marks.saveAtEnd() })
  }

  /** The form works without script, but then loads the page again, and the video stops. */
  setUpWatched() {
    const form = find('watched')
    const button = form.querySelector('button')
    this.marks.onWatched = isWatched => {
      button.value = isWatched ? '0' : '1'
      button.textContent = isWatched ? 'Mark as not watched' : 'Mark as watched'
      form.classList.toggle('is-watched', isWatched)
    }
    form.addEventListener('submit', async event => {
      event.preventDefault()
      if (!await this.marks.setWatched(button.value === '1')) this.controls.tell('Could not be saved')
    })
  }

  setUpOffsets() {
    for (const input of document.querySelectorAll('[data-offset-of]')) {
      input.addEventListener('change', () => {
        const seconds = Number(input.value)
        if (!Number.isFinite(seconds) || Math.abs(seconds) > 600) return
        this.group.setOffset(input.dataset.offsetOf, seconds)
        this.marks.setOffset(input.dataset.offsetOf, seconds)
      })
    }
    const name = find('lead-name')
    if (name) name.textContent = this.lead.getAttribute('aria-label') ?? this.lead.dataset.role
  }

  // MARK: The next video

  setUpNext() {
    const box = find('by-itself')
    box.checked = stored.get('coursefetch.next') !== 'no'
    box.closest('label').hidden = !this.data.next
    box.addEventListener('change', () => {
      stored.set('coursefetch.next', box.checked ? 'yes' : 'no')
      if (!box.checked) this.stay()
    })
    find('next-title').textContent = this.data.nextTitle ?? ''
    find('play-next').addEventListener('click', () => this.goTo(this.data.next, true))
    find('stay').addEventListener('click', () => this.stay())
    this.group.addEventListener('ended', () => { if (box.checked && this.data.next) this.countDown() })
    this.group.addEventListener('seeking', () => this.stay())
    this.group.addEventListener('change', () => { if (!this.group.paused) this.stay() })
    // A person who was led here by the last video's end wants this one to play.
    if (this.takeIntent()) this.group.play()
  }

  countDown() {
    this.stay()
    let left = secondsUntilNext
    find('seconds-left').textContent = left
    find('countdown').hidden = false
    this.counting = setInterval(() => {
      left -= 1
      find('seconds-left').textContent = left
      if (left <= 0) this.goTo(this.data.next, true)
    }, 1000)
  }

  stay() {
    clearInterval(this.counting)
    find('countdown').hidden = true
  }

  goTo(address, plays = !this.group.paused) {
    if (!address) return
    this.stay()
    // Of this tab alone, and gone with the next page: another visit doesn't begin by itself.
    try { if (plays) sessionStorage.setItem('coursefetch.play', address) } catch { /* then a person presses play */ }
    location.href = address
  }

  takeIntent() {
    try {
      const address = sessionStorage.getItem('coursefetch.play')
      sessionStorage.removeItem('coursefetch.play')
      return address !== null && new URL(address, location.href).pathname === location.pathname
    } catch { return false }
  }

  // MARK: What can't be played

  setUpErrors() {
    const isUnknown = media => media.dataset.type && media.canPlayType(media.dataset.type) === ''
    this.lead.addEventListener('error', () => { if (!this.group.lead.isReleased) this.showBroken() })
    if (this.lead.error || isUnknown(this.lead)) this.showBroken()
    this.group.addEventListener('lost', ({ detail }) => {
      detail.media.closest('figure').classList.add('lost')
    })
    find('again').addEventListener('click', () => {
      const time = this.group.time
      find('broken').hidden = true
      this.lead.src = this.lead.dataset.src
      this.group.seek(time)
      this.group.play()
    })
  }

  showBroken() {
    this.group.pause()
    find('broken').hidden = false
  }

  // MARK: Sound only, hidden pages

  setUpSoundOnly() {
    const button = find('sound-only')
    button?.addEventListener('click', () => {
      this.isSoundOnly = !this.isSoundOnly
      button.setAttribute('aria-pressed', String(this.isSoundOnly))
      find('stage').classList.toggle('sound', this.isSoundOnly)
      this.showCover()
      if (this.isSoundOnly) this.group.releaseFollowers()
      else this.group.takeBackFollowers()
    })
    this.showCover()
  }

  showCover() {
    const stage = find('stage')
    stage.querySelector('.cover').hidden = !stage.classList.contains('sound')
  }

  /** A browser opens six connections to a host, and each stream holds one: a hidden page gives up what nobody sees. */
  setUpVisibility() {
    document.addEventListener('visibilitychange', () => {
      clearTimeout(this.followersTimer)
      clearInterval(this.allTimer)
      if (!document.hidden) return this.shownAgain()
      this.followersTimer = setTimeout(() => this.group.releaseFollowers(), secondsUntilFollowersGo * 1000)
      let pausedFor = 0
      this.allTimer = setInterval(() => {
        pausedFor = this.group.paused ? pausedFor + 5 : 0
        if (pausedFor < secondsUntilAllGo) return
        clearInterval(this.allTimer)
        this.group.releaseAll()
      }, 5000)
    })
  }

  shownAgain() {
    this.group.lead.takeBack()
    if (this.isSoundOnly) return
    this.group.takeBackFollowers()
  }

  // MARK: Keys of the keyboard, a headset, a lock screen

  setUpKeys() {
    const { controls } = this
    find('show-keys').addEventListener('click', () => this.showKeys())
    listenToKeys({
      toggle: () => controls.toggle(),
      skip: seconds => controls.skip(seconds),
      louder: step => controls.louder(step),
      full: () => controls.full(),
      mute: () => controls.mute(),
      subtitles: () => this.toggleSubtitles(),
      speed: direction => controls.changeSpeed(direction),
      next: () => this.goTo(this.data.next),
      previous: () => this.goTo(this.data.previous),
      tenth: number => controls.tenth(number),
      keys: () => this.showKeys(),
    })
  }

  showKeys() {
    if (document.fullscreenElement) document.exitFullscreen()
    find('keys').showModal()
  }

  setUpSession() {
    const session = navigator.mediaSession
    if (!session) return
    session.metadata = new MediaMetadata({
      title: this.data.title, artist: this.data.course,
      artwork: [{ src: this.data.picture, sizes: '320x180', type: 'image/jpeg' }],
    })
    const handlers = {
      play: () => this.group.play(),
      pause: () => this.group.pause(),
      seekbackward: ({ seekOffset }) => this.controls.skip(-(seekOffset ?? 10)),
      seekforward: ({ seekOffset }) => this.controls.skip(seekOffset ?? 10),
      seekto: ({ seekTime }) => this.group.seek(seekTime),
      previoustrack: this.data.previous && (() => this.goTo(this.data.previous)),
      nexttrack: this.data.next && (() => this.goTo(this.data.next)),
    }
    for (const [name, handler] of Object.entries(handlers)) {
      // An older browser throws on a name that it doesn't know.
      try { session.setActionHandler(name, handler || null) } catch { /* that button is missing there */ }
    }
    this.group.addEventListener('timeupdate', () => {
      if (!Number.isFinite(this.group.duration)) return
      session.setPositionState?.({
        duration: this.group.duration, playbackRate: this.controls.speed,
        position: Math.min(this.group.time, this.group.duration),
      })
    })
    this.group.addEventListener('change', () => { session.playbackState = this.group.paused ? 'paused' : 'playing' })
  }
}

const root = find('player')
if (root) root.player = new Player(root)
