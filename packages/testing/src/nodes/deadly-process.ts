import { flushCompileCache } from 'node:module'
import { parseArgs } from 'node:util'
import { startServer } from '@throughline/server'
import { openStore } from '@throughline/store'
import { openPostgresStore, type Store } from '@throughline/store/testing'
import { pino } from 'pino'
import { deadlyAgents } from './deadly-agents.ts'

// This program is a server whose answers can kill it: see `deadly-agents.ts`. Effects of tools go into the file `effects`, and
// what the server logs into the file `log`, both in the data folder. With --database the rest is in a Postgres database, which
// several of these processes share. It prints its address, and the id of its node as soon as it beats. SIGTERM ends it as it
// should.

const { values } = parseArgs({
  options: { data: { type: 'string', default: '' }, database: { type: 'string' } },
})
const { data, database } = values
const store = database === undefined ? await openStore(data) : await openPostgresStore(database)
const server = await startServer({
  ...deadlyAgents(`${data}/effects`),
  agents: deadlyAgents(`${data}/effects`).agents ?? [],
  store: tellingNode(store),
  logger: pino({ level: 'info' }, pino.destination({ dest: `${data}/log`, sync: true })),
  port: 0,
  // No load balancer has to notice that a node goes down.
  drainMs: 0,
})
process.once('SIGTERM', async () => {
  await server.close()
  await store.close()
  process.exit(0)
})
flushCompileCache()
console.log(server.url)

/** A test makes a node that has died dead for the others at once, and so has to know its id. */
function tellingNode(store: Store): Store {
  let isTold = false
  return {
    ...store,
    nodes: {
      ...store.nodes,
      beat(nodeId) {
        if (!isTold) console.log(nodeId)
        isTold = true
        return store.nodes.beat(nodeId)
      },
    },
  }
}
