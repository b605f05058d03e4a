import type { LogStore } from '@throughline/log'

/** Makes an empty log store for one test. Disposing of the result removes the store. */
export type CreateLogStore = () => Promise<{ readonly store: LogStore } & AsyncDisposable>
