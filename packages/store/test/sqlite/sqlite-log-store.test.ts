import { logStoreSuite } from '@throughline/testing/log-store-suite'
import { temporaryStore } from '@throughline/testing/temporary-store'

logStoreSuite('SQLite', async () => {
  const opened = await temporaryStore()
  return { store: opened.store.log, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() }
})
