import { queryObjects } from 'node:v8'
import { expect, test } from 'vitest'
import { identify } from '../../src/http/sign-in/identify.ts'
import { TokenTable } from '../../src/http/sign-in/token-table.ts'

test('looking again and again at the sender of an open stream keeps nothing', async () => {
  const stream = new AbortController()
  const asker = {
    url: 'http://localhost/api/chats/chat/log',
    method: 'GET',
    authorization: undefined,
    headers: () => new Headers(),
    closed: stream.signal,
  }
  const options = {
    tokens: new TokenTable(new Map()),
    isForAll: false,
    authenticate: () => ({ ownerId: 'ada' }),
  }
  await identify(asker, options)
  const before = signals()
  for (let count = 0; count < 200; count += 1) await identify(asker, options)
  // Some of them can only be collected in a later turn.
  await expect.poll(() => signals() - before).toBeLessThan(100)
})

/** Counts the signals that garbage collection leaves. */
function signals(): number {
  return queryObjects(AbortSignal, { format: 'count' })
}
