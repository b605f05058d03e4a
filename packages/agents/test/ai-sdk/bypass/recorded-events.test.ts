import { readdir } from 'node:fs/promises'
import { streamTextEvents } from '@throughline/testing/agent/stream-text-events'
import { type ModelName, models, tools } from '@throughline/testing/provider/converse'
import { type RecordedResponse, startRecordedProvider } from '@throughline/testing/provider/recorded-provider'
import type { LanguageModel } from 'ai'
import { expect, test } from 'vitest'
import type { AgentRequest } from '../../../src/agent/agent.ts'
import type { AgentEvent } from '../../../src/agent/agent-event.ts'
import { modelAgent } from '../../../src/ai-sdk/model-agent.ts'

// The recorded models are unknown to the SDK, which warns of each of them.
globalThis.AI_SDK_LOG_WARNINGS = false

interface Provider {
  readonly style: 'openai' | 'anthropic' | 'google'
  readonly models: readonly ModelName[]
}

/** By the first word of the recording's name. */
const providers: Readonly<Record<string, Provider>> = {
  'openai-chat': { style: 'openai', models: ['openai chat', 'openai-compatible'] },
  'openai-responses': { style: 'openai', models: ['openai responses'] },
  anthropic: { style: 'anthropic', models: ['anthropic'] },
  google: { style: 'google', models: ['google'] },
}

const folder = new URL('../../../../testing/src/provider/recordings/', import.meta.url)
const files = (await readdir(folder)).toSorted()

/** All recordings of one conversation: one per step. */
const conversations = [...Map.groupBy(files, file => file.split('.').slice(0, 2).join('.'))].flatMap(
  ([name, steps]) => {
    const provider = providers[name.split('.')[0] ?? '']
    if (provider === undefined) throw new Error(`Say above which provider has sent ${name}.`)
    const { style } = provider
    const recordings = steps.map(
      step => ({ type: 'recording', name: step.replace('.jsonl', ''), style }) as const,
    )
    return provider.models.map(model => ({ name, model, recordings }))
  },
)

test.each(conversations)(
  '$model: the events of $name are those of streamText, and so is what the model is told',
  async ({ model, recordings }) => {
    const script: RecordedResponse[] = [...recordings]
    expect(await played(model, script, ours)).toEqual(await played(model, script, streamTextAlone))
  },
)

test.each(conversations)(
  '$model: the events of $name are those of streamText when its bytes come in pieces',
  async ({ model, recordings }) => {
    const script = recordings.map(recording => ({ ...recording, chunkBytes: 7 }))
    expect(await played(model, script, ours)).toEqual(await played(model, script, streamTextAlone))
  },
)

type Run = (model: LanguageModel, request: AgentRequest) => AsyncIterable<AgentEvent>

const ours: Run = (model, request) => modelAgent({ name: 'test', model, tools }).run(request)
const streamTextAlone: Run = (model, request) => streamTextEvents({ model, tools }, request)

async function played(name: ModelName, script: readonly RecordedResponse[], run: Run) {
  await using provider = await startRecordedProvider(script)
  const request: AgentRequest = {
    messages: [{ id: 'question', role: 'user', parts: [{ type: 'text', text: 'How is the weather?' }] }],
    signal: new AbortController().signal,
  }
  const events = await Array.fromAsync(run(models[name](provider.url), request))
  return withoutChance({ events, requests: provider.requests })
}

/** Returns the value as JSON. Google's calls have no ids, so the SDK makes them up: they are numbered instead. */
function withoutChance(value: {
  readonly events: readonly AgentEvent[]
  readonly requests: unknown
}): unknown {
  const ids = new Set(value.events.flatMap(event => ('toolCallId' in event ? [event.toolCallId] : [])))
  const json = [...ids].reduce(
    (text, id, index) => text.replaceAll(id, `call-${index}`),
    JSON.stringify(value),
  )
  return JSON.parse(json)
}
