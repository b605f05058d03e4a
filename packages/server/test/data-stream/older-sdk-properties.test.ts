import { type Chunk, isRecord } from '@throughline/protocol/chunk'
import type { Entry } from '@throughline/protocol/entry'
import { isChatId, isRunId } from '@throughline/protocol/ids'
import { isToolPart, type Message, type Part } from '@throughline/protocol/message'
import { parsePosition } from '@throughline/protocol/position'
import type { Run } from '@throughline/store/runs'
import { fromWire, readAsFold } from '@throughline/testing/http/read-chunks'
import { replay } from '@throughline/testing/http/read-log'
import { sseEventsIn, valuesOf } from '@throughline/testing/http/sse-bytes'
import { messageIdOf } from '@throughline/testing/log/entries-of'
import { idOf } from '@throughline/testing/log/id-of'
import { runEntries } from '@throughline/testing/log/run-entries'
import { ownerIdOf } from '@throughline/testing/server/test-server'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { chunkProjection } from '../../src/stream/chunks/chunk-projection.ts'
import { inlineMessage } from '../../src/stream/inline/inline-message.ts'
import type { OlderSdk } from '../../src/stream/sdk/sdk-fields.ts'
import { sdkForm } from '../../src/stream/sdk/sdk-form.ts'
import { sdkMessage } from '../../src/stream/sdk/sdk-message.ts'
import { SdkProjection } from '../../src/stream/sdk/sdk-projection.ts'
import { parseEventId } from '../../src/stream/sse-events.ts'
import { olderSdkChunk } from './older-sdk-schemas.ts'

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
const sdks: readonly OlderSdk[] = [5, 6]
const subAgentForms = ['envelope', 'hidden', 'inline'] as const
type SubAgents = (typeof subAgentForms)[number]

describe.each(sdks)('for AI SDK %i any run', sdk => {
  test.each(subAgentForms)('has chunks that its strict schemas take (%s)', subAgents => {
    check(entries => {
      for (const chunk of chunksIn(bytesOf(entries, { sdk, subAgents }))) {
        const { error } = olderSdkChunk[sdk].safeParse(chunk)
        expect(error, JSON.stringify(chunk)).toBeUndefined()
      }
    })
  })

  test.each(['hidden', 'inline'] as const)('is told in history as it is read (%s)', async subAgents => {
    await fc.assert(
      fc.asyncProperty(runEntries, async entries => {
        const message = subAgents === 'inline' ? await inlineMessage(run, [entries]) : replay(entries)[0]
        if (message === undefined) throw new Error('There is no answer.')
        const read = readAsFold(chunksIn(bytesOf(entries, { sdk, subAgents })))
        expect(shownIn(sdkMessage(sdk, message))).toEqual(shownIn(sdkMessage(sdk, read)))
      }),
    )
  })

  test.each(subAgentForms)('goes on after any of its events as if it had not been cut (%s)', subAgents => {
    check(entries => {
      const events = sseEventsIn(bytesOf(entries, { sdk, subAgents }))
      for (const [index, { id }] of events.entries()) {
        if (id === undefined) continue
        const { position, events: count } = parseEventId(id)
        const rest = Buffer.concat(events.slice(index + 1).map(({ bytes }) => bytes))
        const resumed = bytesOf(entries, { sdk, subAgents, position, events: count })
        expect(resumed.toString()).toBe(rest.toString())
      }
    })
  })
})

test('a call that cannot be read is two chunks for AI SDK 5, which has no word for it', () => {
  const started: Chunk = { type: 'tool-input-start', toolCallId: 'c', toolName: 'mcp', dynamic: true }
  const projection = new SdkProjection(5, chunkProjection(run, 'hidden'))
  projection.translate(started)
  const chunks = projection.translate({
    type: 'tool-input-error',
    toolCallId: 'c',
    toolName: 'mcp',
    input: '{"x',
    errorText: 'No JSON.',
  })
  expect(chunks).toEqual([
    { type: 'tool-input-available', toolCallId: 'c', toolName: 'mcp', dynamic: true, input: '{"x' },
    { type: 'tool-output-error', toolCallId: 'c', errorText: 'No JSON.', dynamic: true },
  ])
})

function check(isSo: (entries: readonly Entry[]) => void): void {
  fc.assert(fc.property(runEntries, isSo), { numRuns: 60 })
}

interface Asked {
  readonly sdk: OlderSdk
  readonly subAgents: SubAgents
  readonly position?: string
  readonly events?: number
}

function bytesOf(entries: readonly Entry[], { sdk, subAgents, position = 'e.0', events = 0 }: Asked): Buffer {
  const after = parsePosition(position)
  if (after === undefined) throw new Error(`${position} is no position.`)
  const form = sdkForm(run, { sdk, subAgents, seen: { after, events } })
  const pieces = form.encode(entries)
  if (Symbol.asyncIterator in pieces) throw new TypeError('This form does not wait for anything.')
  return Buffer.concat([...pieces, ...form.end])
}

function chunksIn(bytes: Buffer): readonly Chunk[] {
  return z.array(z.custom<Chunk>(isRecord)).parse(valuesOf(bytes))
}

/** What a person sees of a message. An approval that was answered elsewhere is not on the older streams. */
function shownIn({ parts }: Message): unknown {
  return fromWire(parts).map(part => {
    if (!isToolPart(part)) return withoutMetadata(part)
    const { type, toolCallId, toolName, state, output, errorText } = part
    return { type, toolCallId, toolName, state, output, errorText }
  })
}

function withoutMetadata(part: Part): unknown {
  return 'providerMetadata' in part ? { ...part, providerMetadata: undefined } : part
}
