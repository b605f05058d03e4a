import { agentNameRule, isAgentName, isRecord } from '@throughline/protocol'
import { didYouMean } from '@throughline/protocol/internal'
import { SettingError } from '../settings/setting-error.ts'

/** Returns in words what a value should be; `undefined` when the value is right. */
export type ValueCheck = (value: unknown) => string | undefined

/** A check for each option. The compiler reports an option without one. */
export type ChecksOf<Options> = Readonly<Record<keyof Options, ValueCheck>>

/**
 * Throws a `SettingError` unless every option is known and has a valid value. `where` is their path, such as `limits`.
 */
export function assertOptions(
  where: string,
  options: unknown,
  checks: Readonly<Record<string, ValueCheck>>,
): asserts options is Readonly<Record<string, unknown>> {
  assertEach(where, options, (key, value) => {
    const check = Object.hasOwn(checks, key) ? checks[key] : undefined
    if (check === undefined)
      return refuseSetting(
        where,
        `there is no option ${JSON.stringify(key)}. ${didYouMean(key, Object.keys(checks))}`,
      )
    assertIs(`${where === '' ? '' : `${where}.`}${key}`, value, check)
  })
}

/** Calls `look` with each key and its value. Skips values that are `undefined`: they count as left out. */
export function assertEach(
  where: string,
  options: unknown,
  look: (key: string, value: unknown) => void,
): asserts options is Readonly<Record<string, unknown>> {
  if (!isRecord(options)) return refuseSetting(where, 'it must be an object in braces')
  for (const [key, value] of Object.entries(options)) if (value !== undefined) look(key, value)
}

/** Throws a `SettingError` unless the value is right. */
export function assertIs(where: string, value: unknown, check: ValueCheck): void {
  const expected = check(value)
  if (expected !== undefined) refuseSetting(where, `it must be ${expected}, and it is ${shown(value)}`)
}

/** Throws a `SettingError` about the configuration. */
export function refuseSetting(where: string, problem: string): never {
  const sentence = where === '' ? problem : `${where}: ${problem}`
  throw new SettingError('throughline.config.ts', /[.?]$/.test(sentence) ? sentence : `${sentence}.`)
}

/** Accepts every value. */
export const anything: ValueCheck = () => undefined

/** Accepts a text that is not blank. */
export const text: ValueCheck = value =>
  typeof value === 'string' && value.trim() !== '' ? undefined : 'a text'

/** Accepts a list of texts that are not blank. */
export const texts: ValueCheck = value =>
  Array.isArray(value) && value.every(each => text(each) === undefined) ? undefined : 'a list of texts'

/** Accepts true and false. */
export const yesOrNo: ValueCheck = value => (typeof value === 'boolean' ? undefined : 'true or false')

/** Accepts a function. */
export const code: ValueCheck = value => (typeof value === 'function' ? undefined : 'a function')

/** Accepts the name of an agent. */
export const agentName: ValueCheck = value =>
  isAgentName(value) && !value.startsWith('user::')
    ? undefined
    : `the name of an agent, which does not begin with "user::" (${agentNameRule})`

/** Accepts one of these words. */
export const wordIn =
  (...words: readonly string[]): ValueCheck =>
  value =>
    typeof value === 'string' && words.includes(value) ? undefined : `one of ${words.join(', ')}`

/** Checks for a whole number in a range. The default for `most` is the longest timer of Node: 2^31 - 1 milliseconds. */
export const wholeNumber =
  (least: number, most = 2_147_483_647): ValueCheck =>
  value =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most
      ? undefined
      : `a whole number from ${least} to ${most}`

/** Returns a value for a sentence. A text is not shown: it may be a secret that was put in the wrong place. */
function shown(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'empty' : 'another text'
  if (Array.isArray(value)) return 'a list'
  return isRecord(value) ? 'an object' : typeof value === 'function' ? 'a function' : String(value)
}
