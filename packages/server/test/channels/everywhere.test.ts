import { telegramChannel } from '@throughline/channels'
import { createChat } from '@throughline/client'
import { isOwnerId, textOf } from '@throughline/protocol'
import {
  finish,
  heldScript,
  say,
  scriptedAgent,
  weatherCall,
} from '@throughline/testing/agent/scripted-agent'
import { loadAnswer } from '@throughline/testing/http/chat-requests'
import { ofType, query, queryEvents } from '@throughline/testing/http/query-requests'
import { idOf } from '@throughline/testing/log/id-of'
import { startTestServer } from '@throughline/testing/server/test-server'
import { startTelegramServer } from '@throughline/testing/telegram/telegram-server'
import { until } from '@throughline/testing/waits/until'
import { expect, test } from 'vitest'

const words = Array.from({ length: 60 }, (_, index) => say(`word${index}${index % 9 === 8 ? '. ' : ' '}`))
const before = [say('The forecast: '), ...words.slice(0, 30)]
const after = [
  { type: 'tool-call', ...weatherCall() } as const,
  { type: 'tool-result', ...weatherCall(), output: 'clear' } as const,
  ...words.slice(30),
  say('\n\n```js\nconst sky = "clear"\n```\n\n* one\n* two\n\nDone.'),
]

test('one answer is the same text to a page, to Telegram and to the event API, all at the same time', async () => {
  const { script, letGo } = heldScript({ before, after })
  const agent = scriptedAgent('assistant', request => {
    const isLong = request.messages.some(({ role }) => role === 'assistant') && typeof script === 'function'
    return isLong ? script(request) : [say('Hello.'), finish]
  })
  await using telegram = await startTelegramServer()
  const channel = telegramChannel({
    token: telegram.token,
    apiRoot: telegram.apiRoot,
    format: 'plain',
    allowUsers: 'everybody',
  })
  const delivery = { minChars: 40, maxChars: 120, idleMs: 5, preference: 'sentence' } as const
  await using server = await startTestServer({
    agents: [agent],
    channels: new Map([['telegram', { channel, ownerId: idOf(isOwnerId, 'local'), delivery }]]),
  })
  telegram.write('Hello?')
  await telegram.until(() => telegram.messages.length === 1)
  const [{ id: chatId }] = (await (await fetch(`${server.url}/api/chats`)).json()).chats

  // A page has the chat open, and a program asks in it through the event API.
  const onFrame = (callback: () => void) => void setImmediate(callback)
  const page = createChat({ chatId, url: server.url, onFrame })
  const growth: string[] = []
  page.subscribe(() => growth.push(textOf(page.messages.at(-1) ?? { id: '', role: 'user', parts: [] })))
  page.open()
  const events = query(server.url, { fields: { session_id: chatId, message: 'And tomorrow?' } }).then(
    queryEvents,
  )
  // Everybody sees the first half before there is a second.
  await until(() => page.status === 'streaming' && growth.some(text => text.includes('word29')), {
    everyMs: 0,
  })
  await telegram.until(() => telegram.messages.some(({ text }) => text.includes('word8.')))
  letGo()
  const heard = await events
  await telegram.until(() => telegram.messages.at(-1)?.text.endsWith('Done.') === true)
  await until(() => page.status === 'ready', { everyMs: 0 })

  const text = textOf(await loadAnswer(server.url, chatId))
  expect(text).toContain('word59')
  expect(growth.at(-1)).toBe(text)
  expect(growth.filter(seen => text.startsWith(seen)).length).toBeGreaterThan(1)
  const deltas = ofType(heard, 'text_delta').map(({ delta }) => delta)
  expect(deltas.join('')).toBe(text)
  expect(ofType(heard, 'final').map(({ content }) => content)).toEqual([text])
  const session = await (await fetch(`${server.url}/sessions/${chatId}`)).json()
  expect(session.messages.at(-1).content).toBe(text)
  const blocks = telegram.messages.slice(1).map(message => message.text)
  expect(bare(blocks.join(' '))).toBe(bare(text))
  expect(blocks.length).toBeGreaterThan(3)
  expect(blocks.every(block => block.length <= 120)).toBe(true)
  page.close()
})

/** Blocks are cut at whitespace, which is all that they may lose. */
function bare(text: string): string {
  return text.replaceAll(/\s+/g, '')
}
