import { Chat } from '@ai-sdk/react'
import { recordingAgent } from '@throughline/testing/agent/recording-agent'
import { heldAgent, heldScript, say } from '@throughline/testing/agent/scripted-agent'
import { ask, loadChat, problemOf, sendJson, submit } from '@throughline/testing/http/chat-requests'
import { SseBytes, sseEventsIn } from '@throughline/testing/http/sse-bytes'
import { startTestServer } from '@throughline/testing/server/test-server'
import { DefaultChatTransport } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

describe('the position that comes with a 202', () => {
  test('is where the run begins: in the first run of a chat, while it goes on and afterwards', async () => {
    const { agent, letGo } = heldAgent('assistant', { before: [say('One, ')], after: [say('two.')] })
    await using server = await startTestServer({ agents: [agent] })
    const position = await positionOf(await submit(server.url))
    await using during = new SseBytes(await resume(server.url, position))
    await during.until('One')
    letGo()
    const whole = (await during.rest()).toString()
    expect(whole).toMatch(/"type":"start".*One, .*two\..*\[DONE\]\n\n$/s)
    expect(await (await resume(server.url, position)).text()).toBe(whole)
  })

  test('is where the run begins in a later run, whose answer it gives and not the one before', async () => {
    const { script, letGo } = heldScript({ before: [say('Second ')], after: [say('answer.')] })
    const { agent } = recordingAgent([[say('First answer.')], script])
    await using server = await startTestServer({ agents: [agent] })
    await (await ask(server.url)).text()
    const position = await positionOf(await submit(server.url, { messageId: 'second' }))
    await using during = new SseBytes(await resume(server.url, position))
    await during.until('Second ')
    letGo()
    const whole = (await during.rest()).toString()
    expect(whole).not.toContain('First answer.')
    expect(whole).toMatch(/data: \[DONE\]\n\n$/)
    expect(await (await resume(server.url, position)).text()).toBe(whole)
  })

  test('is exact, also when the answer before it was still being written as the message came', async () => {
    const { script, letGo } = heldScript({ before: [say('First ')], after: [say('answer.')] })
    const { agent } = recordingAgent([script])
    await using server = await startTestServer({
      agents: [agent],
      wrapStore: store => ({
        ...store,
        runs: {
          ...store.runs,
          async claim(run, start) {
            if (run.userMessageId === 'second') {
              letGo()
              while ((await store.runs.active(run)) !== undefined);
            }
            return store.runs.claim(run, start)
          },
        },
      }),
    })
    await using first = new SseBytes(await ask(server.url))
    await first.until('First ')
    const position = await positionOf(await submit(server.url, { messageId: 'second' }))
    expect(sseEventsIn(await first.rest()).at(-2)?.id).toBe(position)
    expect(await (await resume(server.url, position)).text()).toContain('Answer 2.')
  })

  test('gives a run that has been claimed and has not written anything yet', async () => {
    const gate = Promise.withResolvers<void>()
    let isHeld = false
    await using server = await startTestServer({
      agents: [recordingAgent().agent],
      wrapStore: store => ({
        ...store,
        log: {
          ...store.log,
          async acquire(name) {
            if (isHeld) await gate.promise
            return store.log.acquire(name)
          },
        },
      }),
    })
    await (await ask(server.url)).text()
    isHeld = true
    const second = submit(server.url, { messageId: 'second' })
    while ((await server.store.runs.unfinished()).length === 0);
    // The same message again finds the run before it has begun to write.
    const position = await positionOf(await submit(server.url, { messageId: 'second' }))
    const stream = await resume(server.url, position)
    gate.resolve()
    expect(await positionOf(await second)).toBe(position)
    expect(await stream.text()).toContain('Answer 2.')
  })
})

describe('at the end of a run', () => {
  test('the id of the last event brings the rest of that run, whatever came after it', async () => {
    await using server = await startTestServer({ agents: [recordingAgent().agent] })
    const id = lastIdOf(await (await ask(server.url)).text())
    const headers = { 'last-event-id': id }
    const url = `${server.url}/api/chat/chat/stream`
    expect(await (await fetch(url, { headers })).text()).toBe('retry: 1000\n\ndata: [DONE]\n\n')
    await (await ask(server.url, { messageId: 'second' })).text()
    expect(await (await fetch(url, { headers })).text()).toBe('retry: 1000\n\ndata: [DONE]\n\n')
    // A browser that began at a position and comes back sends both.
    expect(await (await fetch(`${url}?after=${id}`, { headers })).text()).toBe(
      'retry: 1000\n\ndata: [DONE]\n\n',
    )
  })

  test('a position brings the rest of that run until there is a next one', async () => {
    await using server = await startTestServer({ agents: [recordingAgent().agent] })
    const id = lastIdOf(await (await ask(server.url)).text())
    for (const form of ['separate', 'hidden', 'inline']) {
      const response = await resume(server.url, `${id}&subAgents=${form}`)
      expect(await response.text()).toBe('retry: 1000\n\ndata: [DONE]\n\n')
    }
    const second = await (await ask(server.url, { messageId: 'second' })).text()
    for (const form of ['separate', 'hidden', 'inline'])
      expect(await (await resume(server.url, `${id}&subAgents=${form}`)).text()).toBe(second)
  })
})

describe('a chat without messages', () => {
  test('has nothing to resume at its beginning', async () => {
    await using server = await startTestServer()
    await sendJson(`${server.url}/api/chats`, { id: 'chat' })
    const { position } = await loadChat(server.url)
    expect((await resume(server.url, position)).status).toBe(204)
  })

  test('that is not there yet has nothing to resume, and is not made', async () => {
    await using server = await startTestServer()
    expect((await fetch(`${server.url}/api/chat/chat/stream`)).status).toBe(204)
    expect((await fetch(`${server.url}/api/chats/chat`)).status).toBe(404)
  })

  test('that is not there is told to whoever had a position in it', async () => {
    await using server = await startTestServer()
    expect(await problemOf(await resume(server.url, 'abc.5'))).toMatchObject({
      status: 404,
      code: 'chat-not-found',
    })
  })

  test('is ready for a stock page that resumes before its first message', async () => {
    await using server = await startTestServer()
    const transport = new DefaultChatTransport({ api: `${server.url}/api/chat` })
    const chat = new Chat({ id: 'chat', transport })
    await chat.resumeStream()
    expect({ status: chat.status, error: chat.error }).toEqual({ status: 'ready', error: undefined })
    await chat.sendMessage({ text: 'How is the weather?' })
    expect(chat.messages).toHaveLength(2)
  })
})

async function positionOf(response: Response): Promise<string> {
  expect(response.status).toBe(202)
  return z.object({ position: z.string() }).parse(await response.json()).position
}

function resume(url: string, after: string): Promise<Response> {
  return fetch(`${url}/api/chat/chat/stream?after=${after}`)
}

/** The id of the last event that has one. */
function lastIdOf(stream: string): string {
  return sseEventsIn(Buffer.from(stream)).findLast(({ id }) => id !== undefined)?.id ?? ''
}
