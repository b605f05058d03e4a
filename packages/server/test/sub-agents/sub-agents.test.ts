import { type Entry, isEndChunk, isToolPart, messageMetadataSchema, textOf } from '@throughline/protocol'
import { asking, calling, saying, scriptedModel, type Turns } from '@throughline/testing/agent/scripted-model'
import { ask, loadChat, submit } from '@throughline/testing/http/chat-requests'
import { fromWire } from '@throughline/testing/http/read-chunks'
import { entryWith, messagesBy, readLog, replay } from '@throughline/testing/http/read-log'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import type { TestServer } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'

// Three at once, two of them the same agent, one of them nested to depth 3, all with the same ids for their calls.
const turns: Turns = {
  master: [
    [saying('I ask. '), asking('reader', 'a'), asking('reader', 'b'), asking('lead', 'c')],
    [saying('All have answered.')],
  ],
  reader: [
    [saying('I read. '), calling('note', { text: 'read' }, 'same'), calling('note', { text: 'more' }, 'b')],
    [...'I have read all of it.'].map(saying),
  ],
  lead: [[saying('I lead. '), asking('worker', 'same')], [saying('It is led.')]],
  worker: [[asking('helper', 'same')], [saying('It is worked.')]],
  helper: [[calling('note', { text: 'helped' }, 'same')], [saying('It is helped.')]],
}
const subAgents = [
  subAgent('reader', { tools: ['note'] }),
  subAgent('lead', { tools: ['note'], allowedSubAgents: ['worker'] }),
  subAgent('worker', { tools: ['note'], allowedSubAgents: ['helper'] }),
  subAgent('helper', { tools: ['note'] }),
]

