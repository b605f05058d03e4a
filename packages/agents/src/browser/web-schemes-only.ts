import type { BrowserContext } from 'playwright-core'

// What pages are made of. Addresses of data and blobs hold their own contents, and reach nothing.
const webSchemes: ReadonlySet<string> = new Set(['http:', 'https:', 'data:', 'blob:', 'about:'])

/**
 * Lets the pages of a browser load what is on the web, and nothing else: no `file:`, in no window, frame or redirect.
 * The way out of the browser cannot see that, since a file is no request over the network. Tools check addresses too, and
 * this is what holds when one of them does not.
 */
export async function allowWebSchemesOnly(context: Pick<BrowserContext, 'route'>): Promise<void> {
  await context.route(
    ({ protocol }) => !webSchemes.has(protocol),
    // The page may be gone by then.
    route => route.abort('blockedbyclient').catch(() => undefined),
  )
}
