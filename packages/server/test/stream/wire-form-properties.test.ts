import {
  type Chunk,
  type Entry,
  isToolPart,
  type Message,
  parsePosition,
  toolInput,
  toolNameOf,
} from '@throughline/protocol'
import { fromWire, readAsStock } from '@throughline/testing/http/read-chunks'
import { replay } from '@throughline/testing/http/read-log'
import { sseEventsIn } from '@throughline/testing/http/sse-bytes'
import { checkAnyRun, anyRun as run } from '@throughline/testing/stream/any-run'
import { expectSameAfterEachEvent, formBytes, formBytesOfPages } from '@throughline/testing/stream/form-bytes'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { agUiForm } from '../../src/stream/ag-ui/ag-ui-form.ts'
import { parseEventId } from '../../src/stream/bytes/sse-events.ts'
import { type ChunkFormOptions, chunkForm } from '../../src/stream/chunks/chunk-stream.ts'
import { dataStreamForm } from '../../src/stream/data-stream/data-stream-form.ts'
import { inlineForm, inlineMessage } from '../../src/stream/inline/inline-projection.ts'
import type { RunForm } from '../../src/stream/run-form.ts'
import { readAsAgUi } from '../ag-ui/read-as-ag-ui.ts'
import { readAsAiSdk4 } from '../data-stream/read-as-ai-sdk-4.ts'
import { readAsAssistantUi } from '../data-stream/read-as-assistant-ui.ts'

const start: ChunkFormOptions = { seen: { after: { epoch: 'e', seq: 0 }, events: 0 } }

const request = { threadId: 'chat', runId: 'ag-ui-run', answerId: 'answer', subAgents: 'separate' } as const

// The readers tell of what they drop or mend on the console only.
const complaints: unknown[] = []
beforeEach(() => {
  for (const level of ['warn', 'error'] as const) {
    vi.spyOn(console, level).mockImplementation((...words) => void complaints.push(words))
  }
})
afterEach(() => {
  vi.restoreAllMocks()
})

test('data stream lines of any run are read as it was saved, in order, by both readers', async () => {
  await check(async entries => {
    const bytes = formBytes(dataStreamForm(run), entries)
    const [answer] = replay(entries)
    const read = readAsAiSdk4(bytes.toString())
    const parts = read.parts
      .filter(part => /^(text|reasoning|tool)/.test(part))
      .map(part => part.replace(/^tool: \S+ /, 'tool: '))
    for (const type of ['text', 'reasoning'])
      expect(joinedOf(parts, type)).toBe(joinedOf(storyOf(answer), type))
    if (!speaksDuringInput(entries)) expect(parts).toEqual(storyOf(answer))
    const assistantUi = await readAsAssistantUi(bytes, 'data-stream')
    const told = assistantUi.parts.map(part => ('text' in part ? `${part.type}: ${part.text}` : part.type))
    expect(joinedOf(told, 'text')).toBe(joinedOf(storyOf(answer), 'text'))
    expect(joinedOf(told, 'reasoning')).toBe(joinedOf(storyOf(answer), 'reasoning'))
    const calls = answer?.parts.filter(isToolPart).map(({ toolCallId }) => toolCallId)
    expect([...read.results.keys()].toSorted()).toEqual(calls?.toSorted())
  })
})

test('a run without sub-agents is the same chunks in every form of them', async () => {
  await check(async entries => {
    const alone = entries.filter(({ messageId }) => messageId === run.answerId)
    const whole = formBytes(chunkForm(run, { ...start, subAgents: 'separate' }), alone).toString()
    expect(formBytes(chunkForm(run, { ...start, subAgents: 'hidden' }), alone).toString()).toBe(whole)
    expect(formBytes(inlineForm(run, start), alone).toString()).toBe(whole)
    expect(formBytes(chunkForm(run, { ...start, subAgents: 'hidden' }), entries).toString()).toBe(whole)
  })
})

