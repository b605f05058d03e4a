import { SqlError } from '@throughline/store/sql'
import type { Logger } from 'pino'

export interface SavingOptions {
  readonly runId: string
  readonly logger: Logger
  /** The next process does it then. */
  readonly isClosing: () => boolean
}

/** Saves the end of a run, and tries again until the log and the database work: until then its chat is blocked. */
export async function untilSaved(
  save: () => Promise<unknown>,
  { runId, logger, isClosing }: SavingOptions,
): Promise<undefined> {
  for (let delayMs = 250; ; delayMs = Math.min(delayMs * 2, 10_000)) {
    try {
      await save()
      return
    } catch (error) {
      if (isClosing() || (error instanceof SqlError && error.code === 'closed')) return
      logger.error({ runId, err: error }, 'a run could not be ended yet')
      await new Promise(resolve => setTimeout(resolve, delayMs))
    }
  }
}
