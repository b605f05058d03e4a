import { startServer } from '@throughline/server'
import { openPostgresStore } from '@throughline/store/testing'
import { pino } from 'pino'
import { serveBench } from '../../child.ts'
import { planAgent } from '../../load/servers/plan-agent.ts'
import { probeHandlers } from '../../load/servers/probe.ts'
import { databaseUrl } from './database-url.ts'

// A node as it is deployed: the whole server on a Postgres that it shares with others.
const store = await openPostgresStore(databaseUrl())
const server = await startServer({ store, agents: [planAgent], logger: pino({ level: 'error' }), port: 0 })

serveBench(server.url, {
  ...probeHandlers(),
  async close() {
    await server.close()
    await store.close()
  },
})
