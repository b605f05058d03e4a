import type { AgentEvent } from '@throughline/agents'
import { isChatId } from '@throughline/protocol'
import { finish, heldAgent, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { startFaultProxy } from '@throughline/testing/faults/fault-proxy'
import { ask, sendJson, submit } from '@throughline/testing/http/chat-requests'
import { fileOf, messageWith } from '@throughline/testing/http/file-parts'
import { idOf } from '@throughline/testing/log/id-of'
import { ownerIdOf } from '@throughline/testing/server/test-server'
import { saveHistory } from '@throughline/testing/store/save-history'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answers, openConsole, send } from './open-console.ts'
import { expectNoJump, holdBack, paragraphs, read, scrollUp } from './read-history.ts'
import { jumps, placesOf, watchPlace } from './watch-place.ts'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

const fence = '```'
const finished = (page: Page) => page.locator('article[data-status=finished]').last().waitFor()
const paragraph = (page: Page, text: string) => answers(page).getByText(text, { exact: true })

const drawnLate = /\/assets\/(coloured-code|typeset|katex|KaTeX|diagram-block|mermaid)|\/sandbox\//

/** Everything that an answer can be made of. */
const mixed = [
  paragraphs('Omega'),
  `${fence}ts\n${'const answer = 42\n'.repeat(60)}${fence}\n\n`,
  '| number | word |\n|---|---|\n',
  ...Array.from({ length: 60 }, (_, index) => `| ${index} | word |\n`),
  '\n\n$$\n\\int_0^1 x\\,dx\n$$\n\n',
  ...Array.from({ length: 60 }, (_, index) => `- item ${index}\n`),
].map(say)

test('the answer that a person reads goes on below, with text, code, a table, a formula and a list', async () => {
  const { agent, letGo } = heldAgent('assistant', { before: [say(paragraphs('Alpha'))], after: mixed })
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'Go')
  await read(page, paragraph(page, 'Alpha says number 7.'))
  letGo()
  await finished(page)
  await expectNoJump(page)
})

test('a person reads an old answer, while somebody else asks and gets a new one', async () => {
  const agent = scriptedAgent('assistant', ({ messages }) => [
    ...(messages.length > 1 ? mixed : [say(paragraphs('Alpha'))]),
    finish,
  ])
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await (await ask(server.url)).text()
  await page.goto(`${server.url}/chats/chat`)
  await read(page, paragraph(page, 'Alpha says number 7.'))
  await submit(server.url, { messageId: 'second', text: 'And now? '.repeat(60) })
  await paragraph(page, 'item 59').waitFor({ state: 'attached' })
  await finished(page)
  await expectNoJump(page)
})

const historyId = idOf(isChatId, 'history')
const history = { ownerId: ownerIdOf('local'), chatId: historyId, count: 800, chars: 2_000 }

test('a person reads, while the older messages of a long chat are drawn above', async () => {
  await using opened = await openConsole(chromium, {})
  const { page, server } = opened
  await saveHistory(server.store, history)
  await page.goto(`${server.url}/chats/${historyId}`)
  await page.locator('article').first().waitFor()
  await page.locator('#messages').evaluate(box => box.scrollBy({ top: -200 }))
  await page.getByRole('button', { name: 'Latest' }).waitFor()
  await watchPlace(page.locator('article').last())
  expect(await page.locator('article').count()).toBeLessThan(history.count)
  await expect.poll(() => page.locator('article').count()).toBe(history.count)
  await expectNoJump(page)
})

/** How far each chat is scrolled up. */
const stepCount = Number(process.env['SCROLL_STEPS'] ?? 12)

