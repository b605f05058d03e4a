import {
  type Chunk,
  type Entry,
  isRecord,
  isToolPart,
  type Message,
  type Part,
  parsePosition,
} from '@throughline/protocol'
import { fromWire, readAsFold } from '@throughline/testing/http/read-chunks'
import { replay } from '@throughline/testing/http/read-log'
import { valuesOf } from '@throughline/testing/http/sse-bytes'
import { checkAnyRun, anyRun as run } from '@throughline/testing/stream/any-run'
import { expectSameAfterEachEvent, formBytes } from '@throughline/testing/stream/form-bytes'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { parseEventId } from '../../src/stream/bytes/sse-events.ts'
import { chunkProjection } from '../../src/stream/chunks/chunk-projection.ts'
import { inlineMessage } from '../../src/stream/inline/inline-projection.ts'
import type { OlderSdk } from '../../src/stream/sdk/sdk-fields.ts'
import { SdkProjection, sdkForm, sdkMessage } from '../../src/stream/sdk/sdk-projection.ts'
import { olderSdkChunk } from './older-sdk-schemas.ts'

const sdks: readonly OlderSdk[] = [5, 6]
const subAgentForms = ['separate', 'hidden', 'inline'] as const
type SubAgents = (typeof subAgentForms)[number]

describe.each(sdks)('for AI SDK %i any run', sdk => {
  test.each(subAgentForms)('has chunks that its strict schemas take (%s)', async subAgents => {
    await checkAnyRun(entries => {
      for (const chunk of chunksIn(bytesOf(entries, { sdk, subAgents }))) {
        const { error } = olderSdkChunk[sdk].safeParse(chunk)
        expect(error, JSON.stringify(chunk)).toBeUndefined()
      }
    })
  })

  test.each(['hidden', 'inline'] as const)('is told in history as it is read (%s)', async subAgents => {
    await checkAnyRun(async entries => {
      const message = subAgents === 'inline' ? await inlineMessage(run, [entries]) : replay(entries)[0]
      if (message === undefined) throw new Error('There is no answer.')
      const read = readAsFold(chunksIn(bytesOf(entries, { sdk, subAgents })))
      expect(shownIn(sdkMessage(sdk, message))).toEqual(shownIn(sdkMessage(sdk, read)))
    })
  })

  test.each(subAgentForms)(
    'goes on after any of its events as if it had not been cut (%s)',
    async subAgents => {
      await checkAnyRun(entries => {
        const whole = bytesOf(entries, { sdk, subAgents })
        expectSameAfterEachEvent(whole, ({ id }) => {
          return id === undefined ? undefined : bytesOf(entries, { sdk, subAgents, ...parseEventId(id) })
        })
      })
    },
  )
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

interface Asked {
  readonly sdk: OlderSdk
  readonly subAgents: SubAgents
  readonly position?: string
  readonly events?: number
}

function bytesOf(entries: readonly Entry[], { sdk, subAgents, position = 'e.0', events = 0 }: Asked): Buffer {
  const after = parsePosition(position)
  if (after === undefined) throw new Error(`${position} is no position.`)
  return formBytes(sdkForm(run, { sdk, subAgents, seen: { after, events } }), entries)
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
