import { isOwnerId, type OwnerId } from '@throughline/protocol'
import { expect, test } from 'vitest'
import { SignInProvider } from '../../src/mcp/oauth/sign-in-provider.ts'
import { type McpSignInStore, SignInRecord } from '../../src/mcp/oauth/sign-in-record.ts'

const tokens = { access_token: 'access-1', token_type: 'Bearer', refresh_token: 'refresh-1' }
const renewed = { access_token: 'access-2', token_type: 'Bearer', refresh_token: 'refresh-2' }

test('tokens that are renewed while a person signs out do not sign them in again', async () => {
  const { record, saved } = signedIn()
  const provider = new SignInProvider({ oauth: {}, record })
  await record.change(before => ({ ...before, tokens }))
  await provider.saveTokens(renewed)
  expect(await provider.tokens()).toEqual(renewed)
  await record.remove()
  await provider.saveTokens(renewed)
  await provider.missesScope('write')
  expect(await provider.tokens()).toBeUndefined()
  expect(saved.size).toBe(0)
})

function signedIn() {
  const saved = new Map<string, string>()
  const store: McpSignInStore = {
    read: async ({ server }) => saved.get(server),
    async replace({ server }, { previous, body }) {
      if (saved.get(server) !== previous) return false
      if (body === undefined) saved.delete(server)
      else saved.set(server, body)
      return true
    },
  }
  return { saved, record: new SignInRecord(store, { ownerId: owner('ada'), server: 'tickets' }) }
}

function owner(name: string): OwnerId {
  if (isOwnerId(name)) return name
  throw new TypeError(name)
}
