import { type Fence, fenceAfterLine } from '../cutting/fences.ts'

/** The state between two pieces of a text. */
export interface ThinkTags {
  readonly isThinking: boolean
  /** The end of the last piece, if it could be the beginning of a tag. */
  readonly held: string
  /** The part of the current line that was shown. */
  readonly line: string
  /** The fence that is open at the start of the current line. */
  readonly fence: Fence | undefined
  /** How many backticks opened the inline code. 0 outside of inline code. */
  readonly codeSpan: number
  /** With how many backticks the shown text ends. */
  readonly backticks: number
}

export const noThinkTags: ThinkTags = {
  isThinking: false,
  held: '',
  line: '',
  fence: undefined,
  codeSpan: 0,
  backticks: 0,
}

export interface Untagged {
  readonly tags: ThinkTags
  /** The text to show. */
  readonly text: string
}

/**
 * Removes what a model thinks from a text that comes in pieces: everything from `<think>` to the first `</think>`. The tag
 * can also be `thinking` or `antthinking`, and can have a namespace. In code a tag is text. Inline code ends with its line.
 * Thinking that never ends is never shown. Pure.
 *
 * Why here: agents that use a language model turn think tags into reasoning before the log, so their text has none. Agents
 * of other kinds write their text into the log as it is.
 */
export function stripThinkTags(before: ThinkTags, piece: string): Untagged {
  const reader = new TagReader(before)
  reader.read(before.held + piece)
  return { tags: reader.tags, text: reader.text }
}

/** The text has ended: returns what was held back, because it is no tag. */
export function endThinkTags(before: ThinkTags): Untagged {
  return { tags: { ...before, held: '' }, text: before.isThinking ? '' : before.held }
}

class TagReader {
  tags: ThinkTags
  text = ''

  constructor(tags: ThinkTags) {
    this.tags = { ...tags, held: '' }
  }

  read(text: string): void {
    for (let start = 0; start < text.length; ) {
      const bracket = text.indexOf('<', start)
      this.#show(bracket === -1 ? text.slice(start) : text.slice(start, bracket))
      if (bracket === -1) return
      start = this.#readBracket(text, bracket)
    }
  }

  /** Returns where the text goes on after a tag, or after what only looked like one. */
  #readBracket(text: string, start: number): number {
    const rest = this.#isInCode() ? '' : text.slice(start, start + longestTag)
    const [whole, slash] = tag.exec(rest) ?? []
    if (whole !== undefined) {
      const isOpening = slash === '' && !whole.endsWith('/>')
      if (isOpening || slash === '/') this.#set({ isThinking: isOpening })
      return start + whole.length
    }
    if (start + rest.length === text.length && tagBeginning.test(rest)) {
      this.#set({ held: rest })
      return text.length
    }
    this.#show('<')
    return start + 1
  }

  #show(text: string): void {
    if (this.tags.isThinking || text === '') return
    this.text += text
    for (const [run] of text.matchAll(/`+|\n|[^`\n]+/g)) {
      const { backticks, line, fence } = this.tags
      if (run.startsWith('`')) this.#set({ backticks: backticks + run.length, line: line + run })
      else if (run !== '\n') this.#set({ codeSpan: this.#codeSpan(), backticks: 0, line: line + run })
      else this.#set({ fence: fenceAfterLine(fence, line), codeSpan: 0, backticks: 0, line: '' })
    }
  }

  #isInCode(): boolean {
    return !this.tags.isThinking && (this.tags.fence !== undefined || this.#codeSpan() > 0)
  }

  /** The inline code at the end of the text, if no more backticks follow. As many backticks as opened it close it. */
  #codeSpan(): number {
    const { codeSpan, backticks } = this.tags
    if (codeSpan === 0) return backticks
    return backticks === codeSpan ? 0 : codeSpan
  }

  #set(change: Partial<ThinkTags>): void {
    this.tags = { ...this.tags, ...change }
  }
}

const longestTag = 160
const tag =
  /^<\s{0,3}(\/?)\s{0,3}(?:[a-z][\w.-]{0,30}:)?(?:think|thinking|antthinking)(?:\s[^<>]{0,100})?\/?>/i
// The length of everything that may follow a `<` is limited, so not much is ever held back.
const tagBeginning =
  /^<\s{0,3}\/?\s{0,3}(?:[a-z][\w.:-]{0,45}|(?:[a-z][\w.-]{0,30}:)?(?:think|thinking|antthinking)\s[^<>]{0,100})?\/?$/i
