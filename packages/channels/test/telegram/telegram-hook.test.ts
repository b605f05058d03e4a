import { once } from 'node:events'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { teamGroup } from '@throughline/testing/telegram/telegram-messages'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Channel, Decide, HookResponse, Inbound, Inbox } from '../../src/ports/channel.ts'
import { telegramChannel } from '../../src/telegram/telegram-channel.ts'
import { type Harness, nobodyDecides, secret, startHarness } from './telegram-harness.ts'

const mode = { webhookSecret: secret }
const refusesToBeAsked: Inbox = async () => {
  throw new Error('The inbox was asked.')
}

interface HookOptions {
  readonly given?: string | undefined
  readonly inbox?: Inbox
  readonly decide?: Decide
}

async function hook(channel: Channel, body: unknown, options: HookOptions = {}): Promise<HookResponse> {
  const { inbox = refusesToBeAsked, decide = nobodyDecides } = options
  const given = 'given' in options ? options.given : secret
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const request = { headers: { 'x-telegram-bot-api-secret-token': given }, body: bytes }
  const response = await channel.hook?.(request, inbox, decide)
  if (response === undefined) throw new Error('It takes no requests.')
  return response
}

const update = {
  update_id: 1,
  message: {
    message_id: 3,
    text: 'hi',
    chat: { id: 501, type: 'private' },
    from: { id: 501, is_bot: false, first_name: 'A' },
  },
}

describe('a webhook of Telegram', () => {
  test('takes a message in, and says so when that is durable', async () => {
    await using harness = await startHarness({ mode })
    const durable = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<Inbound>()
    let isAnswered = false
    const answering = hook(harness.channel, update, {
      inbox: async inbound => {
        asked.resolve(inbound)
        await durable.promise
      },
    }).then(response => {
      isAnswered = true
      return response
    })
    expect(await asked.promise).toMatchObject({ id: '501_3', senderId: '501', text: 'hi' })
    expect(isAnswered).toBe(false)
    durable.resolve()
    expect(await answering).toMatchObject({ status: 200 })
  })

  test('fails when the inbox fails, so that Telegram comes again', async () => {
    await using harness = await startHarness({ mode })
    const inbox = () => Promise.reject(new Error('The store is down.'))
    await expect(hook(harness.channel, update, { inbox })).rejects.toThrow('The store is down.')
  })

  test.each([undefined, '', 'wrong', `${secret} `, secret.toUpperCase(), secret.slice(1)])(
    'is refused with the secret %j, whatever the body is',
    async given => {
      await using harness = await startHarness({ mode })
      expect(await hook(harness.channel, update, { given })).toMatchObject({ status: 401 })
      expect(await hook(harness.channel, 'no JSON', { given })).toMatchObject({ status: 401 })
    },
  )

  test('is refused with every secret but the right one', async () => {
    await using harness = await startHarness({ mode })
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async given => {
        fc.pre(given !== secret)
        expect(await hook(harness.channel, update, { given })).toMatchObject({ status: 401 })
      }),
    )
  })

  test.each(['', 'no JSON', '{', '[]', 'null', '{}', '{"update_id":"1"}'])(
    'with the body %j is a bad request',
    async body => {
      await using harness = await startHarness({ mode })
      expect(await hook(harness.channel, body)).toMatchObject({ status: 400, body: { code: 'invalid-body' } })
    },
  )

  test.each([
    { update_id: 1 },
    { update_id: 1, edited_message: update.message },
    { update_id: 1, message: { ...update.message, from: { ...update.message.from, is_bot: true } } },
    { update_id: 1, message: { ...update.message, chat: { id: -1, type: 'channel' } } },
    { update_id: 1, message: { nonsense: true } },
  ])('confirms what is not for us, so that it does not come again: %j', async body => {
    await using harness = await startHarness({ mode })
    expect(await hook(harness.channel, body)).toMatchObject({ status: 200 })
  })

  test('does not poll, and a channel that polls takes no requests', async () => {
    await using harness = await startHarness({ mode })
    expect(harness.channel.poll).toBeUndefined()
    await using polling = await startHarness()
    expect(polling.channel.hook).toBeUndefined()
  })

  test.each(['', 'short', 'x'.repeat(257), 'not allowed characters!'])(
    'cannot have the secret %j',
    webhookSecret => {
      const token = '1:AAAAAAAAAAAAAAAA'
      expect(() => telegramChannel({ token, mode: { webhookSecret }, allowUsers: 'everybody' })).toThrow(
        '16 to 256 characters',
      )
    },
  )
})

describe('a webhook of Telegram over HTTP', () => {
  test('takes what is pending, and what fails comes again', async () => {
    await using harness = await startHarness({ mode })
    const { server } = harness
    server.write({ text: '@ThroughlineBot in a group', chat: teamGroup })
    server.write('last')
    const taken: string[] = []
    let isDown = true
    await using http = await serve(harness, async ({ text }) => {
      if (isDown && text === 'in a group') throw new Error('The store is down.')
      taken.push(text)
    })
    server.setWebhook({ url: http.url, secret })
    expect(await server.callWebhook()).toEqual([200, 500])
    isDown = false
    expect(await server.callWebhook()).toEqual([200, 200])
    expect(taken).toEqual(['hello', 'in a group', 'last'])
    expect(server.pending).toEqual([])
  })

  test('fails when the bot’s name cannot be asked for, and goes well the next time', async () => {
    await using harness = await startHarness({ mode })
    const { server } = harness
    const taken: string[] = []
    await using http = await serve(harness, async ({ text }) => void taken.push(text))
    server.setWebhook({ url: http.url, secret })
    server.write({ text: '@ThroughlineBot hi', chat: teamGroup })
    server.fail('getMe', { type: 'reset' })
    expect(await server.callWebhook()).toEqual([200, 500])
    expect(await server.callWebhook()).toEqual([200])
    expect(taken).toEqual(['hello', 'hi'])
  })
})

/** Does what the server does: passes bytes in, and turns a failure into a 500. */
async function serve(
  { channel }: Harness,
  inbox: Inbox,
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(async (request, response) => {
    const headers = {
      'x-telegram-bot-api-secret-token': `${request.headers['x-telegram-bot-api-secret-token']}`,
    }
    const answer = await channel
      .hook?.({ headers, body: await buffer(request) }, inbox, nobodyDecides)
      .catch(() => undefined)
    response.writeHead(answer?.status ?? 500).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port.')
  return {
    url: `http://127.0.0.1:${address.port}/`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
