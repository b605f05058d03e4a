/** For each field of an object that we rely on: returns whether a value is valid. */
export type Fields = Readonly<Record<string, (value: unknown) => boolean>>

/** Returns the name of the first field that is not valid. */
export function badField(value: Readonly<Record<string, unknown>>, fields: Fields): string | undefined {
  for (const field in fields) if (!fields[field]?.(value[field])) return field
  return undefined
}

/** Returns whether a value is an object with fields: not `null`, and not an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns whether a value is a text. */
export function isString(value: unknown): value is string {
  return typeof value === 'string'
}

/** Returns whether a value is a text, or missing. */
export function isStringOrNone(value: unknown): boolean {
  return value === undefined || isString(value)
}

/** Returns whether a value is an object with fields, or missing. */
export function isRecordOrNone(value: unknown): boolean {
  return value === undefined || isRecord(value)
}

/** The same fields, each of them optional and never undefined. */
export type Defined<All> = { [Key in keyof All]?: Exclude<All[Key], undefined> }

/**
 * Returns the fields that have a value. For fields that may be missing but must not be undefined
 * (`exactOptionalPropertyTypes`): `{ id, ...defined({ title }) }`.
 */
export function defined<All extends object>(fields: All): Defined<All> {
  const present: Defined<All> = {}
  for (const key in fields) {
    const value = fields[key]
    if (isDefined(value)) present[key] = value
  }
  return present
}

function isDefined<Value>(value: Value): value is Exclude<Value, undefined> {
  return value !== undefined
}
