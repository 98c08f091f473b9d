// The player's keys, those of YouTube and Paella.

/** What a key asks for: a name of an action and its argument, or nothing. */
export function action(key) {
  if (/^[0-9]$/.test(key)) return ['tenth', Number(key)]
  switch (key) {
  case ' ': case 'k': case 'K': return ['toggle']
  case 'j': case 'J': return ['skip', -10]
  case 'l': case 'L': return ['skip', 10]
  case 'ArrowLeft': return ['skip', -5]
  case 'ArrowRight': return ['skip', 5]
  case 'ArrowUp': return ['louder', 0.05]
  case 'ArrowDown': return ['louder', -0.05]
  case 'f': case 'F': return ['full']
  case 'm': case 'M': return ['mute']
  case 'c': case 'C': return ['subtitles']
  case '<': return ['speed', -1]
  case '>': return ['speed', 1]
  case 'n': case 'N': return ['next']
  case 'p': case 'P': return ['previous']
  case '?': return ['keys']
  }
}

const repeating = new Set(['skip', 'louder', 'speed'])

/** Whether the focused element needs the key itself: somebody types there, or the key presses it. */
export function needsKey(element, key) {
  if (!element || element === document.body) return false
  if (element.isContentEditable || element.closest('dialog')) return true
  // A slider takes no letters, but arrows move it; the position's move by 5 s, as everywhere.
  if (element.matches('input[type=range]')) return element.id !== 'seek' && /^(Arrow|Page|Home|End)/.test(key)
  if (element.matches('input, textarea, select')) return true
  return (key === ' ' || key === 'Enter') && element.matches('button, a, summary')
}

/** Calls the function of `actions` that a key names. */
export function listenToKeys(actions) {
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.defaultPrevented) return
    if (needsKey(document.activeElement, event.key)) return
    const [name, argument] = action(event.key) ?? []
    if (!name || (event.repeat && !repeating.has(name))) return
    // Also keeps the page from scrolling.
    event.preventDefault()
    actions[name](argument)
  })
}
