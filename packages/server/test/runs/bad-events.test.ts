import { type AgentEvent, currentFrame, toolFactory } from '@throughline/agents'
import { type Chunk, isEndChunk, type Message, textOf } from '@throughline/protocol'
import { asEvent, badEvent } from '@throughline/testing/agent/bad-events'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { asking, calling, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { ask, loadAnswer, loadChat } from '@throughline/testing/http/chat-requests'
import { messagesBy, readLog, replay } from '@throughline/testing/http/read-log'
import { valuesOf } from '@throughline/testing/http/sse-bytes'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { startTestServer } from '@throughline/testing/server/test-server'
import { tool } from 'ai'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const bad = asEvent({ type: 'text-delta', text: 42 })
const told =
  'The agent sent something that cannot be shown: a text-delta event needs a valid "text". What was said before it is kept.'

describe('a bad event', () => {
  test('of the master ends the answer as failed, says why, and keeps the text before it', async () => {
    const agents = [scriptedAgent('assistant', [say('Said before.'), bad, say('Never.'), finish])]
    await using server = await startTestServer({ agents })
    const values = valuesOf(Buffer.from(await (await ask(server.url)).arrayBuffer()))
    expect(values.at(-1)).toEqual({ type: 'error', errorText: told })
    expect(JSON.stringify(values)).toContain('Said before.')
    const answer = await loadAnswer(server.url)
    expect(answer.metadata).toMatchObject({ status: 'failed', statusText: told })
    expect(textOf(answer)).toBe('Said before.')
  })

  test('of a sub-agent ends its message as failed, and the run goes on', async () => {
    const { helper, master } = await delegated(1, [say('Said before.'), bad, say('Never.'), finish])
    expect(helper?.metadata).toMatchObject({ status: 'failed', statusText: told })
    expect(helper && textOf(helper)).toBe('Said before.')
    expect(master).toMatchObject({
      metadata: { status: 'finished' },
      parts: expect.arrayContaining([
        expect.objectContaining({ output: expect.objectContaining({ code: 'FAILED', message: told }) }),
      ]),
    })
  })

  test('at any place and depth leaves every message with exactly one end, and the text before it', async () => {
    const word = fc.stringMatching(/^[a-z]{1,12}$/)
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(1 as const, 2 as const),
        fc.array(word),
        badEvent,
        fc.array(word),
        async (depth, before, garbage, after) => {
          const events = [...before.map(say), garbage, ...after.map(say), finish]
          const { entries, messages, helper } = await delegated(depth, events)
          const starts = entries.filter(({ chunk }) => chunk.type === 'start')
          const ends = entries.filter(({ chunk }) => isEndChunk(chunk))
          expect(ends.map(({ messageId }) => messageId).toSorted()).toEqual(
            starts.map(({ messageId }) => messageId).toSorted(),
          )
          expect(messages.map(({ metadata }) => metadata?.status)).not.toContain('streaming')
          expect(helper?.metadata?.status).toBe('failed')
          expect(helper && textOf(helper)).toBe(before.join(''))
        },
      ),
      { numRuns: 12 },
    )
  })
})

describe('a chunk that cannot be read again', () => {
  test.each<[string, Chunk]>([
    ['continues a part that is not open', { type: 'text-delta', id: 'nowhere', delta: 'x' }],
    ['is not JSON', { type: 'data-number', data: 1n }],
    ['is of no known type', JSON.parse('{"type":"banana"}')],
  ])('because it %s fails the run, by name, and what came before is kept', async (_, chunk) => {
    const emit = toolFactory(
      'emit',
      tool({
        description: 'Writes a chunk of its own.',
        inputSchema: z.object({}),
        async execute() {
          const { run, messageId } = currentFrame()
          await run.emit(messageId, { type: 'data-number', id: 'before', data: 1 })
          await run.emit(messageId, chunk)
          return 'written'
        },
      }),
    )
    const model = scriptedModel({
      master: [[saying('Said before.'), calling('emit', {})], [saying('Never.')]],
    })
    await using server = await startDelegation({ model, tools: [emit] })
    const values = valuesOf(Buffer.from(await (await ask(server.url)).arrayBuffer()))
    expect(values.at(-1)).toMatchObject({
      type: 'error',
      errorText: expect.stringContaining('The agent sent something that cannot be shown: '),
    })
    const answer = await loadAnswer(server.url)
    expect(answer.metadata?.status).toBe('failed')
    expect(answer.parts).toContainEqual({ type: 'data-number', id: 'before', data: 1 })
    expect(textOf(answer)).toBe('Said before.')
    expect((await loadChat(server.url)).messages).toEqual(replay(await readLog(server.url)))
  })
})

/** What becomes of a run at some depth of which a helper yields these events. */
async function delegated(depth: 1 | 2, events: readonly AgentEvent[]) {
  const model = scriptedModel({
    master: [[asking(depth === 1 ? 'helper' : 'lead')], [saying('I go on.')]],
    lead: [[asking('helper')], [saying('Led.')]],
  })
  const helper = Object.assign(subAgent('helper'), { buildAgent: () => scriptedAgent('helper', events) })
  await using server = await startDelegation({
    model,
    subAgents: [subAgent('lead', { allowedSubAgents: ['helper'] }), helper],
  })
  await (await ask(server.url)).text()
  const entries = await readLog(server.url)
  const { messages } = await loadChat(server.url)
  const by = (name: string): Message | undefined => messagesBy(messages, name)[0]
  return { entries, messages: messages.filter(isAnswer), helper: by('helper'), master: by('master') }
}

function isAnswer({ role }: Message): boolean {
  return role === 'assistant'
}
