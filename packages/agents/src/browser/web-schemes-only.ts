import type { BrowserContext } from 'playwright-core'

// The schemes of pages. `data:` and `blob:` addresses contain their contents, so they reach nothing else.
const webSchemes: ReadonlySet<string> = new Set(['http:', 'https:', 'data:', 'blob:', 'about:'])

/**
 * Lets the pages of a browser load only what is on the web: no `file:` address in any window, iframe or redirect. The gate
 * cannot see these, because reading a file makes no network request. The tools check addresses, too; this is the second
 * line of defence.
 */
export async function allowWebSchemesOnly(context: Pick<BrowserContext, 'route'>): Promise<void> {
  await context.route(
    ({ protocol }) => !webSchemes.has(protocol),
    // The page may be closed by then.
    route => route.abort('blockedbyclient').catch(() => undefined),
  )
}
