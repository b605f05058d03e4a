/** At most this many pictures of one output are shown. */
const maxPictures = 10

const ownFile = /^\/api\/(?:chats|shared)\/[^/]+\/files\/[^/]+$/

/**
 * Returns the addresses of all pictures in a tool's output, at any depth. Only the files that the server keeps for a
 * chat, or shows with a shared one, count. A tool can name any other address too, and a page must not load it.
 */
export function picturesIn(output: unknown): readonly string[] {
  const found = new Set<string>()
  // Not recursive: a deeply nested output would overflow the stack.
  const waiting: unknown[] = [output]
  while (waiting.length > 0 && found.size < maxPictures) {
    const value = waiting.pop()
    if (typeof value === 'string' && ownFile.test(value)) found.add(value)
    if (typeof value !== 'object' || value === null) continue
    for (const each of Object.values(value).toReversed()) waiting.push(each)
  }
  return [...found]
}
