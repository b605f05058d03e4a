import { runSqliteJob, type SqliteJob } from './sqlite-job.ts'

// A process of its own: runs the one statement that it is sent, and ends. A statement that takes too long is ended with the
// process. A thread could not be ended while SQLite works.
process.once('message', (job: SqliteJob) => {
  process.send?.(runSqliteJob(job), () => process.disconnect())
})
