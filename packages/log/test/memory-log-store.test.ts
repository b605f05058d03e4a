import { logStoreSuite } from '@throughline/testing/log/log-store-suite'
import { createMemoryLogStore } from '../src/memory-log-store.ts'

logStoreSuite('memory', async () => ({ store: createMemoryLogStore(), async [Symbol.asyncDispose]() {} }))
