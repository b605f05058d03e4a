// The thread of the database in a server that is tortured: the product's own thread, which kills the process at a fail
// point, and whose disk can be full. The bundle has this file in place of the product's.
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { BroadcastChannel, parentPort, workerData } from 'node:worker_threads'
import { diskChannel, isDiskState } from './disk-state.ts'
import { failPointFromEnv } from './fail-point.ts'

const reach = failPointFromEnv()
const change = /^\s*(insert|update|delete)\s+(?:or\s+\w+\s+)?(?:into\s+|from\s+)?"?(\w+)/i
const sqlOf = new WeakMap<StatementSync, string>()
let database: DatabaseSync | undefined
let failingCommits = 0

const { exec, prepare } = DatabaseSync.prototype
DatabaseSync.prototype.exec = function (sql) {
  database = this
  const isCommit = /^\s*commit/i.test(sql)
  if (isCommit) beforeCommit()
  exec.call(this, sql)
  if (isCommit) reach('after-commit')
}
DatabaseSync.prototype.prepare = function (...words) {
  const statement = prepare.apply(this, words)
  sqlOf.set(statement, words[0])
  return statement
}
const { run, all, get } = StatementSync.prototype
StatementSync.prototype.run = dying(run)
StatementSync.prototype.all = dying(all)
StatementSync.prototype.get = dying(get)

const disk = new BroadcastChannel(diskChannel)
disk.unref()
disk.onmessage = event => {
  const { data } = event
  if (!isDiskState(data) || database === undefined) return
  failingCommits = data.failingCommits
  const pages = Number(database.prepare('pragma page_count').get()?.['page_count'])
  exec.call(database, `pragma max_page_count = ${data.isFull ? pages : 4_294_967_294}`)
}

// The patches must be there before the product opens its database.
const { serveDatabase } = await import('@throughline/store/testing')
if (parentPort !== null) serveDatabase(parentPort, String(workerData))

function beforeCommit(): void {
  reach('before-commit')
  if (failingCommits === 0) return
  failingCommits -= 1
  // The code of SQLITE_FULL. It is what a commit says when its journal cannot grow.
  throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 })
}

/** Returns the same method, which comes to a fail point if its statement changes a table. */
function dying<Method extends StatementSync['run' | 'all' | 'get']>(method: Method): Method {
  return new Proxy(method, {
    apply(target, statement: StatementSync, values) {
      const [, verb, table] = change.exec(sqlOf.get(statement) ?? '') ?? []
      if (verb !== undefined) reach(`${verb.toLowerCase()}-${table}`)
      return Reflect.apply(target, statement, values)
    },
  })
}
