import { type Agent, currentFrame } from '@throughline/agents'
import { isChatId, type QueryEventOf } from '@throughline/protocol'
import { finish, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { pictureBase64 as base64, pictureBytes } from '@throughline/testing/browser/picture'
import { ofType, query, queryEvents } from '@throughline/testing/http/query-requests'
import { idOf } from '@throughline/testing/log/id-of'
import { ownerIdOf, startTestServer, type TestServerOptions } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'

const picture = { mediaType: 'image/png', bytes: pictureBytes, at: '2026-01-02T03:04:05.678Z' }
const fields = { session_id: 'trip', message_id: 'question' }

const call = { toolCallId: 'shot', toolName: 'browser_screenshot', input: {} }

/** An agent whose tool answers what it is given; the address of a picture that it keeps when that is nothing. */
function photographer(output?: () => unknown): Agent {
  return scriptedAgent('assistant', async function* () {
    const screenshot = output === undefined ? await currentFrame().run.keepFile(picture) : undefined
    yield { type: 'tool-result', ...call, output: output?.() ?? { ok: true, screenshot } }
    yield finish
  })
}

async function resultWith(
  agent: Agent,
  {
    wrapStore,
    prepare,
  }: Pick<TestServerOptions, 'wrapStore'> & { prepare?: (server: Server) => Promise<void> } = {},
): Promise<QueryEventOf<'tool_result'> | undefined> {
  await using server = await startTestServer({
    agents: [agent],
    ...(wrapStore === undefined ? {} : { wrapStore }),
  })
  await prepare?.(server)
  const events = await queryEvents(await query(server.url, { fields }))
  expect(ofType(events, 'final')).toHaveLength(1)
  return ofType(events, 'tool_result')[0]
}

type Server = Awaited<ReturnType<typeof startTestServer>>

test('a screenshot comes with the result that names it, at both levels', async () => {
  await using server = await startTestServer({ agents: [photographer()] })
  for (const path of ['query-stream-delta', 'query-stream'] as const) {
    const events = await queryEvents(await query(server.url, { path, fields }))
    const [result] = ofType(events, 'tool_result')
    expect(result).toMatchObject({ screenshot_base64: base64, is_error: false })
    expect(JSON.parse(result?.result ?? '')).toMatchObject({
      screenshot: expect.stringContaining('/api/chats/trip/files/'),
    })
  }
})

test('a screenshot of an id that addresses must escape is found too', async () => {
  await using server = await startTestServer({ agents: [photographer()] })
  const response = await query(server.url, { fields: { session_id: 'a:b' } })
  expect(ofType(await queryEvents(response), 'tool_result')).toMatchObject([{ screenshot_base64: base64 }])
})

test.each([
  ['has none', { ok: true }],
  ['is a text', '/api/chats/trip/files/file_1'],
  ['names what was never kept', { screenshot: '/api/chats/trip/files/file_1' }],
  ['names something else', { screenshot: 'https://example.com/picture.png' }],
  ['names a path', { screenshot: '/api/chats/trip/files/../../../../etc/passwd' }],
  ['names no text', { screenshot: 7 }],
  ['is nothing', null],
])('a result that %s has no screenshot', async (_, output) => {
  expect(await resultWith(photographer(() => output))).toMatchObject({
    screenshot_base64: null,
    is_error: false,
  })
})

test("a result that names another chat's file has no screenshot, whoever owns that", async () => {
  for (const owner of ['local', 'bob']) {
    let address = ''
    const result = await resultWith(
      photographer(() => ({ screenshot: address })),
      {
        async prepare({ store }) {
          const [ownerId, chatId] = [ownerIdOf(owner), idOf(isChatId, 'other')]
          await store.chats.create(ownerId, {
            id: chatId,
            title: '',
            createdAt: picture.at,
            updatedAt: picture.at,
          })
          address = `/api/chats/other/files/${await store.files.keep({ ownerId, chatId }, picture)}`
        },
      },
    )
    expect(result).toMatchObject({ screenshot_base64: null })
  }
})

test('a file that is no picture is no screenshot', async () => {
  let address = ''
  const result = await resultWith(
    photographer(() => ({ screenshot: address })),
    {
      async prepare({ store }) {
        const [ownerId, chatId] = [ownerIdOf('local'), idOf(isChatId, 'trip')]
        await store.chats.create(ownerId, {
          id: chatId,
          title: '',
          createdAt: picture.at,
          updatedAt: picture.at,
        })
        const id = await store.files.keep({ ownerId, chatId }, { ...picture, mediaType: 'text/html' })
        address = `/api/chats/trip/files/${id}`
      },
    },
  )
  expect(result).toMatchObject({ screenshot_base64: null })
})

test('a screenshot that cannot be read does not end the stream', async () => {
  const result = await resultWith(photographer(), {
    wrapStore: store => ({
      ...store,
      files: { ...store.files, read: async () => Promise.reject(new Error('The disk is gone.')) },
    }),
  })
  expect(result).toMatchObject({ screenshot_base64: null, is_error: false })
})
