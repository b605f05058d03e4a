import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { startFaultProxy } from '@throughline/testing/faults/fault-proxy'
import { ask, submit } from '@throughline/testing/http/chat-requests'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { waitLimitMs } from '@throughline/testing/waits/wait-limit'
import { expect, test, vi } from 'vitest'

const token = 'a-token-of-16-chars'
const headers = { authorization: `Bearer ${token}` }

test('the code in the guide follows a chat across a cut, with a new ticket when the first has expired', async () => {
  await using folder = await temporaryFolder()
  await writeFile(join(folder.path, 'index.html'), '<!doctype html><title>A page</title>')
  const clock = { now: new Date('2026-11-15T12:00:00.000Z') }
  await using server = await startTestServer({
    tokens: new Map([[token, ownerIdOf('ada')]]),
    now: () => clock.now,
    pageFolder: folder.path,
  })
  await using proxy = await startFaultProxy(server.url)
  await (await ask(server.url, { headers })).text()
  await using chromium = await sharedBrowser()
  const page = await chromium.browser.newPage()
  await page.goto(proxy.url)
  const entries: { readonly seq: number }[] = []
  await page.exposeFunction('tell', (entry: { readonly seq: number }) => void entries.push(entry))
  await page.evaluate(`{ const token = '${token}'; ${await documented()}; follow('chat', tell) }`)
  await vi.waitFor(() => expect(JSON.stringify(entries)).toContain('"status":"finished"'), patience)

  clock.now = new Date('2026-11-15T12:05:00.000Z')
  proxy.resetAll()
  await submit(server.url, { messageId: 'second', text: 'And tomorrow?', headers })
  await vi.waitFor(() => expect(JSON.stringify(entries)).toContain('And tomorrow?'), patience)
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1))
})

const patience = { timeout: waitLimitMs(), interval: 50 }

async function documented(): Promise<string> {
  const guide = await readFile(new URL('../../../../docs/guides/users.md', import.meta.url), 'utf8')
  return guide.split('```js\n')[1]?.split('```')[0] ?? ''
}
