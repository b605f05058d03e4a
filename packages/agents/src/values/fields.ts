import { isRecord } from '@throughline/protocol'

// What other libraries and services send has fields whose types nobody has checked. These read them.

/** An object whose fields may be anything. */
export type UncheckedFields = Readonly<Record<string, unknown>>

/** Returns a value with its fields; one without fields when it is no object. */
export function fieldsOf(value: unknown): UncheckedFields {
  return isRecord(value) ? value : {}
}

/** Returns the objects in a list; none when the value is no list. */
export function recordsIn(value: unknown): readonly UncheckedFields[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

/** Returns a text; an empty one when the value is none. */
export function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Returns whether a value is a text that is not empty. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
