import { type Message, textOf } from '@throughline/protocol'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answers, openConsole, send, shownMessages } from './open-console.ts'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

const count = 3_000
const numbers = Array.from({ length: count }, (_, index) => index)

const texts: Readonly<Record<string, string>> = {
  list: numbers.map(number => `- item ${number} is *here*`).join('\n'),
  table: `| number | word |\n|---|---|\n${numbers.map(number => `| ${number} | word |`).join('\n')}`,
  code: `\`\`\`js\n${numbers.map(number => `call(${number})`).join('\n')}\n\`\`\``,
  paragraph: numbers.map(number => `word${number}`).join(' '),
}

/** Answers with the text whose name is asked for, in small pieces. */
const writer = scriptedAgent('assistant', function* ({ messages }) {
  const text = texts[questionIn(messages)] ?? questionIn(messages)
  for (let at = 0; at < text.length; at += 7) yield say(text.slice(at, at + 7))
  yield say('\n\nThe end.')
  yield finish
})

const looks: readonly [name: string, drawn: (answer: Locator) => Promise<unknown>[], expected: unknown[]][] =
  [
    [
      'list',
      answer => [answer.locator('ul').count(), answer.locator('ul li').allTextContents()],
      [1, numbers.map(number => `item ${number} is here`)],
    ],
    [
      'table',
      answer => [answer.locator('th').allTextContents(), answer.locator('td:first-child').allTextContents()],
      [['number', 'word'], numbers.map(String)],
    ],
    [
      'code',
      answer => [answer.locator('figcaption > span').textContent(), answer.locator('pre').textContent()],
      ['js', numbers.map(number => `call(${number})\n`).join('')],
    ],
    ['paragraph', answer => [answer.locator('p').allTextContents().then(joined)], [texts['paragraph']]],
  ]

test.each(looks)(
  'a very long %s is shown in full, live and after a reload',
  async (name, drawn, expected) => {
    await using opened = await openConsole(chromium, { agents: [writer] })
    const { page, server } = opened
    await page.goto(server.url)
    await send(page, name)
    const end = answers(page).getByText('The end.')
    await end.waitFor()
    expect(await Promise.all(drawn(answers(page)))).toEqual(expected)
    await page.reload()
    await end.waitFor()
    expect(await Promise.all(drawn(answers(page)))).toEqual(expected)
  },
)

test('a long chat is shown from its end, in full, and stays where the person is', async () => {
  await using opened = await openConsole(chromium, { agents: [writer] })
  const { page, server } = opened
  await page.goto(server.url)
  const said: string[] = []
  for (const name of ['paragraph', 'list', 'table', 'code', 'Hello']) {
    await send(page, name)
    said.push(name)
    await expect.poll(() => page.locator('article[data-status=finished]').count()).toBe(said.length)
  }
  await expect.poll(() => page.locator('#messages').getByText('The end.').count()).toBe(said.length)
  // A long paragraph may be cut at another position, and a cut leaves out a space.
  const words = async () => (await shownMessages(page)).join('').replace(/\s/g, '')
  const before = await words()
  await page.reload()
  await expect.poll(async () => (await words()) === before).toBe(true)

  const scroller = page.locator('#messages')
  const toEndPx = () =>
    scroller.evaluate(box => Math.round(box.scrollHeight - box.scrollTop - box.clientHeight))
  await expect.poll(toEndPx).toBe(0)
  await scroller.evaluate(box => box.scrollTo({ top: 0 }))
  await page.getByRole('button', { name: 'Latest' }).waitFor()
  const top = await scroller.evaluate(box => box.scrollTop)
  await fetch(`${server.url}/api/chats/${page.url().split('/').at(-1)}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      message: { id: 'elsewhere', role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
    }),
  })
  await expect.poll(() => page.locator('article').count()).toBe(2 * said.length + 2)
  expect(await scroller.evaluate(box => box.scrollTop)).toBe(top)
  await page.getByRole('button', { name: 'Latest' }).click()
  await expect.poll(toEndPx).toBe(0)
})

function questionIn(messages: readonly Message[]): string {
  const question = messages.findLast(({ role }) => role === 'user')
  return question === undefined ? '' : textOf(question)
}

/** Pieces of one paragraph, and the paragraph after it. */
function joined(paragraphs: readonly string[]): string {
  return paragraphs
    .slice(0, -1)
    .map(text => text.trim())
    .join(' ')
}
