// The bar below the picture. The browser's own controls know of one stream, and show nothing of ours in full screen.

import { clock } from './player-transcript.js'
import { stored } from './player-marks.js'

export const speeds = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 2.75, 3]

/** The speed before or after one, which may lie between two of them. */
export function nextSpeed(speed, direction) {
  const others = direction > 0 ? speeds.filter(other => other > speed + 0.01)
    : speeds.filter(other => other < speed - 0.01).reverse()
  return others[0] ?? speed
}

export class Controls {
  /** `find` gives the element of an id; `marks` keeps the speed. */
  constructor(find, group, marks) {
    Object.assign(this, { find, group, marks, stage: find('stage') })
    this.lead = group.media
    for (const { media } of group.streams) media.controls = false
    find('bar').hidden = find('below').hidden = false
    this.setUpSpeeds()
    this.setUpBar()
    this.setUpVolume()
    this.setUpFullScreen()
    this.setUpHiding()
    group.addEventListener('change', () => this.showState())
    for (const name of ['timeupdate', 'durationchange', 'seeking']) group.addEventListener(name, () => this.showTime())
    this.showState()
    this.showTime()
  }

  setUpBar() {
    const { find, group } = this
    find('play').addEventListener('click', () => this.toggle())
    find('back').addEventListener('click', () => this.skip(-10))
    find('forward').addEventListener('click', () => this.skip(10))
    find('mute').addEventListener('click', () => this.mute())
    find('full')?.addEventListener('click', () => this.full())
    find('seek').addEventListener('input', event => group.seek(Number(event.target.value)))
    for (const { media } of group.streams) {
      const figure = media.closest('figure')
      media.addEventListener('click', () => {
        if (this.stage.classList.contains('one-large') && !figure.classList.contains('large')) this.enlarge(figure)
        else this.toggle()
      })
      if (media.localName === 'video') media.addEventListener('dblclick', () => this.full())
    }
    find('layout')?.addEventListener('click', () => this.setLayout(!this.stage.classList.contains('one-large')))
    // On a phone three pictures push the bar off the screen.
    const usual = matchMedia('(max-width: 40rem)').matches ? 'one-large' : 'side-by-side'
    if (find('layout')) this.setLayout((stored.get('coursefetch.layout') ?? usual) === 'one-large', true)
  }

  // MARK: Playing

  toggle() {
    if (this.group.paused) this.group.play()
    else this.group.pause()
  }

  skip(seconds) {
    this.group.seek(this.group.time + seconds)
    this.tell(`${seconds > 0 ? '+' : '−'}${Math.abs(seconds)} s`)
  }

  tenth(number) {
    if (Number.isFinite(this.group.duration)) this.group.seek(this.group.duration * number / 10)
  }

  showState() {
    const { find, group } = this
    const isPlaying = !group.paused
    this.stage.classList.toggle('playing', isPlaying)
    this.stage.classList.toggle('holding', group.isHolding)
    find('play').setAttribute('aria-label', isPlaying ? 'Pause' : 'Play')
    this.showBar()
  }

  showTime() {
    const { find, group } = this
    const length = Number.isFinite(group.duration) ? group.duration : Number(find('player').dataset.length) || 0
    const time = group.time
    find('time').value = `${clock(time)} / ${clock(length)}`
    const seek = find('seek')
    seek.max = length || 1
    seek.value = time
    seek.setAttribute('aria-valuetext', `${clock(time)} of ${clock(length)}`)
    // The security policy refuses style attributes in HTML; a script may set a property.
    seek.style.setProperty('--done', `${length > 0 ? 100 * time / length : 0}%`)
  }

  // MARK: Speed

  setUpSpeeds() {
    const { find } = this
    const chosen = Number(find('player').dataset.speed) || 1
    const all = speeds.includes(chosen) ? speeds : [...speeds, chosen].sort((one, other) => one - other)
    find('speed').append(...all.map(speed => new Option(`${speed} ×`, speed)))
    find('speed').addEventListener('change', event => {
      this.setSpeed(Number(event.target.value))
      event.target.blur()
    })
    this.applySpeed(chosen)
  }

