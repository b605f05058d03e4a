import { currentFrame, toolFactory } from '@throughline/agents'
import { isToolPart, type Message, textOf } from '@throughline/protocol'
import { openPostgresStore } from '@throughline/store/testing'
import { asking, calling, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { approvalIn, decide } from '@throughline/testing/http/approval-requests'
import { ask, loadChat } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { type StatementFault, startStatementProxy } from '@throughline/testing/postgres/statement-proxy'
import { migratedTestDatabase } from '@throughline/testing/postgres/test-database'
import { subAgent } from '@throughline/testing/server/delegating-server'
import { startTestServer } from '@throughline/testing/server/test-server'
import { asksApproval } from '@throughline/testing/server/waiting-call'
import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

// A whole answer is made again and again. Each time other statements of it fail, in one of the ways in which Postgres
// fails for a moment. With SHIFTS=11 each statement fails in every one of these ways, by default in some of them.

const refused = (code: string, message: string): StatementFault => ({ type: 'refused', code, message })

const faults: readonly (readonly [string, StatementFault])[] = [
  ['runs into statement_timeout', refused('57014', 'canceling statement due to statement timeout')],
  ['meets a standby', refused('25006', 'cannot execute INSERT in a read-only transaction')],
  ['meets a server in recovery', refused('55000', 'recovery is in progress')],
  ['runs into lock_timeout', refused('55P03', 'canceling statement due to lock timeout')],
  ['finds no memory', refused('53200', 'out of memory')],
  ['ends a deadlock', refused('40P01', 'deadlock detected')],
  ['is lost on its way', { type: 'lost', moment: 'before' }],
  ['is lost after its commit', { type: 'lost', moment: 'after' }],
]

// Most of the time is spent waiting, so they run side by side.
describe.concurrent.each(faults)('when a statement %s', (name, fault) => {
  test('the answer that needs it is whole, whichever statement it is', async () => {
    await using node = await startFailing(fault)
    const whole = await node.answer('without-faults')
    expect(whole).toMatchObject([{ role: 'user' }, { text: 'I look. \n\nDone.' }, { text: 'I helped.' }])
    for (const shift of shiftsOf(faults.findIndex(([each]) => each === name))) {
      node.failFrom(shift)
      expect(await node.answer(`chat-${shift}`), `from statement ${shift}`).toEqual(whole)
      expect(node.failed()).toBeGreaterThan(3)
    }
  })
})

/** Of so many statements, one fails. */
const stride = 11
/** How many of the places in such a row of statements fail in each way. */
const shiftCount = Number(process.env['SHIFTS'] ?? 3)

/** Returns some of these places. Each fault goes on where the one before it has ended, so together they have all of them. */
function shiftsOf(fault: number): readonly number[] {
  return Array.from({ length: shiftCount }, (_, index) => (fault * shiftCount + index) % stride)
}

/** The beats and leases of a node. They are not tried again: the next ones come anyway. */
const isOfNodes = /"(?:nodes|job_leases)"/

/** A server on Postgres whose agents use a tool, keep a file, ask a sub-agent, and wait for an approval. */
async function startFailing(fault: StatementFault) {
  const database = await migratedTestDatabase()
  let left = Number.POSITIVE_INFINITY
  let failedCount = 0
  const proxy = await startStatementProxy(database.url, text => {
    if (isOfNodes.test(text)) return undefined
    left -= 1
    if (left >= 0) return undefined
    left = stride - 1
    failedCount += 1
    return fault
  })
  const store = await openPostgresStore(proxy.url)
  const { serverOptions } = asksApproval({
    model: scriptedModel(turns),
    tools: [photoTool],
    subAgents: [subAgent('helper', { tools: ['note'] })],
  })
  const server = await startTestServer({
    ...serverOptions,
    openStore: async () => ({
      store,
      folder: '',
      reopen: () => Promise.reject(new Error()),
      [Symbol.asyncDispose]: () => store.close(),
    }),
  })
  return {
    /** From now on, the statement after so many others fails, and each one after that in the same distance. */
    failFrom(shift: number) {
      left = shift
      failedCount = 0
    },
    failed: () => failedCount,
    async answer(chatId: string) {
      const form = '?subAgents=separate&approvals=wait'
      await using stream = new SseBytes(await ask(server.url, { chatId, form }))
      await stream.until('"type":"tool-approval-request"')
      await stream.until('"approvalId":')
      expect((await decide(server.url, approvalIn(stream.bytes), { approved: true })).status).toBe(200)
      await stream.rest()
      const { messages } = await loadChat(server.url, chatId)
      return messages.map(outline)
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await proxy[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

const turns = {
  master: [
    [saying('I look. '), calling('photo', {}), asking('helper')],
    [calling('remove', { what: 'all' })],
    [saying('Done.')],
  ],
  helper: [[calling('note', { text: 'It is done.' })], [saying('I helped.')]],
}

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const photoTool = toolFactory(
  'photo',
  tool({
    description: 'Takes a photo.',
    inputSchema: z.object({}),
    async execute() {
      const address = await currentFrame().run.keepFile({ mediaType: 'image/png', bytes: png })
      return { isKept: address.includes('/files/') }
    },
  }),
)

/** Leaves out what differs between two answers that are equal: ids and times. */
function outline(message: Message) {
  const { role, metadata, parts } = message
  const calls = parts
    .filter(isToolPart)
    .map(part => [part.type, part.state, part.state === 'output-available' && kept(part.output)])
  return { role, status: metadata?.status, text: textOf(message), calls }
}

function kept(output: unknown): string {
  return JSON.stringify(output, (key, value) => (/id$|ms$|at$/i.test(key) ? undefined : value))
}
