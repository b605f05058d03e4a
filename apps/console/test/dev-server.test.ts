import { fileURLToPath } from 'node:url'
import { heldScript, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { launchBrowser } from '@throughline/testing/browser/browser'
import { startDevServer } from '@throughline/testing/server/dev-server'
import { startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'
import { answers, send, untilShown } from './open-console.ts'

test('`npm run dev` beside a running server: the page asks, streams, survives a reload and stops', async () => {
  const first = heldScript({ before: [say('Well, ')], after: [say('yes.')] })
  const second = heldScript({ before: [say('Then ')] })
  const scripts = [first.script, second.script]
  const agent = scriptedAgent('assistant', request => {
    const script = scripts.shift() ?? []
    return typeof script === 'function' ? script(request) : script
  })
  await using server = await startTestServer({ agents: [agent] })
  await using dev = await startDevServer({
    folder: fileURLToPath(new URL('../../..', import.meta.url)),
    command: ['npm', 'run', 'dev', '--workspace', '@throughline/console', '--', '--port', '0'],
    env: { THROUGHLINE_URL: server.url },
  })
  await using chromium = await launchBrowser()
  const page = await (await chromium.browser.newContext({ locale: 'en-US' })).newPage()
  await page.goto(dev.url)
  await send(page, 'Is it?')
  await untilShown(page, ['user: Is it?', 'assistant: Well,'])

  await page.reload()
  await untilShown(page, ['user: Is it?', 'assistant: Well,'])
  first.letGo()
  await untilShown(page, ['user: Is it?', 'assistant: Well, yes.'])

  await send(page, 'And then?')
  await untilShown(page, ['user: Is it?', 'assistant: Well, yes.', 'user: And then?', 'assistant: Then'])
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.locator('article[data-status=stopped]').waitFor()
  expect(await answers(page).count()).toBe(2)
})
