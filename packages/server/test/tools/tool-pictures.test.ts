import { type Agent, type AgentEvent, keepPicture, type ToolFactory, toolFactory } from '@throughline/agents'
import { mcpTools } from '@throughline/agents/internal'
import { picturesIn } from '@throughline/protocol'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import {
  asking,
  calling,
  saying,
  scriptedModel,
  toolResultsOf,
} from '@throughline/testing/agent/scripted-model'
import { pictureBase64, pictureBytes } from '@throughline/testing/browser/picture'
import { hookChannels, writeToHook } from '@throughline/testing/channels/channel-server'
import { startWebhookReceiver } from '@throughline/testing/channels/webhook-receiver'
import { ask, loadAnswer } from '@throughline/testing/http/chat-requests'
import { ofType, query, queryEvents } from '@throughline/testing/http/query-requests'
import { readLog } from '@throughline/testing/http/read-log'
import { mcpProgram } from '@throughline/testing/mcp/mcp-servers'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { startTestServer } from '@throughline/testing/server/test-server'
import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const dataUrl = `data:image/png;base64,${pictureBase64}`
const address = /^\/api\/chats\/chat\/files\/file_[0-9a-f]{32}$/

function drawTool(execute: () => unknown): ToolFactory {
  return toolFactory('draw', tool({ description: 'Draws.', inputSchema: z.looseObject({}), execute }))
}

describe('a picture that a tool gives', () => {
  test.each<[string, () => unknown, unknown]>([
    [
      'as screenshot_base64',
      () => ({ screenshot_base64: pictureBase64 }),
      { screenshot: expect.stringMatching(address) },
    ],
    ['as a data URL', () => dataUrl, expect.stringMatching(address)],
    ['as bytes', () => ({ chart: pictureBytes }), { chart: expect.stringMatching(address) }],
    [
      'somewhere in a list',
      () => ({ all: [{ image: pictureBase64 }] }),
      { all: [{ image: expect.stringMatching(address) }] },
    ],
    [
      'with the helper',
      async () => ({ ok: true, ...(await keepPicture(pictureBytes)) }),
      { ok: true, picture: expect.stringMatching(address), mediaType: 'image/png', width: 1, height: 1 },
    ],
    [
      'at the end of its progress',
      async function* () {
        yield { done: 1 }
        yield { screenshot_base64: pictureBase64 }
      },
      { screenshot: expect.stringMatching(address) },
    ],
  ])('%s is a file of the chat, and the model only hears of it', async (_, execute, output) => {
    const model = scriptedModel({ master: [[calling('draw', {})], [saying('Done.')]] })
    await using server = await startDelegation({ model, tools: [drawTool(execute)] })
    await (await ask(server.url)).text()
    const part = (await loadAnswer(server.url)).parts.find(({ type }) => type === 'tool-draw')
    expect(part).toMatchObject({ state: 'output-available', output })
    const [picture = ''] = picturesIn(part !== undefined && 'output' in part ? part.output : undefined)
    const file = await fetch(server.url + picture)
    expect(file.headers.get('content-type')).toBe('image/png')
    expect(new Uint8Array(await file.arrayBuffer())).toEqual(pictureBytes)
    for (const text of [JSON.stringify(await readLog(server.url)), toolResultsOf(model, 'master')])
      expect(text).not.toContain(pictureBase64.slice(0, 30))
  })

  test('is in the event API as base64, and goes to a channel, also from a sub-agent', async () => {
    const model = scriptedModel({
      master: [[asking('painter')], [saying('There it is.')]],
      painter: [[calling('draw', {})], [saying('Drawn.')]],
    })
    await using receiver = await startWebhookReceiver()
    await using server = await startDelegation({
      model,
      tools: [drawTool(() => ({ screenshot_base64: pictureBase64 }))],
      subAgents: [subAgent('painter', { tools: ['draw'] })],
      channels: hookChannels(receiver.url),
    })
    const events = await queryEvents(await query(server.url, { fields: { session_id: 'trip' } }))
    expect(ofType(events, 'tool_result')).toContainEqual(
      expect.objectContaining({ tool: 'draw', screenshot_base64: pictureBase64 }),
    )
    await writeToHook(server.url)
    await receiver.until(shown => shown.some(({ text }) => text === 'There it is.'))
    expect(receiver.shown.map(({ fields }) => fields['media'] ?? fields['text'])).toEqual([
      { mediaType: 'image/png', fileName: expect.stringMatching(/\.png$/), base64: pictureBase64 },
      'There it is.',
    ])
  })
})

