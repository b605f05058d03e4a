/** Says that files of a draft are kept. It is in the storage of the page, which can be read at once. */
interface FileMark {
  /** The name of the draft. */
  readonly name: string
  /** When they were kept, in milliseconds since 1970. */
  readonly at: number
  /** How many characters their data URLs have. */
  readonly chars: number
}

const prefix = 'throughline.files.'

/** Returns the key of a draft's mark. */
export function markOf(name: string): string {
  return prefix + name
}

/** Returns the marks of all drafts with files. */
export function fileMarks(): readonly FileMark[] {
  return Object.entries(localStorage).flatMap(([key, value]) => {
    if (!key.startsWith(prefix)) return []
    const [at = 0, chars = 0] = String(value).split(' ').map(Number)
    return { name: key.slice(prefix.length), at, chars }
  })
}
