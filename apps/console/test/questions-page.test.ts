import { type Agent, askOutput } from '@throughline/agents'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { expect, test } from 'vitest'
import { openConsole, send } from './open-console.ts'

function asker(from: 'client' | 'person'): Agent {
  const call = { toolCallId: 'q', toolName: 'question', input: { question: 'How many?' } }
  return {
    name: 'asker',
    displayName: 'The asker',
    async *run() {
      yield { type: 'tool-call', ...call }
      const output = await askOutput({ ...call, from })
      yield { type: 'tool-result', ...call, output }
      yield { type: 'text-delta', text: `So ${output}.` }
      yield { type: 'finish', finishReason: 'stop' }
    },
  }
}

test('a question has a field, and the answer goes on with what the person writes, also after a reload', async () => {
  await using console = await openConsole(await sharedBrowser(), { agents: [asker('person')] })
  const { page, server } = console
  await page.goto(server.url)
  await send(page, 'Ask me.')
  await page.getByText('How many?').last().waitFor()
  await page.reload()
  await page.getByRole('textbox', { name: 'Your answer' }).fill('Three')
  await page.getByRole('button', { name: 'Answer', exact: true }).click()
  await page.getByText('So Three.').last().waitFor()
  expect(await page.locator('section[data-stage]').getAttribute('data-stage')).toBe('done')
})

test('a call that waits for an app says so, and asks the person nothing', async () => {
  await using console = await openConsole(await sharedBrowser(), { agents: [asker('client')] })
  const { page, server } = console
  await page.goto(server.url)
  await send(page, 'Ask the app.')
  await page.getByText('Waiting for the app that runs this tool.').waitFor()
  expect(await page.getByRole('textbox', { name: 'Your answer' }).count()).toBe(0)
})
