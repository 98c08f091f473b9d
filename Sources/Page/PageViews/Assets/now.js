// The running sync, live. A browser opens six connections to a host for all of its tabs, and an event stream holds one:
// so one visible tab leads, and tells the others. A hidden tab lets go, so with all tabs hidden no connection is left.

import { NowView } from './now-view.js'

const pollMilliseconds = 5000
// A stream that was refused (a proxy's answer, a login that ended) is asked for again after this.
const retryMilliseconds = 30000
const name = 'coursefetch-now'

// The page's own address says nothing of the root, this script's does: it lies in assets/.
const root = new URL('../', import.meta.url)
const eventsAddress = new URL('events', root)
const stateAddress = new URL('now.json', root)

const view = new NowView(document.querySelector('[data-now-root]'), document.getElementById('now-indicator'))

/** Asks for the state while the page is visible. The body is sent only if it changed. */
class Polling {
  constructor(receive) { this.receive = receive }

  start() {
    if (this.timer) return
    this.timer = setInterval(() => this.ask(), pollMilliseconds)
    this.ask()
  }

  stop() { this.timer = clearInterval(this.timer) }

  async ask() {
    try {
      const headers = this.tag ? { 'If-None-Match': this.tag } : {}
      const answer = await fetch(stateAddress, { headers, cache: 'no-store' })
      if (answer.status !== 200) return
      this.tag = answer.headers.get('ETag')
      this.receive(await answer.json())
    } catch { /* the server is away: the next turn asks again */ }
  }
}

/** The event stream of the leading tab; while it is refused, that tab polls. */
class Leading {
  constructor(receive) {
    this.receive = receive
    this.polling = new Polling(receive)
  }

  start() {
    this.source = new EventSource(eventsAddress)
    this.source.addEventListener('now', event => {
      this.polling.stop()
      this.receive(JSON.parse(event.data))
    })
    this.source.addEventListener('error', () => {
      // The browser tries again by itself after a broken connection, but not after a refusal.
      if (this.source.readyState !== EventSource.CLOSED) return
      this.polling.start()
      this.retry = setTimeout(() => this.start(), retryMilliseconds)
    })
  }

  stop() {
    clearTimeout(this.retry)
    this.polling.stop()
    this.source?.close()
  }
}

/** One of several tabs: the one that holds the lock leads, the others listen. */
class Tab {
  constructor() {
    this.channel = new BroadcastChannel(name)
    this.leading = new Leading(state => this.tell(state))
    this.channel.addEventListener('message', ({ data }) => {
      if (data.asks) { if (this.isLeading && this.last) this.tell(this.last) }
      else if (data.state) this.receive(data.state)
    })
  }

  /** A hidden tab neither leads nor waits to lead. */
  show() {
    if (this.stop) return
    const end = new AbortController()
    this.stop = end
    this.channel.postMessage({ asks: true })
    navigator.locks.request(name, { signal: end.signal }, () => this.lead(end.signal)).catch(() => {})
  }

  hide() {
    this.stop?.abort()
    this.stop = null
  }

  /** Leads until the signal comes; the lock lasts as long as the promise. */
  lead(signal) {
    if (signal.aborted) return
    this.isLeading = true
    this.leading.start()
    return new Promise(resolve => signal.addEventListener('abort', () => {
      this.isLeading = false
      this.leading.stop()
      resolve()
    }))
  }

  tell(state) {
    this.receive(state)
    this.channel.postMessage({ state })
  }

  receive(state) {
    this.last = state
    view.show(state)
  }
}

// Locks exist only on HTTPS and loopback: a server in a local network without a certificate is polled.
const canShare = 'locks' in navigator && 'BroadcastChannel' in window && 'EventSource' in window
const tab = canShare ? new Tab() : null
const polling = new Polling(state => view.show(state))

function visibilityChanged() {
  if (document.hidden) { tab?.hide(); polling.stop() }
  else if (tab) tab.show()
  else polling.start()
}

document.addEventListener('visibilitychange', visibilityChanged)
// A page in the cache of "back" must hold no lock.
addEventListener('pagehide', () => { tab?.hide(); polling.stop() })
addEventListener('pageshow', visibilityChanged)
visibilityChanged()
