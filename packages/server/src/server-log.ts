import { errorFacts } from '@throughline/agents/errors/error-facts'
import type { HideSecrets } from '@throughline/agents/errors/hide-secrets'
import { type DestinationStream, type Logger, pino } from 'pino'

export interface ServerLogOptions {
  readonly level: string
  /** Covers known secrets in every line. */
  readonly hide: HideSecrets
  /** Where the lines go; by default the standard output. */
  readonly destination?: DestinationStream
}

/** The log of a server: lines of JSON, in which an error has no fields but those in `ErrorFacts`. */
export function createServerLog({ level, hide, destination }: ServerLogOptions): Logger {
  const options = { level, serializers, hooks: { streamWrite: hide } }
  return destination === undefined ? pino(options) : pino(options, destination)
}

/** The same logger, in which an error has no fields but those in `ErrorFacts`: for a logger that somebody else made. */
export function withErrorFacts(logger: Logger): Logger {
  return logger.child({}, { serializers })
}

const serializers = { err: errorFacts }
