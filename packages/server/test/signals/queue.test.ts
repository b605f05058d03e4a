import { textOf } from '@throughline/protocol'
import { finish, heldAgent, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { ask, loadChat, problemOf, sendJson, stop, submit } from '@throughline/testing/http/chat-requests'
import { picturePart } from '@throughline/testing/http/file-parts'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { loggedLines } from '@throughline/testing/server/logged-lines'
import {
  type NodesOptions,
  sharedStores,
  startNodes,
  withoutBells,
} from '@throughline/testing/server/start-nodes'
import { until } from '@throughline/testing/waits/until'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { createThroughline } from '../../src/create-throughline.ts'

const queue = { onBusy: 'queue' }
const interrupt = { onBusy: 'interrupt' }
const edit = (url: string, id: string, text: unknown) =>
  sendJson(`${url}/api/chats/chat/queue/${id}`, { text }, { method: 'PATCH' })

describe.each(sharedStores)('on $name', ({ open }) => {
  describe('on several nodes', () => {
    test('messages that wait on both are answered once each, in the order in which they came', async () => {
      await using world = await startEcho({ open })
      const ids = ['a', 'b', 'c', 'd', 'e', 'f']
      const asked: Promise<Response>[] = []
      for (const [index, messageId] of ids.entries()) {
        const url = index % 2 === 0 ? world.second : world.first
        asked.push(ask(url, { messageId, text: `Number ${messageId}`, fields: queue }))
        await world.untilWaiting(index + 1)
      }
      world.letGo()
      for (const [index, response] of (await Promise.all(asked)).entries())
        expect(await response.text()).toContain(`"delta":"Number ${ids[index]}"`)
      const { messages } = await loadChat(world.first)
      expect(messages.flatMap(({ role, id }) => (role === 'user' ? [id] : []))).toEqual(['question', ...ids])
      expect(messages.flatMap(m => (m.role === 'user' ? [] : [textOf(m)]))).toEqual([
        'Wait',
        ...ids.map(id => `Number ${id}`),
      ])
      expect(await world.listed()).toEqual([])
    })

    test('a message interrupts a run of another node: what was shown is kept, and the new answer begins', async () => {
      await using world = await startEcho({ open })
      const second = await ask(world.second, { messageId: 'second', text: 'Next', fields: interrupt })
      expect(await second.text()).toContain('Next')
      expect((await world.stream.rest()).toString()).toContain('Interrupted by a new message.')
      expect((await loadChat(world.second)).messages).toMatchObject([
        { id: 'question' },
        { metadata: { status: 'stopped' }, parts: [{ text: 'Wait', state: 'done' }] },
        { id: 'second' },
        { metadata: { status: 'finished' } },
      ])
    })

    test('a message that interrupts ends the run at once, although others stand before it', async () => {
      await using world = await startEcho({ open })
      const queued = ask(world.first, { messageId: 'queued', text: 'Queued', fields: queue })
      await world.untilWaiting(1)
      const last = ask(world.second, { messageId: 'last', text: 'Last', fields: interrupt })
      expect(await (await last).text()).toContain('Last')
      await (await queued).text()
      const { messages } = await loadChat(world.first)
      expect(messages.flatMap(({ role, id }) => (role === 'user' ? [id] : []))).toEqual([
        'question',
        'queued',
        'last',
      ])
    })

    test('a stock client that sends while another node answers waits for the end of the answer', async () => {
      await using world = await startEcho({ open })
      const second = ask(world.second, { messageId: 'second', text: 'Next' })
      await world.untilWaiting(1)
      world.letGo()
      expect(await (await second).text()).toContain('Next')
      expect((await world.stream.rest()).toString()).toContain('"type":"finish"')
    })

    test('a waiting message that is sent again attaches, on any node, and with reject too', async () => {
      await using world = await startEcho({ open })
      const sent = [submit(world.first, { messageId: 'second', fields: queue })]
      await world.untilWaiting(1)
      sent.push(submit(world.second, { messageId: 'second', fields: queue }))
      sent.push(submit(world.second, { messageId: 'second', fields: { onBusy: 'reject' } }))
      world.letGo()
      const told = await Promise.all((await Promise.all(sent)).map(response => response.json()))
      expect(told[0]).toMatchObject({ messageId: 'second', runId: expect.stringMatching(/^run_/) })
      expect(told).toEqual([told[0], told[0], told[0]])
      await until(async () => (await world.store.runs.unfinished()).length === 0)
      expect((await loadChat(world.first)).messages).toHaveLength(4)
    })

    test('another text under the id of a waiting message is refused, and the first stays', async () => {
      await using world = await startEcho({ open })
      const first = ask(world.first, { messageId: 'second', text: 'This', fields: queue })
      await world.untilWaiting(1)
      const other = await ask(world.second, { messageId: 'second', text: 'That', fields: queue })
      expect(await problemOf(other)).toMatchObject({ status: 409, code: 'message-id-taken' })
      world.letGo()
      expect(await (await first).text()).toContain('This')
    })

    test('when a node shuts down, the messages that wait on it are taken up by another', async () => {
      await using world = await startEcho({ open })
      const waiting = ask(world.first, { messageId: 'second', text: 'Next', fields: queue })
      await world.untilWaiting(1)
      await world.closeFirst()
      expect(await problemOf(await waiting)).toMatchObject({ status: 503, code: 'shutting-down' })
      const again = await ask(world.second, { messageId: 'second', text: 'Next', fields: queue })
      expect(await again.text()).toContain('Next')
      expect((await loadChat(world.second)).messages).toHaveLength(4)
    })

    test('messages that wait get their turn although every ring is lost', async () => {
      await using world = await startEcho({ open, wrapStore: withoutBells })
      const waiting = ask(world.second, { messageId: 'second', text: 'Next', fields: queue })
      await world.untilWaiting(1)
      world.letGo()
      expect(await (await waiting).text()).toContain('Next')
    })

    test('a message that waits keeps its files', async () => {
      await using world = await startEcho({ open })
      const message = { id: 'picture', role: 'user', parts: [picturePart] }
      const waiting = submit(world.second, { fields: { message, ...queue } })
      await world.untilWaiting(1)
      world.letGo()
      expect((await waiting).status).toBe(202)
      await until(async () => (await world.store.runs.unfinished()).length === 0)
      const { messages } = await loadChat(world.first)
      const file = messages.find(({ id }) => id === 'picture')?.parts.find(({ type }) => type === 'file')
      const url = file?.type === 'file' ? file.url : ''
      expect((await fetch(`${world.first}${url}`)).status).toBe(200)
    })
  })

  describe('the queue of a chat', () => {
    test('shows what waits, in order, on every node', async () => {
      await using world = await startEcho({ open })
      const first = ask(world.first, { messageId: 'a', text: 'This', fields: queue })
      await world.untilWaiting(1)
      const second = ask(world.second, { messageId: 'b', text: 'That' })
      await world.untilWaiting(2)
      const shown = await (await fetch(`${world.second}/api/chats/chat/queue`)).json()
      expect(shown).toEqual({
        max: 50,
        queue: [
          {
            id: 'a',
            kind: 'answer',
            message: expect.objectContaining({
              id: 'a',
              role: 'user',
              parts: [{ type: 'text', text: 'This' }],
            }),
            agent: 'assistant',
            onBusy: 'queue',
            createdAt: expect.stringMatching(/^20/),
          },
          expect.objectContaining({ id: 'b', onBusy: 'interrupt-unviewed' }),
        ],
      })
      world.letGo()
      await (await first).text()
      await (await second).text()
      expect(await (await fetch(`${world.first}/api/chats/chat/queue`)).json()).toMatchObject({ queue: [] })
      expect((await fetch(`${world.first}/api/chats/nowhere/queue`)).status).toBe(404)
    })

    test('lets a message be removed: it is not answered, and whoever waits for it is told', async () => {
      await using world = await startEcho({ open })
      const first = ask(world.first, { messageId: 'a', fields: queue })
      await world.untilWaiting(1)
      const second = ask(world.second, { messageId: 'b', text: 'That', fields: queue })
      await world.untilWaiting(2)
      const remove = (id: string) => fetch(`${world.second}/api/chats/chat/queue/${id}`, { method: 'DELETE' })
      expect((await remove('a')).status).toBe(204)
      expect(await problemOf(await first)).toMatchObject({ status: 409, code: 'removed-from-queue' })
      expect(await problemOf(await remove('a'))).toMatchObject({ status: 404, code: 'not-waiting' })
      world.letGo()
      expect(await (await second).text()).toContain('That')
      expect((await loadChat(world.first)).messages.map(({ id }) => id)).not.toContain('a')
      // The id is free: the message was never saved.
      expect(await (await ask(world.first, { messageId: 'a', text: 'Again' })).text()).toContain('Again')
    })

    test('lets a message be edited: it keeps its id and its place, and whoever waits for it gets its run', async () => {
      await using world = await startEcho({ open })
      const first = ask(world.first, { messageId: 'a', text: 'This', fields: queue })
      await world.untilWaiting(1)
      const second = ask(world.second, { messageId: 'b', text: 'Next', fields: queue })
      await world.untilWaiting(2)
      const edited = await edit(world.second, 'a', 'That')
      expect(edited.status).toBe(200)
      expect(await edited.json()).toMatchObject({
        id: 'a',
        kind: 'answer',
        message: { id: 'a', parts: [{ type: 'text', text: 'That' }] },
      })
      expect((await world.listed()).map(({ id }) => id)).toEqual(['a', 'b'])
      // Once more, from another node. The last one counts.
      expect((await edit(world.first, 'a', 'Those')).status).toBe(200)
      world.letGo()
      expect(await (await first).text()).toContain('"delta":"Those"')
      await (await second).text()
      const asked = (await loadChat(world.first)).messages.filter(({ role }) => role === 'user')
      expect(asked.map(message => `${message.id} ${textOf(message)}`)).toEqual([
        'question How is the weather?',
        'a Those',
        'b Next',
      ])
      expect(await problemOf(await edit(world.first, 'a', 'Late'))).toMatchObject({
        status: 404,
        code: 'not-waiting',
      })
      expect((await edit(world.first, 'nobody', 'Late')).status).toBe(404)
    })

    test('knows an edited message that is sent again with its first text, while it waits and after its answer', async () => {
      await using world = await startEcho({ open })
      const again = (url: string, text = 'This') =>
        submit(url, { messageId: 'a', text, fields: { ...queue, waitForTurn: false } })
      expect(await (await again(world.first)).json()).toEqual({ messageId: 'a', isQueued: true })
      await edit(world.first, 'a', 'That')
      expect(await (await again(world.second)).json()).toEqual({ messageId: 'a', isQueued: true })
      const other = await problemOf(await again(world.second, 'Other'))
      expect(other).toMatchObject({ status: 409, code: 'message-id-taken' })
      const [waiting, ...more] = await world.listed()
      expect(more).toEqual([])
      expect(waiting?.body).toContain('That')
      const waiter = submit(world.second, { messageId: 'a', text: 'This', fields: queue })
      world.letGo()
      const { runId } = await (await waiter).json()
      await until(async () => (await loadChat(world.first)).messages.at(-1)?.metadata?.status === 'finished')
      for (const text of ['This', 'That'])
        expect(await (await again(world.first, text)).json()).toMatchObject({ runId })
      expect((await again(world.first, 'Other')).status).toBe(409)
      const { messages } = await loadChat(world.second)
      expect(messages.slice(2).map(textOf)).toEqual(['That', 'That'])
      expect(await world.listed()).toEqual([])
    })

    test('keeps the files of a message that is edited, and refuses an edit that leaves nothing', async () => {
      await using world = await startEcho({ open })
      const parts = [picturePart, { type: 'text', text: 'Look' }]
      const message = { id: 'a', role: 'user', parts }
      const waiting = submit(world.first, { fields: { message, ...queue } })
      await world.untilWaiting(1)
      const [saved] = await world.listed()
      const [fileId = ''] = /file_[0-9a-f]+/.exec(saved?.body ?? '') ?? []
      const picture = { type: 'file', url: expect.stringContaining(fileId) }
      const edited = await (await edit(world.second, 'a', 'See')).json()
      expect(edited.message.parts).toMatchObject([picture, { type: 'text', text: 'See' }])
      expect((await (await edit(world.second, 'a', ' ')).json()).message.parts).toMatchObject([picture])
      // They are still known as the files of the message: they go with it.
      await fetch(`${world.second}/api/chats/chat/queue/a`, { method: 'DELETE' })
      expect((await waiting).status).toBe(409)
      expect(await world.store.files.find(world.chat, fileId)).toBeUndefined()

      const text = submit(world.first, { messageId: 'b', text: 'Text', fields: queue })
      await world.untilWaiting(1)
      expect(await problemOf(await edit(world.first, 'b', '\n'))).toMatchObject({
        status: 400,
        code: 'empty-message',
      })
      expect(await problemOf(await edit(world.first, 'b', 1))).toMatchObject({ code: 'invalid-body' })
      expect((await world.listed())[0]?.body).toContain('Text')
      world.letGo()
      expect((await text).status).toBe(202)
    })

    test('does not edit a request for another answer: that is no message', async () => {
      await using world = await startEcho({ open })
      const fields = { messageId: 'question', expected_assistant_message_id: 'again', ...queue }
      const asked = sendJson(`${world.first}/api/chats/chat/answers`, fields)
      await world.untilWaiting(1)
      expect(await problemOf(await edit(world.first, 'again', 'Other'))).toMatchObject({
        status: 404,
        code: 'not-waiting',
      })
      world.letGo()
      expect((await asked).status).toBe(202)
    })

    test('answers what was sent last, when a message was removed and sent again with another text', async () => {
      await using world = await startEcho({ open })
      const first = ask(world.first, { messageId: 'a', text: 'This', fields: queue })
      await world.untilWaiting(1)
      await fetch(`${world.second}/api/chats/chat/queue/a`, { method: 'DELETE' })
      const again = ask(world.second, { messageId: 'a', text: 'That', fields: queue })
      await world.untilWaiting(1)
      world.letGo()
      expect(await (await again).text()).toContain('That')
      expect((await first).status).toBe(409)
    })

    test('is not stopped with the run: a stop ends one answer, and the next message gets its turn', async () => {
      await using world = await startEcho({ open })
      const next = ask(world.first, { messageId: 'next', text: 'Next', fields: queue })
      await world.untilWaiting(1)
      expect(await (await stop(world.second)).json()).toEqual({ result: 'stopped' })
      expect(await (await next).text()).toContain('Next')
    })

    test('is removed with its chat', async () => {
      await using world = await startEcho({ open })
      const waiting = submit(world.first, { messageId: 'a', fields: queue })
      await world.untilWaiting(1)
      expect((await fetch(`${world.second}/api/chats/chat`, { method: 'DELETE' })).status).toBe(204)
      expect(await problemOf(await waiting)).toMatchObject({ code: 'removed-from-queue' })
      expect((await fetch(`${world.first}/api/chats/chat`)).status).toBe(404)
    })

    test('takes 50 messages, and refuses the next one', async () => {
      await using world = await startEcho({ open })
      const sent = Array.from({ length: 50 }, (_, index) =>
        submit(world.first, { messageId: `waiting-${index}`, fields: queue }),
      )
      await world.untilWaiting(50)
      const refused = await submit(world.second, { messageId: 'one-more', fields: queue })
      expect(await problemOf(refused)).toMatchObject({ status: 429, code: 'queue-full', max: 50 })
      await fetch(`${world.second}/api/chats/chat`, { method: 'DELETE' })
      for (const response of await Promise.all(sent)) {
        // On a slow machine, a response may have begun before it was refused. Then it is cut off.
        if (response.status === 202) await expect(response.text()).rejects.toThrow()
        else expect(response.status).toBe(409)
      }
    })

    test('answers a message whose agent is gone with an answer that says so', async () => {
      await using world = await startEcho({ open })
      const waiting = ask(world.first, { messageId: 'a', fields: queue })
      await world.untilWaiting(1)
      const [saved] = await world.store.waitingSubmissions.list(world.chat)
      if (saved === undefined) throw new Error('Nothing waits.')
      await world.store.waitingSubmissions.remove(world.chat, 'a')
      expect((await waiting).status).toBe(409)
      const body = saved.body.replace('"agent":"assistant"', '"agent":"gone"')
      await world.store.waitingSubmissions.add({ ...saved, body }, { max: 1 })
      world.letGo()
      await until(async () => (await loadChat(world.first)).messages.length === 4)
      await until(async () => (await world.store.runs.unfinished()).length === 0)
      expect((await loadChat(world.first)).messages.at(-1)?.metadata).toMatchObject({
        status: 'failed',
        statusText: 'There is no agent "gone" any more.',
      })
    })

    test('forgets the files of a message that is removed', async () => {
      await using world = await startEcho({ open })
      const message = { id: 'a', role: 'user', parts: [picturePart] }
      const waiting = submit(world.first, { fields: { message, ...queue } })
      await world.untilWaiting(1)
      const [saved] = await world.listed()
      const [fileId = ''] = /file_[0-9a-f]+/.exec(saved?.body ?? '') ?? []
      expect(await world.store.files.find(world.chat, fileId)).toBeDefined()
      await fetch(`${world.second}/api/chats/chat/queue/a`, { method: 'DELETE' })
      expect((await waiting).status).toBe(409)
      expect(await world.store.files.find(world.chat, fileId)).toBeUndefined()
    })

    test('with a damaged message goes on with the next one, and the damaged one is named', async () => {
      const { logger, lines } = loggedLines()
      await using world = await startEcho({ open, logger })
      const damaged = ask(world.first, { messageId: 'a', fields: queue })
      await world.untilWaiting(1)
      const [saved] = await world.listed()
      if (saved === undefined) throw new Error('Nothing waits.')
      await world.store.waitingSubmissions.remove(world.chat, 'a')
      expect((await damaged).status).toBe(409)
      await world.store.waitingSubmissions.add({ ...saved, body: '{"kind":' }, { max: 1 })
      const shown = await fetch(`${world.first}/api/chats/chat/queue`)
      expect(await shown.json()).toMatchObject({ queue: [] })
      const next = ask(world.second, { messageId: 'b', text: 'Next', fields: queue })
      await until(async () => (await world.listed()).some(({ id }) => id === 'b'))
      world.letGo()
      expect(await (await next).text()).toContain('Next')
      expect(lines.filter(({ msg }) => String(msg).includes('is damaged and was removed'))).toMatchObject([
        { level: 50, chatId: 'chat', messageId: 'a', body: '{"kind":' },
      ])
    })

    test('that an earlier process has left is taken up at the start', async () => {
      await using world = await startEcho({ open })
      const waiting = ask(world.first, { messageId: 'a', text: 'This', fields: queue })
      await world.untilWaiting(1)
      await world.closeFirst()
      expect((await waiting).status).toBe(503)
      const agents = [scriptedAgent('assistant', [say('Taken up'), finish])]
      await using next = await createThroughline({
        store: world.store,
        agents,
        logger: pino({ level: 'silent' }),
      })
      await until(async () => (await next.chats.messages(world.chat))?.messages.length === 4)
    })
  })
})

/** Two nodes. The first one has a run that waits; later ones repeat what they were asked. */
async function startEcho(options: NodesOptions) {
  const held = heldAgent('assistant', { before: [say('Wait')] })
  const agent = scriptedAgent('assistant', request => {
    const question = request.messages.at(-1)
    return question?.id === 'question'
      ? held.agent.run(request)
      : [say(question === undefined ? '' : textOf(question)), finish]
  })
  const nodes = await startNodes({ ...options, agents: [agent] })
  const stream = new SseBytes(await ask(nodes.first))
  await stream.until('Wait')
  const [run] = await nodes.store.runs.unfinished()
  if (run === undefined) throw new Error('No run goes on.')
  const chat = { ownerId: run.ownerId, chatId: run.chatId }
  const listed = () => nodes.store.waitingSubmissions.list(chat)
  return {
    ...nodes,
    chat,
    stream,
    listed,
    letGo: held.letGo,
    untilWaiting: (count: number) => until(async () => (await listed()).length === count),
  }
}
