import { rm } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { type SeededRandom, seededRandom } from '@throughline/agents/testing'
import { HttpClient } from '@throughline/testing/http/http-client'
import type { TorturedServer } from '../../server/server-pool.ts'
import { checkChat } from '../check-chat.ts'
import type { Place, Scenario } from '../scenario.ts'
import { addTallies, emptyTally, type Tally } from '../tally.ts'
import { KilledChats } from './killed-chats.ts'
import { type Death, planDeath } from './plan-death.ts'

const livesPerCase = 8

/**
 * A server that writes several answers at once is killed with SIGKILL, again and again, on the same folder. A witness
 * follows every chat. After each restart everything that the witness saw must be there, and every run must have ended.
 */
export const kills: Scenario = {
  name: 'kills',
  unit: 'kills',
  async open(place) {
    return { lanes: 4, run: seed => killCase(place, seed), async [Symbol.asyncDispose]() {} }
  },
}

async function killCase(place: Place, seed: number): Promise<Tally> {
  const random = seededRandom(seed)
  const folder = `${place.folder}/${seed}`
  const chats = new KilledChats({ seed, random, witness: place.witness, folder: place.folder })
  const tallies: Tally[] = []
  for (let life = 1; life <= livesPerCase; life += 1) {
    tallies.push(await liveAndDie(place, { folder, random, chats, life }))
    if (tallies.some(({ violations }) => violations.length > 0)) return addTallies(tallies)
  }
  const started = await place.pool.start({ folder })
  if (started.type !== 'open') throw new Error(`The server did not start again: ${JSON.stringify(started)}`)
  tallies.push((await checkAll(chats, started.server)) ?? emptyTally)
  await started.server.kill()
  await rm(folder, { recursive: true, force: true })
  return addTallies([...tallies, chats.tally()])
}

interface Life {
  readonly folder: string
  readonly random: SeededRandom
  readonly chats: KilledChats
  readonly life: number
}

/** Starts the server, checks what the lives before have left, lets people work, and kills it. */
async function liveAndDie({ pool }: Place, { folder, random, chats, life }: Life): Promise<Tally> {
  const death = planDeath(random)
  const started = await pool.start({ folder, failPoint: death.failPoint })
  if (started.type === 'refused') throw new Error(`The server did not start again: ${started.message}`)
  if (started.type === 'died') return killed({ 'at fail-points': 1, 'while starting or recovering': 1 })
  const { server } = started
  const checked = life === 1 ? emptyTally : await checkAll(chats, server)
  if (checked === undefined || checked.violations.length > 0) {
    await server.kill()
    return checked ?? killed({ 'at fail-points': 1, 'while being read': 1 })
  }
  const isAtFailPoint = await workUntilDeath(chats, { server, life, afterMs: death.afterMs })
  return addTallies([checked, killed({ [isAtFailPoint ? 'at fail-points' : 'at random moments']: 1 })])
}

interface WorkingLife extends Pick<Death, 'afterMs'> {
  readonly server: TorturedServer
  readonly life: number
}

/** Returns whether the server has died at its fail point. Otherwise its time was up. */
async function workUntilDeath(chats: KilledChats, { server, life, afterMs }: WorkingLife): Promise<boolean> {
  const work = chats.work(server, life)
  let isAtFailPoint = false
  try {
    await Promise.race([server.ended, work.ended, work.begun.then(() => pause(afterMs))])
  } finally {
    isAtFailPoint = server.hasEnded()
    await server.kill()
  }
  await work.ended
  await chats.gather()
  return isAtFailPoint
}

function killed(notes: Tally['notes']): Tally {
  return { ...emptyTally, done: 1, notes }
}

/** Compares all chats with what is known about them. `undefined`: the server was killed meanwhile. */
async function checkAll(chats: KilledChats, server: TorturedServer): Promise<Tally | undefined> {
  using client = new HttpClient(server.url)
  // The runs that were cut off have ended. Those of messages that waited go on for a while.
  const options = { client, patienceMs: 20_000 }
  const tallies = await Promise.all(chats.all().map(chat => checkChat(chat, options)))
  if (server.hasEnded() || tallies.includes(undefined)) return undefined
  chats.markChecked()
  return addTallies(tallies.filter(tally => tally !== undefined))
}
