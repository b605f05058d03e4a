import { startTelegramServer, type TelegramFault } from '@throughline/testing/telegram/telegram-server'
import { TelegramRefusal } from '@throughline/testing/telegram/telegram-updates'
import { describe, expect, test } from 'vitest'
import { telegramChannel } from '../../src/telegram/telegram-channel.ts'
import { alicesTarget, channelError, send, startHarness } from './telegram-harness.ts'

const never = new Promise<never>(() => {})

function tooMany(seconds: number): TelegramFault {
  return {
    type: 'error',
    status: 429,
    description: `Too Many Requests: retry after ${seconds}`,
    parameters: { retry_after: seconds },
  }
}

describe('when Telegram wants us to wait', () => {
  test('a message is sent again after that time, and arrives once', async () => {
    await using harness = await startHarness()
    const { server, channel } = harness
    server.fail('sendMessage', tooMany(0.01), tooMany(0.01))
    await send(channel, 'patient')
    expect(server.messages).toMatchObject([{ text: 'patient' }])
    expect(server.calls.length).toBe(3)
  })

  test('a wait that is long is left to the caller, who is told how long', async () => {
    await using harness = await startHarness()
    const { server, channel } = harness
    server.fail('sendMessage', tooMany(35))
    const error = await channelError(send(channel, 'patient'), server)
    expect(error).toMatchObject({ code: 'unavailable', retryAfterMs: 35_000 })
    expect(server.messages).toEqual([])
  })

  test('a wait ends when the signal aborts', async () => {
    await using harness = await startHarness()
    const { server, channel } = harness
    server.fail('sendMessage', tooMany(9))
    const stopping = new AbortController()
    const sending = channelError(send(channel, 'x', { signal: stopping.signal }), server)
    await server.until(() => server.calls.length === 1)
    // When this response comes, the other one has come and the wait has begun.
    await channel.typing?.(alicesTarget, new AbortController().signal)
    stopping.abort()
    expect(await sending).toMatchObject({ code: 'unavailable' })
    expect(server.messages).toEqual([])
  })
})

describe('what may go better later', () => {
  test.each<readonly [string, TelegramFault, string]>([
    ['an error of the server', { type: 'error', status: 500, description: 'Internal Server Error' }, '500'],
    [
      'a page of a proxy',
      { type: 'garbage', status: 502, body: '<html>Bad Gateway</html>' },
      'cannot be reached',
    ],
    ['half an answer', { type: 'garbage', status: 200, body: '{"ok":tr' }, 'cannot be reached'],
    ['a broken connection', { type: 'reset' }, 'ECONNRESET'],
    ['a lost answer', { type: 'lost-answer' }, 'ECONNRESET'],
  ])('%s', async (_, fault, reason) => {
    await using harness = await startHarness()
    const { server, channel } = harness
    server.fail('sendMessage', fault)
    const error = await channelError(send(channel, 'hi'), server)
    expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining(reason) })
  })

  test('a server that is not there', async () => {
    const server = await startTelegramServer()
    await server[Symbol.asyncDispose]()
    const channel = telegramChannel({ token: server.token, apiRoot: server.apiRoot, allowUsers: 'everybody' })
    expect(await channelError(send(channel, 'hi'), server)).toMatchObject({
      code: 'unavailable',
      message: 'Telegram cannot be reached: ECONNREFUSED.',
    })
  })

  test.each([
    ['before it is answered', false],
    ['before it is sent', true],
  ])('a call that is aborted %s', async (_, isEarly) => {
    await using harness = await startHarness()
    const { server, channel } = harness
    server.fail('sendMessage', { type: 'held', until: never })
    const stopping = new AbortController()
    if (isEarly) stopping.abort()
    const sending = channelError(send(channel, 'x', { signal: stopping.signal }), server)
    if (!isEarly) await server.until(() => server.calls.length === 1)
    stopping.abort()
    expect(await sending).toMatchObject({ code: 'unavailable' })
    expect(server.messages).toEqual([])
  })

  test('a picture whose upload is aborted', async () => {
    await using harness = await startHarness()
    const { server, channel } = harness
    server.fail('sendPhoto', { type: 'held', until: never })
    const stopping = new AbortController()
    const medium = { bytes: new Uint8Array(5_000_000), mediaType: 'image/png', fileName: 'a.png' }
    const sending = channelError(send(channel, '', { medium, signal: stopping.signal }), server)
    await server.until(() => server.calls.length === 1)
    stopping.abort()
    expect(await sending).toMatchObject({ code: 'unavailable' })
  })

  // "Exactly once" is not possible here: Telegram has no idempotency keys.
  test('a message whose confirmation is lost is there, and the same once more after another try', async () => {
    await using harness = await startHarness()
    const { server, channel } = harness
    server.fail('sendMessage', { type: 'lost-answer' })
    await channelError(send(channel, 'once?'), server)
    await send(channel, 'once?')
    expect(server.messages.map(({ text }) => text)).toEqual(['once?', 'once?'])
  })
})

