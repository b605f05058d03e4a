import { isChatId, type Message } from '@throughline/protocol'
import { idOf } from '@throughline/testing/log/id-of'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { copyMessages } from '../../src/http/share/copy-messages.ts'

const copied = z.array(z.looseObject({ id: z.string(), metadata: z.looseObject({}) }))

test('the messages of a copy have ids of their own: those from a channel contain the ids of people', async () => {
  const parts = [{ type: 'text', text: 'Hello' }] as const
  const parent = { messageId: 'answer', toolCallId: 'call' }
  const messages: readonly Message[] = [
    { id: 'in_4711_12', role: 'user', parts },
    { id: 'answer', role: 'assistant', parts },
    { id: 'of-sub-agent', role: 'assistant', parts, metadata: { parent } },
  ]
  const chatId = idOf(isChatId, 'telegram:4711')
  const copy = await copyMessages({ chatId, title: 'A chat', messages })
  expect(copy?.messages).not.toContain('4711')
  const [first, second, third] = copied.parse(JSON.parse(copy?.messages ?? ''))
  expect(new Set([first?.id, second?.id, third?.id]).size).toBe(3)
  expect(third?.metadata).toEqual({ parent: { ...parent, messageId: second?.id } })
  expect(copy?.messageCount).toBe(2)
})
