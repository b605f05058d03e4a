import { readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { ask } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { replaced } from '@throughline/testing/proxies/replaced'
import { type DevServer, startDevServer } from '@throughline/testing/server/dev-server'
import { beforeAll, expect, test } from 'vitest'
import { expectAnswers } from '../../packages/server/test/embed/example-test.ts'
import { hostSuite } from '../../packages/server/test/embed/host-suite.ts'
import { embedded, listening } from '../../packages/server/test/embed/start-host.ts'
import { makeApp, nextCommand } from './make-app.ts'
import { nextListener } from './next-listener.ts'

let folder: string
let handle: RequestListener

beforeAll(async () => {
  folder = await makeApp()
  handle = await nextListener(folder)
}, 300_000)

// Next serves the built application in this process, so that its route finds the instance that the test has made.
hostSuite(
  'Next 16',
  embedded(async throughline => {
    Object.assign(globalThis, { throughline: Promise.resolve(throughline) })
    return listening(createServer(handle).listen(0, '127.0.0.1'))
  }),
)

test('the example answers, resumes and stops with next start, and ends its streams with the process', async () => {
  await using server = await startApp('start')
  await expectAnswers(server.url)
  await using log = new SseBytes(await fetch(`${server.url}/api/chats/chat/log`))
  await log.until('This is message 1')
  // 143 is what Next says after a SIGTERM.
  expect(await server.end('SIGTERM')).toBe(143)
  await log.rest()
})

test('the example goes on with next dev when its files are changed', async () => {
  await using server = await startApp('dev')
  await expectAnswers(server.url)
  await changeFile('lib/throughline.ts', { "data: 'data'": "data: 'data' /* changed */" })
  await changeFile('app/api/[...throughline]/route.ts', {
    'return throughline.fetch(request)':
      "return request.url.endsWith('/changed') ? new Response('changed') : throughline.fetch(request)",
  })
  await expect
    .poll(async () => (await fetch(`${server.url}/api/changed`)).text(), { timeout: 30_000 })
    .toBe('changed')
  const answer = await ask(server.url, { messageId: 'second' })
  expect(await answer.text()).toContain('This is message 3 of our chat.')
})

/** Starts the application without any chats. */
async function startApp(mode: 'start' | 'dev'): Promise<DevServer> {
  await rm(join(folder, 'data'), { recursive: true, force: true })
  return startDevServer({
    folder,
    command: nextCommand(mode, '--port', '0', '--hostname', 'localhost'),
    env: { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: mode === 'dev' ? 'development' : 'production' },
  })
}

async function changeFile(path: string, replacements: Readonly<Record<string, string>>): Promise<void> {
  const file = join(folder, path)
  await writeFile(file, replaced(await readFile(file, 'utf8'), replacements))
}
