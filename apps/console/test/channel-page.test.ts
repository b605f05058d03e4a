import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { hookChannels, writeToHook } from '@throughline/testing/channels/channel-server'
import { startWebhookReceiver } from '@throughline/testing/channels/webhook-receiver'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { half, numberedAgent, whole } from './numbered-agent.ts'
import { openConsole, untilShown } from './open-console.ts'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

test('a chat that begins in a channel appears on the page, and a person can answer there in place of the agent', async () => {
  await using receiver = await startWebhookReceiver()
  await using opened = await openConsole(chromium, {
    agents: [scriptedAgent('assistant', [say('The agent says hello.'), finish])],
    channels: hookChannels(receiver.url),
  })
  const { page, server } = opened
  await page.goto(server.url)
  await page.getByText('Your chats will be listed here.').waitFor()
  await writeToHook(server.url, { id: 'm1', text: 'Is anybody there?', sender: { id: '42', name: 'Ada' } })
  const row = page.getByRole('button', { name: /Is anybody there\?.*hook/ })
  await row.click()
  await untilShown(page, ['user: Is anybody there?', 'assistant: The agent says hello.'])
  await page.getByText('This chat is held in hook.').waitFor()

  await page.getByRole('button', { name: 'Take over' }).click()
  await page.getByText('You answer in place of the agent.').waitFor()
  await writeToHook(server.url, { id: 'm2', text: 'I would like a person.' })
  await page.getByText('I would like a person.').waitFor()
  const field = page.getByRole('textbox', { name: 'Reply to the person…' })
  await field.fill('Here I am.')
  await page.keyboard.press('Enter')
  await receiver.until(shown => shown.at(-1)?.text === 'Here I am.')
  await field.fill('What can I do?')
  await page.keyboard.press('Enter')
  await receiver.until(shown => shown.at(-1)?.text === 'What can I do?')
  // A reply that the server does not take comes back into the field.
  await page.route('**/reply', route => route.abort())
  await field.fill('Not lost.')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  await expect.poll(() => field.inputValue()).toBe('Not lost.')
  await page.unroute('**/reply')
  await field.fill('')
  await untilShown(page, [
    'user: Is anybody there?',
    'assistant: The agent says hello.',
    'user: I would like a person.',
    'assistant: Here I am.',
    'assistant: What can I do?',
  ])

  await page.getByRole('button', { name: 'Give back' }).click()
  await page.getByRole('button', { name: 'Take over' }).waitFor()
  await writeToHook(server.url, { id: 'm3', text: 'And now?' })
  await receiver.until(shown => shown.length === 4)
  expect(receiver.shown.at(-1)?.text).toBe('The agent says hello.')
})

test('what was asked before the person took over does not give the chat back', async () => {
  const { agent, letEnd } = numberedAgent()
  await using receiver = await startWebhookReceiver()
  await using opened = await openConsole(chromium, {
    agents: [agent],
    channels: hookChannels(receiver.url),
  })
  const { page, server } = opened
  await page.goto(server.url)
  await page.getByText('Your chats will be listed here.').waitFor()
  letEnd(1)
  await writeToHook(server.url, { id: 'm1', text: 'First', sender: { id: '42', name: 'Ada' } })
  await page.getByRole('button', { name: /First.*hook/ }).click()
  await page.getByText('This chat is held in hook.').waitFor()
  await untilShown(page, ['user: First', whole(1)])

  // From now on, what the page asks for is read at once, but comes later.
  const held = Promise.withResolvers<void>()
  const late: Promise<void>[] = []
  await page.route(/\/api\/chats\/[^/]+$/, async (route, request) => {
    if (request.method() !== 'GET') return route.continue()
    const response = await route.fetch()
    late.push(held.promise.then(() => route.fulfill({ response })))
  })
  await writeToHook(server.url, { id: 'm2', text: 'Second' })
  await untilShown(page, ['user: First', whole(1), 'user: Second', half(2)])
  await expect.poll(() => late.length).toBe(1)
  letEnd(2)
  await expect.poll(() => late.length).toBe(2)
  await page.getByRole('button', { name: 'Take over' }).click()
  await page.getByText('You answer in place of the agent.').waitFor()
  held.resolve()
  await Promise.all(late)
  await page.evaluate(
    () => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  )
  expect(await page.getByText('You answer in place of the agent.').count()).toBe(1)
})
