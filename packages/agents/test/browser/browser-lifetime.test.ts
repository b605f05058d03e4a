import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { until } from '@throughline/testing/waits/until'
import { expect, test } from 'vitest'
import { type LocalServer, startLocalServer } from '../web/testing/local-server.ts'
import { startableRuns } from './testing/browser-run.ts'

/** Says which cookie it was sent, sets one, and keeps a connection of the page open for ever. */
function startSite(): Promise<LocalServer> {
  return startLocalServer((request, response) => {
    response.setHeader('content-type', 'text/html')
    if (request.url === '/hang') return
    if (request.url === '/busy') response.end('<script>for (;;) {}</script>')
    else {
      response.setHeader('set-cookie', 'who=me')
      response.end(`<title>${request.headers.cookie ?? 'no cookie'}</title><script>fetch('/hang')</script>`)
    }
  })
}

/** The request that the page of a site keeps open. */
async function hanging({ requests }: LocalServer): Promise<IncomingMessage> {
  return until(() => requests.find(({ url, destroyed }) => url === '/hang' && !destroyed))
}

async function cut(request: IncomingMessage): Promise<void> {
  if (!request.socket.destroyed) await once(request.socket, 'close')
}

test('a run keeps its cookies, another run begins without any, and both share one browser', async () => {
  await using site = await startSite()
  const { startRun, browsers } = startableRuns({ allowHosts: [site.host] })
  await using first = startRun()
  await using second = startRun()
  expect(await first.call('browser_navigate', { url: site.url })).toMatchObject({ title: 'no cookie' })
  expect(await first.call('browser_navigate', { url: site.url })).toMatchObject({ title: 'who=me' })
  // Another agent of the same run is the same visitor.
  expect(await first.another().call('browser_navigate', { url: site.url })).toMatchObject({ title: 'who=me' })
  expect(await second.call('browser_navigate', { url: site.url })).toMatchObject({ title: 'no cookie' })
  expect(browsers.map(browser => browser.contexts().length)).toEqual([2])
})

test('the end of a run closes its context, and the last one closes the browser', async () => {
  await using site = await startSite()
  const { startRun, browsers } = startableRuns({ allowHosts: [site.host] })
  await using first = startRun()
  await using second = startRun()
  await first.call('browser_navigate', { url: site.url })
  await second.call('browser_navigate', { url: site.url })
  await first.end()
  expect(browsers[0]?.contexts()).toHaveLength(1)
  await second.end()
  expect(browsers[0]?.isConnected()).toBe(false)
  await using third = startRun()
  expect(await third.call('browser_navigate', { url: site.url })).toMatchObject({ title: 'no cookie' })
  expect(browsers).toHaveLength(2)
})

test('a stop ends an action and the page’s connections at once, before the run ends', async () => {
  await using site = await startSite()
  const { startRun, browsers } = startableRuns({ allowHosts: [site.host] })
  await using run = startRun()
  await run.call('browser_navigate', { url: site.url })
  const open = await hanging(site)
  const waiting = run.call('browser_navigate', { url: `${site.url}/hang` })
  const next = run.call('browser_extract', {})
  run.stop()
  await expect(waiting).rejects.toMatchObject({ name: 'RunStopped' })
  await expect(next).rejects.toMatchObject({ name: 'RunStopped' })
  await cut(open)
  await until(() => browsers[0]?.isConnected() === false)
  await expect(run.call('browser_navigate', { url: site.url })).rejects.toMatchObject({ name: 'RunStopped' })
  expect(browsers).toHaveLength(1)
})

test('a stop while the browser starts leaves nothing running', async () => {
  await using site = await startSite()
  const { startRun, browsers, launching } = startableRuns({ allowHosts: [site.host] })
  await using run = startRun()
  const waiting = run.call('browser_navigate', { url: site.url })
  await launching
  run.stop()
  await expect(waiting).rejects.toMatchObject({ name: 'RunStopped' })
  await run.end()
  await until(() => browsers[0]?.isConnected() === false)
  expect(site.requests).toHaveLength(0)
})

test('an action that takes too long closes its page, and the next one gets a new context', async () => {
  await using site = await startSite()
  const { startRun, browsers } = startableRuns({ allowHosts: [site.host], actionTimeoutMs: 1_500 })
  await using run = startRun()
  await run.call('browser_navigate', { url: site.url })
  const open = await hanging(site)
  const busy = run.call('browser_navigate', { url: `${site.url}/busy` })
  await expect(busy).rejects.toMatchObject({
    code: 'timeout',
    message: expect.stringContaining('1.5 seconds'),
  })
  await cut(open)
  await until(() => browsers[0]?.isConnected() === false)
  expect(await run.call('browser_navigate', { url: site.url })).toMatchObject({ title: 'no cookie' })
})

test('a browser that dies is told to the model, and the next call has a new one', async () => {
  await using site = await startSite()
  const { startRun, browsers } = startableRuns({ allowHosts: [site.host] })
  await using run = startRun()
  await run.call('browser_navigate', { url: site.url })
  const waiting = run.call('browser_navigate', { url: `${site.url}/hang` })
  await hanging(site)
  const [told] = await Promise.all([waiting.catch((error: unknown) => error), browsers[0]?.close()])
  // Which of the two is heard first, the broken load or the closed page, is the browser's.
  expect(told).toMatchObject({ name: 'BrowserError', code: expect.stringMatching(/^(closed|failed)$/) })
  expect(await run.call('browser_navigate', { url: site.url })).toMatchObject({ title: 'no cookie' })
})

test('a browser that does not start is told to the model', async () => {
  const { startRun } = startableRuns({
    launch: (await import('../../src/browser/launch-chromium.ts')).chromiumLauncher({
      CHROME_PATH: '/nowhere/chrome',
    }),
  })
  await using run = startRun()
  const opened = run.call('browser_navigate', { url: 'http://93.184.215.14/' })
  await expect(opened).rejects.toMatchObject({ code: 'no-browser' })
  await expect(run.call('browser_extract', {})).rejects.toMatchObject({ code: 'no-browser' })
})
