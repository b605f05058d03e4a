import { setTimeout as pause } from 'node:timers/promises'
import { type SeededRandom, seededRandom } from '@throughline/agents/testing'
import { checkChat } from './check-chat.ts'
import { assertAlive, type OpenServer, openServer } from './open-server.ts'
import type { Scenario } from './scenario.ts'
import { addTallies, emptyTally, type Tally } from './tally.ts'
import { hasEndOf, type Letter, TorturedChat } from './tortured-chat.ts'

const patienceMs = 20_000

/**
 * The disk is full for a moment while answers are being written. Nothing is shown that is not in the log. When there is
 * room again, every run ends and the chats go on, without a restart.
 */
export const diskFull: Scenario = {
  name: 'disk-full',
  unit: 'full disks',
  async open(place) {
    const opened = await openServer(place)
    return {
      lanes: 1,
      run: seed => fullCase(opened, seed),
      [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
    }
  },
}

async function fullCase(opened: OpenServer, seed: number): Promise<Tally> {
  const { server, client } = opened
  assertAlive(server)
  const random = seededRandom(seed)
  const chats = Array.from({ length: 3 }, (_, index) => new TorturedChat(`full-${seed}-${index}`))
  const watching = chats.map(chat => converse(chat, opened, seededRandom(random.below(2 ** 32))))
  await pause(random.below(60))
  // Either the file may not grow any more, or single commits fail although it could.
  server.setDisk({ isFull: random.next() < 0.7, failingCommits: random.below(4) })
  await pause(20 + random.below(120))
  server.setDisk({ isFull: false, failingCommits: 0 })
  await Promise.all(watching)
  const tallies = await Promise.all(chats.map(chat => checkChat(chat, { client, patienceMs })))
  await Promise.all(chats.map(chat => goOn(chat, opened)))
  const again = await Promise.all(chats.map(chat => checkChat(chat, { client, patienceMs })))
  const found = [...tallies, ...again].map(tally => tally ?? emptyTally)
  return addTallies([...found, { ...emptyTally, done: 1, runs: chats.length * 2 }])
}

/** Sends a message, and watches its run to its end. While the disk is full, the message may be refused. */
async function converse(chat: TorturedChat, { client }: OpenServer, random: SeededRandom): Promise<void> {
  await pause(random.below(80))
  const { run } = await chat.send(client, letterOf(`${chat.id}-1`, 30 + random.below(60)))
  if (run === undefined) return
  const until = Date.now() + patienceMs
  const isOver = hasEndOf(run)
  const { bytes } = await client.follow(`/api/chats/${chat.id}/log?after=${run.position}`, {
    // Heartbeats come even if nothing else does.
    isEnough: seen => isOver(seen) || Date.now() > until,
  })
  chat.see([{ after: run.position, bytes }])
}

/** With room on the disk, the next message is accepted, at the latest when the server has looked at the disk again. */
async function goOn(chat: TorturedChat, { client }: OpenServer): Promise<void> {
  const until = Date.now() + patienceMs
  for (;;) {
    const { reply, run } = await chat.send(client, letterOf(`${chat.id}-2`, 3))
    if (run !== undefined) return
    if (Date.now() > until) throw new Error(`The disk has room, but: ${JSON.stringify(reply)}`)
    await pause(100)
  }
}

function letterOf(messageId: string, words: number): Letter {
  return {
    messageId,
    agent: 'script',
    order: { words, padding: 300, pauseMs: 1, hasTool: true },
    onBusy: 'queue',
  }
}
