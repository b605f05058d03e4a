import { currentFrame } from '@throughline/agents'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { pictureBytes } from '@throughline/testing/browser/picture'
import { ask, problemOf } from '@throughline/testing/http/chat-requests'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'

const bearer = (name: string) => ({ authorization: `Bearer token-of-${name}` })
const tokens = new Map(['ada', 'bob'].map(name => [`token-of-${name}`, ownerIdOf(name)]))

type Kept = { readonly mediaType: string; readonly bytes: Uint8Array }

/** An agent that keeps files and says their addresses, or why they were refused. */
function keepingAgent(files: readonly Kept[]) {
  const said: string[] = []
  const agent = scriptedAgent('assistant', async function* () {
    for (const file of files) {
      const kept = await currentFrame()
        .run.keepFile(file)
        .catch((error: Error) => error.message)
      said.push(kept)
      yield say('.')
    }
    yield finish
  })
  return { agent, said }
}

const picture = { mediaType: 'image/png', bytes: pictureBytes }

test('a file is its owner’s alone, and can only be looked at', async () => {
  const { agent, said } = keepingAgent([picture])
  await using server = await startTestServer({ tokens, agents: [agent] })
  await (await ask(server.url, { headers: bearer('ada') })).text()
  const [address = ''] = said
  expect(address).toMatch(/^\/api\/chats\/chat\/files\/file_[0-9a-f]{32}$/)
  const response = await fetch(server.url + address, { headers: bearer('ada') })
  expect(response.status).toBe(200)
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(picture.bytes)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-disposition': 'inline',
    'content-security-policy': "default-src 'none'; sandbox",
    'cache-control': 'private, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  })
  // Bob has a chat of the same id.
  await (await ask(server.url, { headers: bearer('bob') })).text()
  const stranger = await fetch(server.url + address, { headers: bearer('bob') })
  expect(await problemOf(stranger)).toMatchObject({ status: 404, code: 'file-not-found' })
  expect(await problemOf(await fetch(server.url + address))).toMatchObject({ status: 401 })
  const [, ofBob = ''] = said
  expect((await fetch(server.url + ofBob, { headers: bearer('bob') })).status).toBe(200)
  expect((await fetch(server.url + ofBob, { headers: bearer('ada') })).status).toBe(404)
})

test('a file is gone with its chat, and what was never kept is not found', async () => {
  const { agent, said } = keepingAgent([picture])
  await using server = await startTestServer({ agents: [agent] })
  await (await ask(server.url)).text()
  const address = server.url + said[0]
  expect((await fetch(address)).status).toBe(200)
  for (const path of ['nothing', '..%2f..%2fthroughline.sqlite', '%00']) {
    const response = await fetch(`${server.url}/api/chats/chat/files/${path}`)
    expect(await problemOf(response)).toMatchObject({ status: 404, code: 'file-not-found' })
  }
  await fetch(`${server.url}/api/chats/chat`, { method: 'DELETE' })
  await (await ask(server.url)).text()
  expect((await fetch(address)).status).toBe(404)
})

test('a run keeps pictures of a limited size and number, and says which limit it was', async () => {
  const large = {
    mediaType: 'image/png',
    bytes: Buffer.concat([pictureBytes, Buffer.alloc(10 * 1024 * 1024)]),
  }
  const page = { mediaType: 'text/html', bytes: new TextEncoder().encode('<script>1</script>') }
  const { agent, said } = keepingAgent([large, page, ...Array.from({ length: 101 }, () => picture)])
  await using server = await startTestServer({ agents: [agent] })
  await (await ask(server.url)).text()
  expect(said[0]).toBe('The file is larger than 10 MB, so it is not kept.')
  expect(said[1]).toBe('Only PNG, JPEG, WebP and GIF pictures are kept, and this is none.')
  expect(said.slice(2, 102).every(address => address.startsWith('/api/'))).toBe(true)
  expect(said[102]).toBe('This answer has kept 100 files, which is all it may keep.')
})
