import { type AgentEvent, toolFactory } from '@throughline/agents'
import { textOf } from '@throughline/protocol'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { asking, type Beat, calling, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { pictureBase64 } from '@throughline/testing/browser/picture'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { delegating, subAgent } from '@throughline/testing/server/delegating-server'
import { tool } from 'ai'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { answers, openConsole, send } from './open-console.ts'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

const cards = (page: Page) => page.locator('section[data-stage]')
const tail = (page: Page) => page.locator('[data-tail-text]')
const progress = (page: Page) => page.locator('[data-progress]')
const call = (name: string) => ({ toolCallId: name, toolName: name, input: { of: name } })
const works = (name: string, output: unknown = 'ok'): readonly AgentEvent[] => [
  { type: 'tool-call', ...call(name) },
  { type: 'tool-result', ...call(name), output },
]

test('many tools are one line with a count; the one that runs, pictures and what the person opened stay visible', async () => {
  const ends = Promise.withResolvers<void>()
  const busy = scriptedAgent('assistant', async function* () {
    yield* works('first')
    yield* works('photo', { picture: pictureBase64 })
    yield { type: 'tool-call', ...call('broken') }
    yield { type: 'tool-error', ...call('broken'), errorText: 'It broke.' }
    yield { type: 'tool-call', ...call('slow') }
    await ends.promise
    yield { type: 'tool-result', ...call('slow'), output: 'ok' }
    yield say('All done.')
    yield finish
  })
  await using opened = await openConsole(chromium, { agents: [busy] })
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'Go')
  const line = page.getByRole('button', { name: '3 tools, 1 failed' })
  await line.waitFor()
  expect(await cards(page).count()).toBe(1)
  expect(await page.getByRole('group', { name: 'slow: running' }).isVisible()).toBe(true)
  await page.locator('[data-pictures] img').waitFor()
  expect(await tail(page).allTextContents()).toEqual(['The assistant is working · slow'])
  expect(await progress(page).allTextContents()).toEqual(['3 of 4 steps'])
  expect(
    await progress(page)
      .locator('progress')
      .evaluate((bar: HTMLProgressElement) => [bar.value, bar.max]),
  ).toEqual([3, 4])

  ends.resolve()
  await page.locator('article[data-status=finished]').waitFor()
  await page.getByRole('button', { name: '4 tools, 1 failed' }).waitFor()
  expect(await cards(page).count()).toBe(0)
  expect(await tail(page).count()).toBe(0)
  await page.getByRole('button', { name: '4 tools, 1 failed' }).click()
  const names = ['first: done', 'photo: done', 'broken: failed', 'slow: done']
  const labels = () => cards(page).evaluateAll(all => all.map(each => each.getAttribute('aria-label')))
  expect(await labels()).toEqual(names)
  await page.reload()
  await expect.poll(labels).toEqual(names)
})

test('a stopped tool does not spin, says that it was cut off, and the agent can be asked to go on or to try again', async () => {
  const asked: string[] = []
  const assistant = scriptedAgent('assistant', async function* ({ messages, signal }) {
    asked.push(messages.map(textOf).at(-1) ?? '')
    if (asked.length > 1) {
      yield say(`Time ${asked.length}.`)
      yield finish
      return
    }
    yield say('I begin. ')
    yield { type: 'tool-call', ...call('slow') }
    await new Promise(resolve => signal.addEventListener('abort', resolve))
  })
  await using opened = await openConsole(chromium, { agents: [assistant] })
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'Go')
  await page.getByRole('group', { name: 'slow: running' }).waitFor()
  expect(await page.getByRole('button', { name: 'Continue' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('group', { name: 'slow: cut off' }).waitFor()
  // The call is closed first, and the answer with the next entries.
  await page.getByText('Stopped by the user.').waitFor()
  await expect.poll(() => page.locator('.animate-spin, .dots').count()).toBe(0)

  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await answers(page).getByText('Time 2.').waitFor()
  expect(asked[1]).toBe(
    'Please go on from where you stopped. Do not repeat what you have already said or done.',
  )
  await page.reload()
  await answers(page).getByText('Time 2.').waitFor()
  const said = page.locator('[data-go-on]')
  expect(await said.textContent()).toContain('You pressed Continue.')
  expect(await said.textContent()).toContain(asked[1])
  // The chat has gone on, and its last answer is whole: nothing is left to mend.
  expect(await page.getByRole('button', { name: 'Continue', exact: true }).count()).toBe(0)
})

test('an answer that failed at once can only be tried again, in Chinese too, and Continue speaks the language of the chat', async () => {
  const asked: string[] = []
  const assistant = scriptedAgent('assistant', async function* ({ messages }) {
    asked.push(messages.map(textOf).at(-1) ?? '')
    if (asked.length === 2) yield say('开始。')
    if (asked.length < 3) throw new Error('The line is dead.')
    yield say('好了。')
    yield finish
  })
  const browserContext = { locale: 'zh-CN', viewport: { width: 390, height: 844 } }
  await using opened = await openConsole(chromium, { agents: [assistant], browserContext })
  const { page, server } = opened
  await page.goto(server.url)
  await page.getByRole('textbox', { name: '输入消息…' }).fill('请开始')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  expect(await page.getByRole('button', { name: '继续', exact: true }).count()).toBe(0)
  await page.getByRole('button', { name: '重试' }).click()
  await answers(page).getByText('开始。').waitFor()
  await page.getByRole('button', { name: '继续', exact: true }).click()
  await answers(page).getByText('好了。').waitFor()
  expect(asked).toEqual(['请开始', '请开始', '请从你停下的地方继续，不要重复已经说过或做过的内容。'])
})

test('a sub-agent that the person closes stays closed, now and after a reload, and shows its pictures all the same', async () => {
  const ends = Promise.withResolvers<void>()
  async function* conclude(): AsyncGenerator<Beat> {
    await ends.promise
    yield saying('It is red.')
  }
  const model = scriptedModel({
    master: [[asking('painter')], [saying('All done.')]],
    painter: [[calling('paint', {})], conclude],
  })
  const paint = tool({
    description: 'Paints.',
    inputSchema: z.object({}),
    execute: async () => ({ picture: pictureBase64 }),
  })
  const tools = [toolFactory('paint', paint)]
  const subAgents = [subAgent('painter', { tools: ['paint'] })]
  await using opened = await openConsole(chromium, delegating({ model, tools, subAgents }))
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'Go')
  await page.getByRole('group', { name: 'paint: done' }).waitFor()
  expect(await tail(page).allTextContents()).toEqual([
    'The master is working · The painter › waiting for the model',
  ])
  // The delegation goes on, and the painter has painted.
  expect(await progress(page).allTextContents()).toEqual(['1 of 2 steps'])
  const head = page.locator('[data-sub-agent=painter]').getByRole('button').first()
  const isOpen = () => head.getAttribute('aria-expanded')
  expect(await isOpen()).toBe('true')
  await head.click()
  await page.locator('[data-sub-agent=painter] [data-pictures] img').waitFor()
  ends.resolve()
  await page.locator('article[data-status=finished]').waitFor()
  expect(await isOpen()).toBe('false')
  await page.reload()
  await page.locator('[data-sub-agent=painter] [data-pictures] img').waitFor()
  expect(await isOpen()).toBe('false')
  await head.click()
  await page.reload()
  await page.getByText('It is red.').waitFor()
  expect(await isOpen()).toBe('true')
})
