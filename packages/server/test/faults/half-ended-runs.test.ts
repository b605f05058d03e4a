import { logName } from '@throughline/log'
import { type Chunk, isMessageId, isRunId } from '@throughline/protocol'
import { openStore } from '@throughline/store'
import { scriptedAgent, textToolText } from '@throughline/testing/agent/scripted-agent'
import { loadAnswer } from '@throughline/testing/http/chat-requests'
import { readLog } from '@throughline/testing/http/read-log'
import { idOf } from '@throughline/testing/log/id-of'
import { leaveRuns, localChat } from '@throughline/testing/store/left-runs'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { startServer } from '../../src/start-server.ts'

test.each([
  ['stopped', { type: 'abort', reason: 'As the log says.' }],
  ['interrupted', { type: 'abort', reason: 'As the log says.' }],
  ['limit', { type: 'abort', reason: 'As the log says.' }],
  ['failed', { type: 'error', errorText: 'As the log says.' }],
] as const)(
  'a run whose process died between the status "%s" and its end gets the end that belongs to it, once',
  async (status, end) => {
    await using folder = await temporaryFolder()
    await leaveRuns(folder.path, ['chat'])
    await append(folder.path, [
      { type: 'text-end', id: 'text-1' },
      { type: 'message-metadata', messageMetadata: { status, statusText: 'As the log says.' } },
    ])
    const store = await openStore(folder.path)
    const agents = [scriptedAgent('assistant', textToolText)]
    const server = await startServer({ store, agents, logger: pino({ level: 'silent' }), port: 0 })
    const entries = await readLog(server.url)
    expect(entries.slice(6).map(({ chunk }) => chunk)).toMatchObject([
      { type: 'text-end' },
      { type: 'message-metadata' },
      end,
    ])
    expect((await loadAnswer(server.url)).metadata).toMatchObject({ status, statusText: 'As the log says.' })
    await server.close()
    await store.close()
  },
)

async function append(folder: string, chunks: readonly Chunk[]): Promise<void> {
  const store = await openStore(folder)
  const lease = await store.log.acquire(logName(localChat('chat')))
  const ids = { runId: idOf(isRunId, 'run-chat'), messageId: idOf(isMessageId, 'run-chat-answer') }
  await store.log.append(
    lease,
    lease.head.seq,
    chunks.map(chunk => ({ ...ids, chunk })),
  )
  await store.close()
}
