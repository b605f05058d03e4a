import { finish, heldAgent, say, scriptedAgent, weatherCall } from '@throughline/testing/agent/scripted-agent'
import { ask, loadAnswer, loadChat, problemOf, stop, submit } from '@throughline/testing/http/chat-requests'
import { SseBytes, valuesOf } from '@throughline/testing/http/sse-bytes'
import { startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'
import { agentSystem } from '../../src/who/agent-system.ts'

const started = { type: 'tool-input-start', toolCallId: 'half', toolName: 'search' } as const
const open = [
  say('Wait. '),
  { type: 'tool-call', ...weatherCall('running') },
  { type: 'tool-progress', ...weatherCall('working'), output: 'half' },
  started,
  { type: 'reasoning-delta', text: 'Hm' },
] as const

test('a stop ends the run: what was shown is saved, and every open tool is closed', async () => {
  const { agent } = heldAgent('assistant', { before: open })
  await using server = await startTestServer({ agents: [agent] })
  await using stream = new SseBytes(await ask(server.url))
  await stream.until('Hm')
  const stopped = await stop(server.url)
  expect(stopped.status).toBe(200)
  expect(await stopped.json()).toEqual({ result: 'stopped' })

  const answer = await loadAnswer(server.url)
  expect(answer.metadata).toMatchObject({ status: 'stopped', statusText: 'Stopped by the user.' })
  const errorText = 'Interrupted: Stopped by the user.'
  expect(answer.parts).toMatchObject([
    { type: 'text', text: 'Wait. ', state: 'done' },
    { toolCallId: 'running', state: 'output-error', errorText },
    { type: 'data-step', data: { toolCallId: 'running', status: 'error' } },
    { toolCallId: 'working', state: 'output-error', errorText },
    { type: 'data-step', data: { toolCallId: 'working', status: 'error' } },
    { toolCallId: 'half', state: 'output-error', errorText },
    { type: 'reasoning', text: 'Hm', state: 'done' },
  ])
  expect(valuesOf(await stream.rest()).at(-1)).toEqual({ type: 'abort', reason: 'Stopped by the user.' })
  expect(await server.store.runs.unfinished()).toEqual([])
})

test('the agent hears of the stop', async () => {
  const heard = Promise.withResolvers<unknown>()
  const agent = scriptedAgent('assistant', async function* ({ signal }) {
    signal.addEventListener('abort', () => heard.resolve(signal.reason))
    yield say('Wait')
    await new Promise(() => undefined)
  })
  await using server = await startTestServer({ agents: [agent] })
  await using stream = new SseBytes(await ask(server.url))
  await stream.until('Wait')
  await stop(server.url)
  expect(await heard.promise).toMatchObject({ status: 'stopped' })
})

test('stopping again says that it has ended, and changes nothing', async () => {
  const { agent } = heldAgent('assistant', { before: [say('Wait')] })
  await using server = await startTestServer({ agents: [agent] })
  await using stream = new SseBytes(await ask(server.url))
  await stream.until('Wait')
  const results = await Promise.all(Array.from({ length: 5 }, () => stop(server.url)))
  expect(await results[0]?.json()).toEqual({ result: 'stopped' })
  const before = await loadChat(server.url)
  expect(await (await stop(server.url)).json()).toEqual({ result: 'already-ended' })
  expect(await loadChat(server.url)).toEqual(before)
})

test('a stop that names a run stops no other: the run that it means may be over', async () => {
  const { agent } = heldAgent('assistant', { before: [say('Wait')] })
  await using server = await startTestServer({ agents: [agent] })
  const first = await (await submit(server.url)).json()
  expect(await (await stop(server.url, 'chat', first.runId)).json()).toEqual({ result: 'stopped' })
  const second = await (await submit(server.url, { messageId: 'second' })).json()
  expect(await (await stop(server.url, 'chat', first.runId)).json()).toEqual({ result: 'already-ended' })
  expect(await server.store.runs.unfinished()).toMatchObject([{ id: second.runId }])
  expect(await problemOf(await stop(server.url, 'chat', 'no run'))).toMatchObject({
    status: 400,
    code: 'invalid-body',
  })
  expect(await (await stop(server.url, 'chat', second.runId)).json()).toEqual({ result: 'stopped' })
  // Any other body names no run.
  const headers = { 'content-type': 'application/json' }
  for (const body of [null, 'no JSON', '[]', 'null', '{}']) {
    const stopped = await fetch(`${server.url}/api/chat/chat/stop`, { method: 'POST', headers, body })
    expect(stopped.status).toBe(200)
  }
})

test('stopping an ended answer leaves it as it ended', async () => {
  await using server = await startTestServer()
  await (await ask(server.url)).text()
  expect(await (await stop(server.url)).json()).toEqual({ result: 'already-ended' })
  expect((await loadAnswer(server.url)).metadata?.status).toBe('finished')
})

// The end is shown before it is saved: a stop in between stops nothing.
test('a stop that comes after the end was shown does not say that it stopped', async () => {
  const isSaving = Promise.withResolvers<void>()
  const saved = Promise.withResolvers<void>()
  await using server = await startTestServer({
    wrapStore: store => ({
      ...store,
      runs: {
        ...store.runs,
        async end(run, end) {
          isSaving.resolve()
          await saved.promise
          return store.runs.end(run, end)
        },
      },
    }),
  })
  await (await ask(server.url)).text()
  await isSaving.promise
  const stopping = stop(server.url)
  // Any request that was answered was sent after the stop was.
  await fetch(`${server.url}/health`)
  saved.resolve()
  expect(await (await stopping).json()).toEqual({ result: 'already-ended' })
  expect((await loadAnswer(server.url)).metadata?.status).toBe('finished')
})

test('a run can be stopped although the one before it was slow to leave', async () => {
  let count = 0
  const agent = scriptedAgent('assistant', async function* () {
    count += 1
    yield say(`Answer ${count}`)
    if (count === 2) await new Promise(() => undefined)
    yield finish
  })
  const left = Promise.withResolvers<void>()
  await using server = await startTestServer({
    agents: [agent],
    wrapStore: store => ({
      ...store,
      runs: {
        ...store.runs,
        async end(run, end) {
          const isEnded = await store.runs.end(run, end)
          if (run.userMessageId === 'question') await left.promise
          return isEnded
        },
      },
    }),
  })
  await (await ask(server.url)).text()
  await using second = new SseBytes(await ask(server.url, { messageId: 'second' }))
  await second.until('Answer 2')
  left.resolve()
  await fetch(`${server.url}/health`)
  expect(await (await stop(server.url)).json()).toEqual({ result: 'stopped' })
})

test('a stop that comes while the run is being claimed stops the run', async () => {
  await using server = await startSlowlyClaiming()
  const asked = ask(server.url)
  await server.isClaimed
  const stopping = stop(server.url)
  // Any request that was answered was sent after the stop was.
  await fetch(`${server.url}/health`)
  server.letGo()
  expect(await (await stopping).json()).toEqual({ result: 'stopped' })
  await (await asked).text()
  expect((await loadAnswer(server.url)).metadata?.status).toBe('stopped')
})

test('a stop after an accepted message stops its run, although an equal request is still claiming it', async () => {
  await using server = await startSlowlyClaiming()
  const first = submit(server.url)
  await server.isClaimed
  expect((await submit(server.url)).status).toBe(202)
  const stopping = stop(server.url)
  await fetch(`${server.url}/health`)
  server.letGo()
  expect(await (await stopping).json()).toEqual({ result: 'stopped' })
  expect((await first).status).toBe(202)
  expect((await loadAnswer(server.url)).metadata?.status).toBe('stopped')
})

test('a stop while a message is being refused says that nothing goes on', async () => {
  const isSearching = Promise.withResolvers<void>()
  const found = Promise.withResolvers<void>()
  await using server = await startTestServer({
    wrapStore: store => ({
      ...store,
      messages: {
        ...store.messages,
        async find(chat, id) {
          const message = await store.messages.find(chat, id)
          if (message !== undefined) {
            isSearching.resolve()
            await found.promise
          }
          return message
        },
      },
    }),
  })
  await (await ask(server.url)).text()
  const refused = submit(server.url, { text: 'Another text under the same id' })
  await isSearching.promise
  const stopping = stop(server.url)
  await fetch(`${server.url}/health`)
  found.resolve()
  expect(await (await stopping).json()).toEqual({ result: 'already-ended' })
  expect(await problemOf(await refused)).toMatchObject({ status: 409, code: 'message-id-taken' })
})

test('leaving is not stopping', async () => {
  const { agent, letGo } = heldAgent('assistant', { before: [say('Wait')], after: [say(' for it')] })
  await using server = await startTestServer({ agents: [agent] })
  {
    await using stream = new SseBytes(await ask(server.url))
    await stream.until('Wait')
  }
  await using back = new SseBytes(await fetch(`${server.url}/api/chat/chat/stream`))
  letGo()
  await back.rest()
  expect(await loadAnswer(server.url)).toMatchObject({
    metadata: { status: 'finished' },
    parts: [{ text: 'Wait for it' }],
  })
})

test('after a stop the chat takes the next message', async () => {
  let count = 0
  const agent = scriptedAgent('assistant', async function* () {
    count += 1
    yield say(`Answer ${count}`)
    if (count === 1) await new Promise(() => undefined)
    yield finish
  })
  await using server = await startTestServer({ agents: [agent] })
  await using stream = new SseBytes(await ask(server.url))
  await stream.until('Answer 1')
  await stop(server.url)
  expect(await (await ask(server.url, { messageId: 'second' })).text()).toContain('Answer 2')
})

test('closing the server ends its runs as interrupted, tells the viewers, and takes no more', async () => {
  const { agent } = heldAgent('assistant', { before: open })
  await using server = await startTestServer({ agents: [agent] })
  await using run = new SseBytes(await ask(server.url))
  await using log = new SseBytes(await fetch(`${server.url}/api/chats/chat/log`))
  await run.until('Hm')
  await log.until('Hm')
  await server.close()
  expect((await run.rest()).toString()).toMatch(
    /"reason":"The server was shut down."}\n\ndata: \[DONE\]\n\n$/,
  )
  expect(valuesOf(await log.rest()).at(-1)).toMatchObject({ chunk: { type: 'abort' } })
  expect(await server.store.runs.unfinished()).toEqual([])
  await expect(ask(server.url)).rejects.toThrow('fetch failed')
})

