/** As many pictures of one output are shown. */
const maxPictures = 10

const ownFile = /^\/api\/chats\/[^/]+\/files\/[^/]+$/

/**
 * The addresses of the pictures in a tool's output, wherever in it they stand. Only files of chats count, which the
 * server keeps: a tool can name any address, and a page must not load it.
 */
export function picturesIn(output: unknown): readonly string[] {
  const found = new Set<string>()
  // Without recursion: an output can be nested deeper than a stack.
  const waiting: unknown[] = [output]
  while (waiting.length > 0 && found.size < maxPictures) {
    const value = waiting.pop()
    if (typeof value === 'string' && ownFile.test(value)) found.add(value)
    if (typeof value !== 'object' || value === null) continue
    for (const each of Object.values(value).toReversed()) waiting.push(each)
  }
  return [...found]
}
