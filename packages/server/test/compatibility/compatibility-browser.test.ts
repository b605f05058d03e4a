import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { launchBrowser, type TestBrowser } from '@throughline/testing/browser/browser'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { afterAll, beforeAll } from 'vitest'
import { chromiumClients } from './clients/chromium.ts'
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

const { log, stream } = chromiumClients(() => chromium.browser)

testRows(
  matrix.browser,
  {
    'EventSource, chat log': log,
    'EventSource, run stream': stream,
  },
  () => ({ pageFolder: page.path }),
)
