import { startChild } from '../../child.ts'
import { compared, cost, type Pair } from '../../paired.ts'
import type { Section } from '../../report.ts'
import { measureFlow } from '../measure-flow.ts'

const servers = {
  ours: ['./load/servers/server-process.ts'],
  writer: ['./load/servers/ai-sdk-process.ts', 'writer'],
  streamText: ['./load/servers/ai-sdk-process.ts', 'streamText'],
} as const

interface PacedOptions {
  readonly seconds: number
  readonly rounds: number
  readonly chats: number
}

/** The CPU time of each server per delta in one round, in microseconds. */
export type PacedRound = Readonly<Record<keyof typeof servers, number>>

/** Measures what a delta costs when the server has nothing to join: a few chats, and one delta per 10 ms in each. */
export async function measurePaced({ seconds, rounds: count, chats }: PacedOptions) {
  const rounds: PacedRound[] = []
  while (rounds.length < count) {
    rounds.push({
      ours: await cpuUs('ours', { seconds, chats }),
      writer: await cpuUs('writer', { seconds, chats }),
      streamText: await cpuUs('streamText', { seconds, chats }),
    })
  }
  return { rounds, section: sectionOf(rounds, chats) }
}

async function cpuUs(
  kind: keyof typeof servers,
  { seconds, chats }: Pick<PacedOptions, 'seconds' | 'chats'>,
): Promise<number> {
  const [file, ...words] = servers[kind]
  await using server = await startChild(file, words)
  const figures = await measureFlow(
    { server, savesChats: kind === 'ours' },
    { runs: chats, perSecond: 100, chars: 12, seconds },
  )
  if (figures.delivered !== figures.deltas)
    throw new Error(
      `${kind} delivered ${figures.delivered} of ${figures.deltas} deltas: its cost means nothing.`,
    )
  return figures.cpuUsPerDelta
}

function sectionOf(rounds: readonly PacedRound[], chats: number): Section {
  const against = (other: 'writer' | 'streamText') =>
    rounds.map((round): Pair<number> => ({ ours: round.ours, other: round[other] }))
  const options = { goal: { atMost: 1.2 }, ratioOf: cost }
  return {
    title: `Load, paced: ${chats} chats at once, one delta per 10 ms each, CPU time per delta`,
    notes: [
      'CPU is that of all threads of the server, with the ends of the runs. Ours saves every delta with fsync before it is',
      'sent. The routes of the AI SDK save nothing. One writes the chunks itself (createUIMessageStream), as our scripted',
      `agent does; the other has a scripted model and streamText. The servers take turns in ${rounds.length} rounds; the ratio is the`,
      'median of the rounds.',
    ],
    columns: { ours: 'ours', other: 'AI SDK' },
    measurements: [
      compared('against createUIMessageStream', against('writer'), options),
      compared('against streamText', against('streamText'), options),
    ],
  }
}
