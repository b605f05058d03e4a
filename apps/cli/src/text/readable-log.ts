import type { Look, Paint } from './look.ts'
import { inOneLine, jsonLine } from './plain-text.ts'

type Fields = Readonly<Record<string, unknown>>

export interface ReadableLogOptions {
  readonly paint: Paint
  /** Where the readable lines are written. */
  readonly output: { write(text: string): unknown }
}

/**
 * Returns where a log can write its lines of JSON, so that a person reads them: the time, the level, the chat, what happened,
 * and what else is known. The place of an error's origin stands below.
 */
export function readableLog({ paint, output }: ReadableLogOptions) {
  return { write: (line: string) => void output.write(readableLine(line, paint)) }
}

function readableLine(line: string, paint: Paint): string {
  const fields = fieldsIn(line)
  // It is no line of the log. It is shown as it is, so that nothing is lost.
  if (fields === undefined) return line
  const { time, level, msg, chatId, err, pid: _pid, hostname: _hostname, ...rest } = fields
  const { name, look } = levelOf(level)
  const words = [
    paint('faint', clockTime(time)),
    paint(look, name.padEnd(5)),
    ...(typeof chatId === 'string' ? [paint('name', inOneLine(chatId))] : []),
    inOneLine(typeof msg === 'string' ? msg : ''),
    ...Object.entries(rest).map(([key, value]) => paint('faint', `${inOneLine(key)}=${valueText(value)}`)),
  ]
  return `${words.filter(word => word !== '').join(' ')}\n${errorLines(err, paint)}`
}

function fieldsIn(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The numbers are those of pino. */
function levelOf(level: unknown): { readonly name: string; readonly look: Look } {
  const number = typeof level === 'number' ? level : 30
  if (number >= 60) return { name: 'fatal', look: 'bad' }
  if (number >= 50) return { name: 'error', look: 'bad' }
  if (number >= 40) return { name: 'warn', look: 'warning' }
  if (number >= 30) return { name: 'info', look: 'good' }
  return { name: number >= 20 ? 'debug' : 'trace', look: 'faint' }
}

/** Returns the time of day of this machine. */
function clockTime(time: unknown): string {
  const date = new Date(typeof time === 'number' ? time : Number.NaN)
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map(part => (Number.isNaN(part) ? '--' : String(part).padStart(2, '0')))
    .join(':')
}

function valueText(value: unknown): string {
  return typeof value === 'string' && /^[^\s"]+$/.test(value) ? inOneLine(value) : jsonLine(value)
}

/** Returns the lines of an error and of its causes: what it is, what is known of it, and where it was thrown. */
function errorLines(err: unknown, paint: Paint): string {
  if (!isFields(err)) return ''
  const { type, message, stack, cause, ...facts } = err
  const known = Object.entries(facts).map(([key, value]) => `${inOneLine(key)}=${valueText(value)}`)
  const what = [textIn(type), textIn(message)].filter(text => text !== '').join(': ')
  const lines = [
    `         ${paint('bad', inOneLine(what))}${known.length === 0 ? '' : ` ${paint('faint', known.join(' '))}`}`,
    ...textIn(stack)
      .split('\n')
      .filter(line => line.trim() !== '')
      .map(line => `           ${paint('faint', inOneLine(line.trim()))}`),
  ]
  return `${lines.join('\n')}\n${errorLines(cause, paint)}`
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
