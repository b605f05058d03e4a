import { logStoreSuite } from '@throughline/testing/log/log-store-suite'
import { temporaryStore } from '@throughline/testing/store/temporary-store'

logStoreSuite('SQLite', async () => {
  const opened = await temporaryStore()
  return { store: opened.store.log, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() }
})
