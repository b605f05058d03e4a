import type { Entry } from '@throughline/protocol'
import { runEntries } from '@throughline/testing/log/run-entries'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ReplyPart } from '../../src/reading/reply-part.ts'
import { type ReplyTextOptions, replyText } from '../../src/reading/reply-text.ts'
import { type Act, runLog } from '../delivery/run-log.ts'

async function partsOf(
  pages: readonly (readonly Entry[])[],
  options: ReplyTextOptions = {},
): Promise<readonly ReplyPart[]> {
  const parts: ReplyPart[] = []
  async function* source() {
    yield* pages
  }
  for await (const part of replyText(source(), options)) parts.push(part)
  return parts
}

const text = (...pieces: readonly string[]): Act => ({ type: 'text', pieces })
const tool: Act = { type: 'tool', toolCallId: 'call-1' }
const file: Act = { type: 'file', url: 'https://example.com/a.png' }

test('the texts of a page come as one piece, and each page ends with a pause', async () => {
  const log = runLog([text('Clear ', 'sky', '.')])
  const parts = await partsOf([log.slice(0, 4), log.slice(4, 6), log.slice(6)])
  expect(parts).toMatchObject([
    { type: 'start', runId: 'run', userMessageId: 'in_m1' },
    { type: 'text', text: 'Clear ' },
    { type: 'pause' },
    { type: 'text', text: 'sky.' },
    { type: 'pause' },
    { type: 'end', status: 'finished', seq: log.length },
  ])
})

test('R57: a mark comes after the text before it, and has all of that text', async () => {
  const parts = await partsOf([runLog([text('One.'), tool, text('Two.'), file])])
  expect(parts).toMatchObject([
    { type: 'start', said: '' },
    { type: 'text', text: 'One.' },
    { type: 'tool', said: 'One.' },
    { type: 'text', text: '\n\nTwo.' },
    { type: 'file', said: 'One.\n\nTwo.' },
    { type: 'end', said: 'One.\n\nTwo.' },
  ])
})

test('R80: a file that comes again is left out', async () => {
  const parts = await partsOf([runLog([file, text('One.'), file, { ...file, url: 'other' }])])
  expect(parts.filter(({ type }) => type === 'file')).toMatchObject([
    { said: '' },
    { url: 'other', said: 'One.' },
  ])
})

test('a log that ends before its answer gives no end', async () => {
  const parts = await partsOf([runLog([text('One.')]).slice(0, -1)])
  expect(parts.at(-1)).toEqual({ type: 'pause' })
})

test('what comes after the end of the answer is not read', async () => {
  const log = runLog([text('One.')])
  const parts = await partsOf([log, runLog([text('Another answer.')])])
  expect(parts.at(-1)).toMatchObject({ type: 'end', said: 'One.' })
})

test('text and marks do not depend on the pages in which the log is read', async () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(runEntries, cuts, fc.boolean(), async (entries, lengths, isWithSubAgents) => {
      const pages: (readonly Entry[])[] = []
      for (let start = 0; start < entries.length; ) {
        const length = lengths[pages.length % lengths.length] ?? 1
        pages.push(entries.slice(start, start + length))
        start += length
      }
      const inPages = await partsOf(pages, { isWithSubAgents })
      const atOnce = await partsOf([entries], { isWithSubAgents })
      expect(inPages.filter(isMark)).toEqual(atOnce.filter(isMark))
      expect(textOf(inPages)).toBe(textOf(atOnce))
    }),
    { numRuns: 1_000 },
  )
})

/** A mark has the whole text before it. */
function isMark({ type }: ReplyPart): boolean {
  return type !== 'text' && type !== 'pause'
}

function textOf(parts: readonly ReplyPart[]): string {
  return parts.map(part => (part.type === 'text' ? part.text : '')).join('')
}
