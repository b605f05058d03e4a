import { isChatId } from '@throughline/protocol'
import { heldAgent, say } from '@throughline/testing/agent/scripted-agent'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { pictureBytes } from '@throughline/testing/browser/picture'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { ask } from '@throughline/testing/http/chat-requests'
import { startEmptyPage } from '@throughline/testing/http/empty-page'
import { idOf } from '@throughline/testing/log/id-of'
import { ownerIdOf, startTestServer, type TestServer } from '@throughline/testing/server/test-server'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

let chromium: TestBrowser
beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

test('a page on another origin that is listed sends, streams, stops and shows a file', async () => {
  await using site = await startEmptyPage()
  const { agent } = heldAgent('assistant', { before: [say('Well, ')] })
  await using server = await startTestServer({ agents: [agent], origins: [site.origin] })
  const page = await openPage(site.origin)

  expect(await page.evaluate(sendAndRead, { url: server.url, until: 'Well, ' })).toMatchObject({
    status: 200,
    form: 'v1',
  })
  const followed = page.evaluate(follow, `${server.url}/api/chats/chat/log`)
  expect(await page.evaluate(stop, server.url)).toEqual({ result: 'stopped' })
  expect(await followed).toContain('"status":"stopped"')

  const path = await keepPicture(server)
  expect(await page.evaluate(pictureWidth, `${server.url}${path}`)).toBe(1)
})

test('a page on an origin that is not listed is refused by the browser, and starts nothing', async () => {
  await using site = await startEmptyPage()
  await using other = await startEmptyPage()
  await using server = await startTestServer({ origins: [other.origin] })
  const page = await openPage(site.origin)
  const sent = page.evaluate(sendAndRead, { url: server.url, until: 'clear' })
  await expect(sent).rejects.toThrow('Failed to fetch')
  await expect(page.evaluate(stop, server.url)).rejects.toThrow('Failed to fetch')
  expect(await server.store.chats.list(ownerIdOf('local'), { limit: 1 })).toEqual([])
})

test('a page whose token cannot stand in an EventSource follows a chat with a ticket', async () => {
  await using site = await startEmptyPage()
  const token = 'a-token-of-16-chars'
  const tokens = new Map([[token, ownerIdOf('ada')]])
  await using server = await startTestServer({ tokens, origins: [site.origin] })
  const headers = { authorization: `Bearer ${token}` }
  await (await ask(server.url, { headers })).text()
  const page = await openPage(site.origin)
  expect(await page.evaluate(followWithTicket, { url: server.url, token })).toContain('How is the weather?')
  expect(await page.evaluate(opens, `${server.url}/api/chats/chat/log`)).toBe(false)
})

async function openPage(origin: string): Promise<Page> {
  const page = await chromium.browser.newPage()
  await page.goto(origin)
  return page
}

async function keepPicture({ store }: TestServer): Promise<string> {
  const chat = { ownerId: ownerIdOf('local'), chatId: idOf(isChatId, 'chat') }
  const at = new Date().toISOString()
  const id = await store.files.keep(chat, { mediaType: 'image/png', bytes: pictureBytes, at })
  return `/api/chats/chat/files/${id}`
}

// The functions below run in the page.

async function sendAndRead({ url, until }: { readonly url: string; readonly until: string }) {
  const response = await fetch(`${url}/api/chat`, {
    method: 'POST',
    credentials: 'include',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      id: 'chat',
      messages: [{ id: 'question', role: 'user', parts: [{ type: 'text', text: 'Is it?' }] }],
    }),
  })
  const { status, headers, body } = response
  let seen = ''
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  while (reader !== undefined && !seen.includes(until)) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`The stream ended with: ${seen}`)
    seen += value
  }
  return { status, form: headers.get('x-vercel-ai-ui-message-stream') }
}

/** Follows a log with the browser's own EventSource, until a run has ended. Returns the last entry. */
function follow(url: string): Promise<string> {
  const source = new EventSource(url, { withCredentials: true })
  return new Promise(resolve => {
    source.onmessage = ({ data }) => {
      if (!data.includes('"status":"stopped"')) return
      source.close()
      resolve(data)
    }
  })
}

async function stop(url: string): Promise<unknown> {
  const response = await fetch(`${url}/api/chat/chat/stop`, {
    method: 'POST',
    credentials: 'include',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  return response.json()
}

/** Shows a picture as an `img` with `crossorigin` does. */
function pictureWidth(url: string): Promise<number> {
  const image = new Image()
  image.crossOrigin = 'use-credentials'
  return new Promise((resolve, reject) => {
    image.onload = () => resolve(image.naturalWidth)
    image.onerror = () => reject(new Error('The picture was not loaded.'))
    image.src = url
  })
}

/** Returns the first entry of the chat. */
async function followWithTicket({ url, token }: { readonly url: string; readonly token: string }) {
  const response = await fetch(`${url}/api/tickets`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ chatId: 'chat' }),
  })
  const { ticket } = await response.json()
  const source = new EventSource(`${url}/api/chats/chat/log?ticket=${ticket}`)
  return new Promise<string>((resolve, reject) => {
    source.onerror = () => reject(new Error('The log was not opened.'))
    source.onmessage = ({ data }) => {
      source.close()
      resolve(data)
    }
  })
}

function opens(url: string): Promise<boolean> {
  const source = new EventSource(url)
  return new Promise(resolve => {
    source.onopen = () => resolve(true)
    source.onerror = () => resolve(false)
  })
}
