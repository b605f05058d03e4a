import type { RequestListener } from 'node:http'
import { createRequire } from 'node:module'

interface NextApp {
  prepare(): Promise<void>
  getRequestHandler(): RequestListener
}

// Not an import: the types of Next change those of `process.env` in all files of the program.
const next: (options: { readonly dev: boolean; readonly dir: string }) => NextApp = createRequire(
  import.meta.url,
)('next')

/** Returns what serves the built application of a folder in this process, as a custom server of Next does it. */
export async function nextListener(dir: string): Promise<RequestListener> {
  keepFetch()
  const app = next({ dev: false, dir })
  await app.prepare()
  return app.getRequestHandler()
}

/**
 * Next replaces the `fetch` of the process with one that copies every response. The clients of the tests are in the same
 * process, and a body that has a copy is cancelled only when the copy is, too.
 */
function keepFetch(): void {
  const { fetch } = globalThis
  Object.defineProperty(globalThis, 'fetch', { get: () => fetch, set: () => undefined })
}
