import type { Block } from '../../src/cutting/blocks.ts'
import type { BlockPart } from '../../src/reading/reply-part.ts'

/** Parts of an answer that come when the test says so. */
export class PartSource implements AsyncIterable<BlockPart> {
  readonly #parts: BlockPart[] = []
  #isOver = false
  #wake: () => void = () => {}

  push(...parts: readonly BlockPart[]): void {
    this.#parts.push(...parts)
    this.#wake()
  }

  end(): void {
    this.#isOver = true
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<BlockPart, void, undefined> {
    for (;;) {
      const part = this.#parts.shift()
      if (part !== undefined) yield part
      else if (this.#isOver) return
      else await new Promise<void>(resolve => (this.#wake = resolve))
    }
  }
}

export function blockOf(text: string, before = ''): Block {
  return { before, text, reopening: '', closing: '' }
}

export function block(text: string, before = ''): BlockPart {
  return { type: 'block', block: blockOf(text, before) }
}

export function partial(text: string): BlockPart {
  return { type: 'partial', block: blockOf(text) }
}

export function toolMark(toolCallId: string): BlockPart {
  return { type: 'tool', toolCallId, name: 'clock', input: {}, said: '' }
}

export function fileMark(url: string): BlockPart {
  return { type: 'file', url, said: '' }
}
