/** Returns a text as an id of the given kind, so that tests can write ids as plain text. Throws if it is not one. */
export function idOf<Id extends string>(isKind: (value: unknown) => value is Id, text: string): Id {
  if (!isKind(text)) throw new TypeError(`"${text}" is not an id of this kind.`)
  return text
}
