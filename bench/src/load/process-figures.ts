import { readdir, readFile, writeFile } from 'node:fs/promises'

/** What the kernel knows about a process at one moment. Linux only. */
export interface ProcessFigures {
  /** The CPU time of the main thread, in nanoseconds. */
  readonly mainNs: number
  /** The CPU time of the worker threads. Our server has one: it owns the database. */
  readonly workerNs: number
  /** The CPU time of all other threads: garbage collection, compilation, file system. */
  readonly otherNs: number
  /** What the process had written to disks, in bytes (`write_bytes` of /proc/PID/io). */
  readonly writtenBytes: number
  /** The memory of the process, in bytes (RSS), and the most it has had since `resetPeak`. */
  readonly rssBytes: number
  readonly peakRssBytes: number
}

/** Reads the figures of a process. Throws on systems without /proc. */
export async function figuresOf(pid: number): Promise<ProcessFigures> {
  const folder = `/proc/${pid}`
  const [threads, io, status] = await Promise.all([
    readThreads(`${folder}/task`, pid),
    readFile(`${folder}/io`, 'utf8'),
    readFile(`${folder}/status`, 'utf8'),
  ])
  return {
    ...threads,
    writtenBytes: field(io, 'write_bytes'),
    rssBytes: field(status, 'VmRSS') * 1024,
    peakRssBytes: field(status, 'VmHWM') * 1024,
  }
}

/** From now on, `peakRssBytes` counts from the present memory. */
export async function resetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5')
}

async function readThreads(folder: string, pid: number) {
  const ns = { mainNs: 0, workerNs: 0, otherNs: 0 }
  for (const id of await readdir(folder)) {
    // A thread may have ended since its folder was listed.
    const name = await readFile(`${folder}/${id}/comm`, 'utf8').catch(() => undefined)
    const times = await readFile(`${folder}/${id}/schedstat`, 'utf8').catch(() => undefined)
    if (name === undefined || times === undefined) continue
    ns[kindOf(Number(id), { pid, name: name.trim() })] += Number(times.split(' ')[0])
  }
  return ns
}

/** The threads that Node starts for itself. All others are `Worker`s. */
const nodeThreads = /^(V8Worker|DelayedTask|SignalInsp|libuv|node|MainThread|tokio|inspector)/i

function kindOf(id: number, { pid, name }: { pid: number; name: string }) {
  if (id === pid) return 'mainNs'
  return nodeThreads.test(name) ? 'otherNs' : 'workerNs'
}

function field(text: string, name: string): number {
  const found = new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]
  if (found === undefined) throw new Error(`/proc has no "${name}". The load bench needs Linux.`)
  return Number(found)
}
