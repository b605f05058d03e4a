import { cost, type Pair } from '../../paired.ts'
import type { Goal, Measurement, Section } from '../../report.ts'
import { median, sleep } from '../../timing.ts'
import type { AnswerPlan } from '../answer-plan.ts'
import { now } from '../clock.ts'
import { Latencies } from '../latencies.ts'
import { figuresOf, type ProcessFigures } from '../process-figures.ts'
import { type CliServer, startCliServer } from '../servers/cli-server.ts'
import { type Counts, Viewer } from '../viewers/viewer.ts'
import { askNext } from '../viewers/viewer-request.ts'

const warmUpRounds = 5

interface FirstTextOptions {
  readonly longChat: number
  readonly shortChat: number
  readonly rounds: number
}

/**
 * Measures the time from a question to the first text of its answer, in a long chat and in a short one of the same server.
 * Every message of both was asked and answered over HTTP, one after the other, as people do it. Messages that are put into
 * the database at once have no runs, no logs and little metadata.
 */
export async function measureFirstText({ longChat, shortChat, rounds: count }: FirstTextOptions) {
  await using server = await startCliServer()
  const short = new Talk(server, 'short')
  const long = new Talk(server, 'long')
  await short.fill(shortChat)
  await long.fill(longChat)
  const rounds: Pair<FirstText>[] = []
  while (rounds.length < warmUpRounds + count)
    rounds.push({ ours: await long.firstText(), other: await short.firstText() })
  const measured = rounds.slice(warmUpRounds)
  return { rounds: measured, section: sectionOf(measured, { longChat, shortChat }) }
}

/** What one question took, in milliseconds: to its first text, and of the CPU time of all threads of the server. */
interface FirstText {
  readonly ms: number
  readonly cpuMs: number
}

function cpuMs({ mainNs, workerNs, otherNs }: ProcessFigures): number {
  return (mainNs + workerNs + otherNs) / 1e6
}

/** A chat that goes on: each question follows the last answer. */
class Talk {
  readonly #server: CliServer
  readonly #chatId: string
  #after: string | undefined

  constructor(server: CliServer, chatId: string) {
    this.#server = server
    this.#chatId = chatId
  }

  /** Asks until the chat has this number of messages. */
  async fill(messages: number): Promise<void> {
    for (let count = 0; count < messages; count += 2) await this.#ask(10)
  }

  /** Asks, and returns how long the first text took, and how much work the server had. */
  async firstText(): Promise<FirstText> {
    const before = cpuMs(await figuresOf(this.#server.pid))
    const latencies = await this.#ask(1)
    // The end of the run is saved after its last byte. The next question should not have to wait for that.
    await sleep(50)
    return { ms: latencies.percentile(0.5), cpuMs: cpuMs(await figuresOf(this.#server.pid)) - before }
  }

  /** Asks, and resolves when the answer has ended. */
  async #ask(deltas: number): Promise<Latencies> {
    const plan: AnswerPlan = { from: '1970', startMs: now(), intervalMs: 0, deltas, chars: 12 }
    const latencies = new Latencies()
    const counts: Counts = { latencies, delivered: 0, lost: 0, doubled: 0, events: 0, broken: 0 }
    const answerId = crypto.randomUUID()
    const request = askNext(plan, { chatId: this.#chatId, after: this.#after, answerId })
    const viewer = new Viewer(new URL(this.#server.url), request, counts)
    await viewer.open()
    while (!viewer.isDone) await sleep(1)
    viewer.cut()
    this.#after = answerId
    return latencies
  }
}

function sectionOf(
  rounds: readonly Pair<FirstText>[],
  { longChat, shortChat }: Pick<FirstTextOptions, 'longChat' | 'shortChat'>,
): Section {
  return {
    title: 'Load, first text: from a question to the first text of its answer',
    notes: [
      `The two chats are asked in turns, on one server. The times and the ratio are medians of ${rounds.length} rounds.`,
      'Every message was asked and answered over HTTP before.',
    ],
    columns: {
      ours: `${longChat.toLocaleString('en')} messages`,
      other: `${shortChat.toLocaleString('en')} messages`,
    },
    measurements: [
      row('POST to first text', rounds, { read: ({ ms }) => ms, goal: { atMost: 1.5 } }),
      row('CPU time of the server', rounds, { read: each => each.cpuMs, goal: undefined }),
    ],
  }
}

function row(
  name: string,
  rounds: readonly Pair<FirstText>[],
  { read, goal }: { readonly read: (each: FirstText) => number; readonly goal: Goal },
): Measurement {
  const pairs = rounds.map(({ ours, other }) => ({ ours: read(ours), other: read(other) }))
  const milliseconds = (values: readonly number[]) => `${median(values).toFixed(1)} ms`
  return {
    name,
    ours: milliseconds(pairs.map(({ ours }) => ours)),
    other: milliseconds(pairs.map(({ other }) => other)),
    ratio: median(pairs.map(cost)),
    goal,
  }
}
