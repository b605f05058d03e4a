import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { type ChildServer, startBundledServer } from '@throughline/testing/server/child-server'
import { freePort } from '@throughline/testing/server/free-port'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { send, shownMessages } from '../open-console.ts'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

test('messages written while the server is away wait, can be changed and removed, and are sent in order, once each', async () => {
  await using world = await startWorld()
  const { page } = world
  await page.goto(world.url)
  await send(page, 'Hello')
  await untilAsked(page, ['Hello'])
  await world.kill()

  for (const text of ['One', 'Two', 'Three']) await send(page, text)
  await expect.poll(() => waiting(page).count()).toBe(3)
  const rowOf = (text: string) => page.locator('article[data-role=user]').filter({ hasText: text })
  await rowOf('Two').getByRole('status').getByRole('button', { name: 'Delete' }).click()
  await rowOf('Three').getByRole('status').getByRole('button', { name: 'Edit' }).click()
  const field = page.getByRole('textbox', { name: 'Write a message…' })
  expect(await field.inputValue()).toBe('Three')
  await send(page, 'Four')
  await expect.poll(() => waiting(page).count()).toBe(2)

  await world.restart()
  await untilAsked(page, ['Hello', 'One', 'Four'])
  await expect.poll(() => waiting(page).count()).toBe(0)
  expect(await world.savedTexts(page.url())).toEqual(['Hello', 'One', 'Four'])
})

test('they outlive their tab: whichever page is opened next sends them, once each and in order', async () => {
  await using world = await startWorld()
  await world.page.goto(world.url)
  await world.page.getByRole('textbox', { name: 'Write a message…' }).waitFor()
  await world.kill()
  await send(world.page, 'Never sent')
  await world.page.getByRole('status').getByRole('button', { name: 'Delete' }).click()
  await send(world.page, 'Kept one')
  await send(world.page, 'Kept two')
  await expect.poll(() => waiting(world.page).count()).toBe(2)
  const address = world.page.url()
  await world.page.close()

  await world.restart()
  const next = await world.newTab()
  await next.goto(world.url)
  await expect.poll(() => world.savedTexts(address)).toEqual(['Kept one', 'Kept two'])
  await next.goto(address)
  await untilAsked(next, ['Kept one', 'Kept two'])
  expect(await waiting(next).count()).toBe(0)
  expect(await next.evaluate(() => Object.keys(localStorage).filter(key => key.includes('outbox')))).toEqual(
    [],
  )
})

function waiting(page: Page) {
  return page.getByText('Sent when the server is back')
}

/** Waits until the page shows these messages of the person, each with an answer that has ended. */
async function untilAsked(page: Page, texts: readonly string[]): Promise<void> {
  const asked = async () =>
    (await shownMessages(page)).map(line => (line.startsWith('user: ') ? line.slice(6) : '·'))
  await expect.poll(asked).toEqual(texts.flatMap(text => [text, '·']))
  await expect.poll(() => page.locator('article[data-status=finished]').count()).toBe(texts.length)
}

/** A server in its own process, which can be killed and started again at the same address, and a page. */
async function startWorld() {
  const folder = await temporaryFolder()
  const port = String(await freePort())
  let server: ChildServer = await startBundledServer(folder.path, { PORT: port })
  const context = await chromium.browser.newContext({ locale: 'en-US' })
  return {
    url: server.url,
    page: await context.newPage(),
    newTab: () => context.newPage(),
    kill: () => server.end('SIGKILL'),
    async restart() {
      server = await startBundledServer(folder.path, { PORT: port })
    },
    async savedTexts(address: string): Promise<readonly string[]> {
      const chatId = address.split('/').at(-1)
      const response = await fetch(`${server.url}/api/chats/${chatId}/messages`)
      if (!response.ok) return []
      const { messages } = await response.json()
      return messages.flatMap(
        ({
          role,
          parts,
        }: {
          readonly role: string
          readonly parts: readonly { readonly text?: string }[]
        }) => (role === 'user' ? parts.flatMap(({ text }) => text ?? []) : []),
      )
    },
    async [Symbol.asyncDispose]() {
      await context.close()
      await server[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}
