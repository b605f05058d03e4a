import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isChatId } from '@throughline/protocol'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { launchBrowser } from '@throughline/testing/browser/browser'
import { idOf } from '@throughline/testing/log/id-of'
import { ownerIdOf, startTestServer, type TestServer } from '@throughline/testing/server/test-server'
import { saveHistory } from '@throughline/testing/store/save-history'
import type { Page } from 'playwright-core'
import { QuietRounds } from '../load/quiet-rounds.ts'
import type { Measurement, Section } from '../report.ts'
import { longTaskMs, tasksDuring, watchTasks } from './long-tasks.ts'
import { type PageMemory, pageMemory } from './page-memory.ts'

const deltaCount = 100_000
const messageCount = 10_000
const roundCount = 3
const heapLimitMb = 128

/** Measures whether the page stays usable with a very long answer and in a very long chat. */
export async function measurePageTasks(): Promise<Section> {
  const pageFolder = fileURLToPath(new URL('../../../apps/console/dist', import.meta.url))
  if (!existsSync(pageFolder)) throw new Error('The page is not built. Run "npm run build" first.')
  const quiet = new QuietRounds()
  const measure = (act: Act) => quiet.medianBy(roundCount, () => inNewPage(pageFolder, act), longestOf)
  const answer = await measure(longAnswer)
  const chat = await measure(longChat)
  return {
    title: `Page: an answer of ${deltaCount.toLocaleString('en')} deltas of Markdown, and a chat of ${messageCount.toLocaleString('en')} messages, in Chromium`,
    notes: [
      'The console and its server on one machine, the answer written at full speed, so the page has a core at most.',
      'The longest task as the browser reports it (PerformanceObserver, longtask); tasks below 50 ms are not reported at all.',
      'A page is opened in an empty tab: to take down the page from before is a task of the browser, and it is not counted.',
      'The memory is what is left after garbage collection: the heap of JavaScript, and all nodes that are still alive.',
      `Rounds on quiet cores: ${[answer, chat].map(({ rounds }) => `${rounds.counted} of ${rounds.measured}`).join(' and ')}; the median round is shown.`,
    ],
    columns: { ours: 'measured', other: 'limit' },
    measurements: [answer, chat].flatMap(({ figures }) => [
      ...figures.tasks.map(([name, tasks]) => longestTask(name, tasks)),
      ...figures.memory.map(([name, memory]) => memoryRow(name, memory)),
    ]),
  }
}

/** What a page does while it is watched. Each row has a name. */
interface PageFigures {
  /** The lengths of the long tasks, in milliseconds. */
  readonly tasks: readonly (readonly [name: string, tasks: readonly number[]])[]
  readonly memory: readonly (readonly [name: string, memory: PageMemory])[]
}

type Act = (page: Page, server: TestServer) => Promise<PageFigures>

/** Each round has a browser and a server of its own. */
async function inNewPage(pageFolder: string, act: Act): Promise<PageFigures> {
  const agent = scriptedAgent('assistant', ({ messages }) =>
    messages.length > 1 ? [say('A short answer.'), finish] : [...deltas().map(say), finish],
  )
  await using chromium = await launchBrowser()
  await using server = await startTestServer({ agents: [agent], pageFolder })
  const page = await chromium.browser.newPage()
  await page.addInitScript(watchTasks)
  await page.goto(server.url)
  return await act(page, server)
}

function longestOf({ tasks }: PageFigures): number {
  return Math.max(0, ...tasks.flatMap(([, lengths]) => lengths))
}

async function longAnswer(page: Page): Promise<PageFigures> {
  await page.getByRole('textbox', { name: 'Write a message…' }).fill('Write.')
  const live = await tasksDuring(page, async () => {
    await page.keyboard.press('Enter')
    await answered(page)
    await settled(page)
  })
  const liveMemory = await pageMemory(page)
  const reloaded = await tasksDuring(page, async () => {
    await reopen(page, page.url())
    await answered(page)
    await settled(page)
  })
  return {
    tasks: [
      ['the answer, live', live],
      ['the same answer, loaded again', reloaded],
    ],
    memory: [
      ['the heap after the answer, live', liveMemory],
      ['the heap after it was loaded again', await pageMemory(page)],
    ],
  }
}