test('pictures of an MCP tool are files, beside its text', async () => {
  const mcp = await mcpTools({ paint: { ...mcpProgram(), tools: ['picture'] } })
  const model = scriptedModel({
    master: [[calling('paint_picture', { data: pictureBase64 })], [saying('Done.')]],
  })
  await using server = await startDelegation({ model, tools: mcp.tools })
  await (await ask(server.url)).text()
  const { parts } = await loadAnswer(server.url)
  expect(parts).toContainEqual(
    expect.objectContaining({ output: { text: 'Here it is.', pictures: [expect.stringMatching(address)] } }),
  )
  expect(toolResultsOf(model, 'master')).toContain('image/png, 1 by 1 pixels')
  await mcp.close()
})

test('a tool that shows its picture to the model does so, and its history does not break later answers', async () => {
  const seen = tool({
    description: 'Draws.',
    inputSchema: z.looseObject({}),
    execute: async () => ({ image: pictureBase64 }),
    toModelOutput: ({ output: { image } }) => {
      if (!image.startsWith('iVBOR')) throw new TypeError('This is no base64.')
      return {
        type: 'content',
        value: [{ type: 'file', data: { type: 'data', data: image }, mediaType: 'image/png' }],
      }
    },
  })
  const model = scriptedModel({ master: [[calling('draw', {})], [saying('Done.')]] })
  await using server = await startDelegation({ model, tools: [toolFactory('draw', seen)] })
  await (await ask(server.url)).text()
  expect(toolResultsOf(model, 'master')).toContain(pictureBase64)
  expect(JSON.stringify(await readLog(server.url))).not.toContain(pictureBase64)
  await (await ask(server.url, { messageId: 'again' })).text()
  expect(JSON.stringify(model.doStreamCalls.at(-1)?.prompt)).toContain('/api/chats/chat/files/')
  expect((await loadAnswer(server.url)).metadata?.status).toBe('finished')
})

describe('what is no picture', () => {
  const svg = `data:image/svg+xml;base64,${Buffer.from('<svg onload="alert(1)"/>').toString('base64')}`
  test.each<[string, unknown, unknown]>([
    ['a drawing in XML', { image: svg }, { image: expect.stringContaining('left out') }],
    [
      'a text that says it is one',
      { image: `data:image/png;base64,${Buffer.from('<script>').toString('base64')}` },
      { image: expect.stringContaining('left out') },
    ],
    ['bytes of another kind', { bytes: new Uint8Array([1, 2, 3]) }, { bytes: { 0: 1, 1: 2, 2: 3 } }],
    ['a path', { path: '/9j/photo' }, { path: '/9j/photo' }],
    [
      'a picture in the middle of a text',
      `Look: ![](${dataUrl}) Nice?`,
      expect.stringMatching(/^Look: !\[\]\(\[a picture was left out\]\) Nice\?$/),
    ],
  ])('is not kept, and no data URL is in the log: %s', async (_, output, expected) => {
    await using server = await startTestServer({ agents: [giving(output)] })
    await (await ask(server.url)).text()
    const { parts } = await loadAnswer(server.url)
    expect(parts).toContainEqual(expect.objectContaining({ output: expected }))
    expect(JSON.stringify(await readLog(server.url))).not.toContain('data:image')
  })
})

test('a picture that may not be kept is left out with the reason, and the answer goes on', async () => {
  const large = Buffer.concat([pictureBytes, Buffer.alloc(10 * 1024 * 1024)]).toString('base64')
  await using server = await startTestServer({
    agents: [
      giving({ ok: true, screenshot_base64: large, others: Array.from({ length: 12 }, () => dataUrl) }),
    ],
  })
  await (await ask(server.url)).text()
  const answer = await loadAnswer(server.url)
  expect(answer.metadata?.status).toBe('finished')
  const output = JSON.stringify(answer.parts)
  expect(output).toContain('larger than 10 MB')
  // The same picture many times is one file.
  expect(new Set(output.match(/file_[0-9a-f]{32}/g)).size).toBe(1)
})

function giving(output: unknown): Agent {
  const result: AgentEvent = { type: 'tool-result', toolCallId: 'call', toolName: 'draw', input: {}, output }
  return scriptedAgent('assistant', [result, say('Done.'), finish])
}
