import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { pageHeaders, sandboxHeaders } from './request/browser-policies.ts'
import type { Route } from './request/route.ts'

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
 * addresses in the page, such as `/chats/ID`, return the page itself.
 */
export async function staticPages(folder: string, told: ToldPage): Promise<readonly Route[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = names.filter(name => name.isFile()).map(name => join(name.parentPath, name.name))
  const routes = await Promise.all(files.map(file => fileRoute(file, { folder, ...told })))
  const index = routes.find(route => route.path === '/index.html')
  return index === undefined
    ? routes
    : [...routes, ...pagePaths.map(path => ({ ...index, path })), sharedPage(index)]
}

/** What the page must know before it asks the server for anything. */
interface ToldPage {
  /** Where the server is mounted, such as `/ai`; empty for the root. */
  readonly basePath: string
  /** Whether people can share chats. */
  readonly sharing: boolean
}

/** The addresses of the page, as apps/console/src/navigation/route.ts has them. Its tests compare the two. */
export const pagePaths = [
  '/',
  '/chats/:id',
  '/agents',
  '/agents/:name',
  '/agents/:workspace/:name',
  '/connected/:name',
  '/settings',
  '/status',
]

/** The page for a copy that somebody shares. Search engines must not list what one person was sent. */
function sharedPage(index: Route): Route {
  return {
    ...index,
    path: '/shared/:key',
    async handle(context) {
      const response = await index.handle(context)
      response.headers.set('x-robots-tag', 'noindex')
      return response
    },
  }
}

interface PageFolder extends ToldPage {
  readonly folder: string
}

async function fileRoute(file: string, { folder, ...told }: PageFolder): Promise<Route> {
  const body = asTold(file, await readFile(file), told)
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
 * also served at `/chats/ID`, where the browser would look for relative addresses below `/chats/`. The page offers
 * sharing unless it reads here that there is none.
 */
function asTold(file: string, body: Buffer, { basePath, sharing }: ToldPage): Uint8Array<ArrayBuffer> {
  if (extname(file) !== '.html') return new Uint8Array(body)
  const html = body.toString().replaceAll('="./', `="${basePath}/`)
  const told = sharing ? html : html.replace(sharingOn, sharingOn.replace('on"', 'off"'))
  return new Uint8Array(Buffer.from(told))
}

/** As index.html of the console has it. */
const sharingOn = 'name="throughline-sharing" content="on"'