describe('what will never go better', () => {
  test.each([
    [403, 'Forbidden: bot was blocked by the user'],
    [403, 'Forbidden: bot was kicked from the supergroup chat'],
    [400, 'Bad Request: not enough rights to send text messages to the chat'],
  ])('%i %s', async (status, description) => {
    await using harness = await startHarness()
    const { server, channel } = harness
    server.refuse(501, new TelegramRefusal(status, description))
    const error = await channelError(send(channel, 'hi'), server)
    expect(error).toMatchObject({ code: 'refused', message: expect.stringContaining(description) })
  })

  test('a chat that does not exist', async () => {
    await using harness = await startHarness()
    const { server, channel } = harness
    const error = await channelError(send(channel, 'hi', { target: '{"chatId":999}' }), server)
    expect(error).toMatchObject({ code: 'refused', message: expect.stringContaining('chat not found') })
  })

  test('a token that is not valid, and the error says where it is set', async () => {
    await using harness = await startHarness({ token: '1:not-the-token-of-this-bot' })
    const error = await channelError(send(harness.channel, 'hi'), harness.server)
    expect(error).toMatchObject({ code: 'refused', message: expect.stringContaining('TELEGRAM_BOT_TOKEN') })
    expect(error.message).not.toContain('not-the-token-of-this-bot')
  })
})

describe('an error that Telegram, or what is in between, tells in fewer words than it should', () => {
  const respond = (body: unknown): TelegramFault => {
    return { type: 'garbage', status: 200, body: JSON.stringify(body) }
  }

  test.each([400, 401, 403, 404])('is final when its code is %i, also without a description', async code => {
    await using harness = await startHarness()
    const { server, channel } = harness
    server.fail('sendMessage', respond({ ok: false, error_code: code }))
    const error = await channelError(send(channel, '**hi**'), server)
    expect(error).toMatchObject({
      code: 'refused',
      message: expect.stringContaining(`responded with ${code}`),
    })
    expect(server.calls).toHaveLength(1)
  })

  test.each([
    { ok: false, error_code: 500 },
    { ok: false, error_code: 429, parameters: { retry_after: 'soon' } },
    { ok: false, error_code: 429, parameters: 'none' },
    { ok: false },
    { ok: false, error_code: '400', description: 'Bad Request' },
    { message: 'Not found' },
    {},
    [],
    null,
    'no',
  ])('may go better later when nobody can know that it will not: %j', async body => {
    await using harness = await startHarness()
    const { server, channel } = harness
    server.fail('sendMessage', respond(body))
    const error = await channelError(send(channel, '**hi**'), server)
    expect(error).toMatchObject({ code: 'unavailable', retryAfterMs: undefined })
    expect(error.message).not.toContain('undefined')
    expect(server.calls).toHaveLength(1)
  })

  test('is an error also for an edit, and nothing else is tried in its place', async () => {
    await using harness = await startHarness()
    const { server, channel } = harness
    const receipt = await send(channel, 'hi')
    server.fail('editMessageText', respond({ ok: false, error_code: 400, description: 7 }))
    const request = { target: alicesTarget, receipt, message: { text: '**hello**' } }
    const { signal } = new AbortController()
    const editing = channel.edit?.({ ...request, signal }) ?? Promise.resolve()
    expect(await channelError(editing, server)).toMatchObject({ code: 'refused' })
    expect(server.calls.filter(({ method }) => method === 'editMessageText')).toHaveLength(1)
  })
})

describe('the token', () => {
  test('is in no error, also when Telegram or what is in between repeats it', async () => {
    await using harness = await startHarness()
    const { server, channel } = harness
    const description = `Bad Request: /bot${server.token}/sendMessage failed`
    server.fail('sendMessage', { type: 'error', status: 400, description })
    const error = await channelError(send(channel, 'hi'), server)
    expect(error.message).toContain('/bot<token>/sendMessage')
  })

  test('is not taken to another address', async () => {
    await using elsewhere = await startTelegramServer()
    await using harness = await startHarness()
    const { server, channel } = harness
    const headers = { location: `${elsewhere.apiRoot}/bot${server.token}/sendMessage` }
    server.fail('sendMessage', { type: 'garbage', status: 307, body: '', headers })
    expect(await channelError(send(channel, 'hi'), server)).toMatchObject({ code: 'unavailable' })
    expect(elsewhere.calls).toEqual([])
  })

  test.each([undefined, ''])('has to be there: %j', token => {
    expect(() => telegramChannel({ token, allowUsers: 'everybody' })).toThrow('set TELEGRAM_BOT_TOKEN')
  })

  test.each(['secret-of-mine', '12:short', 'bot123:AAAAAAAAAAAAAAA'])(
    'cannot be %j, and that is said without it',
    token => {
      expect(() => telegramChannel({ token, allowUsers: 'everybody' })).toThrow('is no token of a bot')
      expect(() => telegramChannel({ token, allowUsers: 'everybody' })).not.toThrow(token)
    },
  )
})

describe('who may use a bot', () => {
  const make = (lists: object) => () =>
    telegramChannel({ token: '4242:AAtest-token_not-a-secret', ...JSON.parse(JSON.stringify(lists)) })

  test.each([
    [{}, 'allowUsers is missing. Write the ids of the users'],
    [{ allowUsers: [] }, 'allowUsers is empty, so nobody could talk to the bot.'],
    [{ allowUsers: 'all' }, 'allowUsers must be a list of user ids.'],
    [{ allowUsers: ['@ada'] }, 'allowUsers has "@ada", which is no id of a user.'],
    [{ allowUsers: [-100123] }, 'allowUsers has -100123, which is no id of a user.'],
    [{ allowUsers: [1], approvers: 'everybody' }, 'approvers must be a list of user ids.'],
    [{ allowUsers: [1], approvers: [1, 2] }, 'approvers has 2, who may not talk to the bot.'],
  ])('must be said: %j does not start', (lists, problem) => {
    expect(make(lists)).toThrow(problem)
  })

  test('can be everybody, of whom nobody may approve', () => {
    expect(make({ allowUsers: 'everybody' })().approvers).toEqual(new Set())
    expect(make({ allowUsers: 'everybody', approvers: [7] })().approvers).toEqual(new Set(['7']))
  })
})
