import { currentFrame } from '@throughline/agents'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { pictureBytes } from '@throughline/testing/browser/picture'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { expect, test } from 'vitest'
import { openConsole, send, untilShown } from './open-console.ts'

const agent = scriptedAgent('assistant', async function* () {
  const call = { toolCallId: 'call', toolName: 'browser_screenshot', input: {} }
  yield { type: 'tool-call', ...call }
  const screenshot = await currentFrame().run.keepFile({ mediaType: 'image/png', bytes: pictureBytes })
  yield { type: 'tool-result', ...call, output: { ok: true, screenshot } }
  yield say('Here it is.')
  yield finish
})

test('below a base path the page asks, shows files, finds its chats, and stays there', async () => {
  await using chromium = await sharedBrowser()
  await using opened = await openConsole(chromium, { agents: [agent], basePath: '/my/ai' })
  const { page, server } = opened
  const failed: string[] = []
  page.on('response', response => {
    if (response.status() >= 400) failed.push(response.url())
  })
  await page.goto(`${server.url}/my/ai`)
  await send(page, 'Show me')
  await untilShown(page, ['user: Show me', 'assistant: Here it is.'])
  await page.getByRole('img', { name: 'Screenshot' }).waitFor()
  expect(new URL(page.url()).pathname).toMatch(/^\/my\/ai\/chats\/chat_\w+$/)

  await page.reload()
  await untilShown(page, ['user: Show me', 'assistant: Here it is.'])
  await page.getByRole('button', { name: 'New chat' }).first().click()
  expect(new URL(page.url()).pathname).toBe('/my/ai/')
  await page.goBack()
  await untilShown(page, ['user: Show me', 'assistant: Here it is.'])
  expect(failed).toEqual([])
})