test('with the sub-agents inline any run is read in the order in which it was written, and nothing stays open', async () => {
  await check(async entries => {
    const bytes = formBytes(inlineForm(run, start), entries)
    const chunks = chunksIn(bytes)
    const { message, errors } = await readAsStock(chunks)
    expect(errors).toHaveLength(chunks.filter(({ type }) => type === 'error').length)
    const told = message?.parts.flatMap(part =>
      part.type === 'text' || part.type === 'reasoning'
        ? [{ who: `${part.type} by ${authorIn(part.providerMetadata)}`, text: part.text }]
        : [],
    )
    expect(inTurns(told ?? [])).toEqual(inTurns(entries.flatMap(spokenIn)))
    expect(message?.parts.filter(part => 'state' in part && part.state === 'streaming')).toEqual([])
    const assistantUi = await readAsAssistantUi(bytes, 'chunks')
    const texts = assistantUi.parts.flatMap(part => (part.type === 'text' ? [part.text] : []))
    expect(texts.join('')).toBe(told?.map(({ who, text }) => (who.startsWith('text') ? text : '')).join(''))
  })
})

test('with the sub-agents inline no id stands for two parts, and all tools are as they were saved', async () => {
  await check(async entries => {
    const chunks = chunksIn(formBytes(inlineForm(run, start), entries))
    const begun = chunks.flatMap(chunk =>
      chunk.type === 'text-start' || chunk.type === 'reasoning-start' ? [chunk.id] : [],
    )
    expect(begun).toEqual([...new Set(begun)])
    const { message } = await readAsStock(chunks)
    const states = (parts: Message['parts']) =>
      parts
        .filter(isToolPart)
        .map(part => `${part.toolCallId} ${toolNameOf(part)} ${part.state} ${JSON.stringify(part.output)}`)
        .toSorted()
    // The stock reader's parts are ours: the same JSON.
    const read: Message = JSON.parse(JSON.stringify(message))
    expect(states(read.parts)).toEqual(states(replay(entries).flatMap(({ parts }) => parts)))
  })
})

test('with the sub-agents inline any run is told in history as a stock client reads it, at any moment', async () => {
  await check(async entries => {
    for (const count of [1, Math.floor(entries.length / 2), entries.length]) {
      const some = entries.slice(0, count)
      const { message } = await readAsStock(chunksIn(formBytes(inlineForm(run, start), some)))
      const told = await inlineMessage(run, [some])
      expect(fromWire(told && withParsedInputs(told))).toEqual(fromWire(message))
    }
  })
})

test.each<[string, (seen: ChunkFormOptions['seen']) => RunForm]>([
  ['inline chunks', seen => inlineForm(run, { seen })],
  ['AG-UI events', seen => agUiForm(run, request, seen)],
  ['AG-UI events with sub-agents inline', seen => agUiForm(run, { ...request, subAgents: 'inline' }, seen)],
  ['AG-UI events with sub-agents hidden', seen => agUiForm(run, { ...request, subAgents: 'hidden' }, seen)],
  ['AG-UI events after a snapshot', seen => agUiForm(run, { ...request, snapshot: [] }, seen)],
  ['AG-UI events after an interrupt', seen => agUiForm(run, { ...request, resumesAfter: 3 }, seen)],
])('%s of any run go on after any event as if they had not been cut', async (_, form) => {
  await check(async entries => {
    const whole = formBytes(form(start.seen), entries)
    const ids = sseEventsIn(whole).flatMap(({ id }) => id ?? [])
    expect(new Set(ids).size).toBe(ids.length)
    expectSameAfterEachEvent(whole, ({ id }) => {
      if (id === undefined) return undefined
      const { position, events } = parseEventId(id)
      const after = parsePosition(position)
      if (after === undefined) throw new Error(`${position} is no position.`)
      return formBytes(form({ after, events }), entries)
    })
  })
})

test('pages make no difference to any form', async () => {
  const forms: readonly (() => RunForm)[] = [
    () => dataStreamForm(run),
    () => inlineForm(run, start),
    () => agUiForm(run, request, start.seen),
  ]
  await check(async entries => {
    for (const form of forms) {
      const pages = entries.map(entry => [entry])
      expect(formBytesOfPages(form(), pages).toString()).toBe(formBytes(form(), entries).toString())
    }
  })
})

test.each(['inline', 'hidden'] as const)(
  'AG-UI events of any run with sub-agents %s pass the checks of AG-UI, and name no sub-agent',
  async subAgents => {
    await check(async entries => {
      const form = agUiForm(run, { ...request, subAgents }, start.seen)
      const { messages, events } = await readAsAgUi(formBytes(form, entries))
      expect(JSON.stringify(events)).not.toMatch(/SUBAGENT_|subagentRunId/)
      const shown = replay(entries).slice(0, subAgents === 'hidden' ? 1 : undefined)
      const said = shown.flatMap(({ parts }) => parts.map(part => (part.type === 'text' ? part.text : '')))
      const read = messages.map(({ role, content }) => (role === 'assistant' ? (content ?? '') : ''))
      expect(read.join('').length).toBe(said.join('').length)
    })
  },
)

