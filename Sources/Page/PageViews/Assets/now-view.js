// Writes a state of now.json into a page: see Templates/now.mustache for the attributes.

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

/** The unit that a size is shown in, as a power of 1024. */
function unit(bytes) {
  let power = 0
  while (bytes >= 999.5 && power < units.length - 1) { bytes /= 1024; power += 1 }
  return power
}

/** Three digits: "7.81", "12.3", "200". */
function digits(bytes, power) {
  const value = bytes / 1024 ** power
  if (power === 0 || value >= 99.95) return String(Math.round(value))
  return value.toFixed(value >= 9.995 ? 1 : 2)
}

/** "1.20 GiB", as the server writes it. */
export function size(bytes) { return `${digits(bytes, unit(bytes))} ${units[unit(bytes)]}` }

/** "20.3 of 200 MiB" */
export function part(bytes, whole) { return `${digits(bytes, unit(whole))} of ${size(whole)}` }

/** "12 min", "3 h 20 min", "2 days". */
export function span(seconds) {
  if (seconds < 60) return `${Math.round(seconds)} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
  return `${Math.round(minutes / 1440)} days`
}

const activities = {
  syncing: 'Syncing', watching: 'Watching', stopping: 'Stopping', waiting_for_login: 'Waiting for a login',
}

function activity(state) {
  const name = state.running?.activity
  return activities[name] ?? name ?? 'No sync is running'
}

function since(moment) {
  const date = new Date(moment ?? NaN)
  if (isNaN(date)) return null
  const isToday = date.toDateString() === new Date().toDateString()
  const time = date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hour12: false })
  return isToday ? `since ${time}` : `since ${date.toLocaleDateString()} ${time}`
}

/** The fields as a person reads them; a field that is null is "–". */
export function fields(state) {
  const shown = {
    activity: activity(state), since: since(state.running?.since), host: state.running?.host,
    videos: state.videos, finished: state.finished, failed: state.failed, waiting: state.waiting, paused: state.paused,
    bytes: isNumber(state.bytes) ? size(state.bytes) : null,
    left: isNumber(state.left) ? (state.left_is_whole ? '' : 'at least ') + size(state.left) : null,
    rate: isNumber(state.rate) ? `${size(state.rate)}/s` : null, eta: isNumber(state.eta) ? span(state.eta) : null,
    message: state.message,
  }
  for (const name in shown) shown[name] = String(shown[name] ?? '–')
  return shown
}

export function itemFields(item) {
  const shown = { ...item }
  if (isNumber(item.bytes)) {
    shown.bytes = isNumber(item.size) ? part(item.bytes, item.size) : size(item.bytes)
    shown.done = item.size > 0 ? `${Math.floor(100 * item.bytes / item.size)} %` : ''
    shown.rate = isNumber(item.rate) ? `${size(item.rate)}/s` : '–'
  }
  if (item.id) shown.key = shown.video = item.id
  return shown
}

function isNumber(value) { return typeof value === 'number' && Number.isFinite(value) }

/** Writes only what differs, so that selections and screen readers aren't disturbed. */
function write(element, text) { if (element.textContent !== text) element.textContent = text }

function writeProgress(element, value, max) {
  if (!(max > 0)) { element.removeAttribute('value'); return }
  element.max = max
  element.value = Math.min(value, max)
}

/** One page's view of the states that arrive. */
export class NowView {
  constructor(root, indicator) {
    this.root = root
    this.indicator = indicator
  }

  show(state) {
    this.showIndicator(state)
    if (this.root) this.showPage(state)
    this.say(state)
    this.last = state
  }

  showIndicator(state) {
    const { indicator } = this
    if (!indicator) return
    indicator.hidden = !state.running
    if (!state.running) return
    // It stands beside "Now" in the navigation, where there is room for little.
    const counts = `${state.finished}/${state.videos}`
    write(indicator, state.running.activity === 'syncing' ? counts : activity(state))
    indicator.title = `${activity(state)}: ${state.finished} of ${state.videos} videos finished`
    indicator.dataset.activity = state.running.activity
  }

  showPage(state) {
    const shown = fields(state)
    const lists = { active: state.active ?? [], hosts: state.hosts ?? [] }
    const conditions = {
      running: Boolean(state.running), idle: !state.running, message: Boolean(state.message),
      active: lists.active.length > 0, hosts: lists.hosts.length > 0,
    }
    for (const element of this.root.querySelectorAll('[data-now-if]')) {
      element.hidden = !conditions[element.dataset.nowIf]
    }
    for (const element of this.root.querySelectorAll('[data-now]')) {
      if (element.dataset.now === 'progress') writeProgress(element, state.finished, state.videos)
      else if (element.dataset.now in shown) write(element, shown[element.dataset.now])
    }
    for (const list of this.root.querySelectorAll('[data-now-list]')) {
      this.showList(list, lists[list.dataset.nowList] ?? [])
    }
  }

  /** An item that stays keeps its element, and with it a focused button. */
  showList(list, items) {
    const template = this.root.querySelector(`template[data-now-item="${list.dataset.nowList}"]`)
    if (!template) return
    const old = new Map([...list.children].map(child => [child.dataset.key, child]))
    const wanted = items.map(item => {
      const shown = itemFields(item)
      const key = shown.key ?? shown.name ?? ''
      const element = old.get(key) ?? template.content.firstElementChild.cloneNode(true)
      element.dataset.key = key
      this.fill(element, item, shown)
      return element
    })
    const kept = new Set(wanted)
    for (const child of [...list.children]) if (!kept.has(child)) child.remove()
    wanted.forEach((element, index) => {
      // Moving an element takes its focus away.
      if (list.children[index] !== element) list.insertBefore(element, list.children[index] ?? null)
    })
  }

  fill(element, item, shown) {
    for (const field of element.querySelectorAll('[data-item]')) {
      const name = field.dataset.item
      if (name === 'progress') writeProgress(field, item.bytes, item.size)
      else if (name === 'href') setAddress(field, item.href)
      else if (field.localName === 'input') field.value = shown[name] ?? ''
      else write(field, String(shown[name] ?? ''))
    }
  }

  /** Tells a screen reader what matters, not each second's numbers. */
  say(state) {
    const place = this.root?.querySelector('[data-now-said]')
    if (!place || !this.last) return
    const said = []
    if (activity(state) !== activity(this.last)) said.push(`${activity(state)}.`)
    const failed = state.failed - this.last.failed
    if (failed > 0) said.push(failed === 1 ? 'A video failed.' : `${failed} videos failed.`)
    if (said.length > 0) place.textContent = said.join(' ')
  }
}

/** The server's addresses are from the page's root; another page's state must not bring `javascript:` along. */
function setAddress(link, href) {
  const address = new URL(href, new URL('../', import.meta.url))
  if (address.origin === location.origin) link.href = address.href
}
