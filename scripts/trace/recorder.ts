import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { ServerResponse } from 'node:http'
import { type Profiler, Session } from 'node:inspector'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Paths in the repository, with forward slashes. */
export type Files = ReadonlySet<string>

/** Tells which files of the product have run in this process: V8 counts the calls of every function and the rounds of every loop. */
export interface Recorder {
  /** Returns the files that have run since the last call, in all threads. */
  take(): Promise<Files>
  /** Returns the files that have run since the last call when a response with this status is complete. */
  takeAt(status: number): Promise<Files>
}

/** Starts to record, also in the threads that there are and those that are started later. */
export function startRecorder(): Recorder {
  const session = new Session()
  session.connect()
  const takeThreads = recordThreads(session)
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', coverage)
  const take = async (): Promise<Files> => {
    const files: string[] = []
    // Calls back before it returns, so that nothing else runs in this thread meanwhile.
    session.post('Profiler.takePreciseCoverage', (_, { result }) => files.push(...filesIn(result)))
    return new Set([...files, ...(await takeThreads())])
  }
  return {
    take,
    takeAt: status => new Promise(resolve => onResponse(status, () => resolve(take()))),
  }
}

const coverage = { callCount: true, detailed: true }

/** Every thread gets its commands through the session of the main thread, and its results come back there. */
function recordThreads(session: Session): () => Promise<readonly string[]> {
  const threads = new Set<string>()
  const waiting = new Map<number, (files: readonly string[]) => void>()
  let lastId = 0
  const send = (sessionId: string, method: string, params?: object) =>
    new Promise<readonly string[]>(resolve => {
      lastId += 1
      waiting.set(lastId, resolve)
      const message = JSON.stringify({ id: lastId, method, params })
      session.post('NodeWorker.sendMessageToWorker', { sessionId, message })
    })
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId } }) => {
    threads.add(sessionId)
    void send(sessionId, 'Profiler.enable')
    void send(sessionId, 'Profiler.startPreciseCoverage', coverage)
  })
  session.on('NodeWorker.detachedFromWorker', ({ params }) => threads.delete(params.sessionId))
  session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
    const { id, result }: ThreadMessage = JSON.parse(params.message)
    waiting.get(id)?.(filesIn(result?.result ?? []))
    waiting.delete(id)
  })
  session.post('NodeWorker.enable', { waitForDebuggerOnStart: false })
  const take = (thread: string) => send(thread, 'Profiler.takePreciseCoverage')
  return async () => (await Promise.all([...threads].map(take))).flat()
}

interface ThreadMessage {
  readonly id: number
  readonly result?: { readonly result?: readonly Profiler.ScriptCoverage[] }
}

const root = fileURLToPath(new URL('../../', import.meta.url))

function filesIn(scripts: readonly Profiler.ScriptCoverage[]): readonly string[] {
  return scripts
    .filter(({ url, functions }) => url.startsWith('file:') && functions.some(hasRun))
    .map(({ url }) => relative(root, fileURLToPath(url)).replaceAll('\\', '/'))
    .filter(path => /^(?:packages|apps)\/[^/]+\/src\//.test(path) && !path.startsWith('packages/testing/'))
}

function hasRun({ ranges }: Profiler.FunctionCoverage): boolean {
  return ranges.some(({ count }) => count > 0)
}

/** Calls once, in the moment in which a response with this status is complete. */
function onResponse(status: number, call: () => void): void {
  const created = 'http.server.response.created'
  const listen = (message: unknown) => {
    if (typeof message !== 'object' || message === null || !('response' in message)) return
    const { response } = message
    if (!(response instanceof ServerResponse)) return
    response.once('prefinish', () => {
      if (response.statusCode !== status) return
      unsubscribe(created, listen)
      call()
    })
  }
  subscribe(created, listen)
}
