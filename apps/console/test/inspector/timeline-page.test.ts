import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { asksApproval } from '@throughline/testing/server/waiting-call'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answers, openConsole, send } from '../open-console.ts'
import { demoInstallation } from './demo-installation.ts'

let chromium: TestBrowser
beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' })
const showTimeline = async (page: Page) => {
  await page.keyboard.press('Alt+i')
  await inspector(page).getByRole('tab', { name: 'Timeline' }).click()
}

test('the timeline has one lane per agent, can be zoomed, and leads to the entries', async () => {
  await using opened = await openConsole(chromium, demoInstallation())
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'Delegate the weather in Lisbon')
  await answers(page).getByRole('button', { name: 'Inspect' }).waitFor()
  await showTimeline(page)
  const lanes = inspector(page).locator('[data-lane]')
  await lanes.nth(2).waitFor()
  expect(await lanes.evaluateAll(all => all.map(each => each.getAttribute('data-lane')))).toEqual([
    'Assistant',
    'Researcher',
    'Checker',
  ])
  expect(await lanes.first().locator('[data-kind=sub-agent]').count()).toBe(1)
  expect(await lanes.nth(1).locator('[data-kind=model]').count()).toBeGreaterThan(0)
  expect(await inspector(page).locator('[data-milestones]').textContent()).toMatch(
    /^AssistantFirst token: \d.*First text: \d.*End: \d/,
  )
  await inspector(page).getByRole('heading', { name: 'Tokens by agent' }).waitFor()
  const steps = inspector(page).locator('section', { hasText: 'Tokens by step' }).getByRole('listitem')
  expect(await steps.first().textContent()).toMatch(/^Assistant · Step 1.*[1-9]/)
  expect(await steps.count()).toBeGreaterThan(3)

  const picture = inspector(page).locator('svg[role=img]')
  const widthOf = async () => Number(await picture.getAttribute('width'))
  const before = await widthOf()
  await inspector(page).getByRole('button', { name: 'Zoom in' }).click()
  await expect.poll(widthOf).toBe(before * 2)
  await inspector(page).getByRole('button', { name: 'Show everything' }).click()
  await expect.poll(widthOf).toBe(before)

  await lanes.first().locator('[data-kind=sub-agent]').click()
  await inspector(page).locator('[role=option][aria-selected=true][data-type=tool-input-available]').waitFor()
})

test('a call that waits for a person is a wait until the person has decided', async () => {
  const { serverOptions } = asksApproval()
  await using opened = await openConsole(chromium, serverOptions)
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'Remove it all')
  const approve = page.getByRole('button', { name: 'Approve' })
  await approve.waitFor()
  await showTimeline(page)
  const wait = inspector(page).locator('[data-kind=wait] > title')
  await expect.poll(() => wait.textContent()).toContain('has not ended')
  await approve.click()
  await expect.poll(() => wait.textContent()).not.toContain('has not ended')
})
