import { setTimeout as pause } from 'node:timers/promises'
import { type EntryDraft, isChatId, isOwnerId, type Message } from '@throughline/protocol'
import type { Store } from '@throughline/store/testing'
import {
  finish,
  heldAgent,
  say,
  scriptedAgent,
  textToolText,
} from '@throughline/testing/agent/scripted-agent'
import { loadChat } from '@throughline/testing/http/chat-requests'
import { idOf } from '@throughline/testing/log/id-of'
import { startTestServer } from '@throughline/testing/server/test-server'
import { saveHistory } from '@throughline/testing/store/save-history'
import { describe, expect, test } from 'vitest'
import type { ChatSnapshot } from '../../src/chat/chat-snapshot.ts'
import { hasAnswers, idsOf, isReady, recordChat, textsOf } from './recorded-chat.ts'

const chatter = scriptedAgent('chatter', async function* () {
  for (let index = 0; index < 40; index += 1) {
    yield say(`Sentence number ${index} 很好。 `)
    // Slow enough for many animation frames.
    await pause(2)
  }
  yield finish
})

describe('a message that is sent', () => {
  test('is in the very next snapshot and in every later one, once', async () => {
    await using server = await startTestServer({ agents: [chatter] })
    using chat = recordChat(server.url)
    await chat.until(isReady)
    const before = chat.snapshots.length
    for (const count of [1, 2]) {
      await chat.store.send(`Question ${count}`)
      await chat.untilSaved(count)
    }

    const seen = chat.snapshots.slice(before).map(({ messages }) => textsOf(messages))
    expect(seen.length).toBeGreaterThan(4)
    for (const texts of seen) expect(texts.filter(text => text === 'Question 1')).toHaveLength(1)
    const second = seen.findIndex(texts => texts.includes('Question 2'))
    for (const texts of seen.slice(second)) expect(texts.indexOf('Question 2')).toBe(2)
  })

  test('is shown before the server has answered at all', async () => {
    using chat = recordChat('http://127.0.0.1:9', { fetch: () => new Promise(() => undefined) })
    void chat.store.send('Hello')
    const { messages, status } = await chat.until(({ messages }) => messages.length > 0)

    expect(textsOf(messages)).toEqual(['Hello'])
    expect(status).toBe('loading')
  })

  test('goes to the agent that was chosen, under the name of who sent it', async () => {
    const agents = [scriptedAgent('first', [finish]), scriptedAgent('second', [finish])]
    await using server = await startTestServer({ agents })
    using chat = recordChat(server.url, { agent: 'second', senderName: 'Ada' })
    await chat.store.send('Hello')
    const { messages } = await chat.until(hasAnswers(1))

    expect(messages[0]?.metadata).toMatchObject({ senderName: 'Ada', receiverName: 'The second' })
    expect(messages[1]?.metadata).toMatchObject({ agentUsed: 'second', receiverName: 'Ada' })
  })
})

describe('in every snapshot', () => {
  test('ids are unique and all messages but the streaming one keep their identity, after 1,000 others', async () => {
    await using server = await startTestServer({ agents: [chatter] })
    await saveHistory(server.store, {
      ownerId: idOf(isOwnerId, 'local'),
      chatId: idOf(isChatId, 'chat'),
      count: 1_000,
    })
    using chat = recordChat(server.url)
    await chat.until(isReady)
    const before = chat.snapshots.length
    await chat.store.send('One more')
    await chat.until(hasAnswers(501))

    const snapshots = chat.snapshots.slice(before - 1)
    for (const { messages } of snapshots) expect(new Set(idsOf(messages)).size).toBe(messages.length)
    expect(snapshots.length).toBeGreaterThan(4)
    expect([...new Set(changesIn(snapshots))].toSorted()).toEqual(['answer', 'own message'])
    // It changes once: when the log brings it with the server's metadata.
    expect(changesIn(snapshots).filter(change => change === 'own message')).toHaveLength(1)
    expect(snapshots.at(-1)?.messages).toEqual((await loadChat(server.url)).messages)
  })

  test('an answer has its agent’s name, from the first one on', async () => {
    await using server = await startTestServer({ agents: [chatter] })
    using chat = recordChat(server.url)
    await chat.store.send('Who are you?')
    await chat.until(hasAnswers(1))

    const names = chat.snapshots.flatMap(({ messages }) =>
      messages.flatMap(({ role, metadata }) => (role === 'assistant' ? [metadata?.senderName] : [])),
    )
    expect(new Set(names)).toEqual(new Set(['The chatter']))
  })

  test('a text only grows', async () => {
    await using server = await startTestServer({ agents: [chatter] })
    using chat = recordChat(server.url)
    await chat.store.send('Go on')
    await chat.until(hasAnswers(1))

    const answers = chat.snapshots.flatMap(({ messages }) => textsOf(messages)[1] ?? [])
    answers.reduce((before, after) => {
      expect(after.startsWith(before)).toBe(true)
      return after
    }, '')
  })
})