test('a viewer that is behind when the server closes does not take the cut for the end', async () => {
  const text = 'x'.repeat(256 * 1024)
  const before = [...Array.from({ length: 64 }, () => say(text)), say('the last piece')]
  const { agent } = heldAgent('assistant', { before })
  // More than an answer may usually be, so that the viewer is surely behind.
  const system = agentSystem({ limits: { maxOutputBytes: 32 * 1024 * 1024 } })
  await using server = await startTestServer({ agents: [agent], system })
  await using stream = new SseBytes(await ask(server.url))
  await using log = new SseBytes(await fetch(`${server.url}/api/chats/chat/log`))
  await log.until('the last piece')
  const closing = server.close()
  while ((await server.store.runs.unfinished()).length > 0);
  const rest = await stream.rest().catch(() => 'cut off')
  expect(rest.toString().slice(-14)).toMatch(/^(cut off|data: \[DONE\]\n\n)$/)
  await closing
})

test('a message that waits while the server closes is told to come again', async () => {
  const { agent } = heldAgent('assistant', { before: [say('Wait')] })
  const isWaiting = Promise.withResolvers<void>()
  await using server = await startTestServer({
    agents: [agent],
    wrapStore: store => ({
      ...store,
      runs: {
        ...store.runs,
        async active(chat) {
          const run = await store.runs.active(chat)
          isWaiting.resolve()
          return run
        },
      },
    }),
  })
  await using first = new SseBytes(await ask(server.url))
  await first.until('Wait')
  const waiting = ask(server.url, { messageId: 'second', fields: { onBusy: 'queue' } })
  await isWaiting.promise
  await server.close()
  expect(await problemOf(await waiting)).toMatchObject({ status: 503, code: 'shutting-down' })
})

/** Starts a server that has saved the claim of a run, but goes on only when the test lets it go. */
async function startSlowlyClaiming() {
  const isClaimed = Promise.withResolvers<void>()
  const letGo = Promise.withResolvers<void>()
  const { agent } = heldAgent('assistant', { before: [say('Wait')] })
  const server = await startTestServer({
    agents: [agent],
    wrapStore: store => ({
      ...store,
      runs: {
        ...store.runs,
        async claim(run, start) {
          const isDone = await store.runs.claim(run, start)
          isClaimed.resolve()
          await letGo.promise
          return isDone
        },
      },
    }),
  })
  return { ...server, isClaimed: isClaimed.promise, letGo: letGo.resolve }
}