describe('a run whose agents delegate', () => {
  test('shows a child after its call, and the result of the call after the end of the child', async () => {
    await using server = await startDelegation({ model: scriptedModel(turns), subAgents })
    const entries = await answered(server)
    const children = startsOf(entries).filter(({ parent }) => parent !== undefined)
    expect(children).toHaveLength(5)
    for (const { messageId, seq, parent } of children) {
      const called = entryWith(entries, 'tool-input-available', parent)
      const result = entryWith(entries, 'tool-output-available', parent)
      const end = entries.findLast(entry => entry.messageId === messageId)
      expect(called.seq).toBeLessThan(seq)
      expect(end?.seq).toBeLessThan(result.seq)
      expect(result.chunk).toMatchObject({ output: { ok: true, messageId } })
    }
  })

  test('has one end per message, and the end of the run is last', async () => {
    await using server = await startDelegation({ model: scriptedModel(turns), subAgents })
    const entries = await answered(server)
    const answers = startsOf(entries)
    const ends = entries.filter(({ chunk }) => isEndChunk(chunk))
    expect(ends.map(({ messageId }) => messageId).toSorted()).toEqual(
      answers.map(({ messageId }) => messageId).toSorted(),
    )
    for (const { messageId } of answers) {
      const last = entries.findLast(entry => entry.messageId === messageId)
      expect(ends).toContain(last)
    }
    expect(entries.at(-1)).toBe(ends.at(-1))
    expect(entries.at(-1)?.messageId).toBe(answers[0]?.messageId)
  })

  test('keeps what each agent says in its own message', async () => {
    await using server = await startDelegation({ model: scriptedModel(turns), subAgents })
    await answered(server)
    const { messages } = await loadChat(server.url)
    const said = (name: string) => messagesBy(messages, name).map(message => textOf(message))
    const [master] = said('master')
    expect(master).toMatch(/^I ask\. \s*All have answered\.$/)
    expect(said('reader')).toEqual(
      Array(2).fill(expect.stringMatching(/^I read\. \s*I have read all of it\.$/)),
    )
    expect(said('lead')).toEqual([expect.stringMatching(/^I lead\. \s*It is led\.$/)])
    expect(said('worker')).toEqual(['It is worked.'])
    expect(said('helper')).toEqual(['It is helped.'])
  })

  test('says in the first chunk of a message who writes it, for whom, and for which call', async () => {
    await using server = await startDelegation({ model: scriptedModel(turns), subAgents })
    const entries = await answered(server)
    const { messages } = await loadChat(server.url)
    const idOf = (name: string) => messagesBy(messages, name)[0]?.id
    const started = startsOf(entries).map(({ agent, parent }) => ({ path: agent?.path, parent }))
    const callOf = (messageId: string | undefined, name: string) => {
      const parts = messages.find(({ id }) => id === messageId)?.parts.filter(isToolPart) ?? []
      return parts.find(({ input }) => JSON.stringify(input)?.includes(`"name":"${name}"`))?.toolCallId
    }
    const chain = ['master', 'lead', 'worker', 'helper']
    for (const [index, name] of chain.slice(1).entries()) {
      const messageId = idOf(chain[index] ?? '')
      expect(started).toContainEqual({
        path: chain.slice(0, index + 2),
        parent: { messageId, toolCallId: callOf(messageId, name) },
      })
    }
    const readers = started.filter(({ path }) => path?.at(-1) === 'reader')
    expect(readers.map(({ parent }) => parent?.toolCallId).toSorted()).toEqual(['a', 'b'])
    expect(messagesBy(messages, 'helper')[0]?.metadata).toMatchObject({
      agent: { kind: 'sub', name: 'helper', displayName: 'The helper', depth: 3 },
      senderName: 'The helper',
      receiverName: 'The worker',
      communicationType: 'agent-to-agent',
      agentUsed: 'helper',
    })
  })

  test('never gives two tool calls one id, whichever messages they are in', async () => {
    await using server = await startDelegation({ model: scriptedModel(turns), subAgents })
    const entries = await answered(server)
    const ids = entries.flatMap(({ chunk }) =>
      chunk.type === 'tool-input-available' ? [chunk.toolCallId] : [],
    )
    expect(ids).toHaveLength(10)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('is saved as its log says, and as it was shown', async () => {
    await using server = await startDelegation({ model: scriptedModel(turns), subAgents })
    const entries = await answered(server)
    const { messages } = await loadChat(server.url)
    expect(messages).toHaveLength(7)
    expect(fromWire(replay(entries))).toEqual(messages)
  })

  test('looks the same from the middle: a history taken then, and the log from there, are the whole chat', async () => {
    const histories: ReturnType<typeof loadChat>[] = []
    const look = async function* () {
      yield saying('I look. ')
      await histories[histories.push(loadChat(server.url)) - 1]
    }
    const model = scriptedModel({
      ...turns,
      helper: [look],
      reader: [look],
      worker: [[asking('helper')], look],
    })
    await using server = await startDelegation({ model, subAgents })
    const entries = await answered(server)
    expect(histories).toHaveLength(4)
    const whole = fromWire(replay(entries))
    for (const { messages, position } of await Promise.all(histories)) {
      const seq = Number(position.split('.')[1])
      expect(fromWire(replay(entries.slice(0, seq)))).toEqual(messages)
      expect(messages.map(({ id }) => id)).toEqual(whole.slice(0, messages.length).map(({ id }) => id))
    }
  })
})

test('a child is saved at its own end, while its master goes on', async () => {
  const isSaved = Promise.withResolvers<string>()
  const letGo = Promise.withResolvers<void>()
  const model = scriptedModel({
    master: [
      [asking('helper')],
      async function* () {
        await letGo.promise
        yield saying('Done.')
      },
    ],
    helper: [[saying('It is helped.')]],
  })
  await using server = await startDelegation({
    model,
    subAgents,
    wrapStore: store => ({
      ...store,
      runs: {
        ...store.runs,
        async save(run, row) {
          await store.runs.save(run, row)
          const saved = await store.messages.load(run)
          isSaved.resolve(JSON.stringify(saved?.messages.map(({ message }) => message)))
        },
      },
    }),
  })
  await submit(server.url)
  const rows = await isSaved.promise
  expect(rows).toContain('It is helped.')
  expect(rows).not.toContain('"depth":0')
  letGo.resolve()
  await (await ask(server.url)).text()
  expect((await loadChat(server.url)).messages).toHaveLength(3)
})

// Some providers number the calls of each step from zero.
test('calls of two steps under one id each have their own child', async () => {
  const model = scriptedModel({
    master: [[asking('helper', 'same')], [asking('helper', 'same')], [saying('Done.')]],
    helper: [[saying('It is helped.')]],
  })
  await using server = await startDelegation({ model, subAgents })
  const children = startsOf(await answered(server)).slice(1)
  expect(children.map(({ parent }) => parent?.toolCallId)).toEqual(['same', 'same-2'])
})

test('the next question is answered from the conversation, not from what sub-agents said among themselves', async () => {
  const model = scriptedModel({
    master: [[asking('helper')], [saying('Done.')]],
    helper: [[saying('It is helped.')]],
  })
  await using server = await startDelegation({ model, subAgents })
  await (await ask(server.url)).text()
  await (await ask(server.url, { messageId: 'again', text: 'Again?' })).text()
  expect((await loadChat(server.url)).messages).toHaveLength(6)
  const prompt = model.doStreamCalls[3]?.prompt ?? []
  expect(prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user'])
})

async function answered({ url }: TestServer): Promise<readonly Entry[]> {
  await (await ask(url)).text()
  return readLog(url)
}

/** How each answer began, in order; the master's is first. */
function startsOf(entries: readonly Entry[]) {
  return entries.flatMap(({ seq, messageId, chunk }) => {
    if (chunk.type !== 'start') return []
    const { agent, parent } = messageMetadataSchema.parse(chunk.messageMetadata)
    return [{ seq, messageId, agent, parent }]
  })
}
