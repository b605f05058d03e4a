import type { Page } from 'playwright-core'

/** What the page showed at one moment. */
export interface Frame {
  /** `painted`: it was on the screen. `changed`: a state of the document between two paints. */
  readonly type: 'painted' | 'changed'
  /** The user's messages, with id and text. */
  readonly users: readonly { readonly id: string; readonly text: string }[]
  /** The name above each answer, and above each placeholder for an answer; empty where there is no name. */
  readonly names: readonly string[]
  /** How often the person had pressed Enter before this animation frame. */
  readonly sent: number
  /** The cards of tools and sub-agents in order. Only for what was painted. */
  readonly cards: readonly ShownCard[]
  /** The cards and the texts of all answers in order: the id of a card, the first word of a text. */
  readonly order: readonly string[]
  /** How many lines say that an agent works. */
  readonly tails: number
}

/** The card of a tool or of a sub-agent at one moment. */
export interface ShownCard {
  readonly id: string
  /** The name of the sub-agent; empty for a tool, and before the name is known. */
  readonly name: string
  /** The height of its first line, in pixels. */
  readonly headHeight: number
}

declare global {
  interface Window {
    recordedFrames: Frame[]
  }
}

/** Records what the page shows from now on: at each paint, and after each change of the document. */
export async function recordFrames(page: Page): Promise<void> {
  await page.evaluate(startRecording)
}

/** Records from the very beginning of every document that this page loads. */
export async function recordFramesFromLoad(page: Page): Promise<void> {
  await page.addInitScript(startRecording)
}

/** Returns what was recorded in the present document. Equal records in a row are one. */
export function framesOf(page: Page): Promise<readonly Frame[]> {
  return page.evaluate(() => window.recordedFrames)
}

/** Returns the cards whose first line changed its name or its height. A name may come late, but never changes. */
export function unsteadyCards(frames: readonly Frame[]): readonly string[] {
  const faults = new Set<string>()
  const first = new Map<string, ShownCard>()
  for (const card of frames.flatMap(({ cards }) => cards)) {
    const known = first.get(card.id) ?? card
    if (known.name !== '' && known.name !== card.name) faults.add(`${known.name} became ${card.name}`)
    if (known.headHeight !== card.headHeight)
      faults.add(`${card.id}: ${known.headHeight} px became ${card.headHeight} px`)
    first.set(card.id, { ...known, name: known.name || card.name })
  }
  return [...faults]
}

/** Returns the orders of cards and texts that were on the page, and are not the order of the log. */
export function outOfOrder(frames: readonly Frame[], log: readonly string[]): readonly (readonly string[])[] {
  return frames
    .map(({ order }) => order)
    .filter(order => {
      const places = order.map(each => log.indexOf(each))
      return places.some((place, index) => place === -1 || place < (places[index - 1] ?? 0))
    })
}

/** Returns the user's messages that were not there exactly once in every record after their first. */
export function vanished(frames: readonly Frame[]): readonly string[] {
  const faults = new Set<string>()
  const seen = new Set<string>()
  for (const { users } of frames) {
    for (const { text } of users) seen.add(text)
    for (const text of seen) {
      const times = users.filter(user => user.text === text).length
      if (times !== 1) faults.add(`"${text}" is there ${times} times`)
    }
  }
  return [...faults]
}

/** Returns the paints in which a message was missing although it had been sent. */
export function late(frames: readonly Frame[]): readonly Frame[] {
  return frames.filter(({ type, users, sent }) => type === 'painted' && users.length < sent)
}

/**
 * Returns every name that was shown at any time, without the `general` one: until the page has the list of agents, which may be
 * late on a busy machine, the bubble has that.
 */
export function namesIn(frames: readonly Frame[], general = 'Agent'): readonly string[] {
  return [...new Set(frames.flatMap(({ names }) => names))].filter(name => name !== general)
}

// Runs in the page.
function startRecording(): void {
  const frames: Frame[] = []
  window.recordedFrames = frames
  let sent = 0
  let last = ''
  const record = (type: Frame['type'], sentBefore: number) => {
    const users = [...document.querySelectorAll('article[data-role=user]')].map(each => ({
      id: each.getAttribute('data-message') ?? '',
      text: each.querySelector('[data-text]')?.textContent ?? '',
    }))
    const answers = document.querySelectorAll('article[data-role=assistant], article[data-role=thinking]')
    const names = [...answers].map(each => each.querySelector('[data-sender]')?.textContent ?? '')
    const isPainted = type === 'painted'
    const frame = {
      type,
      users,
      names,
      sent: sentBefore,
      cards: isPainted ? [...document.querySelectorAll('[data-card]')].map(cardOf) : [],
      order: [...document.querySelectorAll('article [data-card], article .prose')].map(labelOf),
      tails: document.querySelectorAll('[data-tail], article[data-role=thinking]').length,
    }
    const key = JSON.stringify(frame)
    if (key !== last) frames.push(frame)
    last = key
  }
  const cardOf = (card: Element): ShownCard => ({
    id: card.getAttribute('data-card') ?? '',
    name: card.querySelector('[data-agent-name]')?.textContent ?? '',
    headHeight: card.querySelector('button')?.getBoundingClientRect().height ?? 0,
  })
  const labelOf = (part: Element) =>
    part.getAttribute('data-card') ?? (part.textContent ?? '').trim().split(/\s/)[0] ?? ''
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter') sent += 1
  }
  addEventListener('keydown', onKey, true)
  new MutationObserver(() => record('changed', sent)).observe(document, {
    subtree: true,
    childList: true,
    characterData: true,
    attributes: true,
  })
  // The message is delivered after the paint that follows all callbacks of this animation frame.
  const painted = new MessageChannel()
  let sentBefore = 0
  painted.port1.onmessage = () => {
    record('painted', sentBefore)
    look()
  }
  const look = () =>
    requestAnimationFrame(() => {
      sentBefore = sent
      painted.port2.postMessage(undefined)
    })
  look()
}
