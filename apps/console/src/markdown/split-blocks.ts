import MarkdownIt from 'markdown-it'

/** Text cut into blocks. All but the last are finished: text that is added later does not change them. */
export interface Blocks {
  readonly text: string
  readonly finished: readonly string[]
  readonly tail: string
}

const parser = new MarkdownIt({ html: false })

export const noBlocks: Blocks = { text: '', finished: [], tail: '' }

/**
 * Cuts a growing text. Only what follows the finished blocks is parsed again, so the cost of an update is that of
 * its last block, however long the text has become.
 */
export function splitBlocks(text: string, before: Blocks): Blocks {
  if (text === before.text) return before
  const known = text.startsWith(before.text) ? before : noBlocks
  const rest = text.slice(known.text.length - known.tail.length)
  const lines = rest.split('\n')
  const starts = parser
    .parse(rest, {})
    .flatMap(token => (token.level === 0 && token.map !== null && token.nesting >= 0 ? [token.map[0]] : []))
  const cuts = [...new Set(starts)].slice(1)
  const blocks: string[] = []
  let from = 0
  for (const cut of cuts) {
    blocks.push(lines.slice(from, cut).join('\n'))
    from = cut
  }
  return {
    text,
    finished: blocks.length === 0 ? known.finished : [...known.finished, ...blocks],
    tail: lines.slice(from).join('\n'),
  }
}
