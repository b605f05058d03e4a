import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { logName } from '@throughline/log'
import { isChatId, isMessageId, isRunId, type Message } from '@throughline/protocol'
import { recordingAgent } from '@throughline/testing/agent/recording-agent'
import { finish, type Script, say, textToolText } from '@throughline/testing/agent/scripted-agent'
import {
  answerTo,
  askAgain,
  expectWhole,
  idsOf,
  loadAll,
  loadBranch,
  otherAnswerTo,
  shownIds,
  toldBy,
} from '@throughline/testing/http/branch-requests'
import { ask, loadChat, stop } from '@throughline/testing/http/chat-requests'
import { fromWire } from '@throughline/testing/http/read-chunks'
import { readLog, replay } from '@throughline/testing/http/read-log'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { idOf } from '@throughline/testing/log/id-of'
import { type ChildServer, startBundledServer } from '@throughline/testing/server/child-server'
import { ownerIdOf, startTestServer, type TestServer } from '@throughline/testing/server/test-server'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { startServer } from '../../src/start-server.ts'
import { agentSystem } from '../../src/who/agent-system.ts'

const local = ownerIdOf('local')
const chatId = idOf(isChatId, 'chat')

const hangs: Script = async function* () {
  yield say('Half of it')
  await new Promise(() => undefined)
}
const breaks: Script = [say('Half of it'), { type: 'error', error: new Error('secret') }]
const throws: Script = function* () {
  yield say('Half of it')
  throw new Error('secret')
}

describe('of another answer that ends badly, and of the first, everything is kept when', () => {
  test.each([
    ['it breaks off', breaks, 'failed'],
    ['its agent throws', throws, 'failed'],
    ['it says nothing at all', [finish], 'finished'],
    ['it reaches a limit', [say('Half of it'), say('x'.repeat(5_000)), say('y'), finish], 'limit'],
  ] as const)('%s', async (_, script, status) => {
    const system = agentSystem({ limits: { maxOutputBytes: 1_000 } })
    await using world = await startAnswered({ script, system })
    const { server, before } = world
    const second = await otherAnswerTo(server.url)
    await expectBothKept(server, { before, second, status })
  })

  test('it is stopped', async () => {
    await using world = await startHanging()
    const { server, before, second } = world
    await stop(server.url)
    await expectBothKept(server, { before, second, status: 'stopped' })
  })

  test('the server is shut down', async () => {
    await using world = await startHanging()
    const { server, before, second } = world
    await server.close()
    await using again = await restart(server)
    await expectBothKept(again, { before, second, status: 'interrupted' })
  })

  test('the server dies', async () => {
    await using world = await startHanging()
    const { server, before, second } = world
    // Another process takes the store over, as after a crash: the first one never ended its run.
    await using again = await restart(server)
    expect(await server.store.runs.unfinished()).toEqual([])
    await expectBothKept(again, { before, second, status: 'interrupted' })
  })

  test('the server dies before the first word', async () => {
    await using world = await startAnswered({ script: hangs })
    const { server, before } = world
    const second = await claimAnother(server)
    await using again = await restart(server)
    expect(await server.store.runs.unfinished()).toEqual([])
    await expectBothKept(again, { before, second, status: 'interrupted' })
  })
})

test('the next message follows the newest answer, also one that broke off', async () => {
  await using world = await startAnswered({ script: breaks })
  const { server } = world
  const second = await otherAnswerTo(server.url)
  const next = await answerTo(server.url, { messageId: 'next' })
  expect(world.given.at(-1)).toEqual(['question', second, 'next'])
  expect(idsOf(await loadAll(server.url))).toEqual(['question', world.first, second, 'next', next])
})

test('with "continue: false", after kill -9 in the middle of another answer, again and again, all that was shown is there', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'throughline-'))
  await writeFile(join(folder.path, 'throughline.config.ts'), 'export default { continue: false }\n')
  const long = 'Tell me something long.'
  let before: readonly Message[] = []
  let shown: readonly Message[] = []
  {
    await using server = await startBundledServer(folder.path, {}, folder.path)
    {
      await using stream = new SseBytes(await ask(server.url, { text: long }))
      await stream.until('"type":"text-delta"')
      await stop(server.url)
    }
    before = await loadAll(server.url)
    shown = await anotherUntilKilled(server, { text: long, moment: '"type":"start"' })
  }
  {
    await using server = await startBundledServer(folder.path, {}, folder.path)
    before = await expectShownIsKept(server, { before, shown })
    shown = await anotherUntilKilled(server, { text: long, moment: '"type":"text-delta"' })
  }
  await using server = await startBundledServer(folder.path, {}, folder.path)
  await expectShownIsKept(server, { before, shown })
})

