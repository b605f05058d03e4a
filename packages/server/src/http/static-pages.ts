import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { pageHeaders, sandboxHeaders } from './browser-policies.ts'
import type { Route } from './route.ts'

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

/**
 * Reads the built page into memory. Each file becomes a route, so no path of a request ever reaches the disk. The
 * addresses in the page, such as `/chats/ID`, return the page itself. `basePath` is where the server is mounted, such
 * as `/ai`; empty for the root.
 */
export async function staticPages(folder: string, basePath: string): Promise<readonly Route[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = names.filter(name => name.isFile()).map(name => join(name.parentPath, name.name))
  const routes = await Promise.all(files.map(file => fileRoute(file, { folder, basePath })))
  const index = routes.find(route => route.path === '/index.html')
  return index === undefined ? routes : [...routes, ...pagePaths.map(path => ({ ...index, path }))]
}

/** The addresses of the page: see apps/console/src/navigation/route.ts. */
const pagePaths = [
  '/',
  '/chats/:id',
  '/agents',
  '/agents/:name',
  '/agents/:workspace/:name',
  '/settings',
  '/status',
]

interface PageFolder {
  readonly folder: string
  readonly basePath: string
}

async function fileRoute(file: string, { folder, basePath }: PageFolder): Promise<Route> {
  const body = atBase(file, await readFile(file), basePath)
  const path = `/${relative(folder, file).split(sep).join('/')}`
  const headers = {
    'content-type': types[extname(file)] ?? 'application/octet-stream',
    // The names of built assets contain a hash of their content.
    'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    ...(path.startsWith('/sandbox/') ? sandboxHeaders : pageHeaders),
  }
  return { method: 'GET', path, policy: 'public', handle: () => new Response(body, { headers }) }
}

/**
 * Returns the content of a file. In HTML, relative addresses become absolute ones below the base path. The page is
 * also served at `/chats/ID`, where the browser would look for relative addresses below `/chats/`.
 */
function atBase(file: string, body: Buffer, basePath: string): Uint8Array<ArrayBuffer> {
  if (extname(file) !== '.html') return new Uint8Array(body)
  const html = body.toString().replaceAll('="./', `="${basePath}/`)
  return new Uint8Array(Buffer.from(html))
}
