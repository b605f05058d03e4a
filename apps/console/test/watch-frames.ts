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

/** Returns every name that was shown at any time. */
export function namesIn(frames: readonly Frame[]): readonly string[] {
  return [...new Set(frames.flatMap(({ names }) => names))]
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
    const frame = { type, users, names, sent: sentBefore }
    const key = JSON.stringify(frame)
    if (key !== last) frames.push(frame)
    last = key
  }
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
