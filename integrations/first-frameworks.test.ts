import { readFile } from 'node:fs/promises'
import { launchBrowser } from '@throughline/testing/browser/browser'
import { startTestServer } from '@throughline/testing/server/test-server'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { describe, expect, test } from 'vitest'
import { buildPage } from './player/build-page.ts'

describe.each([
  ['react-18', 'pages/agent-chat.tsx', '18.3.1'],
  ['react-19-first', 'pages/agent-chat.tsx', '19.0.0'],
  ['vue-first', 'pages/agent-chat-vue.ts', '3.5.0'],
])('%s', (folder, page, version) => {
  test('is the oldest that our client names, and works', async () => {
    await using built = await temporaryFolder()
    await buildPage({ folder, page }, built.path)
    expect(await readFile(`${built.path}/page.js`, 'utf8')).toContain(version)
    await using server = await startTestServer({ pageFolder: built.path })
    await using chromium = await launchBrowser()
    const tab = await chromium.browser.newPage()
    const errors: string[] = []
    tab.on('pageerror', error => void errors.push(error.message))
    await tab.goto(server.url)
    await tab.getByRole('status').getByText('ready').waitFor()
    await tab.getByRole('button', { name: 'Send' }).click()
    await tab.getByText('The sky is clear.').waitFor()
    await tab.reload()
    await tab.getByText('The sky is clear.').waitFor()
    expect(errors).toEqual([])
  })
})
