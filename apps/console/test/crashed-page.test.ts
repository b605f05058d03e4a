import { fileURLToPath } from 'node:url'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { startCrashing } from '@throughline/testing/server/crashing-server'
import { freePort } from '@throughline/testing/server/free-port'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answers, send, untilShown } from './open-console.ts'
import { framesOf, namesIn, recordFrames, vanished } from './watch-frames.ts'

const pageFolder = fileURLToPath(new URL('../dist', import.meta.url))

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

interface Crash {
  /** What the model does before the server is killed. */
  readonly question: 'text' | 'pay'
  /** Waits until the page shows that the moment has come. */
  readonly until: (page: Page) => Promise<unknown>
  readonly flags?: readonly '--no-continue'[]
}

/** Opens the page, kills its server in mid-answer, and starts it again at the same address. */
async function crash({ question, until, flags = [] }: Crash) {
  const folder = await temporaryFolder()
  const options = [`--page=${pageFolder}`, `--port=${await freePort()}`] as const
  const first = await startCrashing(folder.path, '--hang', ...options)
  const page = await (await chromium.browser.newContext({ locale: 'en-US' })).newPage()
  await page.goto(first.url)
  await recordFrames(page)
  await send(page, question)
  await until(page)
  await first.kill()
  const second = await startCrashing(folder.path, ...flags, ...options)
  return {
    page,
    async [Symbol.asyncDispose]() {
      await page.context().close()
      await second[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

const textBegun = (page: Page) => page.getByText('One. Two.').waitFor()

test('an answer goes on after a crash, says where, and nothing vanishes or changes its name', async () => {
  await using crashed = await crash({ question: 'text', until: textBegun })
  const { page } = crashed
  await page.getByText('continued after a restart').waitFor()
  await untilShown(page, ['user: text', 'assistant: One. Two.|And so on.'])
  const frames = await framesOf(page)
  expect(vanished(frames)).toEqual([])
  expect(namesIn(frames)).toHaveLength(1)
})

test('a tool that was cut off by a crash says that its outcome is unknown, and does not spin', async () => {
  const until = (page: Page) => page.getByRole('group', { name: 'pay: running' }).waitFor()
  await using crashed = await crash({ question: 'pay', until })
  const { page } = crashed
  await page.getByRole('group', { name: 'pay: outcome unknown' }).waitFor()
  await page.getByText('It may or may not have had an effect.', { exact: false }).first().waitFor()
  await page.locator('article[data-status=finished]').waitFor()
  expect(await page.locator('.animate-spin, .dots').count()).toBe(0)
})

test('an answer that does not go on after a crash says that it was interrupted, and can be continued', async () => {
  await using crashed = await crash({ question: 'text', until: textBegun, flags: ['--no-continue'] })
  const { page } = crashed
  await page.locator('article[data-status=interrupted]').waitFor()
  await answers(page).getByText('Interrupted').waitFor()
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await untilShown(page, [
    'user: text',
    'assistant: One. Two.',
    'user: Please go on from where you stopped. Do not repeat what you have already said or done.',
    'assistant: And so on.',
  ])
})
