import { sendJson, submit } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { migratedTestDatabase } from '@throughline/testing/postgres/test-database'
import { startBundledServer } from '@throughline/testing/server/child-server'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { afterAll, beforeAll, expect, test } from 'vitest'

const alice = { authorization: 'Bearer the-token-of-alice' }
const minute = 60_000

let nodes: Awaited<ReturnType<typeof startSkewed>>
beforeAll(async () => {
  nodes = await startSkewed([-30 * minute, 30 * minute])
}, 60_000)
afterAll(() => nodes[Symbol.asyncDispose]())

test('a ticket of one node opens a stream on another one, although their clocks are an hour apart', async () => {
  const [early, late] = nodes.urls
  await submit(early, { chatId: 'trip', headers: alice })
  for (const [issuer, opener] of [
    [early, late],
    [late, early],
  ] as const) {
    const issued = await sendJson(`${issuer}/api/tickets`, { chatId: 'trip' }, { headers: alice })
    const { ticket, expiresAt } = await issued.json()
    await using log = new SseBytes(await fetch(`${opener}/api/chats/trip/log?ticket=${ticket}`))
    await log.until('"finish"')
    // By the clock of the database, which is also that of this process.
    expect(Math.abs(Date.parse(expiresAt) - Date.now())).toBeLessThan(5 * minute)
  }
})

test('the list of chats has the last used one first, whichever node took the message', async () => {
  const [early, late] = nodes.urls
  for (const [chatId, url] of [
    ['first', late],
    ['second', early],
    ['third', late],
    ['fourth', early],
  ] as const) {
    const accepted = await submit(url, { chatId, headers: alice })
    expect(accepted.status).toBe(202)
    const { position } = await accepted.json()
    // The end of an answer counts as a use, so each answer ends before the next question.
    await using log = new SseBytes(
      await fetch(`${url}/api/chats/${chatId}/log?after=${position}`, { headers: alice }),
    )
    await log.until('"finish"')
  }
  for (const url of nodes.urls) {
    const { chats } = await (await fetch(`${url}/api/chats`, { headers: alice })).json()
    const used = chats.map(({ id }: { id: string }) => id).filter((id: string) => id !== 'trip')
    expect(used).toEqual(['fourth', 'third', 'second', 'first'])
  }
})

/** Starts two nodes on one database. The clock of each is wrong by so many milliseconds. */
async function startSkewed([first, second]: readonly [number, number]) {
  await using opened = new AsyncDisposableStack()
  const { url } = opened.use(await migratedTestDatabase())
  const { path } = opened.use(await temporaryFolder())
  const start = async (skewMs: number) => {
    const env = {
      DATABASE_URL: url,
      THROUGHLINE_TOKENS: 'alice:the-token-of-alice',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(skewedDate(skewMs))}`,
    }
    return opened.use(await startBundledServer(path, env)).url
  }
  const urls = [await start(first), await start(second)] as const
  const moved = opened.move()
  return { urls, [Symbol.asyncDispose]: () => moved.disposeAsync() }
}

/** A program that moves the clock of its process, as a wrong clock of a machine would be. */
function skewedDate(skewMs: number): string {
  return `const Real = Date
globalThis.Date = class extends Real {
  constructor(...parts) { super(...(parts.length === 0 ? [Real.now() + ${skewMs}] : parts)) }
  static now() { return Real.now() + ${skewMs} }
}`
}
