import { tool } from 'ai'
import { z } from 'zod'

/** Makes the tool that returns the time in an IANA time zone; in UTC by default. */
export function currentTimeTool(options: { readonly now?: () => Date } = {}) {
  const { now = () => new Date() } = options
  return tool({
    title: 'Current time',
    description:
      'Returns the current date and time in one time zone. Use it whenever the answer depends on what time, ' +
      'day or date it is now; never guess the time.',
    inputSchema: z.object({
      timeZone: z
        .string()
        .max(64)
        .optional()
        .describe('IANA time zone name such as "Asia/Shanghai" or "Europe/Berlin". Left out: UTC.'),
    }),
    execute: ({ timeZone }) => timeIn(timeZone ?? 'UTC', now()),
  })
}

/** Thrown for a time zone that does not exist. */
export class TimeZoneError extends Error {
  readonly code = 'time-zone-unknown'
  readonly timeZone: string

  constructor(timeZone: string) {
    super(
      `"${timeZone}" is not a time zone. Use an IANA name such as "UTC", "Asia/Shanghai" or "America/New_York".`,
    )
    this.name = 'TimeZoneError'
    this.timeZone = timeZone
  }
}

function timeIn(timeZone: string, now: Date) {
  const format = formatFor(timeZone)
  const parts = new Map(format.formatToParts(now).map(part => [part.type, part.value]))
  const field = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? ''
  const date = `${field('year')}-${field('month')}-${field('day')}`
  const time = `${field('hour')}:${field('minute')}:${field('second')}`
  // The offset is written as "GMT+08:00", and that of UTC as "GMT".
  const offset = field('timeZoneName').replace('GMT', '') || '+00:00'
  return {
    timeZone,
    localTime: `${date}T${time}${offset}`,
    weekday: field('weekday'),
    utcTime: now.toISOString(),
  }
}

function formatFor(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      weekday: 'long',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'longOffset',
    })
  } catch (error) {
    if (error instanceof RangeError) throw new TimeZoneError(timeZone)
    throw error
  }
}
