import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { type SeededRandom, seededRandom } from '@throughline/agents/testing'
import { checkChat } from './check-chat.ts'
import { assertAlive, type OpenServer, openServer } from './open-server.ts'
import type { Scenario } from './scenario.ts'
import { addTallies, emptyTally, type Tally } from './tally.ts'
import { type Letter, TorturedChat } from './tortured-chat.ts'

const racesPerCase = 10

/**
 * Things that exclude each other are asked for at the same time: an end and a stop, several stops, equal messages,
 * messages that interrupt or wait. Whatever wins, each run has one end, and what people were told is what happened.
 */
export const races: Scenario = {
  name: 'races',
  unit: 'races',
  async open(place) {
    const opened = await openServer(place)
    return {
      lanes: 24,
      run: seed => raceCase(opened, seed),
      [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
    }
  },
}

async function raceCase(opened: OpenServer, seed: number): Promise<Tally> {
  assertAlive(opened.server)
  const random = seededRandom(seed)
  const chat = new TorturedChat(`race-${seed}`)
  for (let number = 1; number <= racesPerCase; number += 1) {
    const race = random.pick([
      endAgainstStop,
      stopAgainstStop,
      equalMessages,
      interruption,
      waiting,
      stopOfBeginning,
    ])
    await race({ chat, opened, random, name: `${chat.id}-${number}` })
  }
  const { client } = opened
  const checked = await checkChat(chat, { client, patienceMs: 20_000 })
  const done = { ...emptyTally, done: racesPerCase, runs: chat.letterCount, stopsMs: chat.stopsMs }
  return addTallies([checked ?? emptyTally, done])
}

interface Race {
  readonly chat: TorturedChat
  readonly opened: OpenServer
  readonly random: SeededRandom
  /** The beginning of the ids of its messages. No other race has it. */
  readonly name: string
}

/** A stop comes about when the answer ends by itself. */
async function endAgainstStop({ chat, opened, random, name }: Race): Promise<void> {
  const letter = letterOf(name, random.below(6))
  await accept(chat.send(opened.client, letter))
  await someTurns(random)
  await chat.stop(opened.client, name)
}

async function stopAgainstStop({ chat, opened, random, name }: Race): Promise<void> {
  await accept(chat.send(opened.client, letterOf(name, 2 + random.below(20))))
  const stops = Array.from({ length: 2 + random.below(3) }, async () => {
    await someTurns(random)
    return chat.stop(opened.client, name)
  })
  await Promise.all(stops)
}

async function equalMessages({ chat, opened, random, name }: Race): Promise<void> {
  const letter = letterOf(name, 1 + random.below(5))
  const copies = Array.from({ length: 2 + random.below(3) }, () => accept(chat.send(opened.client, letter)))
  await Promise.all(copies)
}

/** A message interrupts the answer to another one, which is about to end. */
async function interruption({ chat, opened, random, name }: Race): Promise<void> {
  const first = accept(chat.send(opened.client, letterOf(name, random.below(6))))
  await someTurns(random)
  await Promise.all([first, accept(chat.send(opened.client, letterOf(`${name}-b`, 1, 'interrupt')))])
}

/** Several messages wait for each other. */
async function waiting({ chat, opened, random, name }: Race): Promise<void> {
  const letters = Array.from({ length: 3 }, (_, index) => letterOf(`${name}-${index}`, random.below(4)))
  await Promise.all(letters.map(letter => accept(chat.send(opened.client, letter))))
}

/** A stop comes while the message is being accepted. */
async function stopOfBeginning({ chat, opened, random, name }: Race): Promise<void> {
  const sent = accept(chat.send(opened.client, letterOf(name, 3 + random.below(10))))
  await someTurns(random)
  // Which run it stops is not known: the one before may still go on.
  await Promise.all([sent, opened.client.post(`/api/chat/${chat.id}/stop`, {})])
}

function letterOf(messageId: string, words: number, onBusy: Letter['onBusy'] = 'queue'): Letter {
  return {
    messageId,
    agent: 'script',
    order: { words, padding: 0, pauseMs: 0, hasTool: words % 3 === 0 },
    onBusy,
  }
}

async function accept(sending: ReturnType<TorturedChat['send']>): Promise<void> {
  const { reply, run } = await sending
  if (run === undefined) throw new Error(`Not accepted: ${JSON.stringify(reply)}`)
}

async function someTurns(random: SeededRandom): Promise<void> {
  const turns = random.below(8)
  for (let turn = 0; turn < turns; turn += 1) await nextTurn()
  if (random.next() < 0.2) await pause(random.below(6))
}
