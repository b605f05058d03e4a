import { cp, rm } from 'node:fs/promises'
import { seededRandom } from '@throughline/agents/testing'
import { loggedEventsIn, type Violation } from '@throughline/protocol/history'
import { openStore } from '@throughline/store'
import { HttpClient } from '@throughline/testing/http/http-client'
import { readChat } from '@throughline/testing/http/read-chat'
import { openServer } from '../open-server.ts'
import { randomLetter } from '../random-letter.ts'
import type { Place, Scenario } from '../scenario.ts'
import { emptyTally, type Tally } from '../tally.ts'
import { TorturedChat } from '../tortured-chat.ts'
import { damageFile, planDamage } from './damage-file.ts'

/**
 * Bytes of a killed server's database are changed or cut off. A server on it gives the beginning of each log and then an
 * error with a name, or does not start and says why. It never shows wrong bytes, and never ends while it serves.
 */
export const damage: Scenario = {
  name: 'damage',
  unit: 'damaged stores',
  async open(place) {
    const original = await makeOriginal(place)
    return {
      lanes: 2,
      run: seed => damageCase(place, original, seed),
      async [Symbol.asyncDispose]() {},
    }
  },
}

/** A sound folder of a killed server, and the bytes of its logs. */
interface Original {
  readonly folder: string
  readonly logs: ReadonlyMap<string, string>
}

async function makeOriginal(place: Place): Promise<Original> {
  const name = 'original'
  const folder = `${place.folder}/${name}`
  const chats = Array.from({ length: 4 }, (_, index) => new TorturedChat(`damage-${index}`))
  await writeLogs(place, name, chats)
  // Closing moves everything from the journal to the database. What comes after it is in the journal.
  await (await openStore(folder)).close()
  return { folder, logs: await writeLogs(place, name, chats) }
}

/** Starts a server, has some answers written, and kills it. Returns the logs. */
async function writeLogs(
  place: Place,
  name: string,
  chats: readonly TorturedChat[],
): Promise<ReadonlyMap<string, string>> {
  await using opened = await openServer(place, { name })
  const random = seededRandom(7)
  const logs = await Promise.all(
    chats.map(async chat => {
      for (let number = 0; number < 4; number += 1)
        await chat.send(opened.client, randomLetter(random, `${chat.id}-${chat.letterCount + 1}`))
      await opened.client.post(`/api/chat/${chat.id}/stop`, {})
      const reading = await readChat(opened.client, chat.id)
      if (reading.type !== 'chat')
        throw new Error(`Chat ${chat.id} cannot be read: ${JSON.stringify(reading)}`)
      return [chat.id, reading.log] as const
    }),
  )
  return new Map(logs)
}

async function damageCase(place: Place, original: Original, seed: number): Promise<Tally> {
  const folder = `${place.folder}/${seed}`
  await cp(original.folder, folder, { recursive: true })
  const planned = planDamage(seededRandom(seed))
  await damageFile(folder, planned)
  const began = Date.now()
  const started = await place.pool.start({ folder })
  const done = { ...emptyTally, done: 1 }
  try {
    if (started.type === 'died')
      return { ...done, violations: [violation(planned.name, 'The process ended without a word.')] }
    if (started.type === 'refused') {
      const isNamed = /^SqlError |^StartError|^LogError/.test(started.name)
      const violations = isNamed ? [] : [violation(planned.name, `${started.name}: ${started.message}`)]
      return { ...done, notes: { 'refused with a named error': 1 }, violations }
    }
    const found = await readAll(started.server.url, original, began)
    const isAlive = !started.server.hasEnded()
    await started.server.kill()
    const violations = isAlive
      ? found.violations
      : [violation(planned.name, 'The server process has ended by itself.')]
    return {
      ...done,
      ...found,
      violations: violations.map(each => ({ ...each, detail: `${planned.name}: ${each.detail}` })),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function readAll(
  url: string,
  { logs }: Original,
  began: number,
): Promise<Pick<Tally, 'notes' | 'shownChunks' | 'violations'>> {
  using client = new HttpClient(url)
  const violations: Violation[] = []
  let shownChunks = 0
  let isWhole = true
  for (const [chatId, original] of logs) {
    const reading = await readChat(client, chatId)
    const log = reading.type === 'missing' ? '' : reading.log
    isWhole &&= withoutEpochs(log) === withoutEpochs(original)
    shownChunks += loggedEventsIn(log).length
    violations.push(...compareLogs({ chatId, log, original, began }))
  }
  const notes = { [isWhole ? 'read as if whole' : 'read up to the damage']: 1 }
  return { notes, shownChunks, violations }
}

interface Logs {
  readonly chatId: string
  readonly log: string
  readonly original: string
  /** When the server on the damaged store was started, in milliseconds since 1970. */
  readonly began: number
}

/**
 * A log may be shorter, and what recovery has added is newer than the damage. All else must be as it was, but for the epochs:
 * the store is a copy, and so another generation.
 */
function compareLogs({ chatId, log, original, began }: Logs): readonly Violation[] {
  const expected = loggedEventsIn(withoutEpochs(original))
  const shown = loggedEventsIn(withoutEpochs(log))
  const different = shown.findIndex((event, index) => event.bytes !== expected[index]?.bytes)
  if (different === -1) return []
  const wrong = shown.slice(different).find(({ data }) => !(Number(/"at":(\d+)/.exec(data)?.[1]) >= began))
  if (wrong === undefined) return []
  const detail = `The log has ${wrong.bytes.slice(0, 300)} instead of ${expected[different]?.bytes.slice(0, 300)}`
  return [{ kind: 'wrong-bytes', invariant: 'A8', chatId, detail }]
}

function violation(chatId: string, detail: string): Violation {
  return { kind: 'other', invariant: 'A8', chatId, detail }
}

function withoutEpochs(log: string): string {
  return log.replaceAll(/^id: \w+(?=\.\d+$)/gm, 'id: ')
}
