/** A text in which each of these stands once, and is replaced. Throws when one is missing: the text has changed. */
export function replaced(text: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((result, [from, to]) => {
    const parts = result.split(from)
    if (parts.length !== 2) throw new Error(`"${from}" stands ${parts.length - 1} times in:\n${text}`)
    return parts.join(to)
  }, text)
}
