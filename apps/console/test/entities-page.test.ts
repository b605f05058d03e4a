import { readFile } from 'node:fs/promises'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import MarkdownIt from 'markdown-it'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openConsole, send } from './open-console.ts'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

/** Answers with this Markdown. Returns the texts of the elements that the selector finds in the answer. */
async function shown(markdown: string, selector: string): Promise<readonly (string | null)[]> {
  const agent = scriptedAgent('assistant', async function* () {
    yield say(markdown)
    yield finish
  })
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'Show it')
  await page.locator('article[data-status=finished]').waitFor()
  const found = page.locator(`article[data-role=assistant] ${selector}`)
  await expect.poll(() => found.count()).toBe(markdown.split('\n').length)
  return await found.evaluateAll(all => all.map(each => each.getAttribute('href') ?? each.textContent))
}

test('the page decodes every named entity of HTML as markdown-it does with its own table, and nothing else', async () => {
  const names = (await readFile(new URL('entity-names.txt', import.meta.url), 'utf8')).trim().split(/\s+/)
  // Most of these begin with an entity that HTML also knows without its semicolon.
  const others = names.flatMap(name => [`${name}x`, `x${name}`, name.toLowerCase()])
  const items = [...names, ...others, 'unknown', 'a'].map(name => `a&${name};b`)
  const parser = new MarkdownIt()
  const expected = items.map(item => parser.parseInline(item, {})[0]?.children?.map(({ content }) => content))
  const texts = await shown(items.map(item => `- ${item}`).join('\n'), 'li')
  expect(names).toHaveLength(2125)
  expect(texts).toEqual(expected.map(contents => contents?.join('')))
})

test('the host of a link is written in ASCII, and a host that is not valid stays as it is', async () => {
  const addresses = [
    'https://bücher.example/über?ä#ö',
    'https://EXAMPLE.com/a',
    'https://xn--bcher-kva.example/',
    'https://例え.example:8080/',
    'https://[::1]/',
    'https://ß\u{fffd}.example/',
  ]
  const hrefs = await shown(addresses.map(address => `[link](<${address}>)`).join('\n'), 'a')
  expect(hrefs).toEqual([
    'https://xn--bcher-kva.example/%C3%BCber?%C3%A4#%C3%B6',
    'https://EXAMPLE.com/a',
    'https://xn--bcher-kva.example/',
    'https://xn--r8jz45g.example:8080/',
    'https://[::1]/',
    'https://%C3%9F%EF%BF%BD.example/',
  ])
})