test('AG-UI events of any run pass the checks of AG-UI, and say what was saved', async () => {
  await check(async entries => {
    const { messages, events } = await readAsAgUi(formBytes(agUiForm(run, request, start.seen), entries))
    const saved = replay(entries)
    for (const { id, parts } of saved) {
      const own = messages.filter(message => message.id.startsWith(`${id}:`))
      for (const [role, type] of [
        ['assistant', 'text'],
        ['reasoning', 'reasoning'],
      ]) {
        const read = own.map(message => (message.role === role ? (message.content ?? '') : '')).join('')
        expect(read).toBe(parts.map(part => (part.type === type && 'text' in part ? part.text : '')).join(''))
      }
      const results = own.flatMap(message => (message.role === 'tool' ? [message.toolCallId] : []))
      const calls = parts.filter(isToolPart).map(({ toolCallId }) => `${id}:${toolCallId}`)
      expect(results.toSorted()).toEqual(calls.toSorted())
    }
    expect(events.filter(({ type }) => type === 'SUBAGENT_STARTED')).toHaveLength(saved.length - 1)
  })
})

/** The stock reader parses an arriving input with every delta, we do when somebody looks. */
function withParsedInputs(message: Message): Message {
  const parts = message.parts.map(part =>
    isToolPart(part) && part.state === 'input-streaming' ? { ...part, input: toolInput(part) } : part,
  )
  return { ...message, parts }
}

/** Checks something of any run, and that no reader complained. */
async function check(isSo: (entries: readonly Entry[]) => Promise<void>): Promise<void> {
  await checkAnyRun(async entries => {
    complaints.length = 0
    await isSo(entries)
    expect(complaints).toEqual([])
  })
}

function chunksIn(bytes: Buffer): readonly Chunk[] {
  return sseEventsIn(bytes).flatMap(({ data }) =>
    data === undefined || data === '[DONE]' ? [] : [JSON.parse(data)],
  )
}

/** What a reader of lines can see of a saved message: parts in order, without those that are empty. */
function storyOf(message: Message | undefined): readonly string[] {
  return (message?.parts ?? []).flatMap(part => {
    if (isToolPart(part)) return [`tool: ${part.toolCallId}`]
    const isSpoken = (part.type === 'text' || part.type === 'reasoning') && part.text !== ''
    return isSpoken ? [`${part.type}: ${part.text}`] : []
  })
}

/** Whether the answer goes on while the input of a call is on its way: then lines cannot tell the order. */
function speaksDuringInput(entries: readonly Entry[]): boolean {
  const inputs = new Set<string>()
  return entries.some(({ messageId, chunk }) => {
    if (messageId !== run.answerId) return false
    if (chunk.type === 'tool-input-start') inputs.add(chunk.toolCallId)
    else if ('toolCallId' in chunk && chunk.type !== 'tool-input-delta') inputs.delete(chunk.toolCallId)
    return inputs.size > 0 && (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta')
  })
}

function joinedOf(story: readonly string[], type: string): string {
  return story.map(part => (part.startsWith(`${type}: `) ? part.slice(type.length + 2) : '')).join('')
}

interface Words {
  readonly who: string
  readonly text: string
}

function spokenIn({ messageId, chunk }: Entry): readonly Words[] {
  if (chunk.type !== 'text-delta' && chunk.type !== 'reasoning-delta') return []
  return [{ who: `${chunk.type.replace('-delta', '')} by ${messageId}`, text: chunk.delta }]
}

/** Who said what, one after the other: what one says without a break is one piece, however it was cut. */
function inTurns(words: readonly Words[]): readonly Words[] {
  const turns: Words[] = []
  for (const { who, text } of words) {
    if (text === '') continue
    const last = turns.at(-1)
    if (last?.who === who) turns.splice(-1, 1, { who, text: last.text + text })
    else turns.push({ who, text })
  }
  return turns
}

function authorIn(
  metadata: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined,
): unknown {
  return metadata?.['throughline']?.['messageId'] ?? 'answer'
}