/** Scrolls up from the end in steps. Returns those that moved what was on the screen by another distance. */
async function wrongSteps(page: Page): Promise<readonly number[]> {
  await expect.poll(() => isAtRest(page)).toBe(true)
  const stepPx = 300
  const steps: number[] = []
  for (let step = 0; step < stepCount; step += 1) {
    await watchPlace(page.locator(await firstOnScreen(page)))
    const [before] = await placesOf(page)
    await page.locator('#messages').evaluate((box, by) => box.scrollBy({ top: -by }), stepPx)
    const after = (await placesOf(page)).at(-1)
    steps.push((after?.bottom ?? 0) - (before?.bottom ?? 0))
  }
  return steps.filter(step => Math.abs(step - stepPx) > 8)
}

/** Returns whether the end of the chat is on the screen, and nothing moves. */
async function isAtRest(page: Page): Promise<boolean> {
  await watchPlace(page.locator('#messages > div'))
  const [first, ...others] = await placesOf(page)
  const isStill =
    others.length > 2 && others.every(({ top, bottom }) => top === first?.top && bottom === first.bottom)
  return (
    isStill &&
    page.locator('#messages').evaluate(box => box.scrollHeight - box.scrollTop - box.clientHeight < 2)
  )
}

/** Returns a selector of the first paragraph that is on the screen. */
async function firstOnScreen(page: Page): Promise<string> {
  return page.locator('#messages').evaluate(box => {
    const { top } = box.getBoundingClientRect()
    const texts = [...box.querySelectorAll('article p')]
    const first = texts.find(each => each.getBoundingClientRect().bottom > top)
    for (const marked of box.querySelectorAll('[data-first]')) marked.removeAttribute('data-first')
    first?.setAttribute('data-first', '')
    return '[data-first]'
  })
}

/** Sets the size of the text, so that no estimate of a height fits, whatever fonts the machine has. */
async function setTextSize(page: Page, px: number): Promise<void> {
  await page.evaluate(size => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(`.prose, [data-text] { font-size: ${size}px; line-height: 1.7 }`)
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
  }, px)
}

test.each([
  { chars: 100, px: 23 },
  { chars: 700, px: 11 },
  { chars: 700, px: 23 },
])(
  'a person scrolls up through messages of $chars characters and $px px, and each step is as long as it should be',
  async ({ chars, px }) => {
    const count = 100
    await using opened = await openConsole(chromium, {})
    const { page, server } = opened
    await saveHistory(server.store, { ...history, count, chars })
    await page.goto(`${server.url}/chats/${historyId}`)
    await setTextSize(page, px)
    await expect.poll(() => page.locator('article').count()).toBe(count)
    expect(await wrongSteps(page)).toEqual([])
  },
)

test('a person scrolls up through an answer of many paragraphs, and each step is as long as it should be', async () => {
  const writer = scriptedAgent('assistant', [
    say(Array.from({ length: 8 }, () => paragraphs('Alpha')).join('\n\n')),
    finish,
  ])
  await using opened = await openConsole(chromium, { agents: [writer] })
  const { page, server } = opened
  await (await ask(server.url)).text()
  await page.goto(`${server.url}/chats/chat`)
  await setTextSize(page, 22)
  await finished(page)
  expect(await wrongSteps(page)).toEqual([])
})

