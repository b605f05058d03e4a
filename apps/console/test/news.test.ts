import type { Message } from '@throughline/protocol'
import { expect, test } from 'vitest'
import { createNews } from '../src/chat/announcer.tsx'
import { firstWordsInEnglish } from '../src/words/first/en.ts'

const words = firstWordsInEnglish.announced

function answer(id: string, text: string, status: 'streaming' | 'finished'): Message {
  return { id, role: 'assistant', parts: [{ type: 'text', text }], metadata: { status } }
}

test('what is there when the chat is loaded is not said, and what an answer adds is', () => {
  const news = createNews()
  expect(news({ messages: [], status: 'loading' }, words)).toEqual([])
  const old = answer('a', 'Old one.', 'finished')
  expect(news({ messages: [old, answer('b', 'Begun. ', 'streaming')], status: 'streaming' }, words)).toEqual(
    [],
  )
  const more = answer('b', 'Begun. More. And', 'streaming')
  expect(news({ messages: [old, more], status: 'streaming' }, words)).toEqual(['More.'])
  expect(news({ messages: [old, more], status: 'streaming' }, words)).toEqual([])
  const ended = answer('b', 'Begun. More. And done.', 'finished')
  expect(news({ messages: [old, ended], status: 'ready' }, words)).toEqual([
    'And done.',
    'The answer is finished.',
  ])
})

test('an answer that comes at once is said, and an older version that is shown is not', () => {
  const news = createNews()
  news({ messages: [], status: 'ready' }, words)
  news({ messages: [], status: 'submitted' }, words)
  expect(news({ messages: [answer('a', 'Hello.', 'finished')], status: 'ready' }, words)).toEqual([
    'Hello.',
    'The answer is finished.',
  ])
  expect(news({ messages: [answer('older', 'Hi.', 'finished')], status: 'ready' }, words)).toEqual([])
  expect(news({ messages: [answer('a', 'Hello.', 'finished')], status: 'ready' }, words)).toEqual([])
})

test('an answer is said however many sub-agents stand behind it', () => {
  const news = createNews()
  news({ messages: [], status: 'submitted' }, words)
  const parent = { messageId: 'a', toolCallId: 'call' }
  const subAgents = Array.from({ length: 5 }, (_, index): Message => {
    const { metadata, ...message } = answer(`sub-${index}`, 'Working.', 'finished')
    return { ...message, metadata: { ...metadata, parent } }
  })
  const messages = [answer('a', 'Five helpers worked.', 'finished'), ...subAgents]
  expect(news({ messages, status: 'ready' }, words)).toEqual([
    'Five helpers worked.',
    'The answer is finished.',
  ])
})

test('a call that waits for a person and a call that fails are said once', () => {
  const news = createNews()
  const call = { type: 'dynamic-tool', toolName: 'send_mail', toolCallId: 'call', input: {} } as const
  const message = (part: Message['parts'][number]): Message => ({
    id: 'a',
    role: 'assistant',
    parts: [part],
    metadata: { status: 'streaming' },
  })
  const seen = (part: Message['parts'][number]) =>
    news({ messages: [message(part)], status: 'streaming' }, words)
  news({ messages: [], status: 'submitted' }, words)
  const waiting = { ...call, state: 'approval-requested', approval: { id: 'approval' } } as const
  expect(seen(waiting)).toEqual(['send_mail is waiting for your approval.'])
  expect(seen({ ...waiting })).toEqual([])
  const failed = { ...call, state: 'output-error', errorText: 'No.' } as const
  expect(seen(failed)).toEqual(['send_mail has failed.'])
  expect(seen({ ...failed })).toEqual([])
})
