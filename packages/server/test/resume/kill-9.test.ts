import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatPosition, parsePosition } from '@throughline/protocol'
import { openStore } from '@throughline/store'
import { ask, loadAnswer, loadChat } from '@throughline/testing/http/chat-requests'
import { SseBytes, sseEventsIn, valuesOf, withoutRetry } from '@throughline/testing/http/sse-bytes'
import { type ChildServer, startBundledServer } from '@throughline/testing/server/child-server'
import { expect, test } from 'vitest'

const long = 'Tell me something long.'

const killCount = Number(process.env['KILLS'] ?? 2)
// In turn. `undefined` is a while after the first words.
const moments = ['"type":"start"', '"type":"text-delta"', undefined]

test(
  `with "continue: false", after ${killCount} times kill -9, everything that was shown is there, and the chat goes on`,
  async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'throughline-'))
    await writeFile(join(folder.path, 'throughline.config.ts'), 'export default { continue: false }\n')
    let shown: Buffer | undefined
    for (let kill = 0; kill < killCount; kill += 1) {
      await using server = await startBundledServer(folder.path, {}, folder.path)
      if (shown !== undefined) await expectKept(server, shown)
      shown = await showAndKill(server, {
        messageId: `question-${kill}`,
        moment: moments[kill % moments.length],
      })
    }

    await using server = await startBundledServer(folder.path, {}, folder.path)
    if (shown !== undefined) await expectKept(server, shown)
    const response = await ask(server.url, { messageId: 'last', text: 'Hello' })
    expect(await response.text()).toContain('[DONE]')
    const { messages } = await loadChat(server.url)
    const statuses = [...Array.from({ length: killCount }, () => 'interrupted'), 'finished']
    expect(messages.map(({ role }) => role)).toEqual(statuses.flatMap(() => ['user', 'assistant']))
    expect(
      messages.flatMap(({ role, metadata }) => (role === 'assistant' ? [metadata?.status] : [])),
    ).toEqual(statuses)
    expect(await server.end('SIGTERM')).toBe(0)
    await expectNothingRunning(folder.path)
  },
  60_000 + killCount * 30_000,
)

test('an answer that was cut by kill -9 goes on after the restart, and says in the end what it says without a kill', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'throughline-'))
  const text = 'Show me markdown with code and a table'
  let shown = ''
  {
    await using server = await startBundledServer(folder.path)
    await using stream = new SseBytes(await ask(server.url, { text }))
    while (stream.bytes.length < 4_000) await stream.more()
    shown = textShown(stream.bytes)
    await server.end('SIGKILL')
  }
  await using server = await startBundledServer(folder.path)
  await using whole = new SseBytes(await ask(server.url, { chatId: 'other', text }))
  await using rest = new SseBytes(await fetch(`${server.url}/api/chat/chat/stream`))
  await Promise.all([whole.rest(), rest.rest()])
  const { metadata, parts } = await loadAnswer(server.url)
  expect(metadata?.status).toBe('finished')
  const texts = parts.flatMap(part => (part.type === 'text' ? [part.text] : []))
  expect(texts.join('')).toBe(textShown(whole.bytes))
  expect(texts[0]?.startsWith(shown)).toBe(true)
  expect(parts.filter(({ type }) => type === 'data-continued')).toHaveLength(1)
})

test.each(['SIGTERM', 'SIGINT'] as const)(
  'after %s the answer is saved as interrupted, its viewers are told, and the process ends well',
  async signal => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'throughline-'))
    {
      await using server = await startBundledServer(folder.path)
      await using stream = new SseBytes(await ask(server.url, { text: long }))
      await using log = new SseBytes(await fetch(`${server.url}/api/chats/chat/log`))
      await stream.until('"type":"text-delta"')
      const ended = server.end(signal)
      expect(valuesOf(await stream.rest()).at(-1)).toEqual({
        type: 'abort',
        reason: 'The server was shut down.',
      })
      expect(sseEventsIn(stream.bytes).at(-1)?.data).toBe('[DONE]')
      expect(valuesOf(await log.rest()).at(-1)).toMatchObject({ chunk: { type: 'abort' } })
      expect(await ended).toBe(0)
    }
    await expectNothingRunning(folder.path)
    await using server = await startBundledServer(folder.path)
    expect((await loadAnswer(server.url)).metadata).toMatchObject({
      status: 'interrupted',
      statusText: 'The server was shut down.',
    })
  },
)

test('a second process on the same data is refused, and the first goes on', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'throughline-'))
  await using first = await startBundledServer(folder.path)
  await expect(startBundledServer(folder.path)).rejects.toThrow('is in use by another process')
  expect((await fetch(`${first.url}/health`)).status).toBe(200)
})

/**
 * Kills the server when an answer has these words, or a while after its start. Returns every byte that left the process
 * before that.
 */
async function showAndKill(
  server: ChildServer,
  { messageId, moment }: { messageId: string; moment: string | undefined },
): Promise<Buffer> {
  await using stream = new SseBytes(await ask(server.url, { messageId, text: long }))
  if (moment === undefined) while (stream.bytes.length < 2_000) await stream.more()
  else await stream.until(moment)
  const rest = stream.rest().catch(() => stream.bytes)
  await server.end('SIGKILL')
  return rest
}

async function expectKept({ url }: ChildServer, shown: Buffer): Promise<void> {
  expect((await fetch(`${url}/api/chat/chat/stream`)).status).toBe(204)
  const replayed = await resume(url, positionBefore(shown))
  expect(replayed.subarray(0, shown.length).toString()).toBe(shown.toString())
  expect(valuesOf(replayed).at(-1)).toEqual({ type: 'abort', reason: 'The server was restarted.' })
  const whole = Buffer.concat(sseEventsIn(shown).map(({ bytes }) => bytes))
  const rest = await resume(url, sseEventsIn(shown).at(-1)?.id ?? '')
  expect(Buffer.concat([whole, withoutRetry(rest)]).toString()).toBe(withoutRetry(replayed).toString())

  const { metadata, parts } = await loadAnswer(url)
  expect(metadata).toMatchObject({ status: 'interrupted', statusText: 'The server was restarted.' })
  expect(parts.filter(part => 'state' in part && part.state === 'streaming')).toEqual([])
  const text = parts.map(part => (part.type === 'text' ? part.text : '')).join('')
  expect(text).toBe(textShown(replayed))
}

async function resume(url: string, id: string): Promise<Buffer> {
  const response = await fetch(`${url}/api/chat/chat/stream`, { headers: { 'last-event-id': id } })
  expect(response.status).toBe(200)
  return Buffer.from(await response.arrayBuffer())
}

function positionBefore(shown: Buffer): string {
  const first = parsePosition(sseEventsIn(shown)[0]?.id ?? '')
  if (first === undefined) throw new TypeError('The stream has no position.')
  return formatPosition({ ...first, seq: first.seq - 1 })
}

function textShown(stream: Buffer): string {
  return [...stream.toString().matchAll(/^data: (\{"type":"text-delta".*\})$/gm)]
    .map(([, json = '']) => JSON.parse(json).delta)
    .join('')
}

async function expectNothingRunning(folder: string): Promise<void> {
  const store = await openStore(folder)
  expect(await store.runs.unfinished()).toEqual([])
  await store.close()
}
