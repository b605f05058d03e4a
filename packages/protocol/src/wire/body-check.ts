import { badField, isRecord } from '../values/fields.ts'

/**
 * Returns whether a value is the body of a response as the server sends it. Only what a page relies on is checked. Fields
 * that this version does not know are allowed: the server may be newer than the page.
 */
export type BodyCheck<Body> = (value: unknown) => value is Body

/** Returns the check of an object, from the checks of its fields. The compiler finds a field that has none, or a wrong one. */
export function bodyCheck<Body>(
  fields: {
    readonly [Field in keyof Body]-?: BodyCheck<Body[Field]>
  },
): BodyCheck<Body> {
  return (value): value is Body => isRecord(value) && badField(value, fields) === undefined
}

/** Returns the check of an array whose items pass a check. */
export function listOf<Item>(check: BodyCheck<Item>): BodyCheck<readonly Item[]> {
  return (value): value is readonly Item[] => Array.isArray(value) && value.every(item => check(item))
}

/** Returns the check of a field that may be missing. */
export function maybe<Value>(check: BodyCheck<Value>): BodyCheck<Value | undefined> {
  return (value): value is Value | undefined => value === undefined || check(value)
}

/** Returns the check of a text that is one of some words. */
export function oneOf<Word extends string>(...words: readonly Word[]): BodyCheck<Word> {
  return (value): value is Word => words.some(word => word === value)
}

/** Returns whether a value is a number. */
export function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}

/** Returns whether a value is `true` or `false`. */
export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}
