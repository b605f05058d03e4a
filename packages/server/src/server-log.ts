import { errorFacts, type HideSecrets } from '@throughline/agents/internal'
import { type DestinationStream, type Logger, pino } from 'pino'

/** The options of the server's log. */
export interface ServerLogOptions {
  readonly level: string
  /** Replaces known secrets in every line. */
  readonly hide: HideSecrets
  /** Where the lines are written. By default the standard output. */
  readonly destination?: DestinationStream
}

/** Makes the log of a server: lines of JSON. Of an error, only the fields in `ErrorFacts` are logged. */
export function createServerLog({ level, hide, destination }: ServerLogOptions): Logger {
  const options = { level, serializers, hooks: { streamWrite: hide } }
  return destination === undefined ? pino(options) : pino(options, destination)
}

/** Returns a logger that logs only the fields in `ErrorFacts` of an error. For a logger that somebody else made. */
export function withErrorFacts(logger: Logger): Logger {
  return logger.child({}, { serializers })
}

const serializers = { err: errorFacts }
