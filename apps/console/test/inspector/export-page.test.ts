import { readFile } from 'node:fs/promises'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { readLog } from '@throughline/testing/http/read-log'
import { playRecordedRun, readRecordedRun } from '@throughline/testing/log/recorded-run'
import { ownerIdOf } from '@throughline/testing/server/test-server'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answers, openConsole, send, shownMessages, untilShown } from '../open-console.ts'
import { demoInstallation } from './demo-installation.ts'

let chromium: TestBrowser
beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' })
const ownerId = ownerIdOf('local')

async function saved(page: Page, button: string): Promise<{ readonly name: string; readonly text: string }> {
  const download = page.waitForEvent('download')
  await inspector(page).getByRole('button', { name: button }).click()
  const file = await download
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') }
}

async function inspectDelegation(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await send(page, 'Delegate the weather in Lisbon')
  await answers(page).getByRole('button', { name: 'Inspect' }).click()
  await inspector(page)
    .getByText(/^(\d+) of \1 entries/)
    .waitFor()
}

test('a log is saved as the lines of JSON that the server has', async () => {
  await using opened = await openConsole(chromium, demoInstallation())
  const { page, server } = opened
  await inspectDelegation(page, server.url)
  const chatId = new URL(page.url()).pathname.replace('/chats/', '')
  const log = await readLog(server.url, chatId)
  const { name, text } = await saved(page, 'Save as lines of JSON')
  expect(name).toBe(`${chatId}-1.jsonl`)
  expect(
    text
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line)),
  ).toEqual(log)
})

test('a saved fixture plays on another server, live and after a reload, and is saved there as the same fixture', async () => {
  await using recorded = await openConsole(chromium, demoInstallation())
  await inspectDelegation(recorded.page, recorded.server.url)
  const expected = await shownMessages(recorded.page)
  const { text: fixture } = await saved(recorded.page, 'Save as a test fixture')
  const run = readRecordedRun(fixture)

  await using played = await openConsole(chromium, {})
  const { page, server } = played
  const held = Promise.withResolvers<void>()
  const playing = playRecordedRun(server.store, run, {
    ownerId,
    chatId: 'played',
    upTo: 30,
    goOn: held.promise,
  })
  await page.goto(`${server.url}/chats/played`)
  await page.locator('article[data-status=streaming]').waitFor()
  held.resolve()
  await playing
  await untilShown(page, expected)
  await page.reload()
  await untilShown(page, expected)

  await answers(page).getByRole('button', { name: 'Inspect' }).click()
  await inspector(page)
    .getByText(/^(\d+) of \1 entries/)
    .waitFor()
  const { text: again } = await saved(page, 'Save as a test fixture')
  const withoutTimes = (json: string) => readRecordedRun(json).entries.map(({ at, ...entry }) => entry)
  expect(withoutTimes(again)).toEqual(withoutTimes(fixture))
})

test('what is no recorded run, or one of another version, is refused with a reason', () => {
  expect(() => readRecordedRun('[]')).toThrow('no recorded run')
  expect(() => readRecordedRun('{"throughlineRun":2,"entries":[]}')).toThrow('version 2')
  expect(() => readRecordedRun('{"throughlineRun":1,"entries":[{}]}')).toThrow('bad entry')
})
