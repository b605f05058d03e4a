import type { Entry } from '@throughline/protocol/entry'
import { isChatId, isRunId } from '@throughline/protocol/ids'
import type { Message } from '@throughline/protocol/message'
import type { Run } from '@throughline/store/runs'
import { replay } from '@throughline/testing/http/read-log'
import { sseEventsIn, valuesOf } from '@throughline/testing/http/sse-bytes'
import { messageIdOf } from '@throughline/testing/log/entries-of'
import { idOf } from '@throughline/testing/log/id-of'
import { runEntries } from '@throughline/testing/log/run-entries'
import { ownerIdOf } from '@throughline/testing/server/test-server'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { completionForm } from '../../src/stream/openai/completion-form.ts'
import { responseForm } from '../../src/stream/openai/response-form.ts'
import type { RunForm } from '../../src/stream/run-form.ts'

const run: Run = {
  id: idOf(isRunId, 'run'),
  ownerId: ownerIdOf('owner'),
  chatId: idOf(isChatId, 'chat'),
  agent: 'master',
  userMessageId: messageIdOf('question'),
  answerId: messageIdOf('answer'),
  afterSeq: 0,
  startedAt: '2026-01-02T03:04:05Z',
  status: 'running',
  kind: 'answer',
}
const request = { background: true, previousResponseId: null, metadata: {} }

test('a response of any run goes on after any of its events as if it had not been cut', () => {
  check(entries => {
    const events = sseEventsIn(bytesOf(responseForm(run, { request }), entries))
    for (const [index, { data = '' }] of events.entries()) {
      const { sequence_number: startingAfter } = z
        .object({ sequence_number: z.number() })
        .parse(JSON.parse(data))
      expect(startingAfter).toBe(index)
      const rest = Buffer.concat(events.slice(index + 1).map(({ bytes }) => bytes))
      expect(bytesOf(responseForm(run, { request, startingAfter }), entries).toString()).toBe(rest.toString())
    }
  })
})

test('pages make no difference to either form', () => {
  const forms: readonly (() => RunForm)[] = [
    () => completionForm(run, { includeUsage: true }),
    () => responseForm(run, { request }),
  ]
  check(entries => {
    for (const form of forms) {
      const byOne = form()
      const pieces = entries.flatMap(entry => piecesOf(byOne, [entry]))
      expect(Buffer.concat([...pieces, ...byOne.end]).toString()).toBe(bytesOf(form(), entries).toString())
    }
  })
})

const responseEvent = z.object({
  type: z.string(),
  delta: z.string().optional(),
  response: z
    .object({
      output: z.array(
        z.object({
          type: z.enum(['message', 'reasoning']),
          status: z.string(),
          content: z.array(z.object({ text: z.string() })).optional(),
          summary: z.array(z.object({ text: z.string() })).optional(),
        }),
      ),
    })
    .optional(),
})

test('a response of any run says what was saved, in order, and its deltas say the same', () => {
  check(entries => {
    const [answer] = replay(entries)
    const events = valuesOf(bytesOf(responseForm(run, { request }), entries)).map(value =>
      responseEvent.parse(value),
    )
    const output = events.at(-1)?.response?.output ?? []
    expect(
      output.map(({ type, content = [], summary = [] }) => `${type}: ${(content[0] ?? summary[0])?.text}`),
    ).toEqual(spokenIn(answer))
    expect(output.every(({ status }) => status === 'completed')).toBe(true)
    const deltas = events.map(({ type, delta = '' }) => (type === 'response.output_text.delta' ? delta : ''))
    expect(deltas.join('')).toBe(textsIn(answer).join(''))
    expect(events.filter(({ type }) => /\.(completed|failed|incomplete)$/.test(type))).toHaveLength(1)
  })
})

const completionEvent = z.object({
  error: z.unknown().optional(),
  choices: z.array(z.object({ delta: z.object({ content: z.string().optional() }) })).default([]),
})

test('a chat completion of any run has the texts that were saved', () => {
  check(entries => {
    const [answer] = replay(entries)
    const events = valuesOf(bytesOf(completionForm(run, { includeUsage: false }), entries)).map(value =>
      completionEvent.parse(value),
    )
    const content = events.flatMap(({ choices }) => choices.map(({ delta }) => delta.content ?? '')).join('')
    expect(content).toBe(
      textsIn(answer)
        .filter(text => text !== '')
        .join('\n\n'),
    )
  })
})

function check(isSo: (entries: readonly Entry[]) => void): void {
  fc.assert(fc.property(runEntries, isSo), { numRuns: 100 })
}

function bytesOf(form: RunForm, entries: readonly Entry[]): Buffer {
  return Buffer.concat([...piecesOf(form, entries), ...form.end])
}

function piecesOf(form: RunForm, entries: readonly Entry[]): readonly Uint8Array[] {
  const pieces = form.encode(entries)
  if (Symbol.asyncIterator in pieces) throw new TypeError('This form does not wait for anything.')
  return pieces
}

function spokenIn(answer: Message | undefined): readonly string[] {
  return (answer?.parts ?? []).flatMap(part => {
    if (part.type === 'text') return [`message: ${part.text}`]
    return part.type === 'reasoning' ? [`reasoning: ${part.text}`] : []
  })
}

function textsIn(answer: Message | undefined): readonly string[] {
  return (answer?.parts ?? []).flatMap(part => (part.type === 'text' ? [part.text] : []))
}
