type Given<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> }

/** Returns the fields that have a value. In JSON, an undefined field and a missing one are the same. */
export function given<T extends object>(fields: T): Given<T> {
  const present: Given<T> = {}
  for (const key in fields) {
    const value = fields[key]
    if (isGiven(value)) present[key] = value
  }
  return present
}

function isGiven<T>(value: T): value is Exclude<T, undefined> {
  return value !== undefined
}
