import { finish, heldAgent, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { startFaultProxy } from '@throughline/testing/faults/fault-proxy'
import { loadChat } from '@throughline/testing/http/chat-requests'
import { startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'
import type { ChatSnapshot } from '../../src/chat/chat-snapshot.ts'
import { isReady, recordChat, textsOf } from './recorded-chat.ts'

/** An agent whose answer says how often it was asked, and what it was asked last. */
function countingAgent() {
  let count = 0
  return scriptedAgent('assistant', ({ messages }) => {
    count += 1
    const asked = messages
      .at(-1)
      ?.parts.map(part => (part.type === 'text' ? part.text : ''))
      .join('')
    return [say(`Answer ${count} to ${asked}`), finish]
  })
}

const ends = (text: string) => (snapshot: ChatSnapshot) => {
  return isReady(snapshot) && textsOf(snapshot.messages).at(-1) === text
}

test('another answer takes the place of the first, which is one switch away', async () => {
  await using server = await startTestServer({ agents: [countingAgent()] })
  using chat = recordChat(server.url)
  await chat.store.send('one')
  await chat.until(ends('Answer 1 to one'))
  await chat.store.regenerate()
  const { messages, versions } = await chat.until(ends('Answer 2 to one'))
  expect(textsOf(messages)).toEqual(['one', 'Answer 2 to one'])
  const ids = versions.get(messages.at(-1)?.id ?? '')
  expect(ids).toHaveLength(2)

  chat.store.showVersion(ids?.[0] ?? '')
  const first = await chat.until(ends('Answer 1 to one'))
  expect(textsOf(first.messages)).toEqual(['one', 'Answer 1 to one'])
})

test('while another answer is being written, the first one can still be looked at', async () => {
  let asked = 0
  const held = heldAgent('assistant', { before: [say('Second, ')], after: [say('whole.')] })
  const agent = scriptedAgent('assistant', request => {
    asked += 1
    return asked === 1 ? [say('First.'), finish] : held.agent.run(request)
  })
  await using server = await startTestServer({ agents: [agent] })
  using chat = recordChat(server.url)
  await chat.store.send('one')
  const { messages } = await chat.until(ends('First.'))
  await chat.store.regenerate()
  await chat.until(snapshot => textsOf(snapshot.messages).at(-1) === 'Second, ')
  chat.store.showVersion(messages.at(-1)?.id ?? '')
  const looking = await chat.until(snapshot => textsOf(snapshot.messages).at(-1) === 'First.')
  expect(looking.status).toBe('streaming')
  expect(looking.messages.at(-1)).toEqual(messages.at(-1))

  held.letGo()
  await chat.until(isReady)
  expect(textsOf((await loadChat(server.url)).messages)).toEqual(['one', 'Second, whole.'])
})

test('an edit is a branch: the old one is kept, and what is sent on it stays on it', async () => {
  await using server = await startTestServer({ agents: [countingAgent()] })
  using chat = recordChat(server.url)
  await chat.store.send('one')
  await chat.until(ends('Answer 1 to one'))
  await chat.store.send('two')
  const before = await chat.until(ends('Answer 2 to two'))
  await chat.store.edit(before.messages[0]?.id ?? '', 'uno')
  const edited = await chat.until(ends('Answer 3 to uno'))
  expect(textsOf(edited.messages)).toEqual(['uno', 'Answer 3 to uno'])

  chat.store.showVersion(before.messages[0]?.id ?? '')
  const old = await chat.until(ends('Answer 2 to two'))
  expect(old.messages).toEqual(before.messages)
  await chat.store.send('three')
  const on = await chat.until(ends('Answer 4 to three'))
  expect(textsOf(on.messages)).toEqual([
    'one',
    'Answer 1 to one',
    'two',
    'Answer 2 to two',
    'three',
    'Answer 4 to three',
  ])

  using other = recordChat(server.url)
  expect((await other.until(ends('Answer 4 to three'))).messages).toEqual(on.messages)
})

test('an edited message is seen at once, and in every snapshot from then on', async () => {
  await using server = await startTestServer({ agents: [countingAgent()] })
  using chat = recordChat(server.url)
  await chat.store.send('one')
  const { messages } = await chat.until(ends('Answer 1 to one'))
  const from = chat.snapshots.length
  const sent = chat.store.edit(messages[0]?.id ?? '', 'uno')
  await chat.until(snapshot => textsOf(snapshot.messages).includes('uno'))
  await sent
  await chat.until(ends('Answer 2 to uno'))

  for (const snapshot of chat.snapshots.slice(from)) {
    expect(textsOf(snapshot.messages).filter(text => text === 'uno')).toHaveLength(1)
  }
})

test('a message that never reached the server leaves no version when it is edited', async () => {
  await using server = await startTestServer({ agents: [countingAgent()] })
  let isBroken = true
  const fetch: typeof globalThis.fetch = (url, init) =>
    isBroken && init?.method === 'POST'
      ? Promise.resolve(Response.json({ code: 'no', detail: 'No.' }, { status: 400 }))
      : globalThis.fetch(url, init)
  using chat = recordChat(server.url, { fetch })
  await chat.store.send('typo')
  const failed = await chat.until(({ unsent }) => unsent.size === 1)
  isBroken = false
  await chat.store.edit(failed.messages[0]?.id ?? '', 'text')
  const { messages, versions, unsent } = await chat.until(ends('Answer 1 to text'))

  expect(textsOf(messages)).toEqual(['text', 'Answer 1 to text'])
  expect([versions.size, unsent.size]).toEqual([0, 0])
})

test('asking for another answer over a bad line makes one answer', async () => {
  await using server = await startTestServer({ agents: [countingAgent()] })
  using chat = recordChat(server.url)
  await chat.store.send('one')
  await chat.until(ends('Answer 1 to one'))
  // Twice, the request arrives and its response is lost.
  await using proxy = await startFaultProxy(server.url, connection =>
    connection < 2 ? { type: 'reset', afterBytes: 700 } : { type: 'none' },
  )
  using other = recordChat(server.url, {
    fetch: (url, init) =>
      fetch(init?.method === 'POST' ? String(url).replace(server.url, proxy.url) : url, {
        ...init,
        headers: { ...Object.fromEntries(new Headers(init?.headers)), host: new URL(server.url).host },
      }),
  })
  await other.until(ends('Answer 1 to one'))
  await other.store.regenerate()
  await other.until(ends('Answer 2 to one'))
  await chat.until(ends('Answer 2 to one'))

  const { messages } = await loadChat(`${server.url}`)
  expect(textsOf(messages)).toEqual(['one', 'Answer 2 to one'])
})

test('what cannot be answered anew is an error, and nothing changes', async () => {
  await using server = await startTestServer({ agents: [countingAgent()] })
  using chat = recordChat(server.url)
  await chat.store.send('one')
  const { messages } = await chat.until(ends('Answer 1 to one'))
  await chat.store.regenerate('nowhere')
  const { error, messages: after, status } = await chat.until(snapshot => snapshot.error !== undefined)

  expect([error?.code, status]).toEqual(['message-not-found', 'ready'])
  expect(after).toEqual(messages)
})

test('asked for on an older branch, another answer takes nothing away before it begins', async () => {
  let asked = 0
  const held = heldAgent('assistant', { before: [say('Another, ')], after: [say('whole.')] })
  const agent = scriptedAgent('assistant', request => {
    asked += 1
    return asked < 3 ? [say(`Answer ${asked}.`), finish] : held.agent.run(request)
  })
  await using server = await startTestServer({ agents: [agent] })
  using chat = recordChat(server.url)
  await chat.store.send('one')
  const old = await chat.until(ends('Answer 1.'))
  await chat.store.edit(old.messages[0]?.id ?? '', 'uno')
  await chat.until(ends('Answer 2.'))
  chat.store.showVersion(old.messages[0]?.id ?? '')
  await chat.until(ends('Answer 1.'))
  const from = chat.snapshots.length
  await chat.store.regenerate()
  await chat.until(snapshot => textsOf(snapshot.messages).at(-1) === 'Another, ')
  held.letGo()
  const { messages } = await chat.until(ends('Another, whole.'))

  expect(textsOf(messages)).toEqual(['one', 'Another, whole.'])
  for (const snapshot of chat.snapshots.slice(from)) expect(textsOf(snapshot.messages)[0]).toBe('one')
})
