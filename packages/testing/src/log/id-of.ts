/** A text as an id of the kind asked for; tests write their ids as plain texts. */
export function idOf<Id extends string>(isKind: (value: unknown) => value is Id, text: string): Id {
  if (!isKind(text)) throw new TypeError(`"${text}" is not an id of this kind.`)
  return text
}
