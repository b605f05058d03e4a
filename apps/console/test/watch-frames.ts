import type { Page } from 'playwright-core'

/** What a person could see at one moment. */
export interface Frame {
  /** `painted` was on the screen; `changed` was a state on the way there. */
  readonly type: 'painted' | 'changed'
  /** The user's messages, each as its id and its text. */
  readonly users: readonly { readonly id: string; readonly text: string }[]
  /** Who is said to write, for each answer and each bubble that waits for one; empty where there is no name. */
  readonly names: readonly string[]
  /** The person had pressed Enter this many times before the frame began. */
  readonly sent: number
}

declare global {
  interface Window {
    recordedFrames: Frame[]
  }
}

/** Records everything the page shows from now on: each frame that is painted, and each change of the document. */
export async function recordFrames(page: Page): Promise<void> {
  await page.evaluate(startRecording)
}

/** The same from the very beginning of every document this page will load. */
export async function recordFramesFromLoad(page: Page): Promise<void> {
  await page.addInitScript(startRecording)
}

/** What was recorded in the document that is there now; runs of equal frames are one. */
export function framesOf(page: Page): Promise<readonly Frame[]> {
  return page.evaluate(() => window.recordedFrames)
}

/** The user's messages that were not there exactly once in every frame after their first. */
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

/** The painted frames in which a message that had been sent was not to be seen. */
export function late(frames: readonly Frame[]): readonly Frame[] {
  return frames.filter(({ type, users, sent }) => type === 'painted' && users.length < sent)
}

/** Every name that was ever shown. */
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
  // The message comes after the paint that follows this callback and all others of the same frame.
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