describe('the status', () => {
  test('goes from ready to submitted to streaming to ready', async () => {
    const { agent, letGo } = heldAgent('assistant', { before: [say('Well, ')], after: [say('that is it.')] })
    await using server = await startTestServer({ agents: [agent] })
    using chat = recordChat(server.url)
    await chat.until(isReady)
    const sent = chat.store.send('Hello')
    await chat.until(({ messages }) => textsOf(messages)[1] === 'Well, ')
    letGo()
    await sent
    await chat.until(hasAnswers(1))

    expect(statusesOf(chat.snapshots)).toEqual(['loading', 'ready', 'submitted', 'streaming', 'ready'])
  })

  test('stays submitted while the log has the message and not yet the beginning of its answer', async () => {
    let starts = 0
    const held = Promise.withResolvers<void>()
    const wrapStore = appendingAfter(async drafts => {
      starts += drafts.filter(({ chunk }) => chunk.type === 'start').length
      if (starts > 1) await held.promise
    })
    await using server = await startTestServer({ agents: [chatter], wrapStore })
    using chat = recordChat(server.url)
    await chat.store.send('First')
    await chat.untilSaved(1)
    const before = chat.snapshots.length
    const sent = chat.store.send('Second')
    await chat.until(({ messages }) => messages[2]?.metadata?.receiverName === 'The chatter')
    held.resolve()
    await sent
    await chat.until(hasAnswers(2))

    expect(statusesOf(chat.snapshots.slice(before))).toEqual(['submitted', 'streaming', 'ready'])
  })

  test('is ready again, and the answer stopped, after a stop', async () => {
    const { agent } = heldAgent('assistant', { before: [say('Well, ')] })
    await using server = await startTestServer({ agents: [agent] })
    using chat = recordChat(server.url)
    await chat.store.send('Hello')
    await chat.until(({ messages }) => textsOf(messages)[1] === 'Well, ')
    await chat.store.stop()
    const { messages, error } = await chat.until(isReady)

    expect(error).toBeUndefined()
    expect(messages[1]).toMatchObject({
      metadata: { status: 'stopped', statusText: 'Stopped by the user.' },
      parts: [{ type: 'text', text: 'Well, ', state: 'done' }],
    })
    expect(messages).toEqual((await loadChat(server.url)).messages)
  })

  test('is ready after an answer that failed, and the answer says why', async () => {
    const failing = scriptedAgent('assistant', function* () {
      yield say('Well, ')
      throw new Error('secret details')
    })
    await using server = await startTestServer({ agents: [failing] })
    using chat = recordChat(server.url)
    await chat.store.send('Hello')
    const { messages } = await chat.until(hasAnswers(1))

    expect(messages[1]?.metadata?.status).toBe('failed')
    expect(messages[1]?.metadata?.statusText).toMatch(/\w/)
    expect(messages).toEqual((await loadChat(server.url)).messages)
  })
})

test('a tool call and its result are shown as they are saved', async () => {
  await using server = await startTestServer({ agents: [scriptedAgent('assistant', textToolText)] })
  using chat = recordChat(server.url)
  await chat.store.send('How is the weather?')
  const { messages } = await chat.until(hasAnswers(1))

  expect(messages[1]?.parts.map(({ type }) => type)).toContain('tool-weather')
  expect(messages).toEqual((await loadChat(server.url)).messages)
})

/** Waits before every write to the log. */
function appendingAfter(wait: (drafts: readonly EntryDraft[]) => Promise<void>): (store: Store) => Store {
  return store => ({
    ...store,
    log: {
      ...store.log,
      async append(lease, after, drafts) {
        await wait(drafts)
        return store.log.append(lease, after, drafts)
      },
    },
  })
}

/** Returns the messages that became other objects from one snapshot to the next. */
function changesIn(snapshots: readonly ChatSnapshot[]): readonly string[] {
  return snapshots.flatMap(({ messages }, index) => {
    const before = new Map(snapshots[index - 1]?.messages.map(message => [message.id, message]))
    return messages.flatMap(message => {
      const earlier = before.get(message.id)
      return earlier === undefined || earlier === message ? [] : [kindOf(earlier)]
    })
  })
}

function kindOf({ id, metadata }: Message): string {
  if (metadata?.status === 'streaming') return 'answer'
  return id.startsWith('old-') ? 'history' : 'own message'
}

function statusesOf(snapshots: readonly ChatSnapshot[]): readonly string[] {
  return snapshots
    .map(({ status }) => status)
    .filter((status, index, statuses) => status !== statuses[index - 1])
}
