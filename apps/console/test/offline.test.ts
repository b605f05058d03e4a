import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { startFaultProxy } from '@throughline/testing/faults/fault-proxy'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { half, numberedAgent, whole } from './numbered-agent.ts'
import { answers, openConsole, send, untilShown } from './open-console.ts'
import { framesOf, namesIn, recordFrames, vanished } from './watch-frames.ts'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

const begun = ['user: Question', half(1)]

test('without a network in mid-answer the page says so, and with it again it catches up by itself, nothing twice', async () => {
  const { agent, letEnd } = numberedAgent()
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await using proxy = await startFaultProxy(server.url)
  await page.goto(proxy.url)
  await recordFrames(page)
  await send(page, 'Question')
  await untilShown(page, begun)

  // The browser refuses new requests, and open connections break, as when a cable is pulled.
  await page.context().setOffline(true)
  proxy.resetAll()
  await page.getByText('Connection lost, reconnecting…').waitFor()
  letEnd(1)
  await page.context().setOffline(false)
  await untilShown(page, ['user: Question', whole(1)])
  await page.getByText('Connection lost').waitFor({ state: 'detached' })

  const frames = await framesOf(page)
  expect(vanished(frames)).toEqual([])
  expect(namesIn(frames)).toEqual(['The assistant'])
  expect(await page.locator('article').count()).toBe(2)
})

test('a message that is sent without a network is shown, and gets through when the network is back', async () => {
  const { agent, letEnd } = numberedAgent()
  letEnd(1)
  letEnd(2)
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'Question')
  await untilShown(page, ['user: Question', whole(1)])
  await recordFrames(page)
  await page.context().setOffline(true)
  await send(page, 'Another')
  await untilShown(page, ['user: Question', whole(1), 'user: Another'])
  await page.context().setOffline(false)
  await untilShown(page, ['user: Question', whole(1), 'user: Another', whole(2)])
  expect(vanished(await framesOf(page))).toEqual([])
})

test('when the page has given up, it says why, and goes on when the person wants it to', async () => {
  const { agent, letEnd } = numberedAgent()
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await using proxy = await startFaultProxy(server.url)
  await page.goto(proxy.url)
  await send(page, 'Question')
  await untilShown(page, begun)
  await page.route('**/log?*', route =>
    route.fulfill({ status: 403, json: { code: 'no', detail: 'Not from here.' } }),
  )
  proxy.resetAll()
  await page.getByText('Not from here.').waitFor()
  letEnd(1)
  await page.unroute('**/log?*')
  const retry = page.getByRole('button', { name: 'Retry now' })
  await retry.click()
  await untilShown(page, ['user: Question', whole(1)])
  await retry.waitFor({ state: 'detached' })
})

test('a page that comes back from the cache does not trust the connection it left with', async () => {
  const { agent, letEnd } = numberedAgent()
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'Question')
  await untilShown(page, begun)
  const url = page.url()

  // The next request gets no response, like a connection that died while the page was in the background.
  let isDead = true
  const asked = Promise.withResolvers<void>()
  await page.route('**/log?*', async route => {
    if (!isDead) return route.continue()
    asked.resolve()
  })
  await page.goto(url)
  await asked.promise
  letEnd(1)
  isDead = false
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await untilShown(page, ['user: Question', whole(1)])
  expect(await answers(page).count()).toBe(1)
})

test('back from another page the chat is there, with what was said meanwhile', async () => {
  const { agent, letEnd } = numberedAgent()
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'Question')
  await untilShown(page, begun)
  await page.goto(`${server.url}/icon.svg`)
  letEnd(1)
  await page.goBack()
  await untilShown(page, ['user: Question', whole(1)])
})
