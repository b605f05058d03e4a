import { type Message, textOf } from '@throughline/protocol'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { pictureBase64, pictureBytes } from '@throughline/testing/browser/picture'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answers, type Console, openConsole, send } from './open-console.ts'

const fence = '```'

const texts: Readonly<Record<string, string>> = {
  code: `${fence}ts\nconst answer: number = 42 // yes\n${fence}\n\n${fence}klingon\nqo\n${fence}`,
  math: 'It is $E = mc^2$, or\n\n$$\n\\int_0^1 x\\,dx\n$$\n\nfor $5 and $10. Wrong: $\\nonsense{$ here.',
  diagram: `${fence}mermaid\nflowchart LR\n  A[Begin] --> B[End]\n${fence}\n\nBetween.\n\n${fence}mermaid\nnonsense\n${fence}`,
  lists: '- [x] done\n- [ ] open\n\nSee[^1].\n\nשלום עולם\n\n[^1]: The **note**.',
  sources: 'It is so [1], and so [2]; not [9].',
}

const goOn = Promise.withResolvers<void>()

const writer = scriptedAgent('assistant', async function* ({ messages }) {
  const question = questionIn(messages)
  const text = texts[question] ?? question
  for (let at = 0; at < text.length; at += 5) yield say(text.slice(at, at + 5))
  if (question === 'growing') {
    yield say(`\n\n${fence}ts\nconst first = 1\n`)
    await goOn.promise
    for (let line = 0; line < 800; line += 1) yield say(`call(${line}, 'text')\n`)
    yield say(`const last = 2\n${fence}\n`)
  }
  if (question === 'sources') {
    const first = { sourceId: 's1', url: 'https://www.example.com/page', title: 'A page' }
    yield { type: 'source', chunk: { type: 'source-url', ...first } }
    yield { type: 'source', chunk: { type: 'source-url', sourceId: 's2', url: 'javascript:alert(1)' } }
    yield {
      type: 'source',
      chunk: { type: 'source-document', sourceId: 's3', mediaType: 'text/plain', title: 'Notes' },
    }
  }
  if (question === 'pictures') {
    const images = [pictureBase64, Buffer.concat([pictureBytes, Buffer.from('.')]).toString('base64')]
    const call = { toolCallId: 'call', toolName: 'paint', input: {} }
    yield { type: 'tool-result', ...call, output: { images: images.map(image => ({ image })) } }
  }
  yield finish
})

let chromium: TestBrowser
let opened: Console
let page: Page

beforeAll(async () => {
  chromium = await sharedBrowser()
  opened = await openConsole(chromium, { agents: [writer] })
  page = opened.page
})
afterAll(async () => {
  await opened[Symbol.asyncDispose]()
  await chromium[Symbol.asyncDispose]()
})

async function ask(question: string): Promise<void> {
  await page.goto(opened.server.url)
  await send(page, question)
  await page.locator('article[data-status=finished]').waitFor()
}

test('code has colours for its language, and stays the same text', async () => {
  await ask('code')
  await answers(page).locator('.code-keyword', { hasText: 'const' }).waitFor()
  expect(await answers(page).locator('.code-comment').textContent()).toBe('// yes')
  expect(await answers(page).locator('pre').allTextContents()).toEqual([
    'const answer: number = 42 // yes\n',
    'qo\n',
  ])
  expect(await answers(page).locator('figcaption > span').allTextContents()).toEqual(['ts', 'klingon'])
  expect(await answers(page).locator('pre').first().getAttribute('tabindex')).toBe('0')
})

test('code that goes on keeps the colours that it has, also when it becomes very long', async () => {
  await page.goto(opened.server.url)
  await send(page, 'growing')
  const keyword = answers(page).locator('.code-keyword')
  await keyword.waitFor()
  const first = await keyword.elementHandle()
  goOn.resolve()
  await page.locator('article[data-status=finished]').waitFor()
  await expect.poll(() => keyword.allTextContents()).toEqual(['const', 'const'])
  expect(await first?.evaluate(element => element.isConnected && element.className)).toBe('code-keyword')
  expect(await answers(page).locator('.code-string').count()).toBe(800)
})

