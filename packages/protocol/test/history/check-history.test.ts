import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChatHistory } from '../../src/history/chat-history.ts'
import { checkHistory } from '../../src/history/check-history.ts'
import {
  bytesOf,
  earlierEpoch,
  entriesOf,
  epoch,
  historyOf,
  type Plan,
  plans,
  savedFrom,
} from './made-history.ts'

const numRuns = Number(process.env['HISTORY_RUNS'] ?? 30)

const logOf = (plan: Plan) => entriesOf(plan).map((entry, index) => bytesOf(entry, index + 1))

/** Fails unless what this makes of any history has no violation. */
function assertSound(change: (history: ChatHistory, log: readonly string[]) => ChatHistory): void {
  fc.assert(
    fc.property(plans, plan => {
      const log = logOf(plan)
      expect(checkHistory(change(historyOf(plan, log), log))).toEqual([])
    }),
    { numRuns },
  )
}

test('a history in which nothing is wrong has no violation', () => {
  assertSound(history => history)
})

test('what nobody has written down is no violation', () => {
  assertSound(({ chatId, saved }) => ({ chatId, ...(saved && { saved }) }))
  assertSound(({ saved: _saved, posts: _posts, ...history }) => history)
})

test('a stop that takes long to save may win or lose', () => {
  assertSound(({ stops = [], ...history }) => ({
    ...history,
    stops: stops.map(stop => ({ ...stop, result: 'stopping' })),
  }))
})

test('a message may be loaded a moment before it is in the log', () => {
  assertSound((history, log) => {
    const seq = log.findIndex((entry, index) => index > 0 && entry.includes('"type":"data-message"'))
    const { messages } = savedFrom(log.slice(0, seq + 1))
    const [sent] = history.submissions?.slice(1) ?? []
    const askedAt = 150 + (sent?.sentAt ?? 0)
    return { ...history, loads: [{ position: `${epoch}.${seq}`, messages, askedAt }] }
  })
})

test('a viewer may be cut at any byte', () => {
  const [plan] = fc.sample(plans, { numRuns: 1, seed: 1 })
  if (plan === undefined) throw new TypeError('There is no plan.')
  const log = logOf(plan)
  const body = `retry: 1000\n\n: heartbeat\n\n${log.slice(0, 4).join('')}`
  const sightings = Array.from(body, (_, length) => ({ after: `${epoch}.0`, bytes: body.slice(0, length) }))
  const viewers = sightings.map(sighting => ({ sightings: [sighting], hasStayed: false }))
  expect(checkHistory({ ...historyOf(plan, log), viewers })).toEqual([])
})

test('a database that may lose something may lose what was shown, if its viewers are reset', () => {
  assertSound((history, log) => {
    const bytes = log
      .join('')
      .replaceAll('"Question', '"Lost question')
      .replaceAll(`id: ${epoch}`, `id: ${earlierEpoch}`)
    const reset = `event: reset\ndata: {"position":"${epoch}.0"}\n\n`
    const sightings = [
      { after: `${earlierEpoch}.0`, bytes },
      { after: `${earlierEpoch}.${log.length}`, bytes: reset },
      { after: `${epoch}.0`, bytes: log.join('') },
    ]
    return { ...history, viewers: [{ sightings, hasStayed: true }], mayLose: true }
  })
})

test('a database that may lose something may forget what was posted', () => {
  assertSound(({ posts = [], ...history }) => {
    const again = posts.map(({ key, text }) => ({ key: `again-${key}`, text }))
    return { ...history, posts: [...posts, ...again], mayLose: true }
  })
})
