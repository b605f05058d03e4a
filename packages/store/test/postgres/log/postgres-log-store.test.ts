import { logStoreSuite } from '@throughline/testing/log/log-store-suite'
import { createLogTables, openTestLog } from '@throughline/testing/postgres/postgres-log'
import { testDatabase } from '@throughline/testing/postgres/test-database'

logStoreSuite('Postgres', async () => {
  const database = await testDatabase()
  await createLogTables(database.url)
  const node = await openTestLog(database.url)
  return {
    store: node.store,
    async [Symbol.asyncDispose]() {
      await node[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
})
