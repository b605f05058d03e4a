import { ada, adasChat, bobsChat } from '@throughline/testing/store/store-rows'
import { expect, test } from 'vitest'
import { createSignals } from '../../src/nodes/signals.ts'

test('whoever listens to a chat hears every ring for it, and no ring for another chat', () => {
  const signals = createSignals()
  const heard: string[] = []
  signals.onRing(adasChat, () => heard.push('first'))
  signals.onRing(adasChat, () => heard.push('second'))
  signals.onRing(bobsChat, () => heard.push('other'))
  signals.ring(adasChat)
  signals.ring(adasChat)
  expect(heard).toEqual(['first', 'second', 'first', 'second'])
})

test('whoever has stopped listening hears nothing, also when they stop during a ring', () => {
  const signals = createSignals()
  const heard: string[] = []
  const endFirst = signals.onRing(adasChat, () => {
    heard.push('first')
    endFirst()
    endSecond()
  })
  const endSecond = signals.onRing(adasChat, () => heard.push('second'))
  signals.ring(adasChat)
  signals.ring(adasChat)
  expect(heard).toEqual(['first'])
})

test('a ring goes to the other nodes, and what comes from them is heard but not sent on', () => {
  const sent: string[] = []
  const here = createSignals(topic => sent.push(topic))
  let rings = 0
  here.onRing(adasChat, () => (rings += 1))
  here.ring(adasChat)
  expect([rings, sent]).toEqual([1, ['ada/chat']])
  here.hear('ada/chat')
  here.hear('nobody/listens')
  expect([rings, sent]).toEqual([2, ['ada/chat']])
})

test('whoever listens to an owner hears for which chat somebody rings, here or on another node', () => {
  const signals = createSignals()
  const heard: string[] = []
  const end = signals.onOwnerRing(ada, chatId => heard.push(chatId))
  signals.ring(adasChat)
  signals.ring(bobsChat)
  signals.hear('ada/another')
  signals.hear('ada/not an id')
  signals.hear('adam/other')
  end()
  signals.ring(adasChat)
  expect(heard).toEqual(['chat', 'another'])
})
