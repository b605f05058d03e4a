import { sign, telegramChannel, webhookChannel } from '@throughline/channels'
import { isOwnerId } from '@throughline/protocol'
import { finish, say, scriptedAgent, weatherCall } from '@throughline/testing/agent/scripted-agent'
import { startWebhookReceiver } from '@throughline/testing/channels/webhook-receiver'
import { sendJson } from '@throughline/testing/http/chat-requests'
import { idOf } from '@throughline/testing/log/id-of'
import { startTestServer } from '@throughline/testing/server/test-server'
import { startTelegramServer, type TelegramServer } from '@throughline/testing/telegram/telegram-server'
import { until } from '@throughline/testing/waits/until'
import { pino } from 'pino'
import { expect, test } from 'vitest'

const secret = 'the-shared-secret-of-the-crm'
const local = idOf(isOwnerId, 'local')
const delivery = { idleMs: 5, timeoutMs: 300, giveUpMs: 1, isWithTools: true } as const

const agent = scriptedAgent('assistant', ({ messages }) => {
  const { parts: [part] = [] } = messages.at(-1) ?? {}
  const isFailing = part?.type === 'text' && part.text.includes('fail')
  const call = { type: 'tool-call', ...weatherCall() } as const
  const broken = { type: 'tool-error', ...weatherCall(), errorText: 'broken' } as const
  return isFailing
    ? [say('It is'), { type: 'error', error: new Error('The model is gone.') }]
    : [say('Let me look.'), call, broken, say('I cannot.'), finish]
})

test('no secret of a channel is in an answer, a line of the log, or a message, whatever goes wrong', async () => {
  const heard: string[] = []
  const logger = pino({ level: 'trace' }, { write: line => void heard.push(line) })
  const treatments = [200, 500, 'reset', 404, 'never', 429] as const
  await using receiver = await startWebhookReceiver(request => treatments[request % treatments.length] ?? 200)
  await using telegram = await startTelegramServer()
  const onProblem = (error: unknown, what: string) => logger.warn({ err: error }, what)
  const bot = telegramChannel({
    token: telegram.token,
    apiRoot: telegram.apiRoot,
    onProblem,
    allowUsers: 'everybody',
  })
  const wrongBot = telegramChannel({
    token: wrongToken,
    apiRoot: telegram.apiRoot,
    onProblem,
    allowUsers: 'everybody',
  })
  const crm = webhookChannel({ url: receiver.url, secret })
  // Nobody listens there, and its address has a key in it, as those of many services have.
  const nobody = webhookChannel({ url: `http://127.0.0.1:9/?key=${secret}`, secret })
  await using server = await startTestServer({
    agents: [agent],
    logger,
    channels: new Map(
      Object.entries({ crm, nobody, bot, wrongBot }).map(([name, channel]) => {
        return [name, { channel, ownerId: local, delivery }]
      }),
    ),
  })
  failInEveryWay(telegram)
  const say = async (response: Promise<Response>) => heard.push(await (await response).text())
  for (const name of ['crm', 'nobody', 'bot', 'nowhere']) {
    for (const [index, text] of ['Hello?', 'Please fail.', ''].entries()) {
      const body = Buffer.from(
        JSON.stringify({ id: `m${index}`, conversation: 'c', sender: { id: 's' }, text }),
      )
      const now = new Date()
      for (const signature of [sign(body, { secret, now }), sign(body, { secret: 'x'.repeat(20), now }), ''])
        await say(post(`${server.url}/api/channels/${name}`, body, signature))
    }
  }
  telegram.write('Hello?')
  telegram.write('Please fail.')
  await until(() => telegram.messages.some(({ text }) => text.startsWith('⚠️')))
  await until(async () => (await server.store.channelChats.undelivered()).length === 0)
  for (const { id } of await server.store.chats.list(local, { limit: 10 })) {
    await say(fetch(`${server.url}/api/chats/${id}`))
    await say(fetch(`${server.url}/api/chats/${id}/messages`))
    await say(fetch(`${server.url}/sessions/${id}`))
    await say(sendJson(`${server.url}/api/chats/${id}/take-over`, { on: true }))
  }
  await say(fetch(`${server.url}/api/chats`))
  await say(fetch(`${server.url}/api/agents`))
  await server.close()

  heard.push(...receiver.requests.map(({ body, key }) => `${key} ${body}`))
  heard.push(...telegram.messages.map(({ text }) => text))
  expect(heard.length).toBeGreaterThan(50)
  const secrets = [
    secret,
    ...[telegram.token, wrongToken].flatMap(token => [token, token.split(':')[1] ?? token]),
  ]
  expect(heard.filter(line => secrets.some(each => line.includes(each)))).toEqual([])
})

const wrongToken = '4243:AAanother-token_that-nobody-knows-000'

function failInEveryWay(telegram: TelegramServer): void {
  const description = `Unauthorized: ${telegram.token}`
  telegram.fail(
    'sendMessage',
    { type: 'error', status: 500, description },
    { type: 'reset' },
    { type: 'garbage', status: 502, body: `<html>${telegram.token}</html>` },
    { type: 'error', status: 429, description, parameters: { retry_after: 0 } },
  )
  telegram.fail('getUpdates', { type: 'reset' }, { type: 'error', status: 401, description })
  telegram.fail('sendChatAction', { type: 'error', status: 400, description })
}

function post(url: string, body: Buffer, signature: string): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-throughline-signature': signature },
    body: Buffer.from(body),
  })
}
