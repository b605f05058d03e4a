import { mkdir, rm, writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { seededRandom } from '@throughline/agents/testing'
import { startWebhookReceiver } from '@throughline/testing/channels/webhook-receiver'
import type { RecordedRequest } from './recorded-messages.ts'
import { type Life, recordedClient, useServer, type WorkloadSize } from './recorded-talks.ts'
import type { RecordedProcess, Recorder, Recording } from './recorder.ts'
import { noteInTrace } from './trace.ts'

/** Where the data of the recorded server is on the recorded disk. */
export const dataFolder = '/home/data'

/**
 * Records a workload: servers on one folder, one after the other, with answers, files, stops, names, deleted chats,
 * approvals, a channel, and backups. Some of them are killed. In between, the database is backed up and compacted.
 */
export async function recordWorkload(
  recorder: Recorder,
  recording: Recording,
  { seed, ...size }: WorkloadSize & { readonly seed: number },
): Promise<void> {
  const { disk, trace } = recording
  await mkdir(disk, { recursive: true })
  const processes: RecordedProcess[] = []
  // The receiver is another machine: it keeps its power.
  await using receiver = await startWebhookReceiver(index => {
    const block = receiver.requests[index]
    noteInTrace(trace, { type: 'block', key: block?.key, text: block?.text })
    return 200
  })
  const folder = `${disk}${dataFolder}`
  const work: Work = {
    recording,
    serve: { type: 'serve', folder, hookUrl: receiver.url },
    life: { seed, trace, random: seededRandom(seed), size },
    next() {
      noteInTrace(trace, { type: 'starts' })
      const started = recorder.start(recording)
      processes.push(started)
      return started
    },
    async backUp(name, make) {
      noteInTrace(trace, { type: 'backup-begins', name })
      await make(`${disk}/backups/${name}`)
      noteInTrace(trace, { type: 'backup-made', name })
    },
  }
  try {
    await killWhileWriting(work)
    await closeWhenQuiet(work)
    await killBeforeSync(work)
    await useCommands(work)
    const last = work.next()
    await useServer(await last.do(work.serve), { ...work.life, number: 3 }).ended
    await last.do({ type: 'close' })
  } finally {
    for (const process of processes) await process.kill()
  }
}

interface Work {
  readonly recording: Recording
  readonly serve: Extract<RecordedRequest, { type: 'serve' }>
  readonly life: Omit<Life, 'number'>
  /** Starts the next process. Only one uses the folder at a time. */
  next(): RecordedProcess
  backUp(name: string, make: (target: string) => Promise<unknown>): Promise<void>
}

/** In the middle of answers. Recovery ends them. */
async function killWhileWriting({ next, serve, life, backUp }: Work): Promise<void> {
  const server = next()
  const working = useServer(await server.do(serve), { ...life, number: 1 })
  await pause(300)
  await backUp('first', target => server.do({ type: 'back-up', target }))
  await working.begun
  await server.kill()
  await working.ended
}

async function closeWhenQuiet({ next, serve, life, backUp }: Work): Promise<void> {
  const server = next()
  await useServer(await server.do(serve), { ...life, number: 2 }).ended
  // In a quiet moment the entries are moved out of the tail.
  await pause(1_500)
  await backUp('second', target => server.do({ type: 'back-up', target }))
  await server.do({ type: 'close' })
  await server.kill()
}

/** A commit was written, and not synced. Nobody was told of it, but the next server shows it. */
async function killBeforeSync({ next, serve, life, recording }: Work): Promise<void> {
  const { trace, killFile } = recording
  const path = `/api/chats/power-${life.seed}-0`
  const killed = next()
  const client = recordedClient(await killed.do(serve), trace)
  await client.send('PATCH', path, { title: 'Confirmed' })
  await writeFile(killFile, '')
  await client.send('PATCH', path, { title: 'Not confirmed' })
  await killed.end()
  await rm(killFile)
  const server = next()
  await recordedClient(await server.do(serve), trace).send('GET', path)
  await server.kill()
}

async function useCommands({ next, serve, backUp }: Work): Promise<void> {
  const { folder } = serve
  const tools = next()
  await backUp('third', target => tools.do({ type: 'back-up-stopped', folder, target }))
  await tools.do({ type: 'compact', folder })
  await tools.kill()
}
