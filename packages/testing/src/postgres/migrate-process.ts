// Creates the tables of Throughline in the Postgres database that MIGRATED_DATABASE names, and ends.
import { openPostgres } from '@throughline/store/testing'

const sql = await openPostgres(process.env['MIGRATED_DATABASE'] ?? '')
await sql.close()
