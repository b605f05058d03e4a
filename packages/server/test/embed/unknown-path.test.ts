import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { problemOf } from '@throughline/testing/http/chat-requests'
import { startTestServer, type TestServer } from '@throughline/testing/server/test-server'
import { afterAll, beforeAll, expect, test } from 'vitest'

const asBrowser = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }

let folder: string
let server: TestServer

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-pages-'))
  await mkdir(join(folder, 'assets'))
  await writeFile(join(folder, 'index.html'), '<title>The page</title><script src="./assets/a.js"></script>')
  await writeFile(join(folder, 'assets/a.js'), '')
  server = await startTestServer({ pageFolder: folder, basePath: '/ai' })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

test('a browser gets the page for an unknown path, with the status 404', async () => {
  const known = await fetch(`${server.url}/ai/`, asBrowser)
  for (const path of ['/ai/nowhere', '/ai/chats/a/b', '/ai/assets/old.js']) {
    const response = await fetch(server.url + path, asBrowser)
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toContain('text/html')
    expect(response.headers.get('content-security-policy')).toBe(known.headers.get('content-security-policy'))
    expect(await response.text()).toContain('"/ai/assets/a.js"')
  }
  expect((await fetch(`${server.url}/ai/nowhere`, { ...asBrowser, method: 'HEAD' })).status).toBe(404)
})

test('a program gets a problem, and so does everybody below the roots of the API', async () => {
  const asked = [
    fetch(`${server.url}/ai/nowhere`),
    fetch(`${server.url}/ai/nowhere`, { ...asBrowser, method: 'DELETE' }),
    fetch(`${server.url}/ai/api/nowhere`, asBrowser),
    fetch(`${server.url}/ai/sessions/a/nowhere`, asBrowser),
    fetch(`${server.url}/nowhere`, asBrowser),
  ]
  for (const response of await Promise.all(asked)) {
    expect(await problemOf(response)).toMatchObject({ status: 404, code: 'route-not-found' })
  }
  const openAi = await fetch(`${server.url}/ai/v1/nowhere`, asBrowser)
  expect(await openAi.json()).toMatchObject({ error: { code: 'route-not-found' } })
})