  applySpeed(speed) {
    this.speed = speed
    this.group.setRate(speed)
    this.find('speed').value = String(speed)
  }

  setSpeed(speed) {
    if (speed !== this.speed) this.marks.setSpeed(speed)
    this.applySpeed(speed)
    this.tell(`${speed} ×`)
  }

  changeSpeed(direction) { this.setSpeed(nextSpeed(this.speed, direction)) }

  // MARK: Sound

  setUpVolume() {
    const volume = this.find('volume')
    const kept = Number(stored.get('coursefetch.volume') ?? 1)
    this.lead.volume = kept >= 0 && kept <= 1 ? kept : 1
    volume.addEventListener('input', () => this.setVolume(Number(volume.value)))
    this.lead.addEventListener('volumechange', () => this.showVolume())
    this.showVolume()
  }

  setVolume(volume) {
    this.lead.volume = Math.max(0, Math.min(1, volume))
    this.lead.muted = this.lead.volume === 0
    stored.set('coursefetch.volume', this.lead.volume)
  }

  louder(step) {
    this.setVolume((this.lead.muted ? 0 : this.lead.volume) + step)
    this.tell(`Volume ${Math.round(100 * this.lead.volume)} %`)
  }

  mute() {
    this.lead.muted = !this.lead.muted
    if (!this.lead.muted && this.lead.volume === 0) this.setVolume(0.5)
    this.tell(this.lead.muted ? 'Sound off' : 'Sound on')
  }

  showVolume() {
    const { find, lead } = this
    this.stage.classList.toggle('muted', lead.muted)
    find('mute').setAttribute('aria-pressed', String(lead.muted))
    find('volume').value = lead.muted ? 0 : lead.volume
    find('volume').style.setProperty('--done', `${100 * find('volume').value}%`)
  }

  // MARK: Picture

  setLayout(isOneLarge, isFirst = false) {
    this.stage.classList.toggle('one-large', isOneLarge)
    this.find('layout').setAttribute('aria-pressed', String(isOneLarge))
    if (!isFirst) stored.set('coursefetch.layout', isOneLarge ? 'one-large' : 'side-by-side')
    if (isOneLarge && !this.stage.querySelector('.large')) {
      // What was filmed is small by choice; what was shown has to be read.
      const figures = [...this.stage.querySelectorAll('.stream')]
      this.enlarge(figures.find(figure => !figure.classList.contains('lead')) ?? figures[0])
    }
  }

  enlarge(figure) {
    for (const other of this.stage.querySelectorAll('.stream')) other.classList.toggle('large', other === figure)
  }

  setUpFullScreen() {
    document.addEventListener('fullscreenchange', () => {
      this.find('full')?.setAttribute('aria-pressed', String(document.fullscreenElement === this.stage))
    })
  }

  async full() {
    if (document.fullscreenElement) return document.exitFullscreen()
    if (this.stage.requestFullscreen) return this.stage.requestFullscreen().catch(() => {})
    // An iPhone shows nothing but a video in full screen.
    this.lead.webkitEnterFullscreen?.()
  }

  /** The bar goes away while it plays and nothing moves, in full screen the pointer, too. */
  setUpHiding() {
    for (const name of ['pointermove', 'pointerdown', 'keydown', 'focusin']) {
      this.stage.addEventListener(name, () => this.showBar(), { passive: true })
    }
    this.stage.addEventListener('pointerleave', () => this.stage.classList.toggle('quiet', !this.group.paused))
  }

  showBar() {
    clearTimeout(this.hiding)
    this.stage.classList.remove('quiet')
    if (!this.group.paused) this.hiding = setTimeout(() => this.stage.classList.add('quiet'), 3000)
  }

  /** A word on the picture about what a key did. */
  tell(words) {
    const toast = this.find('toast')
    toast.textContent = words
    toast.hidden = false
    clearTimeout(this.toastTimer)
    this.toastTimer = setTimeout(() => { toast.hidden = true }, 1200)
  }
}
