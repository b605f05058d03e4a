import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openConsole } from './open-console.ts'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

test.each(['', '/my/ai'])('the page can be installed below "%s"', async basePath => {
  await using opened = await openConsole(chromium, { basePath })
  const { page, server } = opened
  const problems: string[] = []
  page.on('console', message => message.type() === 'error' && problems.push(message.text()))
  await page.goto(`${server.url}${basePath}/`)
  const browser = await page.context().newCDPSession(page)
  const { url, errors, manifest } = await browser.send('Page.getAppManifest')
  expect(url).toBe(`${server.url}${basePath}/manifest.webmanifest`)
  expect(errors).toEqual([])
  expect(manifest).toMatchObject({
    startUrl: `${server.url}${basePath}/`,
    scope: `${server.url}${basePath}/`,
  })
  const { installabilityErrors } = await browser.send('Page.getInstallabilityErrors')
  // The browser context of a test is like a private window, in which nothing is installed.
  expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([])
  expect(problems).toEqual([])
})

test('every icon has the size that the manifest promises', async () => {
  await using opened = await openConsole(chromium, {})
  const { page, server } = opened
  await page.goto(server.url)
  const wrong = await page.evaluate(async () => {
    const address = document.querySelector('link[rel=manifest]')?.getAttribute('href') ?? ''
    const response = await fetch(address)
    const { icons } = await response.json()
    const found: string[] = []
    for (const { src, sizes } of icons) {
      const picture = new Image()
      picture.src = new URL(src, response.url).href
      await picture.decode()
      const size = `${picture.naturalWidth}x${picture.naturalHeight}`
      if (sizes !== 'any' && sizes !== size) found.push(`${src}: ${size}`)
    }
    return found
  })
  expect(wrong).toEqual([])
})

test('the bars of the browser have the colour of the page, also when the person chooses another theme', async () => {
  await using opened = await openConsole(chromium, { browserContext: { colorScheme: 'light' } })
  const { page, server } = opened
  await page.goto(server.url)
  const colours = () =>
    page.locator('meta[name=theme-color]').evaluateAll(all => all.map(meta => meta.getAttribute('content')))
  await expect.poll(colours).toEqual(['rgb(252, 252, 251)', 'rgb(252, 252, 251)'])
  await page.evaluate(() => document.documentElement.classList.add('dark'))
  await expect.poll(colours).toEqual(['rgb(20, 21, 23)', 'rgb(20, 21, 23)'])
})
