import { type Logger, pino } from 'pino'

/** A line of a server's log. */
export type LoggedLine = Readonly<Record<string, unknown>>

/** Returns a logger, and the lines that it has written so far. */
export function loggedLines(level: 'info' | 'debug' = 'info'): {
  readonly logger: Logger
  readonly lines: readonly LoggedLine[]
} {
  const lines: LoggedLine[] = []
  const logger = pino({ level }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  return { logger, lines }
}
