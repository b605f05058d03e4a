import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ask, sendJson } from '@throughline/testing/http/chat-requests'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'

const owner = { authorization: 'Bearer token-of-ada' }
const tokens = new Map([['token-of-ada', ownerIdOf('ada')]])

const everywhere = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
}

test('a page and its files allow no inline script, no requests to other hosts, no forms and no frames around them', async () => {
  await using pages = await pageFolder()
  await using server = await startTestServer({ pageFolder: pages.path })
  for (const path of ['/', '/index.html', '/chats/any', '/assets/page.js', '/icon.svg']) {
    const response = await fetch(server.url + path)
    expect([path, response.status]).toEqual([path, 200])
    expect(Object.fromEntries(response.headers)).toMatchObject(everywhere)
    expect(directivesOf(response)).toEqual({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self' 'unsafe-inline'",
      'img-src': "'self' data: blob:",
      'font-src': "'self'",
      'connect-src': "'self'",
      'manifest-src': "'self'",
      'frame-src': 'http: https:',
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
    })
    for (const feature of ['camera', 'microphone', 'geolocation', 'display-capture', 'usb', 'payment'])
      expect(response.headers.get('permissions-policy')?.split(', ')).toContain(`${feature}=()`)
  }
})

test('a page for an iframe has no origin, runs no files, loads nothing, and only our pages may show it', async () => {
  await using pages = await pageFolder()
  await using server = await startTestServer({ pageFolder: pages.path })
  const response = await fetch(`${server.url}/sandbox/diagram.html`)
  expect(Object.fromEntries(response.headers)).toMatchObject(everywhere)
  expect(directivesOf(response)).toEqual({
    'default-src': "'none'",
    'script-src': "'unsafe-inline' blob:",
    'style-src': "'unsafe-inline'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'self'",
    sandbox: 'allow-scripts',
  })
})

test('data, streams and errors of every kind can do nothing when a browser shows them as a page', async () => {
  await using pages = await pageFolder()
  await using server = await startTestServer({ pageFolder: pages.path, tokens, basePath: '/ai' })
  const base = `${server.url}/ai`
  const html = { accept: 'text/html' }
  const responses = {
    'a chat': await ask(base, { headers: owner }),
    'a list': await fetch(`${base}/api/chats`, { headers: owner }),
    'the health': await fetch(`${base}/health`),
    'no token': await fetch(`${base}/api/chats`),
    'no token, as a page': await fetch(`${base}/api/chats`, { headers: html }),
    'no such chat': await fetch(`${base}/api/chats/none`, { headers: owner }),
    'no such API': await fetch(`${base}/api/none`, { headers: html }),
    'an error of OpenAI’s form': await fetch(`${base}/v1/none`),
    'outside of the base path': await fetch(`${server.url}/none`, { headers: html }),
    'a foreign page': await fetch(`${base}/api/chats`, {
      headers: { ...owner, origin: 'https://evil.example' },
    }),
    'no JSON': await fetch(`${base}/api/chats`, { method: 'POST', body: '<script>alert(1)</script>' }),
    'a wrong body': await sendJson(`${base}/api/chats`, { id: '<script>' }, { headers: owner }),
  }
  for (const [name, response] of Object.entries(responses)) {
    expect([name, Object.fromEntries(response.headers)]).toMatchObject([name, everywhere])
    expect([name, directivesOf(response)]).toEqual([
      name,
      { 'default-src': "'none'", 'frame-ancestors': "'none'" },
    ])
    expect(response.headers.get('content-type')).not.toMatch(/html|xml|script/)
    await response.body?.cancel()
  }
})

function directivesOf(response: Response): Readonly<Record<string, string>> {
  const policy = response.headers.get('content-security-policy') ?? ''
  return Object.fromEntries(
    policy.split('; ').map(each => [each.split(' ', 1)[0], each.slice(each.indexOf(' ') + 1)]),
  )
}

async function pageFolder() {
  const folder = await temporaryFolder()
  await mkdir(join(folder.path, 'assets'))
  await mkdir(join(folder.path, 'sandbox'))
  await writeFile(join(folder.path, 'index.html'), '<!doctype html><title>Page</title>')
  await writeFile(join(folder.path, 'assets', 'page.js'), '1')
  await writeFile(join(folder.path, 'sandbox', 'diagram.html'), '<!doctype html><title>Diagram</title>')
  await writeFile(join(folder.path, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  return folder
}
