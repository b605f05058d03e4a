import { type SeededRandom, seededRandom } from '@throughline/agents/testing'
import type { Violation } from '@throughline/protocol/history'
import { openPostgresStore } from '@throughline/store/testing'
import { HttpClient } from '@throughline/testing/http/http-client'
import { type DatabaseWitness, witnessDatabase } from '@throughline/testing/nodes/database-witness'
import { findPostgres } from '@throughline/testing/postgres/find-postgres'
import { freshDatabase } from '@throughline/testing/postgres/fresh-database'
import { deployedProxies, startDeployedProxy } from '@throughline/testing/proxies/deployed-proxy'
import { http2Client } from '@throughline/testing/proxies/http2-client'
import { type FailedRequest, manyClients } from '@throughline/testing/proxies/many-clients'
import { freePort } from '@throughline/testing/server/free-port'
import { succeeds } from '../../../../scripts/run-command.ts'
import { checkCluster } from '../../nodes/check-cluster.ts'
import { checkConversations } from '../../nodes/check-conversations.ts'
import { NodeChats } from '../../nodes/node-chats.ts'
import { type ClusterNode, NodeCluster } from '../../nodes/node-cluster.ts'
import { textOfOrder } from '../../server/order.ts'
import { busyMachine } from '../database/blink.ts'
import type { Place, Scenario } from '../scenario.ts'
import { addTallies, emptyTally, type Tally } from '../tally.ts'
import { checkAsked } from './check-asked.ts'

const perCase = 5
const chatsAtOnce = 8
const clientsAtOnce = 6
/** A whole answer twice. */
const patienceMs = 60_000
/** What the answers to the many clients say: they take two seconds. */
const order = { words: 40, padding: 0, pauseMs: 50, hasTool: false }

/**
 * Three nodes behind a proxy, as docs/deploy configures it, are restarted one after the other, again and again. Nobody who
 * uses them notices: no request fails, and no answer ends.
 */
export const rolling: Scenario = {
  name: 'rolling',
  unit: 'rolling restarts',
  async open(place) {
    const programs = ['nginx', 'caddy', 'openssl']
    for (const program of programs)
      if (!(await succeeds(['which', program])))
        throw new TypeError(
          `The scenario rolling needs nginx, caddy and openssl, and ${program} is not installed.`,
        )
    const postgres = await findPostgres()
    console.log(`rolling runs on Postgres, ${postgres.origin}.`)
    return {
      lanes: 2,
      run: seed => rollingCase({ place, seed, serverUrl: postgres.url }),
      [Symbol.asyncDispose]: () => postgres[Symbol.asyncDispose](),
    }
  },
}

interface Case {
  readonly place: Place
  readonly seed: number
  readonly serverUrl: string
}

async function rollingCase({ place, seed, serverUrl }: Case): Promise<Tally> {
  const random = seededRandom(seed)
  await using database = await freshDatabase(serverUrl)
  // Creates the tables.
  await (await openPostgresStore(database.url)).close()
  await using witness = await witnessDatabase(database.url)
  const effectsFile = `${place.folder}/${seed}.effects`
  const ports = [await freePort(), await freePort(), await freePort()]
  await using cluster = await NodeCluster.start({
    pool: place.pool,
    name: `rolling-${seed}`,
    size: ports.length,
    storeOf: () => ({ type: 'postgres', url: database.url }),
    effectsFile,
    hookUrl: undefined,
    ports,
  })
  const proxyName = deployedProxies[seed % deployedProxies.length] ?? 'nginx'
  await using proxy = await startDeployedProxy(proxyName, ports)
  const failed: FailedRequest[] = []
  using front = frontDoor(proxy.port, failed)
  const door = { anyNode: () => front }
  const chats = new NodeChats({ cluster: door, seed, atOnce: chatsAtOnce, words: [20, 80], mayLose: false })
  using http2 = http2Client(proxy.port)
  const saying = { text: textOfOrder(order), model: 'master' }
  await using clients = manyClients({ client: http2, atOnce: clientsAtOnce, ...saying })
  const isBusy = await restartOften(cluster, random)
  failed.push(...(await clients.finish()))
  const unfinished = await chats.finish(patienceMs)
  const checked = await checkConversations(chats.all, {
    ...{ cluster, random, mayLose: false },
    mustWork: 'answers',
  })
  const asked = await checkAsked(clients.asked, { cluster, random, order })
  const found = await checkCluster({ deaths: cluster.leavings, witness, effectsFile, unfinished })
  const notes = { [`behind ${proxyName}${isBusy ? ' on a busy machine' : ''}`]: perCase }
  return addTallies([
    { ...found, done: perCase, notes: { ...found.notes, ...notes } },
    checked,
    asked,
    checkFailed(failed),
    await checkDeaths(witness),
  ])
}

/** Returns what clients take for one node. They tell what has failed. */
function frontDoor(port: number, failed: FailedRequest[]): ClusterNode & Disposable {
  const url = `https://127.0.0.1:${port}`
  const onFailure = (failure: FailedRequest) => void failed.push(failure)
  const client = new HttpClient(url, { onFailure })
  return { name: 'proxy', url, client, onFailure, [Symbol.dispose]: () => client[Symbol.dispose]() }
}

/** Returns whether the machine was busy. */
async function restartOften(cluster: NodeCluster, random: SeededRandom): Promise<boolean> {
  const isBusy = random.next() < 0.4
  await using _load = isBusy ? busyMachine(600_000) : undefined
  for (let restart = 0; restart < perCase; restart += 1) {
    cluster.assertAlive()
    await cluster.restartAll(() => (random.next() < 0.3 ? 0 : random.below(3_000)))
  }
  return isBusy
}

/** A response that waits for an answer is cut when its node has been down for this time: `finishMs` of the server. */
const finishMs = 15_000

/** D12: who sends a request once gets what it asks for, or is told when to come again, or has waited for a long time. */
function checkFailed(failed: readonly FailedRequest[]): Tally {
  const tallies = failed.map((failure): Tally => {
    const { request, status, hasRetryAfter, detail, ms } = failure
    if (status === 503 && hasRetryAfter) return { ...emptyTally, notes: { '503 with retry-after': 1 } }
    if ((status ?? 0) < 400 && ms >= finishMs) return { ...emptyTally, notes: { 'cut after 15 s': 1 } }
    const got = status === undefined ? 'no response' : `a ${status}`
    const said = `${request} got ${got} after ${ms.toFixed(0)} ms: ${detail}`
    return {
      ...emptyTally,
      violations: [{ kind: 'other', invariant: 'D12', chatId: 'all chats', detail: said }],
    }
  })
  return addTallies(tallies)
}

/** D10: a node that ends as it should has not died. */
async function checkDeaths(witness: DatabaseWitness): Promise<Tally> {
  const violations = (await witness.runsWithDeaths()).map((id): Violation => {
    const detail = `Run ${id} counts a restart as the death of its node.`
    return { kind: 'other', invariant: 'D10', chatId: 'all chats', detail }
  })
  return { ...emptyTally, violations }
}
