import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { ask } from '@throughline/testing/http/chat-requests'
import { ownerIdOf } from '@throughline/testing/server/test-server'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answers, openConsole } from './open-console.ts'

const token = 'the-token-of-alice'
let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

test('a person without a token gets a sign-in screen, and afterwards the chat of the address', async () => {
  await using opened = await openForAlice()
  const { page, server } = opened
  await page.goto(`${server.url}/chats/chat`)
  await page.getByRole('heading', { level: 1, name: 'Sign in to see this' }).waitFor()
  expect(await page.getByRole('navigation').count()).toBe(0)
  const field = page.getByLabel('Token')
  expect([await field.getAttribute('type'), await field.getAttribute('autocomplete')]).toEqual([
    'password',
    'current-password',
  ])
  for (const wrong of ['not-a-token-of-anyone', '令牌 with spaces']) {
    await signIn(page, wrong)
    await page.getByRole('alert').getByText('Wrong token').waitFor()
  }
  await page.route('**/api/agents', route => route.abort())
  await signIn(page, token)
  await page.getByRole('alert').getByText('could not check the token').waitFor()
  await page.unroute('**/api/agents')
  await signIn(page, ` ${token}\n`)
  await answers(page).first().waitFor()
  expect(new URL(page.url()).pathname).toBe('/chats/chat')
  await page.reload()
  await answers(page).first().waitFor()
})

test('a token that the server does not know any more is said, whatever part of the page has asked', async () => {
  await using opened = await openForAlice()
  const { page, server, tokens } = opened
  await page.goto(`${server.url}/chats/chat`)
  await signIn(page, token)
  const parts: Readonly<Record<string, () => Promise<void>>> = {
    search: () => page.getByRole('searchbox').fill('something'),
    inspector: () => page.keyboard.press('Alt+i'),
    pin: async () => {
      await page.getByRole('button', { name: /Actions for/ }).click()
      await page.getByRole('menuitem', { name: 'Pin', exact: true }).click()
    },
    'a message': async () => {
      await page.getByRole('textbox', { name: 'Write a message…' }).fill('Hello')
      await page.keyboard.press('Enter')
    },
  }
  for (const ask of Object.values(parts)) {
    await answers(page).first().waitFor()
    await page.getByRole('button', { name: /Actions for/ }).waitFor({ state: 'attached' })
    tokens.delete(token)
    const refused = page.getByRole('heading', { name: 'The token is not valid any more' }).waitFor()
    // Something else of the page may have asked first. Then this part is not there any more.
    await Promise.race([ask().catch(() => undefined), refused])
    await refused
    tokens.set(token, ownerIdOf('alice'))
    await signIn(page, token)
  }
  await answers(page).first().waitFor()
})

test('all tabs of a browser sign in together', async () => {
  await using opened = await openForAlice()
  const { page, server } = opened
  const other = await opened.newTab()
  for (const tab of [page, other]) {
    await tab.goto(`${server.url}/chats/chat`)
    await tab.getByRole('heading', { name: 'Sign in to see this' }).waitFor()
  }
  await signIn(page, token)
  for (const tab of [page, other]) await answers(tab).first().waitFor()
})

test('a page of an application says, in Chinese too, to sign in there', async () => {
  let isSignedIn = false
  await using opened = await openConsole(chromium, {
    authenticate: () => (isSignedIn ? { ownerId: 'alice' } : undefined),
    browserContext: { locale: 'zh-CN' },
  })
  const { page, server } = opened
  await page.goto(server.url)
  await page.getByRole('heading', { name: '你还没有登录' }).waitFor()
  await page.getByText('请在此页面所属的应用中登录').waitFor()
  expect(await page.getByRole('textbox').count()).toBe(0)
  isSignedIn = true
  await page.getByRole('button', { name: '重新加载' }).click()
  await page.getByRole('textbox', { name: '输入消息…' }).waitFor()
})

test('every request of the page goes through the one place that sees a 401', async () => {
  const folder = join(import.meta.dirname, '../src')
  const names = await readdir(folder, { recursive: true })
  const requesting: string[] = []
  for (const name of names.filter(each => /\.tsx?$/.test(each))) {
    const source = await readFile(join(folder, name), 'utf8')
    // Not a method of this name, which is followed by its body.
    const isOwn = /(?<![\w.])fetch\((?!.*\) \{)/.test(source.replaceAll(/\/\/.*|^\s*\*.*/gm, ''))
    // The client sends its requests with the global `fetch`, unless it is given another one.
    const isOfClient =
      /\b(?:createChatApi|receiveChats|useAgentChat)\(/.test(source) && !/\bfetch\b/i.test(source)
    if (isOwn || isOfClient) requesting.push(name)
  }
  expect(requesting.toSorted()).toEqual([
    // A script of the page, which is public.
    'markdown/diagram/diagram-block.tsx',
    'pages/sign-in-screen.tsx',
    'server/server-fetch.ts',
  ])
})

async function openForAlice() {
  // Without any tokens, everybody would be the same person.
  const tokens = new Map([
    [token, ownerIdOf('alice')],
    ['the-token-of-bob', ownerIdOf('bob')],
  ])
  const opened = await openConsole(chromium, { tokens: () => new Map(tokens) })
  await (await ask(opened.server.url, { text: 'Hi', headers: { authorization: `Bearer ${token}` } })).text()
  return { ...opened, tokens, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() }
}

async function signIn(page: Page, text: string): Promise<void> {
  await page.getByLabel('Token').fill(text)
  await page.getByRole('button', { name: 'Sign in' }).click()
}
