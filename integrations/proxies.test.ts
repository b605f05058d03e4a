import { fileURLToPath } from 'node:url'
import { heldAgent, say } from '@throughline/testing/agent/scripted-agent'
import { launchBrowser, type TestBrowser } from '@throughline/testing/browser/browser'
import { startCaddy } from '@throughline/testing/proxies/start-caddy'
import { startNginx } from '@throughline/testing/proxies/start-nginx'
import { freePort } from '@throughline/testing/server/free-port'
import { startTestServer } from '@throughline/testing/server/test-server'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { send, untilShown } from '../apps/console/test/open-console.ts'
import { documented } from './proxies/documented.ts'

const pageFolder = fileURLToPath(new URL('../apps/console/dist', import.meta.url))
const nginx = await documented('nginx')

/** What nginx does when it is told nothing but where the server is. */
const nginxByDefault = nginx.replace(
  /location \/ \{[^}]*\}/,
  'location / { proxy_pass http://127.0.0.1:4000; }',
)

let port: number
let chromium: TestBrowser
beforeAll(async () => {
  port = await freePort()
  chromium = await launchBrowser({ args: [`--host-resolver-rules=MAP chat.example:443 127.0.0.1:${port}`] })
})
afterAll(() => chromium[Symbol.asyncDispose]())

describe.each([
  ['nginx as documented', startNginx, nginx],
  ['nginx by default', startNginx, nginxByDefault],
  ['Caddy as documented', startCaddy, await documented('caddyfile')],
])('%s', (_, start, config) => {
  test('the page asks, streams and survives a reload, over HTTP/2', async () => {
    const { agent, letGo } = heldAgent('assistant', { before: [say('Well,')], after: [say(' yes.')] })
    await using server = await startTestServer({ agents: [agent], hosts: ['chat.example'], pageFolder })
    await using _proxy = await start({
      config,
      port,
      addresses: { '127.0.0.1:4000': new URL(server.url).host },
    })
    await using opened = await openPage()
    const { page } = opened
    expect(await protocolOf(page)).toBe('h2')
    await send(page, 'Is it?')
    await untilShown(page, ['user: Is it?', 'assistant: Well,'])
    await page.reload()
    await untilShown(page, ['user: Is it?', 'assistant: Well,'])
    letGo()
    await untilShown(page, ['user: Is it?', 'assistant: Well, yes.'])
  })

  test.each(['/api/chat', '/api/chat?format=data-stream', '/ag-ui', '/agent/query-stream-delta'])(
    'what %s says arrives before the answer has ended, and so do its heartbeats',
    async path => {
      const { agent } = heldAgent('assistant', { before: [say('Well,')] })
      await using server = await startTestServer({
        agents: [agent],
        hosts: ['chat.example'],
        pageFolder,
        heartbeatMs: 50,
      })
      await using _proxy = await start({
        config,
        port,
        addresses: { '127.0.0.1:4000': new URL(server.url).host },
      })
      await using opened = await openPage()
      const said = await opened.page.evaluate(readHalf, path)
      expect(said).toContain('Well,')
    },
  )
})

async function openPage() {
  const context = await chromium.browser.newContext({ locale: 'en-US', ignoreHTTPSErrors: true })
  const page = await context.newPage()
  await page.goto('https://chat.example/')
  return { page, [Symbol.asyncDispose]: () => context.close() }
}

function protocolOf(page: Page): Promise<unknown> {
  return page.evaluate(() =>
    Reflect.get(performance.getEntriesByType('navigation')[0] ?? {}, 'nextHopProtocol'),
  )
}

/** Runs in the page. Asks as each kind of client does, and reads until there have been words and three heartbeats. */
async function readHalf(path: string): Promise<string> {
  const message = { id: 'question', role: 'user', parts: [{ type: 'text', text: 'Is it?' }] }
  const question = { id: 'question', role: 'user', content: 'Is it?' }
  const body = path.startsWith('/api')
    ? { id: 'half', messages: [message], trigger: 'submit-message' }
    : { message: 'Is it?', threadId: 'half', runId: 'run', messages: [question] }
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let said = `${response.status} `
  while ((said.match(/^(:|2:\[\])/gm) ?? []).length < 3) {
    const next = await reader?.read()
    if (next?.value === undefined) return `ended: ${said}`
    said += next.value
  }
  await reader?.cancel()
  return said
}
