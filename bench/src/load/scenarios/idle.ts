import { readFile } from 'node:fs/promises'
import { alignedRows, type Measurement, type Section } from '../../report.ts'
import { sleep } from '../../timing.ts'
import type { AnswerPlan } from '../answer-plan.ts'
import { now } from '../clock.ts'
import { exactlyOnceRow, figureRow, megabytes } from '../figure-row.ts'
import { figuresOf } from '../process-figures.ts'
import { type CliServer, startCliServer } from '../servers/cli-server.ts'
import { createChat, followLog, sendMessage } from '../viewers/viewer-request.ts'
import { startViewers, type Viewers } from '../viewers/viewers.ts'

/** In KB for each viewer, above the memory of the server before the first viewer came. */
const goal = { atMost: 25 }
/** An ordinary answer of 2 KB. It comes at full speed, so that the bench does not take long. */
const answer: AnswerPlan = { from: '1970', startMs: 0, intervalMs: 0, deltas: 50, chars: 40 }

const warmUpViewers = 300

/** The memory of the server with nobody, with idle viewers, and after each of them has watched an answer. */
export interface IdleFigures {
  readonly viewers: number
  /** Of a server that has only started. */
  readonly startedBytes: number
  readonly emptyBytes: number
  readonly idleBytes: number
  readonly watchedBytes: number
  /** CPU time of all threads while all viewers were idle, as a share of one core. */
  readonly idleShare: number
  readonly lost: number
  readonly doubled: number
  readonly late: number
}

interface IdleOptions {
  readonly viewers: number
  /** How long the server is left alone before its memory is read. Default: 15 seconds, so that it gives memory back. */
  readonly settleMs?: number
  /** Added to the environment of the server. */
  readonly env?: Readonly<Record<string, string>>
}

/** Measures the memory of viewers that wait. Each has a chat of its own open, as a tab of a browser has. */
export async function measureIdle({ viewers: count, settleMs = 15_000, env }: IdleOptions) {
  await assertOpenFiles(count + 500)
  await using server = await startCliServer({ env })
  await sleep(settleMs)
  const startedBytes = await rssOf(server)
  await warmUp(server)
  await sleep(settleMs)
  const emptyBytes = await rssOf(server)

  await using viewers = await startViewers(count)
  const chats = chatsOf('idle', count)
  await openChats(server, viewers, chats)
  await sleep(settleMs)
  const before = await figuresOf(server.pid)
  await sleep(settleMs)
  const after = await figuresOf(server.pid)
  const cpuNs =
    after.mainNs + after.workerNs + after.otherNs - before.mainNs - before.workerNs - before.otherNs

  await viewers.request(
    server.url,
    chats.map(chatId => sendMessage(chatId, answer)),
  )
  const seen = await viewers.finish(now() + 60_000)
  await sleep(settleMs)
  const figures: IdleFigures = {
    viewers: count,
    startedBytes,
    emptyBytes,
    idleBytes: after.rssBytes,
    watchedBytes: await rssOf(server),
    idleShare: cpuNs / 1e6 / settleMs,
    lost: seen.lost,
    doubled: seen.doubled,
    late: seen.missing,
  }
  return { figures, section: sectionOf(figures) }
}

/**
 * Some viewers watch an answer and leave, before the memory of the empty server is read. So what follows is loaded and compiled
 * by then: V8's compilers take about 13 MB, once, however many viewers come.
 */
async function warmUp(server: CliServer): Promise<void> {
  await using viewers = await startViewers(warmUpViewers)
  const chats = chatsOf('warm-up', warmUpViewers)
  await openChats(server, viewers, chats)
  await viewers.request(
    server.url,
    chats.map(chatId => sendMessage(chatId, answer)),
  )
  await viewers.finish(now() + 60_000)
}

function chatsOf(name: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${name}-${index}`)
}

/** Makes the chats, and lets a viewer follow each. */
async function openChats(server: CliServer, viewers: Viewers, chats: readonly string[]): Promise<void> {
  await viewers.request(server.url, chats.map(createChat))
  await viewers.open(
    server.url,
    chats.map(chatId => followLog(chatId, answer)),
  )
}

function sectionOf(figures: IdleFigures): Section {
  const { viewers, startedBytes, emptyBytes, idleBytes, watchedBytes, idleShare } = figures
  const row = (name: string, bytes: number): Measurement => ({
    ...figureRow(name, (bytes - emptyBytes) / 1024 / viewers, { unit: 'KB', goal }),
    ours: `${megabytes(bytes)} MB`,
    other: `${megabytes(emptyBytes)} MB`,
  })
  return {
    title: `Load, idle: ${viewers.toLocaleString('en')} viewers that wait`,
    notes: [
      'The server is the command (throughline serve). Each viewer follows the log of its own chat. The figures are the memory of',
      'the server (RSS) 15 seconds after the last viewer came, and after each viewer has seen an answer of 2 KB in its chat. For',
      `each viewer, what is above the empty server. ${warmUpViewers} other viewers have used that one before, and have left:`,
      'so all code is loaded and compiled, which takes memory once. Idle viewers also cost CPU time:',
      ...alignedRows([
        ['  all threads together', `${(idleShare * 100).toFixed(1)} % of a core`],
        ['  memory of a server that has just started', `${megabytes(startedBytes)} MB`],
      ]),
    ],
    columns: { ours: 'with viewers', other: 'empty server', result: 'for each viewer' },
    measurements: [
      row('idle viewers', idleBytes),
      row('after each has watched an answer', watchedBytes),
      exactlyOnceRow(figures),
    ],
  }
}

async function rssOf(server: CliServer): Promise<number> {
  return (await figuresOf(server.pid)).rssBytes
}

/** Throws when this process, and so the processes that it starts, may not open this many connections. */
async function assertOpenFiles(count: number): Promise<void> {
  const limits = await readFile('/proc/self/limits', 'utf8')
  const hard = Number(/^Max open files\s+\S+\s+(\d+)/m.exec(limits)?.[1])
  if (hard < count)
    throw new RangeError(`A process may open ${hard} files here. Run "ulimit -Hn ${count}" as root first.`)
}
