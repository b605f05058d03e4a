import type { Browser } from 'playwright-core'
import type { OpenSource } from '../event-source-client.ts'

/** Opens the browser's own `EventSource`, on a page that the server serves. */
export function openInChromium(browser: () => Browser): OpenSource {
  return async (url, onData) => {
    const page = await browser().newPage()
    await page.goto(new URL('/', url).href)
    await page.exposeFunction('tell', onData)
    const { pathname, search } = new URL(url)
    await page.evaluate(openSource, pathname + search)
    return () => page.close()
  }
}

/** Runs in the page. */
function openSource(path: string): Promise<unknown> {
  const source = new EventSource(path)
  source.onmessage = ({ data }) => {
    Reflect.get(window, 'tell')(data)
    if (data === '[DONE]') source.close()
  }
  return new Promise(resolve => {
    source.addEventListener('open', () => resolve(undefined), { once: true })
    // A run that is over by now is refused with 204: such a source never opens.
    source.addEventListener('error', () => resolve(undefined), { once: true })
  })
}
