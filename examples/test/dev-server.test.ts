import { fileURLToPath } from 'node:url'
import { heldAgent, say } from '@throughline/testing/agent/scripted-agent'
import { launchBrowser } from '@throughline/testing/browser/browser'
import { startDevServer } from '@throughline/testing/server/dev-server'
import { startTestServer } from '@throughline/testing/server/test-server'
import { resolveConfig } from 'vite'
import { expect, test } from 'vitest'

const folder = fileURLToPath(new URL('..', import.meta.url))

// The command is the one in examples/README.md, on a free port.
const command = (name: string) =>
  ['npm', 'exec', '--', 'vite', name, '--config', 'vite.config.ts', '--port', '0'] as const

test('an example on its development server asks beside a running server', async () => {
  await using server = await startTestServer()
  await using dev = await startDevServer({
    folder,
    command: command('plain-js'),
    env: { THROUGHLINE_URL: server.url },
  })
  await using chromium = await launchBrowser()
  const page = await chromium.browser.newPage()
  await page.goto(dev.url)
  await page.getByPlaceholder('Ask something').fill('How is the weather?')
  await page.getByRole('button', { name: 'Ask' }).click()
  await page.getByText('tokens').waitFor()
  expect(await page.locator('#answer').textContent()).toBe('Let me look. \n\nThe sky is clear.')
})

test('a chat on its development server streams, and goes on after a reload', async () => {
  const { agent, letGo } = heldAgent('assistant', { before: [say('Well, ')], after: [say('yes.')] })
  await using server = await startTestServer({ agents: [agent] })
  await using dev = await startDevServer({
    folder,
    command: command('react-chat'),
    env: { THROUGHLINE_URL: server.url },
  })
  await using chromium = await launchBrowser()
  const page = await chromium.browser.newPage()
  await page.goto(dev.url)
  await page.getByPlaceholder('Write a message').fill('Is it?')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('Well, ').waitFor()

  await page.reload()
  await page.getByText('Well, ').waitFor()
  letGo()
  await page.locator('main[data-status=ready]').waitFor()
  await page.getByText('Well, yes.').waitFor()
})

test('every example has a cache of its own on its development server, so that two can run at the same time', async () => {
  const caches = await Promise.all(
    ['plain-js', 'react-chat'].map(async name => {
      const config = await resolveConfig(
        { root: `${folder}${name}`, configFile: `${folder}vite.config.ts` },
        'serve',
      )
      return config.cacheDir
    }),
  )
  expect(new Set(caches).size).toBe(2)
})
