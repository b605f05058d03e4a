import { LogError } from '@throughline/log'
import { retry } from '@throughline/protocol/internal'
import { SqlError } from '@throughline/store'
import type { Logger } from 'pino'

/** What saving the end of a run needs. */
export interface SavingOptions {
  readonly runId: string
  readonly logger: Logger
  /** When the server is shutting down, a failure is not tried again. The next process ends the run. */
  readonly isClosing: () => boolean
}

/**
 * Saves the end of a run. Tries again until the log and the database work, because until then the chat is blocked.
 * Returns what `save` returned; `undefined` when the server shut down before, or another node took the run over.
 */
export function untilSaved<Saved>(
  save: () => Promise<Saved>,
  { runId, logger, isClosing }: SavingOptions,
): Promise<Saved | undefined> {
  return retry(save, {
    firstMs: 250,
    maxMs: 10_000,
    onFailure(error, delayMs) {
      if (isClosing() || (error instanceof SqlError && error.code === 'closed')) return undefined
      // Another node has taken the run over, and saves its end.
      if (error instanceof LogError && error.code === 'fenced') return undefined
      logger.error({ runId, err: error }, 'a run could not be ended yet')
      return delayMs
    },
  })
}
