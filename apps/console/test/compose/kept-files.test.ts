import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { picturePart } from '@throughline/testing/http/file-parts'
import { ownerIdOf } from '@throughline/testing/server/test-server'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { numberedAgent, whole } from '../numbered-agent.ts'
import { openConsole, send, untilShown } from '../open-console.ts'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

const picture = Buffer.from(picturePart.url.split(',')[1] ?? '', 'base64')
const red = { name: 'red.png', mimeType: 'image/png', buffer: picture }
const notes = { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('notes') }

test('the files of a draft are there again after a reload, in their chat, until they are sent or removed', async () => {
  const { agent, letEnd } = numberedAgent()
  letEnd(1)
  letEnd(2)
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'Question')
  await untilShown(page, ['user: Question', whole(1)])
  await attach(page, [red, notes])
  await page.reload()
  await expect.poll(() => names(page)).toEqual(['red.png', 'notes.md'])
  expect(await tray(page).locator('img').count()).toBe(1)

  // Another chat has its own. What is removed is gone after a reload, too.
  const chat = page.url()
  await page.getByRole('button', { name: 'New chat' }).click()
  await expect.poll(() => names(page)).toEqual([])
  await attach(page, [notes])
  await tray(page).getByRole('button', { name: 'Remove notes.md' }).click()
  await untilKept(page, 1)
  await page.reload()
  await page.getByRole('textbox').waitFor()
  expect(await names(page)).toEqual([])

  await page.goto(chat)
  await expect.poll(() => names(page)).toEqual(['red.png', 'notes.md'])
  await send(page, 'Look.')
  await untilShown(page, ['user: Question', whole(1), 'user: Look.', whole(2)])
  await page.locator('article[data-role=user]').getByRole('img', { name: 'red.png' }).waitFor()
  await untilKept(page, 0)
  await page.reload()
  await untilShown(page, ['user: Question', whole(1), 'user: Look.', whole(2)])
  expect(await names(page)).toEqual([])
  expect(await keptInDatabase(page)).toEqual([])
})

test('files that are added while those from before are read stand behind them, and both are kept', async () => {
  const { agent } = numberedAgent()
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.goto(server.url)
  await attach(page, [red])
  const other = await opened.newTab()
  await other.goto(server.url)
  const letRead = await holdDatabase(other)
  await page.reload()
  await tray(page).getByText('reading…').waitFor()
  await page.getByRole('textbox').fill('Look.')
  // Nothing is sent without them.
  expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
  await page.locator('input[type=file]').setInputFiles([notes])
  await tray(page).getByText('notes.md').waitFor()
  await letRead()
  await expect.poll(() => names(page)).toEqual(['red.png', 'notes.md'])
  await expect.poll(() => keptInDatabase(page)).toEqual([['red.png', 'notes.md']])
})

test('a tab that only shows the files of a draft does not write them: it could undo what another tab has added', async () => {
  const { agent } = numberedAgent()
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.goto(server.url)
  await attach(page, [red])
  await untilKept(page, 1)
  const other = await opened.newTab()
  // From now on, the other tab cannot write. If it tried to, it would forget the files.
  await other.addInitScript(() => {
    IDBObjectStore.prototype.put = () => {
      throw new Error('This tab has written.')
    }
  })
  await other.goto(server.url)
  await expect.poll(() => names(other)).toEqual(['red.png'])
  await other.reload()
  await expect.poll(() => names(other)).toEqual(['red.png'])
  expect(await keptInDatabase(page)).toEqual([['red.png']])
})

test('a message that waits for the server can be taken back with its files while no script can be loaded', async () => {
  const { agent, letEnd } = numberedAgent()
  letEnd(1)
  letEnd(2)
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'Question')
  await untilShown(page, ['user: Question', whole(1)])
  await page.route('**/api/chats/*/messages', route =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  )
  await attach(page, [red, notes])
  await send(page, 'Look.')
  await untilKept(page, 0)
  // The next page has not loaded the scripts for files yet when the server goes away.
  await page.reload()
  const row = page.locator('article[data-role=user]').filter({ hasText: 'Look.' })
  const edit = row.getByRole('status').getByRole('button', { name: 'Edit' })
  await edit.waitFor()
  await page.route('**/assets/*.js', route => route.abort())
  await edit.click()
  await page.getByText('red.png, notes.md').waitFor()
  await expect.poll(() => keptInDatabase(page)).toEqual([['red.png', 'notes.md']])

  await page.unrouteAll()
  await page.reload()
  await expect.poll(() => names(page)).toEqual(['red.png', 'notes.md'])
  expect(await page.getByRole('textbox').inputValue()).toBe('Look.')
  await page.getByRole('button', { name: 'Send' }).click()
  await untilShown(page, ['user: Question', whole(1), 'user: Look.', whole(2)])
  await page.locator('article[data-role=user]').getByRole('img', { name: 'red.png' }).waitFor()
})

