import { finish, heldAgent, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answers, openConsole, send } from '../open-console.ts'
import { attackPage } from './attack-page.ts'
import { harmfulMarkup } from './harmful-markup.ts'
import { liveAttack } from './live-attack.ts'
import { makePayloads, payloadCount } from './make-payloads.ts'
import { watchHarm } from './watch-harm.ts'

const payloads = makePayloads()

let chromium: TestBrowser
beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

test('there are 2,000 payloads, no two alike, and always the same ones', () => {
  expect(new Set(payloads.map(({ text }) => text)).size).toBe(payloadCount)
  expect(payloads).toEqual(makePayloads())
})

const savedCount = Number(process.env['PAYLOADS'] ?? payloadCount / 10)

test('no payload runs a script, sends a request or breaks anything, wherever it is saved', async () => {
  await using opened = await openConsole(chromium, {})
  await attackPage(opened, payloads.slice(0, savedCount))
})

test('an agent that sends payloads in pieces, and offers pages with them, does nothing to a page that watches', async () => {
  const { agent, letGo } = heldAgent('assistant', {
    before: [...liveAttack(payloads.slice(0, 100)), say('Half way.')],
    after: [say('The end.')],
  })
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  const harm = await watchHarm(page, server.url)
  await page.goto(server.url)
  await send(page, 'Attack')
  await answers(page).getByText('Half way.').waitFor()
  expect([harm, await harmfulMarkup(page)]).toEqual([[], []])
  // Pages are offered, and none of them is loaded.
  await page.getByRole('button', { name: 'Open', exact: true }).first().waitFor()
  letGo()
  await answers(page).getByText('The end.').waitFor()
  expect([harm, await harmfulMarkup(page)]).toEqual([[], []])
})

test('agents may be named and described by payloads, and offer them as examples', async () => {
  const agents = payloads.slice(0, 60).map(({ number, text }) => ({
    ...scriptedAgent(`agent-${number}`, [say('Still here.'), finish]),
    displayName: text,
    description: text,
    examples: [text],
  }))
  await using opened = await openConsole(chromium, { agents })
  const { page, server } = opened
  const harm = await watchHarm(page, server.url)
  await page.goto(server.url)
  await send(page, 'Are you there?')
  await answers(page).getByText('Still here.').waitFor()
  expect([harm, await harmfulMarkup(page)]).toEqual([[], []])
})
