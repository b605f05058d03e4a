import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { type Child, startChild } from '../child.ts'
import { compared, cost, type Pair } from '../paired.ts'
import type { Section } from '../report.ts'
import { sleep } from '../timing.ts'

const viewerCount = 200
const rounds = 9
const lineBreak = 10
const letterD = 100

/** Measures one log with many viewers: our path from the log to the sockets, and raw writes of encoded bytes. */
export async function measureFanOut(): Promise<Section> {
  await using ours = await startChild('./fan-out-process.ts', ['ours'])
  await using web = await startChild('./fan-out-process.ts', ['fetch'])
  await using joined = await startChild('./fan-out-process.ts', ['joined'])
  await using each = await startChild('./fan-out-process.ts', ['each'])
  for (const server of [ours, web, joined, each]) await measureRound(server)
  const found: Round[] = []
  while (found.length < rounds) {
    found.push({
      oursUs: await measureRound(ours),
      webUs: await measureRound(web),
      joinedUs: await measureRound(joined),
      eachUs: await measureRound(each),
    })
  }
  return {
    title: `Fan-out: one log to ${viewerCount} viewers, CPU time of the server per entry and viewer`,
    notes: [
      'Ours follows a log in memory and encodes a page of 10 entries once for all viewers (viewLog, sendStream). Raw is',
      'node:http writing finished bytes: the same pages joined once for all viewers, or one write per entry.',
      'The fetch form is ours in the body of a web-standard response, which is copied to node:http as frameworks do.',
      'The servers take turns; the ratio is the median of the rounds.',
    ],
    columns: { ours: 'ours', other: 'raw' },
    measurements: [
      compared('against raw writes of the same pages', found.map(withRaw('joinedUs')), {
        goal: { atMost: 1.5 },
        ratioOf: cost,
      }),
      compared('against one raw write per entry', found.map(withRaw('eachUs')), {
        goal: { atMost: 1 },
        ratioOf: cost,
      }),
      compared('fetch (left) against the direct form (right)', found.map(webAgainstDirect), {
        goal: { atMost: 1.5 },
        ratioOf: cost,
      }),
    ],
  }
}

interface Round {
  readonly oursUs: number
  readonly webUs: number
  readonly joinedUs: number
  readonly eachUs: number
}

function withRaw(raw: 'joinedUs' | 'eachUs'): (round: Round) => Pair<number> {
  return round => ({ ours: round.oursUs, other: round[raw] })
}

function webAgainstDirect({ webUs, oursUs }: Round): Pair<number> {
  return { ours: webUs, other: oursUs }
}

async function measureRound(server: Child): Promise<number> {
  const agent = new Agent({ maxSockets: viewerCount })
  const viewers = await Promise.all(Array.from({ length: viewerCount }, () => openViewer(server.url, agent)))
  const cpuBefore = await server.cpuMs()
  const entries = Number(await server.ask('play'))
  await Promise.all(viewers.map(viewer => viewer.received(entries)))
  const cpuMs = (await server.cpuMs()) - cpuBefore
  agent.destroy()
  return (cpuMs * 1000) / (entries * viewerCount)
}

interface Viewer {
  /** Resolves when the viewer has received this number of SSE events. */
  received(events: number): Promise<void>
}

/** Counts the lines that begin with "d", for "data". Every SSE event of the log has one; comments and `retry` have none. */
async function openViewer(url: string, agent: Agent): Promise<Viewer> {
  const [response]: IncomingMessage[] = await once(get(url, { agent }), 'response')
  if (response === undefined) throw new Error(`${url} sent no response.`)
  let count = 0
  // An event may come in several TCP segments.
  let isLineStart = true
  response.on('data', (bytes: Buffer) => {
    if (isLineStart && bytes[0] === letterD) count += 1
    for (let at = bytes.indexOf(lineBreak); at !== -1; at = bytes.indexOf(lineBreak, at + 1))
      if (bytes[at + 1] === letterD) count += 1
    isLineStart = bytes.at(-1) === lineBreak
  })
  return {
    async received(events) {
      while (count < events) await sleep(5)
      if (count > events) throw new Error(`${url} sent more than ${events} events.`)
    },
  }
}
