import { readdir, readFile } from 'node:fs/promises'
import { openPostgres } from '@throughline/store/testing'

/** The kernel counts CPU time in hundredths of a second, on every system that Node runs on. */
const msPerTick = 10

/**
 * Returns the id of the main process of a Postgres server. Returns `undefined` when the server runs on another machine, or
 * in a container whose processes have other ids.
 */
export async function postgresPid(url: string): Promise<number | undefined> {
  const sql = await openPostgres(url, { maxConnections: 1 })
  try {
    const { rows } = await sql.pool.query<{ pid: number }>('select pg_backend_pid() as pid')
    const backend = await statOf(String(rows[0]?.pid))
    return backend?.name.startsWith('postgres') ? backend.parent : undefined
  } finally {
    await sql.close()
  }
}

/** Returns the CPU time of all processes of a Postgres server since its start, in milliseconds. */
export async function postgresCpuMs(pid: number): Promise<number> {
  const stats = await Promise.all((await readdir('/proc')).filter(name => /^\d+$/.test(name)).map(statOf))
  const ticks = stats.flatMap(stat => {
    if (stat?.parent === pid) return [stat.ticks]
    // A process that has ended is counted by its parent, which has waited for it.
    return stat?.id === pid ? [stat.ticks + stat.endedTicks] : []
  })
  return ticks.reduce((sum, each) => sum + each, 0) * msPerTick
}

/** Reads /proc/PID/stat. Returns `undefined` when there is no such process. */
async function statOf(pid: string) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  const found = text === undefined ? null : /^(\d+) \((.*)\) \S+ (.*)$/s.exec(text)
  if (found === null) return undefined
  const [, id, name = '', rest = ''] = found
  // As in proc(5): the parent is field 4, and utime, stime, cutime and cstime are the fields 14 to 17.
  const fields = rest.split(' ').map(Number)
  const [parent = 0, , , , , , , , , , utime = 0, stime = 0, cutime = 0, cstime = 0] = fields
  return { id: Number(id), name, parent, ticks: utime + stime, endedTicks: cutime + cstime }
}
