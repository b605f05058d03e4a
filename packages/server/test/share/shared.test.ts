import { currentFrame } from '@throughline/agents'
import { textOf } from '@throughline/protocol'
import { finish, heldAgent, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { pictureBytes } from '@throughline/testing/browser/picture'
import { ask, loadChat, problemOf, sendJson } from '@throughline/testing/http/chat-requests'
import { fileOf, messageWith, picturePart } from '@throughline/testing/http/file-parts'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { loggedLines } from '@throughline/testing/server/logged-lines'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import { temporaryStores } from '@throughline/testing/store/temporary-store'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { maxCopyBytes } from '../../src/http/share/copy-messages.ts'

const bearer = (name: string) => ({ authorization: `Bearer token-of-${name}` })
const ada = bearer('ada')
const tokens = new Map(['ada', 'bob'].map(name => [`token-of-${name}`, ownerIdOf(name)]))

const link = z.object({
  key: z.string(),
  path: z.string(),
  title: z.string(),
  createdAt: z.iso.datetime(),
  messageCount: z.number(),
})

interface ShareRequest {
  readonly chatId?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

function askToShare(url: string, { chatId = 'chat', body = {}, headers = {} }: ShareRequest = {}) {
  return sendJson(`${url}/api/chats/${chatId}/share`, body, { headers })
}

/** Shares a chat, and returns its link. */
async function share(url: string, request?: ShareRequest): Promise<z.infer<typeof link>> {
  return link.parse(await (await askToShare(url, request)).json())
}

async function listOf(url: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${url}/api/chats/chat/share`, { headers })
  return z.object({ links: z.array(link) }).parse(await response.json()).links
}

const shown = z.object({
  title: z.string(),
  sharedAt: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), parts: z.array(z.looseObject({ type: z.string() })) })),
})

/** Reads a copy as anybody would. */
async function read(url: string, key: string) {
  return shown.parse(await (await fetch(`${url}/api/shared/${key}`)).json())
}

describe.each(temporaryStores)('on $name, a shared copy', ({ temporaryStore: openStore }) => {
  test('shows everybody the messages as they were, and not who owns them', async () => {
    await using server = await startTestServer({ tokens, openStore })
    const { url } = server
    await (await ask(url, { headers: ada, text: 'Is it warm?' })).text()
    const response = await askToShare(url, { headers: ada })
    expect(response.status).toBe(201)
    const first = link.parse(await response.json())
    expect(first).toMatchObject({ title: 'Is it warm?', messageCount: 2, path: `/shared/${first.key}` })
    expect(first.key).toMatch(/^[0-9a-f]{40}$/)

    const asked = await fetch(`${url}/api/shared/${first.key}`)
    expect(Object.fromEntries(asked.headers)).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
      'referrer-policy': 'no-referrer',
    })
    const text = await asked.text()
    expect(text).not.toContain('"ada"')
    expect(text).not.toContain('usage')
    const copy = shown.parse(JSON.parse(text))
    expect([copy.title, copy.sharedAt]).toEqual(['Is it warm?', first.createdAt])
    const saved = z
      .object({ messages: z.array(z.object({ role: z.string(), parts: z.unknown() })) })
      .parse(await (await fetch(`${url}/api/chats/chat/messages`, { headers: ada })).json())
    expect(copy.messages.map(({ role, parts }) => ({ role, parts }))).toEqual(saved.messages)
  })

  test('stays as it is when the chat goes on, and the chat gets a new link then', async () => {
    await using server = await startTestServer({ openStore })
    const { url } = server
    await (await ask(url)).text()
    const first = await share(url)
    const again = await askToShare(url)
    expect([again.status, link.parse(await again.json())]).toEqual([200, first])
    await (await ask(url, { messageId: 'later', text: 'And tomorrow?' })).text()
    const second = await share(url)
    expect([second.key === first.key, second.messageCount]).toEqual([false, 4])
    expect((await read(url, first.key)).messages).toHaveLength(2)
    expect((await read(url, second.key)).messages).toHaveLength(4)
    expect((await listOf(url)).map(({ key }) => key)).toEqual(expect.arrayContaining([first.key, second.key]))
    await sendJson(`${url}/api/chats/chat`, { title: 'Another' }, { method: 'PATCH' })
    expect((await read(url, first.key)).title).toBe('How is the weather?')
  })

  test('is gone when its owner stops sharing it, or deletes the chat', async () => {
    await using server = await startTestServer({ openStore })
    const { url } = server
    const message = messageWith([picturePart], 'Look.')
    await (await sendJson(`${url}/api/chat`, { id: 'chat', message })).text()
    const first = await share(url)
    const file = `${url}${picturesOf(await read(url, first.key))[0]}`
    expect((await fetch(file)).status).toBe(200)
    const stop = () => fetch(`${url}/api/chats/chat/share/${first.key}`, { method: 'DELETE' })
    expect((await stop()).status).toBe(204)
    await expectGone(url, first.key)
    expect(await problemOf(await fetch(file))).toMatchObject({ status: 404, code: 'share-not-found' })
    expect(await problemOf(await stop())).toMatchObject({ status: 404, code: 'share-not-found' })
    expect(await listOf(url)).toEqual([])

    const second = await share(url)
    expect(second.key).not.toBe(first.key)
    await fetch(`${url}/api/chats/chat`, { method: 'DELETE' })
    await expectGone(url, second.key)
    await (await ask(url)).text()
    await expectGone(url, second.key)
    expect(await listOf(url)).toEqual([])
  })

  test('opens only the files that its messages name', async () => {
    const kept: string[] = []
    const agent = scriptedAgent('assistant', async function* ({ messages }) {
      const keep = () => currentFrame().run.keepFile({ mediaType: 'image/png', bytes: pictureBytes })
      // One that the answer names, and one that it does not.
      kept.push(await keep(), await keep())
      yield say(messages.length > 1 ? 'No picture.' : `![A picture](${kept[0]})`)
      yield finish
    })
    await using server = await startTestServer({ tokens, openStore, agents: [agent] })
    const { url } = server
    const table = fileOf('text/csv', 'a,b', 'table.csv')
    for (const id of ['chat', 'other']) {
      const body = { id, message: messageWith(id === 'chat' ? [table] : [picturePart], 'Look.') }
      await (await sendJson(`${url}/api/chat`, body, { headers: ada })).text()
    }
    const { key } = await share(url, { headers: ada })
    const copy = await read(url, key)
    expect(JSON.stringify(copy)).not.toContain('/api/chats/')
    const [csv = ''] = picturesOf(copy)
    const named = await fetch(url + csv)
    expect([named.status, await named.text()]).toEqual([200, 'a,b'])
    expect(Object.fromEntries(named.headers)).toMatchObject({
      'content-disposition': expect.stringMatching(/^attachment/),
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
    })
    const ofAnswer = /\((.+)\)/.exec(JSON.stringify(copy.messages.at(-1)?.parts))?.[1] ?? ''
    expect((await fetch(url + ofAnswer)).headers.get('content-type')).toBe('image/png')

    const [, unnamed = '', ofOther = ''] = kept.map(address => address.split('/').at(-1))
    for (const fileId of [unnamed, ofOther, '..%2f..%2fthroughline.sqlite', '%00', ''])
      expect((await fetch(`${url}/api/shared/${key}/files/${fileId}`)).status).toBe(404)
    // With the key alone, the chat itself stays closed.
    expect((await fetch(`${url}${kept[0]}`)).status).toBe(401)
    expect((await fetch(`${url}/api/chats/chat/messages`, { headers: bearer(key) })).status).toBe(401)
  })

  test('is made, listed and ended by the owner of its chat only', async () => {
    await using server = await startTestServer({ tokens, openStore })
    const { url } = server
    await (await ask(url, { headers: ada })).text()
    const { key } = await share(url, { headers: ada })
    const bob = bearer('bob')
    const unknown = { status: 404, code: 'chat-not-found' }
    expect(await problemOf(await askToShare(url, { headers: bob }))).toMatchObject(unknown)
    expect(await problemOf(await fetch(`${url}/api/chats/chat/share`, { headers: bob }))).toMatchObject(
      unknown,
    )
    // Bob has a chat of the same id by now, and still cannot reach her link.
    await (await ask(url, { headers: bob })).text()
    expect(await listOf(url, bob)).toEqual([])
    const stopped = await fetch(`${url}/api/chats/chat/share/${key}`, { method: 'DELETE', headers: bob })
    expect(await problemOf(stopped)).toMatchObject({ status: 404, code: 'share-not-found' })
    expect((await listOf(url, ada)).map(each => each.key)).toEqual([key])
    expect((await fetch(`${url}/api/shared/${key}`)).status).toBe(200)
  })

  test('is made once, also when it is asked for several times at the same moment', async () => {
    await using server = await startTestServer({ openStore })
    const { url } = server
    await (await ask(url)).text()
    const made = await Promise.all(Array.from({ length: 5 }, () => share(url)))
    expect(new Set(made.map(({ key }) => key)).size).toBe(1)
    expect(await listOf(url)).toHaveLength(1)
  })

  test('is not found by a key that was never given out, in whatever form', async () => {
    await using server = await startTestServer({ openStore })
    const { url } = server
    await (await ask(url)).text()
    const { key } = await share(url)
    for (const wrong of [
      key.slice(1),
      `${key}0`,
      key.toUpperCase(),
      '%25',
      '%00',
      "'--",
      'x'.repeat(5_000),
    ]) {
      await expectGone(url, wrong)
      const stopped = await fetch(`${url}/api/chats/chat/share/${wrong}`, { method: 'DELETE' })
      expect(await problemOf(stopped)).toMatchObject({ status: 404, code: 'share-not-found' })
    }
  })
})

test('the log of the server does not contain the keys of links', async () => {
  const { logger, lines } = loggedLines('debug')
  const failing = { find: () => Promise.reject(new Error('The disk is broken.')) }
  await using server = await startTestServer({ logger })
  const { url } = server
  await (await ask(url)).text()
  const { key } = await share(url)
  const addresses = [`/shared/${key}`, `/api/shared/${key}`, `/api/shared/${key}/files/any`]
  for (const address of addresses) await fetch(url + address)
  await fetch(`${url}/api/chats/chat/share/${key}`, { method: 'DELETE' })
  await using broken = await startTestServer({
    logger,
    wrapStore: store => ({ ...store, shares: { ...store.shares, ...failing } }),
  })
  expect((await fetch(`${broken.url}/api/shared/${key}`)).status).toBe(500)
  expect(lines.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/api/shared/…', '/api/shared/…/files/any', '/api/chats/chat/share/…']),
  )
  expect(JSON.stringify(lines)).not.toContain(key)
})

test('an answer that is being written is left out, and a chat without messages is not shared', async () => {
  const { agent, letGo } = heldAgent('assistant', { before: [say('Half')], after: [say(' and half.')] })
  await using server = await startTestServer({ agents: [agent] })
  const { url } = server
  await sendJson(`${url}/api/chats`, { id: 'chat' })
  expect(await problemOf(await askToShare(url))).toMatchObject({ status: 409, code: 'nothing-to-share' })
  await using stream = new SseBytes(await ask(url))
  await stream.until('Half')
  const { key, messageCount } = await share(url)
  expect([messageCount, (await read(url, key)).messages.map(({ role }) => role)]).toEqual([1, ['user']])
  letGo()
  await stream.rest()
  expect((await share(url)).messageCount).toBe(2)
})

test('one branch is shared: the newest, or that of the message that is named', async () => {
  await using server = await startTestServer()
  const { url } = server
  await (await ask(url, { messageId: 'q1', text: 'First version' })).text()
  await (await ask(url, { messageId: 'q2', text: 'Second version', fields: { after: '' } })).text()
  const textsOf = async (body: unknown) => {
    const { messages } = await read(url, (await share(url, { body })).key)
    return messages.filter(({ role }) => role === 'user').map(({ parts }) => parts[0]?.['text'])
  }
  expect(await textsOf({})).toEqual(['Second version'])
  expect(await textsOf({ branch: 'q1' })).toEqual(['First version'])
  const unknown = await askToShare(url, { body: { branch: 'nowhere' } })
  expect(await problemOf(unknown)).toMatchObject({ status: 404, code: 'message-not-found' })
})

test('a chat has 20 links at most, and is not shared when it is too large', async () => {
  const agent = scriptedAgent('assistant', ({ messages }) => {
    const asked = messages.map(textOf).join()
    return [say(asked.includes('much') ? 'x'.repeat(maxCopyBytes / 2) : 'Yes.'), finish]
  })
  await using server = await startTestServer({ agents: [agent] })
  const { url } = server
  await (await ask(url)).text()
  for (let number = 1; number <= 20; number += 1) {
    await sendJson(`${url}/api/chats/chat`, { title: `Title ${number}` }, { method: 'PATCH' })
    expect((await askToShare(url)).status).toBe(201)
  }
  expect((await askToShare(url)).status).toBe(200)
  await sendJson(`${url}/api/chats/chat`, { title: 'One more' }, { method: 'PATCH' })
  expect(await problemOf(await askToShare(url))).toMatchObject({ status: 409, code: 'too-many-shares' })
  for (const messageId of ['q1', 'q2'])
    await (await ask(url, { chatId: 'long', messageId, text: 'much' })).text()
  expect((await loadChat(url, 'long')).messages).toHaveLength(4)
  const refused = await askToShare(url, { chatId: 'long' })
  expect(await problemOf(refused)).toMatchObject({ status: 413, code: 'too-large-to-share' })
})

test('a server without sharing says so everywhere, and opens no link that was made before', async () => {
  await using before = await startTestServer()
  await (await ask(before.url)).text()
  const { key } = await share(before.url)
  await using server = await startTestServer({ sharing: false, wrapStore: () => before.store })
  const { url } = server
  const off = { status: 403, code: 'sharing-off' }
  for (const path of ['/api/chats/chat/share', `/api/shared/${key}`, `/api/shared/${key}/files/any`])
    expect(await problemOf(await fetch(url + path))).toMatchObject(off)
  expect(await problemOf(await askToShare(url))).toMatchObject(off)
  const stopped = await fetch(`${url}/api/chats/chat/share/${key}`, { method: 'DELETE' })
  expect(await problemOf(stopped)).toMatchObject(off)
  expect((await fetch(`${before.url}/api/shared/${key}`)).status).toBe(200)
})

async function expectGone(url: string, key: string): Promise<void> {
  const problem = await problemOf(await fetch(`${url}/api/shared/${key}`))
  expect(problem).toMatchObject({ status: 404, code: 'share-not-found' })
}

/** Returns the addresses of the files in the messages of a copy. */
function picturesOf({ messages }: z.infer<typeof shown>): readonly string[] {
  return messages
    .flatMap(({ parts }) => parts)
    .flatMap(part => (part.type === 'file' ? [String(part['url'])] : []))
}
