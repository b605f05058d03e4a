import { readdir, readFile } from 'node:fs/promises'
import { openPostgres } from '@throughline/store/postgres/open-postgres'

/** The kernel counts CPU time in hundredths of a second, on every system that Node runs on. */
const msPerTick = 10

/**
 * Returns the CPU time of all processes of a Postgres server since its start, in milliseconds. Returns `undefined` when
 * the server runs on another machine, or in a container whose processes have other ids.
 */
export async function postgresCpuMs(url: string): Promise<number | undefined> {
  const sql = await openPostgres(url, { maxConnections: 1 })
  const { rows } = await sql.pool.query<{ pid: number }>('select pg_backend_pid() as pid')
  const backend = await statOf(rows[0]?.pid ?? 0)
  const server = backend?.name.startsWith('postgres') ? backend.parent : undefined
  const stats = server === undefined ? [] : await Promise.all((await readdir('/proc')).map(statOf))
  await sql.close()
  if (server === undefined) return undefined
  const own = stats.filter(stat => stat?.id === server || stat?.parent === server)
  // A process that has ended is counted by the server, which has waited for it.
  const ticks = own.reduce(
    (sum, stat) => sum + (stat?.ticks ?? 0) + (stat?.id === server ? stat.endedTicks : 0),
    0,
  )
  return ticks * msPerTick
}

/** Reads /proc/PID/stat. Returns `undefined` when there is no such process. */
async function statOf(pid: number | string) {
  if (!/^\d+$/.test(String(pid))) return undefined
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  const found = text === undefined ? null : /^(\d+) \((.*)\) \S+ (.*)$/s.exec(text)
  if (found === null) return undefined
  const [, id, name = '', rest = ''] = found
  const fields = rest.split(' ').map(Number)
  // As in proc(5): the parent is field 4, and utime, stime, cutime and cstime are the fields 14 to 17.
  const [parent = 0, , , , , , , , , , utime = 0, stime = 0, cutime = 0, cstime = 0] = fields
  return { id: Number(id), name, parent, ticks: utime + stime, endedTicks: cutime + cstime }
}
