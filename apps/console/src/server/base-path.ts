/**
 * Returns an address of the server, for a path that begins with "/". The server may be mounted below a base path. It
 * writes that path into the page: see the `throughline-base` element in index.html.
 */
export function addressOf(path: string): string {
  return basePath + path
}

/** Where the server is mounted, such as `/ai`; empty for the root. */
export const basePath = basePathIn(document)

function basePathIn(page: Document): string {
  const base = page.querySelector('meta[name="throughline-base"]')?.getAttribute('content') ?? ''
  // The development server of Vite leaves "./" as it is. It serves the page at the root.
  return base.replace(/^\./, '').replace(/\/$/, '')
}
