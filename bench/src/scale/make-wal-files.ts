import { connectPostgres } from '@throughline/store/testing'

/** Each has 16 MB. At 20,000 entries per second, one lasts for two seconds. */
const files = 40

/**
 * Lets a new server make its WAL files before anything is measured. When there is no old file to use again, a server writes
 * a new one, 16 MB of zeros, and all commits wait for that, here for about 50 ms. A server that has run for a while uses its
 * old files again.
 */
export async function makeWalFiles(url: string): Promise<void> {
  const sql = connectPostgres(url, {})
  try {
    // How much is kept to be used again.
    await sql.pool.query("alter system set min_wal_size = '1GB'")
    await sql.pool.query('select pg_reload_conf()')
    for (let count = 0; count < files; count += 1) {
      await sql.pool.query("select pg_logical_emit_message(true, 'bench', 'next file')")
      await sql.pool.query('select pg_switch_wal()')
    }
    await sql.pool.query('checkpoint')
  } finally {
    await sql.close()
  }
}