test('files whose draft is forgotten are removed when files are kept or read the next time', async () => {
  const { agent } = numberedAgent()
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.goto(server.url)
  await page.getByRole('textbox').waitFor()
  await putIntoDatabase(page, 'left-behind')
  expect(await keptInDatabase(page)).toEqual([['left-behind']])
  await page.locator('input[type=file]').setInputFiles([notes])
  await expect.poll(() => keptInDatabase(page)).toEqual([['notes.md']])

  await putIntoDatabase(page, 'left-behind')
  expect(await keptInDatabase(page)).toContainEqual(['left-behind'])
  await page.reload()
  await expect.poll(() => names(page)).toEqual(['notes.md'])
  await expect.poll(() => keptInDatabase(page)).toEqual([['notes.md']])
})

test('files that are too large to be kept can still be sent, and the page says that they are not kept', async () => {
  const { agent } = numberedAgent()
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.goto(server.url)
  // As if other drafts had used up the room.
  await page.evaluate(at => localStorage.setItem('throughline.files.other', `${at} 62914560`), Date.now())
  await page.locator('input[type=file]').setInputFiles([notes])
  await page.getByText('These files cannot be kept: after a reload, add them again.').waitFor()
  await page.getByRole('textbox').fill('Look.')
  expect(await page.getByRole('button', { name: 'Send' }).isEnabled()).toBe(true)
  // Those that nobody has touched for more than a month make room.
  const old = Date.now() - 31 * 24 * 60 * 60 * 1000
  await page.evaluate(at => localStorage.setItem('throughline.files.other', `${at} 62914560`), old)
  await page.locator('input[type=file]').setInputFiles([red])
  await page.getByText('These files cannot be kept').waitFor({ state: 'detached' })
  await page.reload()
  await expect.poll(() => names(page)).toEqual(['notes.md', 'red.png'])
})

test('files that are picked while the server is away, and that cannot be read, are named', async () => {
  const { agent } = numberedAgent()
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.route('**/read-files-*.js', route => route.abort())
  await page.goto(server.url)
  await page.locator('input[type=file]').setInputFiles([notes])
  await tray(page).getByText('cannot be read').waitFor()
  expect(await names(page)).toEqual(['notes.md'])
})

test('nothing of them stays in the browser when the person signs out', async () => {
  const tokens = new Map([['sixteen-characters', ownerIdOf('ada')]])
  const { agent } = numberedAgent()
  await using opened = await openConsole(chromium, { agents: [agent], tokens })
  const { page, server } = opened
  await page.goto(server.url)
  await page.getByRole('textbox').fill('sixteen-characters')
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'Write a message…' }).waitFor()
  await attach(page, [notes])
  await page.goto(`${server.url}/settings`)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect.poll(() => page.evaluate(async () => (await indexedDB.databases()).length)).toBe(0)
  expect(await page.evaluate(() => Object.keys(localStorage).filter(key => key.includes('files')))).toEqual(
    [],
  )
})

function tray(page: Page) {
  return page.getByRole('list', { name: 'Files to send' })
}

function names(page: Page): Promise<readonly string[]> {
  return tray(page).locator('li span > span:first-child.truncate').allTextContents()
}

async function attach(page: Page, files: readonly (typeof red)[]): Promise<void> {
  const added = files.map(({ name }) => name)
  await page.locator('input[type=file]').setInputFiles([...files])
  await expect.poll(() => keptInDatabase(page)).toContainEqual(added)
  await expect.poll(() => names(page)).toEqual(added)
}

async function untilKept(page: Page, drafts: number): Promise<void> {
  await expect.poll(async () => (await keptInDatabase(page)).length).toBe(drafts)
}

/** Returns the names of the files of each draft in the database. */
function keptInDatabase(page: Page): Promise<readonly (readonly string[])[]> {
  return page.evaluate(
    () =>
      new Promise<string[][]>((resolve, reject) => {
        const opening = indexedDB.open('throughline.drafts')
        opening.onupgradeneeded = () => opening.result.createObjectStore('files')
        opening.onerror = () => reject(opening.error)
        opening.onsuccess = () => {
          const all = opening.result.transaction('files').objectStore('files').getAll()
          all.onsuccess = () => {
            opening.result.close()
            resolve(all.result.map((parts: { filename: string }[]) => parts.map(({ filename }) => filename)))
          }
        }
      }),
  )
}

/** Writes a file under the same name as its draft, which is not known in the page. */
function putIntoDatabase(page: Page, name: string): Promise<void> {
  return page.evaluate(
    name =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open('throughline.drafts')
        opening.onupgradeneeded = () => opening.result.createObjectStore('files')
        opening.onerror = () => reject(opening.error)
        opening.onsuccess = () => {
          const transaction = opening.result.transaction('files', 'readwrite')
          transaction.objectStore('files').put([{ type: 'file', filename: name }], name)
          transaction.oncomplete = () => {
            opening.result.close()
            resolve()
          }
        }
      }),
    name,
  )
}

/** Lets no other tab read or write files until the returned function is called: one transaction stays open. */
async function holdDatabase(page: Page): Promise<() => Promise<void>> {
  await page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open('throughline.drafts')
        opening.onerror = () => reject(opening.error)
        opening.onsuccess = () => {
          const store = opening.result.transaction('files', 'readwrite').objectStore('files')
          const goOn = () => {
            if (document.body.hasAttribute('data-let-go')) opening.result.close()
            else store.count().onsuccess = goOn
            resolve()
          }
          store.count().onsuccess = goOn
        }
      }),
  )
  return () => page.evaluate(() => document.body.setAttribute('data-let-go', ''))
}
