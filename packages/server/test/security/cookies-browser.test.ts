import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { startEmptyPage } from '@throughline/testing/http/empty-page'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Authenticate } from '../../src/http/sign-in/identity.ts'

let chromium: TestBrowser
beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

const ada = ownerIdOf('ada')

test('with a session cookie a listed page acts for the person, and another page of the same site cannot', async () => {
  await using listed = await startEmptyPage('127.0.0.1')
  await using foreign = await startEmptyPage('127.0.0.1')
  const cookies: (string | null)[] = []
  const authenticate: Authenticate = ({ headers }) => {
    cookies.push(headers.get('cookie'))
    return headers.get('cookie') === 'session=ada' ? { ownerId: ada } : undefined
  }
  await using server = await startTestServer({ authenticate, origins: [listed.origin] })
  const context = await chromium.browser.newContext()
  // Without SameSite=None: all these pages are one site, so the browser sends the cookie from each of them.
  await context.addCookies([{ name: 'session', value: 'ada', url: server.url, sameSite: 'Lax' }])

  const page = await context.newPage()
  await page.goto(listed.origin)
  expect(await page.evaluate(makeChat, { url: server.url, id: 'made', type: 'application/json' })).toBe(201)
  const before = cookies.length

  const evil = await context.newPage()
  await evil.goto(foreign.origin)
  for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded'])
    await expect(evil.evaluate(makeChat, { url: server.url, id: 'evil', type })).rejects.toThrow(
      'Failed to fetch',
    )
  await evil.evaluate(sendBlindly, `${server.url}/api/chats`)
  expect(await evil.evaluate(opens, `${server.url}/api/chats/made/log`)).toBe(false)
  expect(await evil.evaluate(loads, `${server.url}/api/chats/made/log`)).toBe(false)
  expect(await submitForm(evil, `${server.url}/api/chats`)).toBe(403)

  expect(cookies.slice(before)).toEqual([])
  const chats = await server.store.chats.list(ada, { limit: 10 })
  expect(chats.map(({ id }) => id)).toEqual(['made'])
  await context.close()
})

async function submitForm(page: Page, action: string): Promise<number | undefined> {
  const [response] = await Promise.all([
    page.waitForResponse(action),
    page.evaluate(url => {
      const form = document.createElement('form')
      form.method = 'post'
      form.enctype = 'text/plain'
      form.action = url
      document.body.append(form)
      form.submit()
    }, action),
  ])
  return response.status()
}

// The functions below run in the page.

interface NewChat {
  readonly url: string
  readonly id: string
  readonly type: string
}

async function makeChat({ url, id, type }: NewChat): Promise<number> {
  const response = await fetch(`${url}/api/chats`, {
    method: 'POST',
    credentials: 'include',
    headers: { 'content-type': type },
    body: JSON.stringify({ id }),
  })
  return response.status
}

/** Sends what a browser sends without a preflight. The page does not learn what came back. */
async function sendBlindly(url: string): Promise<void> {
  await fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{"id":"evil"}' })
}

function opens(url: string): Promise<boolean> {
  const source = new EventSource(url, { withCredentials: true })
  return new Promise(resolve => {
    source.onopen = () => resolve(true)
    source.onerror = () => resolve(false)
  })
}

function loads(url: string): Promise<boolean> {
  const image = new Image()
  return new Promise(resolve => {
    image.onload = () => resolve(true)
    image.onerror = () => resolve(false)
    image.src = url
  })
}
