import { isChatId, isOwnerId, isRunId } from '@throughline/protocol'
import { settle } from '@throughline/testing/faults/held-writes'
import { idOf } from '@throughline/testing/log/id-of'
import { expect, test } from 'vitest'
import { ChatViewers } from '../../src/stream/chat-viewers.ts'

const chat = { ownerId: idOf(isOwnerId, 'ada'), chatId: idOf(isChatId, 'chat') }
const run = { ...chat, id: idOf(isRunId, 'run') }

test('all who wait for it hear when the last viewer has left', async () => {
  const viewers = new ChatViewers()
  const seats = [viewers.presence(chat), viewers.presence(chat)]
  for (const presence of seats) presence.take()
  let heard = 0
  for (const _ of [1, 2])
    void viewers.untilUnwanted(run).then(() => {
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
  const presence = viewers.presence(chat)
  presence.take()
  presence.leave()
  presence.take()
  await expect(viewers.untilUnwanted(run)).resolves.toBeUndefined()
})

test('whoever waits hears when the one who asked for the run has left, and not when others leave', async () => {
  const viewers = new ChatViewers()
  const [asker, other, third] = [viewers.presence(chat), viewers.presence(chat), viewers.presence(chat)]
  asker.take(run.id)
  other.take()
  third.take()
  let hasHeard = false
  const heard = viewers.untilUnwanted(run).then(() => {
    hasHeard = true
  })
  third.leave()
  await settle()
  expect(hasHeard).toBe(false)
  asker.leave()
  await heard
  await expect(viewers.untilUnwanted(run)).resolves.toBeUndefined()
})

test('whoever comes after the one who asked has left is a viewer, and so are those of another run', async () => {
  const viewers = new ChatViewers()
  const [asker, other, back] = [viewers.presence(chat), viewers.presence(chat), viewers.presence(chat)]
  asker.take(run.id)
  other.take()
  let hasHeard = false
  const hear = () => {
    hasHeard = true
  }
  void viewers.untilUnwanted({ ...run, id: idOf(isRunId, 'next') }).then(hear)
  asker.leave()
  await settle()
  back.take()
  void viewers.untilUnwanted(run).then(hear)
  await settle()
  expect(hasHeard).toBe(false)
})
