import { ProblemError } from '@throughline/protocol'
import { describe, expect, test } from 'vitest'
import type { Inbound, Inbox } from '../../src/ports/channel.ts'
import { channelError, type Harness, nobodyDecides, startHarness, takeAll } from './telegram-harness.ts'

/** Polls with this inbox until the signal aborts. */
function poll({ channel }: Harness, inbox: Inbox, stopping = new AbortController()) {
  const polling =
    channel.poll?.(inbox, stopping.signal, nobodyDecides) ?? Promise.reject(new Error('It does not poll.'))
  const stop = async () => {
    stopping.abort()
    await polling
  }
  return { polling, stop }
}

const takesAll: Inbox = async () => {}

describe('polling', () => {
  test('takes messages in order, each once', async () => {
    await using harness = await startHarness()
    for (let index = 0; index < 150; index += 1) harness.server.write(`message ${index}`)
    const taken = await takeAll(harness)
    const expected = Array.from({ length: 150 }, (_, index) => `message ${index}`)
    expect(taken.map(({ text }) => text)).toEqual(['hello', ...expected])
  })

  test('hears of a message that comes while it waits', async () => {
    await using harness = await startHarness()
    const { server } = harness
    const second = Promise.withResolvers<string>()
    const { stop } = poll(harness, async ({ text }) => {
      if (text === 'later') second.resolve(text)
    })
    await server.until(() => server.pending.length === 0)
    server.write('later')
    expect(await second.promise).toBe('later')
    await stop()
  })

  test('confirms a message only when the inbox has taken it', async () => {
    await using harness = await startHarness()
    const { server } = harness
    const asked = Promise.withResolvers<void>()
    const durable = Promise.withResolvers<void>()
    const { stop } = poll(harness, async () => {
      asked.resolve()
      await durable.promise
    })
    await asked.promise
    expect(server.pending.length).toBe(1)
    expect(server.calls.filter(({ method }) => method === 'getUpdates').length).toBe(1)
    durable.resolve()
    await server.until(() => server.pending.length === 0)
    await stop()
  })

  test('ends with an error when the inbox fails, and the message comes again', async () => {
    await using harness = await startHarness()
    const { server } = harness
    server.write('second')
    const failure = new Error('The store is down.')
    const tried: string[] = []
    const failing: Inbox = async ({ text }) => {
      tried.push(text)
      if (text === 'second') throw failure
    }
    await expect(poll(harness, failing).polling).rejects.toBe(failure)
    expect(tried).toEqual(['hello', 'second'])
    expect(server.pending.length).toBe(2)
    const again = await takeAll(harness)
    expect(again.map(({ text }) => text)).toEqual(['hello', 'second'])
  })

  test.each([408, 429, 500, 503])(
    'counts a problem with status %i as a failure that passes',
    async status => {
      await using harness = await startHarness()
      const problem = new ProblemError(status, 'chat-busy', 'Not now.')
      await expect(poll(harness, () => Promise.reject(problem)).polling).rejects.toBe(problem)
      expect(harness.server.pending.length).toBe(1)
    },
  )

  test.each([400, 409, 413])(
    'leaves out and reports a message that gets a problem with status %i',
    async status => {
      await using harness = await startHarness()
      const { server, problems } = harness
      server.write('second')
      const taken: Inbound[] = []
      const { stop } = poll(harness, async inbound => {
        if (inbound.text === 'hello')
          throw new ProblemError(status, 'invalid-body', 'This will never be taken.')
        taken.push(inbound)
      })
      await server.until(() => server.pending.length === 0)
      await stop()
      expect(taken.map(({ text }) => text)).toEqual(['second'])
      expect(problems).toEqual([expect.stringContaining('message 501_1 of Telegram is not taken')])
    },
  )

  test.each<Readonly<Record<string, unknown>>>([
    { message: 'nonsense' },
    { message: { message_id: 'x' } },
    { message: { message_id: 5, chat: null, from: { id: 1 } } },
    { message: { message_id: 5, chat: { id: 1, type: 'private' }, entities: {} } },
  ])('leaves out and reports the update %j', async update => {
    await using harness = await startHarness()
    harness.server.push(update)
    harness.server.write('after it')
    const taken = await takeAll(harness)
    expect(taken.map(({ text }) => text)).toEqual(['hello', 'after it'])
    expect(harness.problems).toEqual([expect.stringContaining('is not as expected')])
  })

  test.each(['edited_message', 'channel_post', 'something_new'])('leaves out a %s', async kind => {
    await using harness = await startHarness()
    const { server, problems } = harness
    const message = {
      message_id: 9,
      text: 'x',
      chat: { id: 501, type: 'private' },
      from: { id: 501, is_bot: false },
    }
    server.push({ [kind]: message })
    expect((await takeAll(harness)).map(({ text }) => text)).toEqual(['hello'])
    expect(problems).toEqual([])
  })

  test('goes on when the notice for a message without text cannot be sent', async () => {
    await using harness = await startHarness()
    const { server, problems } = harness
    server.write({ fields: { voice: {} } })
    server.write('after it')
    server.fail('sendMessage', {
      type: 'error',
      status: 403,
      description: 'Forbidden: bot was blocked by the user',
    })
    expect((await takeAll(harness)).map(({ text }) => text)).toEqual(['hello', 'after it'])
    expect(problems).toEqual([expect.stringContaining('nobody could be told')])
  })

  test('goes on when a problem cannot be reported', async () => {
    const onProblem = () => {
      throw new Error('The log is full.')
    }
    await using harness = await startHarness({ onProblem })
    harness.server.push({ message: 'nonsense' })
    harness.server.write('after it')
    expect((await takeAll(harness)).map(({ text }) => text)).toEqual(['hello', 'after it'])
  })

  test('takes away a webhook first, and what waits for it comes', async () => {
    await using harness = await startHarness()
    harness.server.setWebhook({ url: 'http://127.0.0.1:9', secret: '' })
    expect((await takeAll(harness)).map(({ text }) => text)).toEqual(['hello'])
    expect(harness.server.webhook).toBeUndefined()
  })

  test('asks for messages and presses of buttons only', async () => {
    await using harness = await startHarness()
    await takeAll(harness)
    const question = harness.server.calls.find(({ method }) => method === 'getUpdates')
    expect(question?.values).toMatchObject({ allowed_updates: ['message', 'callback_query'] })
  })
})

