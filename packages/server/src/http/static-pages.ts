import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import type { Route } from './route.ts'

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/**
 * No script but our own, no request to anywhere else: what a model writes cannot make the page do either. Frames
 * hold pages that the person chose to open.
 */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; frame-src http: https:; font-src 'self'; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * The built page, from memory: each file is a route of its own, so no path of a request ever reaches the disk.
 * Chats have addresses in the page (`/chats/ID`), which answer with the page itself.
 */
export async function staticPages(folder: string): Promise<readonly Route[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = names.filter(name => name.isFile()).map(name => join(name.parentPath, name.name))
  const routes = await Promise.all(files.map(file => fileRoute(folder, file)))
  const index = routes.find(route => route.path === '/index.html')
  return index === undefined ? routes : [...routes, { ...index, path: '/' }, { ...index, path: '/chats/:id' }]
}

async function fileRoute(folder: string, file: string): Promise<Route> {
  const body = await readFile(file)
  const path = `/${relative(folder, file).split(sep).join('/')}`
  const headers = {
    'content-type': types[extname(file)] ?? 'application/octet-stream',
    // Built assets carry a hash of their content in their name.
    'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    'content-security-policy': pagePolicy,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
  return { method: 'GET', path, policy: 'public', handle: () => new Response(body, { headers }) }
}
