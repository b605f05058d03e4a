import { isToolPart, type Message } from '@throughline/protocol'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { asking, type Beat, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { delegating, subAgent } from '@throughline/testing/server/delegating-server'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openConsole, send } from './open-console.ts'
import { expectNoJump, paragraphs, read } from './read-history.ts'
import { framesOf, namesIn, outOfOrder, recordFrames, unsteadyCards, vanished } from './watch-frames.ts'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

const finished = (page: Page) => page.locator('article[data-status=finished]').waitFor()

/** Returns the order of cards and texts in the log: the ids of cards, and the first words of texts. */
async function logOrder(page: Page): Promise<readonly string[]> {
  const messages: readonly Message[] = await page.evaluate(async () => {
    const response = await fetch(`/api${location.pathname}/messages?subAgents=separate`)
    return (await response.json()).messages
  })
  const below = (message: Message): readonly string[] =>
    message.parts.flatMap((part, index) => {
      if (part.type === 'text') return [part.text.trim().split(/\s/)[0] ?? '']
      if (!isToolPart(part)) return []
      const started = messages.find(({ metadata }) => metadata?.parent?.toolCallId === part.toolCallId)
      return [`${message.id} ${index}`, ...(started === undefined ? [] : below(started))]
    })
  return messages.filter(({ metadata, role }) => role === 'assistant' && !metadata?.parent).flatMap(below)
}

/** Checks a recording: nothing vanished, changed its name or its form, or left the order of the log; one line tells of work. */
async function expectSteady(page: Page): Promise<void> {
  const frames = await framesOf(page)
  expect(vanished(frames)).toEqual([])
  expect(namesIn(frames)).toHaveLength(1)
  expect(unsteadyCards(frames)).toEqual([])
  expect(outOfOrder(frames, await logOrder(page))).toEqual([])
  expect(Math.max(...frames.map(({ tails }) => tails))).toBe(1)
}

test('two sub-agents work, one after the other ends and its card closes: what a person reads does not move', async () => {
  const scoutEnds = Promise.withResolvers<void>()
  const readerEnds = Promise.withResolvers<void>()
  async function* work(word: string, end: Promise<void>): AsyncGenerator<Beat> {
    yield saying(paragraphs(word))
    await end
    yield saying('And that is all.')
  }
  const model = scriptedModel({
    master: [[saying('Asking both. '), asking('scout'), asking('reader')], [saying('Both are back.')]],
    scout: [() => work('Scout', scoutEnds.promise)],
    reader: [() => work('Reader', readerEnds.promise)],
  })
  await using opened = await openConsole(
    chromium,
    delegating({ model, subAgents: [subAgent('scout'), subAgent('reader')] }),
  )
  const { page, server } = opened
  await page.goto(server.url)
  await recordFrames(page)
  await send(page, 'Go')
  await read(page, page.locator('article').getByText('Reader says number 20.'), 'center')
  scoutEnds.resolve()
  const scout = page.locator('[data-sub-agent=scout]')
  await expect.poll(() => scout.getByRole('button').first().getAttribute('aria-expanded')).toBe('false')
  readerEnds.resolve()
  await finished(page)
  // The person reads it, so it stays open.
  expect(await page.locator('article').getByText('Reader says number 20.').isVisible()).toBe(true)
  await expectNoJump(page)
  await expectSteady(page)
})

test('while a person reads, a card above gets an error and tools below are folded: nothing moves', async () => {
  const early = { toolCallId: 'early', toolName: 'early', input: {} }
  const goesOn = Promise.withResolvers<void>()
  const agent = scriptedAgent('assistant', async function* () {
    yield { type: 'tool-call', ...early }
    yield say(paragraphs('Alpha'))
    await goesOn.promise
    yield { type: 'tool-error', ...early, errorText: 'It took too long. '.repeat(30) }
    for (const toolName of ['one', 'two', 'three', 'four', 'five']) {
      const call = { toolCallId: toolName, toolName, input: {} }
      yield { type: 'tool-call', ...call }
      yield { type: 'tool-result', ...call, output: 'ok' }
    }
    yield say('Omega is the end.')
    yield finish
  })
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.goto(server.url)
  await recordFrames(page)
  await send(page, 'Go')
  await read(page, page.locator('article').getByText('Alpha says number 20.'), 'center')
  goesOn.resolve()
  await finished(page)
  await expectNoJump(page)
  await page.getByRole('button', { name: 'Latest' }).click()
  await page.getByRole('button', { name: '5 tools' }).waitFor()
  await expectSteady(page)
})