describe('the end of polling', () => {
  test('is there as soon as the signal aborts, in the middle of a long poll', async () => {
    await using harness = await startHarness()
    const { server } = harness
    const { stop } = poll(harness, takesAll)
    await server.until(() => server.pending.length === 0)
    await stop()
  })

  test.each(['deleteWebhook', 'getUpdates', 'getMe'])(
    'is there when the signal aborts during %s',
    async method => {
      await using harness = await startHarness({ groups: 'all' })
      const { server } = harness
      server.write({ text: 'hi', chat: { id: -1, type: 'group' } })
      server.fail(method, { type: 'held', until: new Promise(() => {}) })
      const { stop } = poll(harness, takesAll)
      await server.until(() => server.calls.some(call => call.method === method))
      await stop()
    },
  )

  test('comes after the message that is being taken, and the next one is not taken', async () => {
    await using harness = await startHarness()
    harness.server.write('second')
    const stopping = new AbortController()
    const taken: string[] = []
    const { polling } = poll(
      harness,
      async ({ text }) => {
        stopping.abort()
        await Promise.resolve()
        taken.push(text)
      },
      stopping,
    )
    await polling
    expect(taken).toEqual(['hello'])
  })

  test('is at once when the signal has aborted before', async () => {
    await using harness = await startHarness()
    const stopping = new AbortController()
    stopping.abort()
    await poll(harness, takesAll, stopping).polling
    expect(harness.server.calls).toEqual([])
  })

  test('is an error when Telegram cannot be reached', async () => {
    await using harness = await startHarness()
    const { server } = harness
    server.fail('getUpdates', { type: 'reset' })
    const error = await channelError(poll(harness, takesAll).polling, server)
    expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('ECONNRESET') })
  })

  test('is an error that says so when another program polls', async () => {
    await using harness = await startHarness()
    const { server } = harness
    const first = poll(harness, takesAll)
    await server.until(() => server.pending.length === 0)
    const second = poll(harness, takesAll)
    const error = await channelError(first.polling, server)
    expect(error).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('stop the other one'),
    })
    await second.stop()
  })

  test('is an error that says so when the token is wrong', async () => {
    await using harness = await startHarness({ token: '1:not-the-token-of-this-bot' })
    const error = await channelError(poll(harness, takesAll).polling, harness.server)
    expect(error).toMatchObject({
      code: 'refused',
      message: expect.stringContaining('Check TELEGRAM_BOT_TOKEN'),
    })
  })
})
