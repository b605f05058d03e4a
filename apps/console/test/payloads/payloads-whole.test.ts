import { launchBrowser } from '@throughline/testing/browser/browser'
import { test } from 'vitest'
import { openConsole } from '../open-console.ts'
import { attackPage } from './attack-page.ts'
import { makePayloads } from './make-payloads.ts'

test('none of 2,000 payloads runs a script, sends a request or breaks the page, wherever it is saved', async () => {
  await using chromium = await launchBrowser()
  await using opened = await openConsole(chromium, {})
  await attackPage(opened, makePayloads())
}, 300_000)
