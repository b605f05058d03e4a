import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { launchBrowser, type TestBrowser } from '@throughline/testing/browser/browser'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { afterAll, beforeAll } from 'vitest'
import { openInChromium } from './clients/chromium.ts'
import { logTalker, streamTalker } from './conversations/clients/event-source.ts'
import { testConversations } from './conversations/test-conversations.ts'
import { logClient, streamClient } from './event-source-client.ts'
import { matrix } from './matrix.ts'
import { testRows } from './test-rows.ts'

let chromium: TestBrowser
let page: Awaited<ReturnType<typeof temporaryFolder>>

beforeAll(async () => {
  chromium = await launchBrowser()
  page = await temporaryFolder()
  await writeFile(join(page.path, 'index.html'), '<!doctype html><title>A page of the server</title>')
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await page[Symbol.asyncDispose]()
})

const open = openInChromium(() => chromium.browser)
const options = () => ({ pageFolder: page.path })

testRows(
  matrix.browser,
  {
    'EventSource, chat log': logClient(open),
    'EventSource, run stream': streamClient(open),
  },
  options,
)

testConversations(
  matrix.browser,
  {
    'EventSource, chat log': logTalker(open),
    'EventSource, run stream': streamTalker(open),
  },
  options,
)
