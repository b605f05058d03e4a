import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { remoteAgent } from '@throughline/agents'
import { startServer } from '@throughline/server'
import { openStore } from '@throughline/store'
import { pino } from 'pino'
import { serveBench } from '../child.ts'

// The whole server as it is deployed, before the service whose address is the first argument.
const folder = await mkdtemp(join(tmpdir(), 'throughline-bench-'))
const store = await openStore(folder)
const agent = remoteAgent({ name: 'remote', url: `${process.argv[2]}/api/chat`, form: 'ai-sdk' })
const server = await startServer({ store, agents: [agent], logger: pino({ level: 'silent' }), port: 0 })

serveBench(server.url, {
  async close() {
    await server.close()
    await store.close()
    await rm(folder, { recursive: true })
  },
})
