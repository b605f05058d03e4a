import type { Browser } from 'playwright-core'
import type { Client } from '../client.ts'
import { logClient, type OpenSource, streamClient } from '../event-source-client.ts'

/** The browser's own `EventSource`, on a page that the server serves. */
export function chromiumClients(browser: () => Browser): { readonly log: Client; readonly stream: Client } {
  const open: OpenSource = async (url, onData) => {
    const page = await browser().newPage()
    await page.goto(new URL('/', url).href)
    await page.exposeFunction('tell', onData)
    const { pathname, search } = new URL(url)
    await page.evaluate(openSource, pathname + search)
    return () => page.close()
  }
  return { log: logClient(open), stream: streamClient(open) }
}

/** Runs in the page. */
function openSource(path: string): Promise<unknown> {
  const source = new EventSource(path)
  source.onmessage = ({ data }) => {
    Reflect.get(window, 'tell')(data)
    if (data === '[DONE]') source.close()
  }
  return new Promise(resolve => source.addEventListener('open', () => resolve(undefined), { once: true }))
}
