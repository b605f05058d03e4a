import type { Message } from '@throughline/protocol'
import { replay } from '@throughline/testing/http/read-log'
import { valuesOf } from '@throughline/testing/http/sse-bytes'
import { checkAnyRun, anyRun as run } from '@throughline/testing/stream/any-run'
import { expectSameAfterEachEvent, formBytes, formBytesOfPages } from '@throughline/testing/stream/form-bytes'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { completionForm } from '../../src/stream/openai/completion-projection.ts'
import type { ResponseRequest } from '../../src/stream/openai/response.ts'
import { responseForm } from '../../src/stream/openai/response-projection.ts'
import type { RunForm } from '../../src/stream/run-form.ts'

const request: ResponseRequest = {
  background: true,
  store: true,
  previousResponseId: null,
  metadata: {},
  tools: [],
  toolChoice: 'auto',
}

test('a response of any run goes on after any of its events as if it had not been cut', async () => {
  await checkAnyRun(entries => {
    const whole = formBytes(responseForm(run, { request }), entries)
    expectSameAfterEachEvent(whole, ({ data = '' }, index) => {
      const { sequence_number: startingAfter } = z
        .object({ sequence_number: z.number() })
        .parse(JSON.parse(data))
      expect(startingAfter).toBe(index)
      return formBytes(responseForm(run, { request, startingAfter }), entries)
    })
  })
})

test('pages make no difference to either form', async () => {
  const forms: readonly (() => RunForm)[] = [
    () => completionForm(run, { includeUsage: true }),
    () => responseForm(run, { request }),
  ]
  await checkAnyRun(entries => {
    for (const form of forms) {
      const pages = entries.map(entry => [entry])
      expect(formBytesOfPages(form(), pages).toString()).toBe(formBytes(form(), entries).toString())
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

test('a response of any run says what was saved, in order, and its deltas say the same', async () => {
  await checkAnyRun(entries => {
    const [answer] = replay(entries)
    const events = valuesOf(formBytes(responseForm(run, { request }), entries)).map(value =>
      responseEvent.parse(value),
    )
    const output = events.at(-1)?.response?.output ?? []
    expect(
      output.map(({ type, content = [], summary = [] }) => `${type}: ${(content[0] ?? summary[0])?.text}`),
    ).toEqual(spokenIn(answer))
    // What the end of an answer cut off is incomplete.
    const last = events.at(-1)?.type === 'response.completed' ? ['completed'] : ['completed', 'incomplete']
    expect(last).toContain(output.at(-1)?.status ?? 'completed')
    expect(output.filter(({ status }) => status === 'in_progress')).toEqual([])
    const deltas = events.map(({ type, delta = '' }) => (type === 'response.output_text.delta' ? delta : ''))
    expect(deltas.join('')).toBe(textsIn(answer).join(''))
    expect(events.filter(({ type }) => /\.(completed|failed|incomplete)$/.test(type))).toHaveLength(1)
  })
})

const completionEvent = z.object({
  error: z.unknown().optional(),
  choices: z.array(z.object({ delta: z.object({ content: z.string().optional() }) })).default([]),
})

test('a chat completion of any run has the texts that were saved', async () => {
  await checkAnyRun(entries => {
    const [answer] = replay(entries)
    const events = valuesOf(formBytes(completionForm(run, { includeUsage: false }), entries)).map(value =>
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

function spokenIn(answer: Message | undefined): readonly string[] {
  return (answer?.parts ?? []).flatMap(part => {
    if (part.type === 'text') return [`message: ${part.text}`]
    return part.type === 'reasoning' ? [`reasoning: ${part.text}`] : []
  })
}

function textsIn(answer: Message | undefined): readonly string[] {
  return (answer?.parts ?? []).flatMap(part => (part.type === 'text' ? [part.text] : []))
}
