import { startServer } from '@throughline/server'
import { openStore } from '@throughline/store'
import { pino } from 'pino'
import { recordedAgents } from './recorded-agents.ts'

/** The server whose writes are recorded, and the one that is started on what a power loss has left. */
export interface RecordedServer extends AsyncDisposable {
  readonly url: string
  backUp(target: string): Promise<void>
}

/** Starts the server. Its channel posts to `hookUrl`; without it there is no channel. */
export async function startRecordedServer(folder: string, hookUrl?: string): Promise<RecordedServer> {
  const store = await openStore(folder)
  try {
    const server = await startServer({
      ...recordedAgents(hookUrl),
      // The checks expect that every run has ended when the server is there again.
      continue: false,
      store,
      logger: pino({ level: process.env['TORTURE_LOG'] ?? 'silent' }),
      heartbeatMs: 1_000,
      port: 0,
    })
    return {
      url: server.url,
      async backUp(target) {
        await store.backup?.(target)
      },
      async [Symbol.asyncDispose]() {
        await server.close()
        await store.close()
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}
