import { type DeliveryOptions, telegramChannel } from '@throughline/channels'
import { isOwnerId, textOf } from '@throughline/protocol'
import {
  finish,
  heldAgent,
  say,
  scriptedAgent,
  textToolText,
} from '@throughline/testing/agent/scripted-agent'
import { loadChat } from '@throughline/testing/http/chat-requests'
import { idOf } from '@throughline/testing/log/id-of'
import { startTestServer } from '@throughline/testing/server/test-server'
import { startTelegramServer, type TelegramServer } from '@throughline/testing/telegram/telegram-server'
import { pino } from 'pino'
import { expect, test } from 'vitest'

function channels({ token, apiRoot }: TelegramServer, delivery: DeliveryOptions = {}) {
  const channel = telegramChannel({ token, apiRoot, allowUsers: 'everybody' })
  return new Map([['telegram', { channel, ownerId: idOf(isOwnerId, 'local'), delivery }]])
}

test('somebody writes to the bot, and the answer comes in blocks, the first as a reply', async () => {
  await using telegram = await startTelegramServer()
  await using server = await startTestServer({
    agents: [scriptedAgent('assistant', textToolText)],
    channels: channels(telegram),
  })
  const messageId = telegram.write('How is the weather?')
  await telegram.until(() => telegram.messages.length === 2)

  expect(telegram.messages.map(({ text }) => text)).toEqual(['Let me look.', 'The sky is clear.'])
  expect(telegram.messages[0]).toMatchObject({ replyTo: messageId })
  const [chat] = (await (await fetch(`${server.url}/api/chats`)).json()).chats
  expect(chat).toMatchObject({ channel: 'telegram', title: 'How is the weather?' })
  expect((await loadChat(server.url, chat.id)).messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
  ])
})

test('what an agent thinks in its text is not sent, wherever the pieces were cut', async () => {
  const pieces = ['<th', 'ink>Hm.</thi', 'nk>Clear', ' sky. <']
  await using telegram = await startTelegramServer()
  await using _server = await startTestServer({
    agents: [scriptedAgent('assistant', [...pieces.map(say), finish])],
    channels: channels(telegram),
  })
  telegram.write('How is the weather?')
  await telegram.until(() => telegram.messages.length === 1)

  expect(telegram.messages.map(({ text }) => text)).toEqual(['Clear sky. <'])
})

test('in place: one message grows with the answer, and the next begins where it is full', async () => {
  const { agent, letGo } = heldAgent('assistant', {
    before: [say('The first sentence. ')],
    after: Array.from({ length: 12 }, (_, index) => say(`Sentence ${index} of many more. `)),
  })
  await using telegram = await startTelegramServer()
  await using server = await startTestServer({
    agents: [agent],
    channels: channels(telegram, { streaming: 'edit', idleMs: 1, minChars: 100, maxChars: 150 }),
  })
  telegram.write('Tell me.')
  await telegram.until(() => telegram.messages[0]?.text === 'The first sentence.')
  letGo()
  const last = 'Sentence 11 of many more.'
  await telegram.until(() => telegram.messages.at(-1)?.text.endsWith(last) === true)
  await server.close()

  const texts = telegram.messages.map(({ text }) => text)
  const [chat] = await server.store.chats.list(idOf(isOwnerId, 'local'), { limit: 1 })
  const saved =
    chat && (await server.store.messages.load({ ownerId: idOf(isOwnerId, 'local'), chatId: chat.id }))
  expect(texts.join(' ')).toBe(
    textOf(saved?.messages.at(-1)?.message ?? { id: '', role: 'user', parts: [] }).trim(),
  )
  expect(texts.length).toBeGreaterThan(1)
  expect(texts.every(text => text.length <= 150)).toBe(true)
  expect(telegram.calls.some(({ method }) => method === 'editMessageText')).toBe(true)
})

test('a rate limit is waited for, and nothing is lost or out of order', async () => {
  await using telegram = await startTelegramServer()
  const sentences = Array.from({ length: 12 }, (_, index) => `Sentence number ${index}. `)
  await using server = await startTestServer({
    agents: [scriptedAgent('assistant', [...sentences.map(say), finish])],
    channels: channels(telegram, { minChars: 40, maxChars: 80, preference: 'sentence' }),
  })
  telegram.fail(
    'sendMessage',
    { type: 'error', status: 429, description: 'Too Many Requests', parameters: { retry_after: 1 } },
    { type: 'reset' },
  )
  telegram.write('Tell me.')
  await telegram.until(() => telegram.messages.at(-1)?.text.includes('number 11') === true)

  expect(telegram.messages.map(({ text }) => text).join(' ')).toBe(sentences.join('').trim())
  expect(server.url).toContain('127.0.0.1')
})

test('R81: that typing cannot be shown is a debug message, and holds up neither the tool nor the answer', async () => {
  const lines: { readonly level: number; readonly msg: string }[] = []
  const logger = pino({ level: 'debug' }, { write: line => void lines.push(JSON.parse(line)) })
  await using telegram = await startTelegramServer()
  await using server = await startTestServer({
    agents: [scriptedAgent('assistant', textToolText)],
    channels: channels(telegram),
    logger,
  })
  const never = new Promise<never>(() => {})
  telegram.fail(
    'sendChatAction',
    { type: 'error', status: 403, description: 'Forbidden: no typing' },
    { type: 'held', until: never },
  )
  telegram.write('How is the weather?')
  await telegram.until(() => telegram.messages.length === 2)
  await server.close()
  expect(telegram.messages.map(({ text }) => text)).toEqual(['Let me look.', 'The sky is clear.'])
  const about = lines.filter(({ msg }) => /typing|showing/i.test(msg))
  expect(about.length).toBeGreaterThan(0)
  expect(about.filter(({ level }) => level !== 20)).toEqual([])
})

test('a refusal without a word of explanation is final: the next answer does not wait for an hour', async () => {
  await using telegram = await startTelegramServer()
  await using server = await startTestServer({
    agents: [scriptedAgent('assistant', [say('Hello.'), finish])],
    channels: channels(telegram),
  })
  const refusal = { type: 'garbage', status: 400, body: '{"ok":false,"error_code":400}' } as const
  // Once while the answer is being written, and once at its end.
  telegram.fail('sendMessage', refusal, refusal)
  telegram.write('First.')
  await telegram.until(() => telegram.calls.filter(({ method }) => method === 'sendMessage').length === 2)
  const second = telegram.write('Second.')
  await telegram.until(() => telegram.messages.length === 1)
  expect(telegram.messages).toMatchObject([{ text: 'Hello.', replyTo: second }])
  expect(server.url).toContain('127.0.0.1')
})