test('pictures of unknown size come late, in a message and in the card of a tool', async () => {
  const painted = Promise.withResolvers<Buffer>()
  const painter = scriptedAgent('assistant', async function* () {
    const image = (await painted.promise).toString('base64')
    yield { type: 'tool-result', toolCallId: 'call', toolName: 'paint', input: {}, output: { image } }
    yield say(paragraphs('Alpha'))
    yield finish
  })
  await using opened = await openConsole(chromium, { agents: [painter] })
  const { page, server } = opened
  const picture = await page.screenshot({ clip: { x: 0, y: 0, width: 300, height: 240 } })
  painted.resolve(picture)
  const message = messageWith([fileOf('image/png', picture, 'blank.png')], 'Look.')
  await (await sendJson(`${server.url}/api/chat`, { id: 'chat', message })).text()
  const letGo = await holdBack(page, /\/files\//)
  await page.goto(`${server.url}/chats/chat`)
  await read(page, paragraph(page, 'Alpha says number 7.'))
  letGo()
  const heights = () =>
    page.locator('[data-picture] img').evaluateAll(all => all.map(each => each.clientHeight))
  await expect.poll(heights).toEqual([240, expect.toSatisfy(height => height > 200)])
  await expectNoJump(page)
})

const late = [
  `${fence}ts\n${'const answer = 42 // yes\n'.repeat(30)}${fence}`,
  'It is $E = mc^2$ and $\\frac{a}{b}$, or',
  '$$\n\\begin{pmatrix} 1 & 0 \\\\ 0 & 1 \\\\ 2 & 3 \\end{pmatrix}\n$$',
  '$$\n\\sum_{i=0}^{n} \\frac{a_i}{b_i}\n$$',
  `${fence}mermaid\nflowchart TD\n  A[Begin] --> B[Middle]\n  B --> C[End]\n${fence}`,
  `${fence}mermaid\nnonsense\n${fence}`,
].join('\n\n')

test('code gets its colours, formulas are typeset and diagrams are drawn above what a person reads', async () => {
  const writer = scriptedAgent('assistant', [say(`${late}\n\n${paragraphs('Alpha')}`), finish])
  await using opened = await openConsole(chromium, { agents: [writer] })
  const { page, server } = opened
  await (await ask(server.url)).text()
  const letGo = await holdBack(page, drawnLate)
  await page.goto(`${server.url}/chats/chat`)
  await read(page, paragraph(page, 'Alpha says number 7.'))
  expect(await page.locator('.code-keyword, .katex, [data-picture]').count()).toBe(0)
  letGo()
  await page.locator('.code-keyword').first().waitFor({ state: 'attached' })
  await expect.poll(() => page.locator('.katex').count()).toBe(4)
  await page.locator('img[alt=Diagram]').waitFor({ state: 'attached' })
  await page.getByText('This diagram cannot be drawn.').waitFor({ state: 'attached' })
  await expectNoJump(page)
})

test('code gets its colours, formulas are typeset and diagrams are drawn where a person reads', async () => {
  const writer = scriptedAgent('assistant', [say(`First.\n\n${late}\n\n${paragraphs('Alpha')}`), finish])
  await using opened = await openConsole(chromium, {
    agents: [writer],
    browserContext: { viewport: { width: 1280, height: 2_000 } },
  })
  const { page, server } = opened
  await (await ask(server.url)).text()
  const letGo = await holdBack(page, drawnLate)
  await page.goto(`${server.url}/chats/chat`)
  await paragraph(page, 'Alpha says number 39.').waitFor()
  await scrollUp(page)
  await page.locator('#messages').evaluate(box => box.scrollTo({ top: 10 }))
  await watchPlace(paragraph(page, 'Alpha says number 0.'))
  expect(await page.locator('.code-keyword, .katex, [data-picture]').count()).toBe(0)
  letGo()
  await page.locator('.code-keyword').first().waitFor({ state: 'attached' })
  await expect.poll(() => page.locator('.katex').count()).toBe(4)
  await page.locator('img[alt=Diagram]').waitFor({ state: 'attached' })
  await page.getByText('This diagram cannot be drawn.').waitFor({ state: 'attached' })
  await expectNoJump(page)
})

/** Returns the events of a tool call that has ended. */
function called(toolName: string): readonly AgentEvent[] {
  const call = { toolCallId: toolName, toolName, input: {} }
  return [
    { type: 'tool-call', ...call },
    { type: 'tool-result', ...call, output: 'ok' },
  ]
}

const four = { toolCallId: 'four', toolName: 'four', input: {} }

test.each([
  ['three cards, when a fourth comes', [], [{ type: 'tool-call', ...four }]],
  ['a card below a folded line, when its tool ends', [{ type: 'tool-call', ...four }], []],
] satisfies [string, AgentEvent[], AgentEvent[]][])(
  'what a person looks at is not folded away: %s',
  async (_name, first, then) => {
    const { agent, letGo } = heldAgent('assistant', {
      before: [say(paragraphs('Alpha')), ...['one', 'two', 'three'].flatMap(called), ...first],
      after: [
        ...then,
        { type: 'tool-result', ...four, output: 'ok' },
        ...['five', 'six'].flatMap(called),
        say(paragraphs('Omega')),
      ],
    })
    await using opened = await openConsole(chromium, { agents: [agent] })
    const { page, server } = opened
    await page.goto(server.url)
    await send(page, 'Go')
    const last = page.getByRole('group', { name: first.length > 0 ? 'four: Running' : 'three: Done' })
    await last.waitFor()
    await scrollUp(page)
    await page
      .locator('#messages')
      .evaluate(box => box.scrollTo({ top: box.scrollHeight - box.clientHeight - 100 }))
    await watchPlace(page.locator('[data-card]').last())
    letGo()
    await finished(page)
    await expectNoJump(page)
  },
)

test('a page opens beside the chat, and the inspector does', async () => {
  const offer = { type: 'open-url', url: 'https://example.com/', title: 'Example' }
  const guide = heldAgent('assistant', {
    before: [
      say(paragraphs('Alpha')),
      say(`${'Many words in one line. '.repeat(200)}\n\n`),
      say(paragraphs('Beta')),
    ],
    after: [{ type: 'ui-event', data: offer }, say('Here is a page.')],
  })
  await using opened = await openConsole(chromium, {
    agents: [guide.agent],
    browserContext: { viewport: { width: 1400, height: 800 } },
  })
  const { page, server } = opened
  await page.route('https://example.com/', route =>
    route.fulfill({ contentType: 'text/html', body: 'Elsewhere.' }),
  )
  await page.goto(server.url)
  await send(page, 'Go')
  await read(page, paragraph(page, 'Beta says number 7.'))
  guide.letGo()
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await page.frameLocator('iframe').getByText('Elsewhere.').waitFor()
  await expectNoJump(page)
  await page.keyboard.press('Escape')
  await page.getByRole('complementary', { name: 'Example' }).waitFor({ state: 'detached' })
  await page
    .getByRole('button', { name: /^Inspect/ })
    .first()
    .click()
  await page.getByRole('complementary').first().waitFor()
  await expectNoJump(page)
})

test('the connection is lost and comes back: the line above the chat moves nothing', async () => {
  const agent = scriptedAgent('assistant', [say(paragraphs('Alpha')), finish])
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await using proxy = await startFaultProxy(server.url)
  await page.goto(proxy.url)
  await send(page, 'Go')
  await finished(page)
  await read(page, paragraph(page, 'Alpha says number 7.'))
  await page.context().setOffline(true)
  proxy.resetAll()
  const notice = page.getByText('Connection lost')
  await notice.waitFor()
  await expectNoJump(page)
  await page.context().setOffline(false)
  await notice.waitFor({ state: 'detached' })
  await expectNoJump(page)
})

test('who does not scroll sees the end of the chat in every frame, also when parts of the answer are closed, folded and drawn late', async () => {
  const goesOn = Promise.withResolvers<void>()
  const agent = scriptedAgent('assistant', async function* () {
    yield say(paragraphs('Alpha'))
    await goesOn.promise
    yield { type: 'reasoning-delta', text: paragraphs('Thought') }
    yield* mixed
    for (const tool of ['one', 'two', 'three', 'four', 'five']) yield* called(tool)
    yield say(late)
    yield say(paragraphs('Omega'))
    yield finish
  })
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'Go')
  await paragraph(page, 'Alpha says number 39.').waitFor()
  await watchPlace(page.locator('#messages > div'))
  goesOn.resolve()
  await finished(page)
  await page.locator('img[alt=Diagram]').waitFor({ state: 'attached' })
  expect(jumps(await placesOf(page), 'bottom')).toEqual([])
})
