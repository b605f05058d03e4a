import { isOwnerId } from '@throughline/protocol'
import { idOf } from '@throughline/testing/log/id-of'
import { startAuthorizationServer } from '@throughline/testing/mcp/authorization-server'
import { startMcpHttpServer } from '@throughline/testing/mcp/mcp-servers'
import { expect, test } from 'vitest'
import { authorizationFetch } from '../../src/mcp/oauth/authorization-fetch.ts'
import { PersonalLinks } from '../../src/mcp/personal-links.ts'

const ada = idOf(isOwnerId, 'ada')

test.each([
  ['a name that leads into a private network', 'https://auth.example', ['10.0.0.5']],
  ['a name of which one address is private', 'https://auth.example', ['93.184.216.34', '192.168.0.1']],
  ['the metadata service of a cloud', 'https://169.254.169.254', []],
  ['an address of a private network', 'https://192.168.1.1', []],
  ['a host that is not on https', 'http://auth.example', ['93.184.216.34']],
  ['a port of another service', 'https://auth.example:6379', ['93.184.216.34']],
])('an authorization server at %s is not asked for anything', async (_, url, addresses) => {
  await using mcp = await startMcpHttpServer({ authorizedBy: { url, personOf: () => undefined } })
  const saved: unknown[] = []
  const links = new PersonalLinks(
    'tickets',
    { url: mcp.url, oauth: true, tools: ['whoami'] },
    {
      connectTimeoutMs: 10_000,
      callTimeoutMs: 10_000,
      resolve: async () => addresses,
      signIns: {
        read: async () => undefined,
        async replace(_name, { body }) {
          saved.push(body)
          return true
        },
      },
    },
  )
  await expect(links.begin(ada, 'http://localhost/connected/tickets')).rejects.toMatchObject({
    code: 'mcp-sign-in-failed',
    why: 'cannot-begin',
  })
  expect(saved).toEqual([])
  await links.close()
})

test('a server outside may not name an authorization server on this machine', async () => {
  await using authorization = await startAuthorizationServer()
  const options = { inner: fetch, allowHosts: [] }
  const metadata = `${authorization.url}/.well-known/oauth-authorization-server`
  const outside = authorizationFetch({ ...options, url: 'https://tickets.example/mcp' })
  await expect(async () => outside(metadata)).rejects.toThrow('not on https')
  const here = authorizationFetch({ ...options, url: 'http://localhost:4100/mcp' })
  expect(await (await here(metadata)).json()).toMatchObject({ issuer: authorization.url })
})

test('the operator can allow an authorization server by its name', async () => {
  await using authorization = await startAuthorizationServer()
  const { host } = new URL(authorization.url)
  const allowed = authorizationFetch({ url: 'https://tickets.example/mcp', inner: fetch, allowHosts: [host] })
  const response = await allowed(`${authorization.url}/.well-known/oauth-authorization-server`)
  expect(await response.json()).toMatchObject({ issuer: authorization.url })
})

test('no redirect is followed on the way, and an error of the authorization server can be read', async () => {
  await using authorization = await startAuthorizationServer()
  const send = authorizationFetch({ url: 'http://localhost:4100/mcp', inner: fetch, allowHosts: [] })
  const moved = await send(`${authorization.url}/authorize?redirect_uri=http%3A%2F%2F10.0.0.1%2F`)
  expect([moved.status, moved.headers.get('location')]).toEqual([
    302,
    expect.stringContaining('http://10.0.0.1/'),
  ])
  const refused = await send(`${authorization.url}/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'stolen' }),
  })
  expect([refused.status, await refused.json()]).toEqual([400, { error: 'invalid_grant' }])
})
