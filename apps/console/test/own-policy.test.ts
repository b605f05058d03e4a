import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { expect, test } from 'vitest'
import { answers, openConsole, send } from './open-console.ts'

test('the page lives without inline style and without text as HTML, and both are forbidden to it', async () => {
  await using chromium = await sharedBrowser()
  await using opened = await openConsole(chromium, {})
  const { page, server } = opened
  const said: string[] = []
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) said.push(message.text())
  })
  await page.goto(server.url)
  // An entity, too: the browser decodes it.
  await send(page, 'Hello &copy;')
  await answers(page).getByRole('button', { name: 'Inspect' }).click()
  await page.getByRole('complementary', { name: 'Inspector' }).getByRole('tab', { name: 'Timeline' }).click()
  await page.getByRole('complementary', { name: 'Inspector' }).locator('[data-lane]').first().waitFor()
  expect(said.filter(text => !text.includes('404'))).toEqual([])

  const refused = await page.evaluate(() => {
    const thrownBy = (attempt: () => void) => {
      try {
        attempt()
      } catch (error) {
        return error instanceof TypeError
      }
      return false
    }
    const element = document.createElement('p')
    document.body.append(element)
    element.setAttribute('style', 'position: fixed')
    const style = document.createElement('style')
    style.textContent = 'p { position: fixed }'
    document.head.append(style)
    return {
      html: thrownBy(() => {
        element.innerHTML = '<b>bold</b>'
      }),
      policy: thrownBy(() => Reflect.get(globalThis, 'trustedTypes').createPolicy('own', {})),
      position: getComputedStyle(element).position,
    }
  })
  expect(refused).toEqual({ html: true, policy: true, position: 'static' })
})