test('formulas are typeset, prices are not, and a wrong formula is shown as it was written', async () => {
  await ask('math')
  await expect.poll(() => answers(page).locator('.katex').count()).toBe(2)
  expect(await answers(page).locator('.katex-display').count()).toBe(1)
  await answers(page).getByText('for $5 and $10.').waitFor()
  expect(await answers(page).locator('code').allTextContents()).toEqual(['$\\nonsense{$'])
})

test('a diagram is drawn as a picture, and a wrong one is shown as its source with a word', async () => {
  await ask('diagram')
  const picture = answers(page).getByRole('img', { name: 'Diagram' })
  await picture.waitFor()
  const width = await picture.evaluate(async image => {
    if (!(image instanceof HTMLImageElement)) return 0
    await image.decode()
    return image.naturalWidth
  })
  expect(width).toBeGreaterThan(100)
  await answers(page).getByText('This diagram cannot be drawn.').waitFor()
  await answers(page).getByRole('button', { name: 'Source' }).click()
  await answers(page).getByText('A[Begin] --> B[End]').waitFor()
})

test('a diagram is drawn where it can reach neither the page nor the server', async () => {
  await ask('diagram')
  await answers(page).getByRole('img', { name: 'Diagram' }).waitFor()
  expect(await page.locator('iframe').getAttribute('sandbox')).toBe('allow-scripts')
  const sandbox = page.frames().find(frame => frame.url().endsWith('/sandbox/diagram.html'))
  const reached = await sandbox?.evaluate(async () => ({
    origin: self.origin,
    server: await fetch('/api/chats').then(
      () => true,
      () => false,
    ),
  }))
  expect(reached).toEqual({ origin: 'null', server: false })
  const { headers } = await fetch(`${opened.server.url}/sandbox/diagram.html`)
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*; sandbox allow-scripts$/)
})

test('the text below a diagram does not move when the diagram comes', async () => {
  await ask('diagram')
  const below = answers(page).getByText('Between.')
  await page.reload()
  await below.waitFor()
  const topOf = () =>
    below.evaluate(
      line => line.getBoundingClientRect().top - (line.closest('article')?.getBoundingClientRect().top ?? 0),
    )
  const before = await topOf()
  await answers(page).getByRole('img', { name: 'Diagram' }).waitFor()
  expect(Math.abs((await topOf()) - before)).toBeLessThanOrEqual(8)
})

test('task lists, footnotes and text from right to left look as they should', async () => {
  await ask('lists')
  const boxes = answers(page).getByRole('checkbox')
  expect(await boxes.evaluateAll(all => all.map(box => box.matches(':checked:disabled')))).toEqual([
    true,
    false,
  ])
  await answers(page).getByRole('link', { name: '1' }).click()
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('1The note.')
  const hebrew = answers(page).getByText('שלום עולם')
  expect(await hebrew.evaluate(text => getComputedStyle(text).direction)).toBe('rtl')
})

test('sources are listed below the answer, and numbers in the text lead to them', async () => {
  await ask('sources')
  const list = answers(page).getByRole('list', { name: 'Sources' })
  expect(await list.getByRole('listitem').allTextContents()).toEqual([
    '1A pageexample.com',
    '2javascript:alert(1)',
    '3Notes',
  ])
  const links = answers(page).getByRole('link')
  expect(await links.evaluateAll(all => all.map(link => link.getAttribute('href')))).toEqual([
    'https://www.example.com/page',
    'https://www.example.com/page',
  ])
  await answers(page).getByText('and so [2]; not [9].').waitFor()
})

test('a picture is shown larger when it is clicked; arrow keys show the others, and Escape returns', async () => {
  await ask('pictures')
  const pictures = answers(page).getByRole('button', { name: 'Screenshot' })
  await pictures.nth(1).waitFor()
  await pictures.first().click()
  const viewer = page.getByRole('dialog', { name: 'Picture 1 of 2' })
  await viewer.waitFor()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('dialog', { name: 'Picture 2 of 2' }).waitFor()
  await page.keyboard.press('ArrowRight')
  await viewer.waitFor()
  await page.keyboard.press('Escape')
  await viewer.waitFor({ state: 'detached' })
  expect(await pictures.first().evaluate(button => button === document.activeElement)).toBe(true)
})

function questionIn(messages: readonly Message[]): string {
  const question = messages.findLast(({ role }) => role === 'user')
  return question === undefined ? '' : textOf(question)
}