async function longChat(page: Page, server: TestServer): Promise<PageFigures> {
  const chatId = idOf(isChatId, 'history')
  await saveHistory(server.store, { ownerId: ownerIdOf('local'), chatId, count: messageCount, chars: 200 })
  const opened = await tasksDuring(page, async () => {
    await reopen(page, `${server.url}/chats/${chatId}`)
    await page.waitForFunction(() => document.querySelector('[data-message]') !== null)
    await settled(page)
  })
  const scrolled = await tasksDuring(page, () => page.evaluate(scrollToTop))
  const sent = await tasksDuring(page, async () => {
    await page.evaluate(() => document.querySelector('textarea')?.focus())
    await page.keyboard.insertText('One more.')
    await page.keyboard.press('Enter')
    await page.waitForFunction(hasLastMessage, 'A short answer.')
    await settled(page)
  })
  return {
    tasks: [
      ['the chat, opened until all of it can be found in the page', opened],
      ['the chat, scrolled to its top', scrolled],
      ['the chat, one more message and its answer', sent],
    ],
    memory: [['the heap with the whole chat', await pageMemory(page)]],
  }
}

function longestTask(name: string, tasks: readonly number[]): Measurement {
  const longest = Math.max(0, ...tasks)
  return {
    name: `${name}, ${tasks.length} long tasks`,
    ours: tasks.length === 0 ? `< ${longTaskMs} ms` : `${Math.round(longest)} ms`,
    other: `${longTaskMs} ms`,
    ratio: longest / longTaskMs,
    goal: { atMost: 1 },
  }
}

function memoryRow(name: string, { heapMb, nodes }: PageMemory): Measurement {
  return {
    name: `${name}, ${nodes.toLocaleString('en')} nodes`,
    ours: `${Math.round(heapMb)} MB`,
    other: `${heapLimitMb} MB`,
    ratio: heapMb / heapLimitMb,
    goal: { atMost: 1 },
  }
}

/** Opens an address after the page from before is gone: to take down a large page is a long task of the browser itself. */
async function reopen(page: Page, url: string): Promise<void> {
  await page.goto('about:blank')
  await page.goto(url)
}

async function answered(page: Page): Promise<void> {
  await page.locator('article[data-status=finished]').waitFor({ timeout: 300_000 })
}

/**
 * Runs in the page. Returns whether the last message has this text. A locator would look through all messages, and that
 * is a long task of its own.
 */
function hasLastMessage(text: string): boolean {
  const content = document.getElementById('messages')?.firstElementChild
  return content?.lastElementChild?.lastElementChild?.textContent.includes(text) ?? false
}

/** Waits until the page adds nothing more for half a second: it draws much text over many animation frames. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>(resolve => {
        let timer = setTimeout(done, 500)
        const watch = new MutationObserver(() => {
          clearTimeout(timer)
          timer = setTimeout(done, 500)
        })
        watch.observe(document.body, { childList: true, subtree: true, characterData: true })
        function done() {
          watch.disconnect()
          resolve()
        }
      }),
  )
}

/** Runs in the page. Scrolls as a person does who drags the scroll bar to the top. */
async function scrollToTop(): Promise<void> {
  const box = document.querySelector('[data-message]')?.closest('.overflow-y-auto')
  if (!(box instanceof HTMLElement)) throw new Error('There is nothing to scroll.')
  const step = box.scrollHeight / 60
  while (box.scrollTop > 0) {
    box.scrollTop -= step
    await new Promise(resolve => requestAnimationFrame(resolve))
  }
}

function deltas(): readonly string[] {
  const section =
    '## A heading of some words\n\nA paragraph with **bold words**, `code` and a [link](https://example.com) in it.\n\n' +
    '- one item\n- another item\n\n```js\nconst one = 1\n```\n\n'
  const text = section.repeat(Math.ceil((deltaCount * 5) / section.length))
  return Array.from({ length: deltaCount }, (_, index) => text.slice(index * 5, index * 5 + 5))
}
