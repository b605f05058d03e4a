import { isChatId, isOwnerId } from '@throughline/protocol/ids'
import { settle } from '@throughline/testing/faults/held-writes'
import { idOf } from '@throughline/testing/log/id-of'
import { expect, test } from 'vitest'
import { ChatViewers } from '../../src/runs/chat-viewers.ts'

const chat = { ownerId: idOf(isOwnerId, 'ada'), chatId: idOf(isChatId, 'chat') }

test('all who wait for it hear when the last viewer has left', async () => {
  const viewers = new ChatViewers()
  const seats = [viewers.seat(chat), viewers.seat(chat)]
  for (const seat of seats) seat.take()
  let heard = 0
  for (const _ of [1, 2])
    void viewers.untilNobody(chat).then(() => {
      heard += 1
    })
  seats[0]?.leave()
  seats[0]?.leave()
  await settle()
  expect(heard).toBe(0)
  seats[1]?.leave()
  await settle()
  expect(heard).toBe(2)
})

test('nobody watches a chat whose viewers have come and gone', async () => {
  const viewers = new ChatViewers()
  const seat = viewers.seat(chat)
  seat.take()
  seat.leave()
  seat.take()
  await expect(viewers.untilNobody(chat)).resolves.toBeUndefined()
})
