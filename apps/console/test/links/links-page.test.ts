import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answers, openConsole, send } from '../open-console.ts'

let chromium: TestBrowser
beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

const text = [
  '[Log in at **bank**.com](https://evil.example/login)',
  '[Named](https://bank.com@evil.example/named)',
  '[Looks](https://аpple.com/)',
  '[evil.example](https://evil.example/honest)',
  '[README.md](https://evil.example/file)',
  '[Words](https://evil.example/words)',
  '[script](javascript:alert(1)) [data](data:text/html,x) [file](file:///etc/passwd) [tel](tel:1)',
  '![A chart](https://evil.example/chart.png) ![bank.com](https://evil.example/lie.png) ![x](data:image/png;base64,AA)',
].join('\n\n')

async function openLinks(options: { readonly locale?: string } = {}) {
  const opened = await openConsole(chromium, {
    agents: [scriptedAgent('assistant', [say(text), finish])],
    browserContext: options,
  })
  const { page, server } = opened
  // No request leaves this machine.
  await page.context().route(/evil\.example|xn--pple/, route => route.fulfill({ body: 'Elsewhere' }))
  const visited: string[] = []
  page.context().on('request', request => {
    if (!request.url().startsWith(server.url)) visited.push(request.url())
  })
  await page.goto(server.url)
  return { opened, page, visited }
}

const link = (page: Page, name: string) => answers(page).getByRole('link', { name })

test('a link whose text lies about its host asks first, and says where it really goes', async () => {
  const { opened, page, visited } = await openLinks()
  await using _ = opened
  await send(page, 'Show me')
  const question = page.getByRole('dialog', { name: 'This link is not what it seems' })

  await link(page, 'Log in at bank.com').click()
  await question.getByText('This says bank.com, but goes to evil.example.').waitFor()
  await question.getByText('https://evil.example/login').waitFor()
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'hidden' })
  await link(page, 'Log in at bank.com').click({ button: 'middle' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await link(page, 'Log in at bank.com').press('Enter')
  await question.waitFor()
  expect(visited).toEqual([])
  await question.getByRole('button', { name: 'Open anyway' }).click()
  await expect.poll(() => visited).toEqual(['https://evil.example/login'])

  await link(page, 'Named').click()
  await question.getByText('This goes to evil.example. What stands before the @').waitFor()
  await page.keyboard.press('Escape')
  await link(page, 'Looks').click()
  await question.getByText('This goes to xn--pple-43d.com.').waitFor()
  await page.keyboard.press('Escape')
  expect(visited).toHaveLength(1)
})

test('honest links open in a new tab that knows nothing of the page, and only web and mail addresses are links', async () => {
  const { opened, page, visited } = await openLinks()
  await using _ = opened
  await send(page, 'Show me')
  for (const [name, path] of [
    ['evil.example', 'honest'],
    ['README.md', 'file'],
    ['Words', 'words'],
  ] as const) {
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      answers(page).getByRole('link', { name, exact: true }).click(),
    ])
    await expect.poll(() => visited).toContain(`https://evil.example/${path}`)
    await tab.waitForLoadState()
    expect(await tab.evaluate(() => [window.opener, document.referrer])).toEqual([null, ''])
  }
  expect(await page.getByRole('dialog').count()).toBe(0)
  const hrefs = await answers(page)
    .locator('.prose a')
    .evaluateAll(all => all.map(each => [each.getAttribute('href')?.split(':')[0], each.getAttribute('rel')]))
  expect(new Set(hrefs.map(String))).toEqual(new Set(['https,noopener noreferrer nofollow']))
})

test('an image of another site is a link with its host, and is loaded by a click only', async () => {
  const { opened, page, visited } = await openLinks()
  await using _ = opened
  await send(page, 'Show me')
  await link(page, 'A chart evil.example').waitFor()
  expect(await answers(page).locator('img').count()).toBe(0)
  expect(visited).toEqual([])
  await link(page, 'A chart evil.example').click()
  await expect.poll(() => visited).toEqual(['https://evil.example/chart.png'])
  await link(page, 'bank.com evil.example').click()
  await page.getByText('This says bank.com, but goes to evil.example.').waitFor()
})

test('the question is asked in Chinese too, and without the server the browser asks', async () => {
  const { opened, page, visited } = await openLinks({ locale: 'zh-CN' })
  await using _ = opened
  await page.getByRole('textbox', { name: '输入消息' }).fill('Show me')
  await page.keyboard.press('Enter')
  await answers(page).locator('a').first().waitFor()
  await page.route('**/assets/**', route => route.abort())
  const asked: string[] = []
  page.once('dialog', dialog => {
    asked.push(dialog.message())
    return dialog.dismiss()
  })
  await link(page, 'Log in at bank.com').click()
  await expect.poll(() => asked).toEqual(['https://evil.example/login'])
  await page.unroute('**/assets/**')
  await page.reload()
  await link(page, 'Log in at bank.com').click()
  await page.getByText('链接写的是 bank.com，实际前往 evil.example。').waitFor()
  expect(visited).toEqual([])
})