/** Kills the server when another answer has these words. Returns all messages as they were before that. */
async function anotherUntilKilled(
  server: ChildServer,
  { text, moment }: { readonly text: string; readonly moment: string },
): Promise<readonly Message[]> {
  const fields = { trigger: 'regenerate-message' }
  await using stream = new SseBytes(await ask(server.url, { text, fields }))
  await stream.until(moment)
  const shown = await loadAll(server.url)
  await server.end('SIGKILL')
  return shown
}

/** Expects all messages that were shown, the last one interrupted, and those before it unchanged. Returns all of them. */
async function expectShownIsKept(
  { url }: ChildServer,
  { before, shown }: { readonly before: readonly Message[]; readonly shown: readonly Message[] },
): Promise<readonly Message[]> {
  const after = await loadAll(url)
  expect(idsOf(after)).toEqual(idsOf(shown))
  expect(after.slice(0, before.length)).toEqual(before)
  expect(after.at(-1)?.metadata).toMatchObject({ status: 'interrupted', previousMessageId: 'question' })
  expect(textsOf(after.at(-1)).startsWith(textsOf(shown.at(-1)))).toBe(true)
  expect(fromWire(replay(await readLog(url)))).toEqual(after)
  expect((await loadChat(url)).messages).toEqual([after[0], after.at(-1)])
  return after
}

interface Kept {
  readonly before: readonly Message[]
  readonly second: string
  readonly status: string
}

/** Both answers are there, the first as it was; and the chat goes on. */
async function expectBothKept(
  server: Pick<TestServer, 'url' | 'store'>,
  { before, second, status }: Kept,
): Promise<void> {
  const { url } = server
  const [question, first] = idsOf(before)
  expect(await loadBranch(url, first ?? '')).toEqual(before)
  expect(idsOf(await loadAll(url))).toEqual([question, first, second])
  expect((await loadChat(url)).messages).toMatchObject([
    { id: question },
    { id: second, metadata: { status, previousMessageId: question } },
  ])
  expect(JSON.stringify(await loadAll(url))).not.toMatch(/"state":"(streaming|input-available)"|secret/)
  const ends = (await readLog(url)).filter(({ messageId, chunk }) => {
    return messageId === second && ['finish', 'abort', 'error'].includes(chunk.type)
  })
  expect(ends).toHaveLength(1)
  await expectWhole(server)

  const third = await otherAnswerTo(url)
  expect(await shownIds(url)).toEqual([question, third])
  expect((await loadAll(url)).slice(0, 2)).toEqual(before)
  await expectWhole(server)
}

interface Answered {
  readonly script: Script
  readonly system?: ReturnType<typeof agentSystem>
}

/** A chat with a whole answer; the next answer will do what the script says, and those after it end well. */
async function startAnswered({ script, ...options }: Answered) {
  const { agent, given } = recordingAgent([textToolText, script])
  const server = await startTestServer({ agents: [agent], ...options })
  const first = await answerTo(server.url)
  const before = await loadAll(server.url)
  return { server, first, before, given, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

/** The same, with another answer that has begun and does not go on. */
async function startHanging() {
  const world = await startAnswered({ script: hangs })
  const { responseMessageId: second } = await toldBy(await askAgain(world.server.url))
  await using stream = new SseBytes(await fetch(`${world.server.url}/api/chat/chat/stream`))
  await stream.until('Half of it')
  return { ...world, second }
}

async function restart({ store }: TestServer) {
  const { agent } = recordingAgent()
  const server = await startServer({ store, agents: [agent], logger: pino({ level: 'silent' }), port: 0 })
  return { url: server.url, store, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

/** What a process leaves behind that dies as soon as it has claimed the chat. */
async function claimAnother({ store }: TestServer): Promise<string> {
  const { seq: afterSeq } = await store.log.open(logName({ ownerId: local, chatId }))
  const startedAt = new Date().toISOString()
  const answerId = idOf(isMessageId, 'second')
  const run = {
    id: idOf(isRunId, 'run-that-died'),
    ownerId: local,
    chatId,
    agent: 'assistant',
    userMessageId: idOf(isMessageId, 'question'),
    answerId,
    afterSeq,
    startedAt,
    status: 'running',
    kind: 'another-answer',
  } as const
  const chat = { id: chatId, title: '', createdAt: startedAt, updatedAt: startedAt }
  expect(await store.runs.claim(run, { chat, userMessage: undefined })).toBe(true)
  return answerId
}

function textsOf(message: Message | undefined): string {
  return (message?.parts ?? []).map(part => (part.type === 'text' ? part.text : '')).join('')
}
