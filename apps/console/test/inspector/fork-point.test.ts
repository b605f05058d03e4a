import type { Message, MessageMetadata } from '@throughline/protocol'
import { expect, test } from 'vitest'
import { forkPoint } from '../../src/inspector/replay/replayed-log.ts'

const message = (id: string, metadata: MessageMetadata, role: Message['role'] = 'assistant'): Message => ({
  id,
  role,
  parts: [],
  metadata,
})

test('a conversation goes on after the last answer that has ended, whatever its end was', () => {
  const question = message('u', {}, 'user')
  const stopped = message('a', { status: 'stopped' })
  const subAgent = message('b', { status: 'finished', parent: { messageId: 'a', toolCallId: 'c' } })
  const writing = message('d', { status: 'streaming' })
  expect(forkPoint([question, stopped, subAgent, question, writing])).toBe(stopped)
  expect(forkPoint([question, writing])).toBeUndefined()
  expect(forkPoint([])).toBeUndefined()
})
