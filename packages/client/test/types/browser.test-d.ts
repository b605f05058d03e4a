import { expectTypeOf } from 'vitest'

// One file for pages that nobody builds: everything that works without a framework.
type Browser = typeof import('@throughline/client/browser')

expectTypeOf<Browser>().toExtend<typeof import('@throughline/client')>()
expectTypeOf<Browser>().toExtend<typeof import('@throughline/client/events')>()
