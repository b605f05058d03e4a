import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { picturePart } from '@throughline/testing/http/file-parts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { half, numberedAgent, whole } from '../numbered-agent.ts'
import { openConsole, send, untilShown } from '../open-console.ts'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

const picture = Buffer.from(picturePart.url.split(',')[1] ?? '', 'base64')

test('files are attached by button, paste and drop, shown before they are sent, and refused with a reason', async () => {
  const { agent, letEnd } = numberedAgent()
  letEnd(1)
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.goto(server.url)
  const tray = page.getByRole('list', { name: 'Files to send' })
  await page.locator('input[type=file]').setInputFiles([
    { name: 'red.png', mimeType: 'image/png', buffer: picture },
    { name: 'program.exe', mimeType: 'application/x-msdownload', buffer: Buffer.from('MZ') },
    { name: 'long.txt', mimeType: 'text/plain', buffer: Buffer.alloc(1024 * 1024 + 1, 'a') },
  ])
  await expect
    .poll(() => tray.getByRole('alert').allTextContents())
    .toEqual(['cannot be sent: only pictures, PDF and text', 'too large: at most 1 MB'])
  expect(await tray.locator('img').count()).toBe(1)
  // What cannot be sent is never left out silently.
  await field(page).fill('Look.')
  expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
  await tray.getByRole('button', { name: 'Remove program.exe' }).click()
  await tray.getByRole('button', { name: 'Remove long.txt' }).click()
  await giveFile(page, 'paste', 'notes.md')
  await giveFile(page, 'drop', 'main.ts')
  await expect.poll(() => tray.getByRole('listitem').count()).toBe(3)
  await tray.getByText('5 B').first().waitFor()

  // They stay with the draft while another chat is shown.
  await page.getByRole('button', { name: 'Send' }).click()
  await untilShown(page, ['user: Look.', whole(1)])
  const sent = page.locator('article[data-role=user]')
  await sent.getByRole('img', { name: 'red.png' }).waitFor()
  expect(await sent.getByRole('listitem').allTextContents()).toEqual(['', 'notes.md', 'main.ts'])
  expect(await tray.count()).toBe(0)
})

test('commands filter while typing, work by keyboard and pointer, and never eat a message', async () => {
  const { agent, letEnd } = numberedAgent()
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.goto(server.url)
  const options = page.getByRole('listbox', { name: 'Commands' }).getByRole('option')
  await field(page).fill('/')
  await expect.poll(() => options.count()).toBe(7)
  for (const text of ['//', '/etc/hosts', '/stop that', 'a /new']) {
    await field(page).fill(text)
    await expect.poll(() => options.count()).toBe(0)
  }
  await page.keyboard.press('Enter')
  await untilShown(page, ['user: a /new', half(1)])

  await field(page).fill('/st')
  await expect.poll(() => options.allTextContents()).toEqual(['/stopStop the answer'])
  await page.keyboard.press('Enter')
  await page.getByText('Stopped', { exact: true }).waitFor()
  expect(await field(page).inputValue()).toBe('')

  await field(page).fill('/new')
  await options.first().waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => options.count()).toBe(0)
  letEnd(2)
  await page.keyboard.press('Enter')
  await untilShown(page, ['user: a /new', half(1), 'user: /new', whole(2)])

  await field(page).fill('/ex')
  await options.first().waitFor()
  const download = page.waitForEvent('download')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  expect((await download).suggestedFilename()).toMatch(/\.json$/)
  await field(page).fill('/he')
  await options.first().click()
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
  await field(page).fill('/new')
  await options.first().waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => new URL(page.url()).pathname).toBe('/')
})

test('the next answer comes from the agent that a command names', async () => {
  const first = numberedAgent()
  const second = { ...numberedAgent().agent, name: 'other', displayName: 'The other' }
  first.letEnd(1)
  await using opened = await openConsole(chromium, { agents: [first.agent, second] })
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'Question')
  await untilShown(page, ['user: Question', whole(1)])
  await field(page).fill('/agent o')
  await page.getByRole('listbox', { name: 'Commands' }).getByRole('option', { name: 'The other' }).click()
  await send(page, 'And you?')
  await expect.poll(() => page.locator('[data-sender]').last().textContent()).toBe('The other')
})

test('shortcuts work where the field has the focus, the sheet lists them, and the field has the focus on load', async () => {
  const { agent, letEnd } = numberedAgent()
  letEnd(1)
  letEnd(2)
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.goto(server.url)
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).waitFor()
  expect(await field(page).evaluate(each => each === document.activeElement)).toBe(true)
  await send(page, 'One')
  await untilShown(page, ['user: One', whole(1)])
  const one = page.url()
  await page.keyboard.press('Alt+KeyN')
  await expect.poll(() => new URL(page.url()).pathname).toBe('/')
  await send(page, 'Two')
  await untilShown(page, ['user: Two', whole(2)])
  await expect.poll(() => page.locator('[data-chat-link]').count()).toBe(2)
  await page.keyboard.press('Alt+ArrowDown')
  await expect.poll(() => page.url()).toBe(one)
  await untilShown(page, ['user: One', whole(1)])

  await page.keyboard.press('ArrowUp')
  await page.getByRole('textbox', { name: 'Edit the message' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Shift+?')
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await sheet.getByText('New chat', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'hidden' })
  // Again, if need be: a sheet gives back the focus only after it is gone.
  await expect
    .poll(async () => {
      await page.keyboard.press('Alt+KeyM')
      return field(page).evaluate(each => each === document.activeElement)
    })
    .toBe(true)
  await send(page, 'Three')
  await untilShown(page, ['user: One', whole(1), 'user: Three', half(3)])
  await page.keyboard.press('Alt+KeyS')
  await page.getByText('Stopped', { exact: true }).waitFor()
})

function field(page: Page) {
  return page.getByRole('textbox', { name: 'Write a message…' })
}

/** Pastes a file into the field, or drops it there. */
async function giveFile(page: Page, how: 'paste' | 'drop', name: string): Promise<void> {
  await field(page).evaluate(
    (element, { how, name }) => {
      const data = new DataTransfer()
      data.items.add(new File(['Hello'], name))
      const event =
        how === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true })
          : new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })
      element.dispatchEvent(event)
    },
    { how, name },
  )
}
