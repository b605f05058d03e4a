import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRandom } from '@throughline/agents/testing'
import type { PostgresStop } from '@throughline/testing/postgres/postgres-machine'
import type { Scenario } from '../scenario.ts'
import { type DisturbedDatabase, databaseScenario } from './database-scenario.ts'
import { type PreparedPostgres, preparePostgres, throughlineUrl } from './prepared-postgres.ts'

/** Postgres is stopped or crashes, and is there again after a few seconds. Sometimes the machine is busy as well. */
export const blink: Scenario = databaseScenario({
  name: 'blink',
  unit: 'blinks',
  lanes: 2,
  perCase: 12,
  async open() {
    const prepared = await preparePostgres()
    return {
      create: (random, seed) => blinkingDatabase(prepared, random, `blink-${seed}`),
      [Symbol.asyncDispose]: () => prepared[Symbol.asyncDispose](),
    }
  },
})

async function blinkingDatabase(
  prepared: PreparedPostgres,
  random: SeededRandom,
  data: string,
): Promise<DisturbedDatabase> {
  const { machine } = prepared
  let server = await prepared.start(data)
  const { port } = server
  const url = throughlineUrl(server)
  return {
    url,
    storeOf: () => ({ type: 'postgres', url }),
    mayLose: false,
    mustWork: 'answers and tools',
    async disturb() {
      const how = random.pick<PostgresStop>(['fast', 'immediate'])
      const isBusy = random.next() < 0.3
      const forMs = 1_500 + random.below(2_500)
      await using _load = isBusy ? busyMachine(forMs + 2_000) : undefined
      await server.stop(how)
      await pause(forMs)
      server = await machine.start(data, { port })
      return `${how}${isBusy ? ' on a busy machine' : ''}`
    },
    async [Symbol.asyncDispose]() {
      await server.stop('immediate')
      await machine.removeData(data)
    },
  }
}

/** Keeps two cores busy, but not for ever, even if this process dies. */
export function busyMachine(forMs: number): AsyncDisposable {
  const loop = `const end = Date.now() + ${forMs}; while (Date.now() < end);`
  const loops = [1, 2].map(() => spawn(process.execPath, ['-e', loop], { stdio: 'ignore' }))
  const ended = loops.map(child => once(child, 'exit'))
  return {
    async [Symbol.asyncDispose]() {
      for (const child of loops) child.kill()
      await Promise.all(ended)
    },
  }
}
