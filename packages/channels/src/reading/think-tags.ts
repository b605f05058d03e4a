import { type Fence, fenceAfterLine } from '../cutting/fences.ts'

/** What must be remembered between two pieces of a text. */
export interface ThinkTags {
  readonly isThinking: boolean
  /** The end of what came, if it could be the beginning of a tag. */
  readonly held: string
  /** The current line as far as it was shown. */
  readonly line: string
  /** Open at the current line's start. */
  readonly fence: Fence | undefined
  /** How many backticks opened the code within the line; 0 outside of code. */
  readonly codeSpan: number
  /** How many backticks the shown text ends with. */
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
  /** What is to be shown. */
  readonly text: string
}

/**
 * Takes what a model thinks out of a text that comes in pieces: everything from `<think>` to the first `</think>`,
 * also as `thinking`, `antthinking` or with a namespace. In code a tag is only text; code within a line ends with
 * the line. Thinking that never ends is never shown. Pure.
 */
export function stripThinkTags(before: ThinkTags, piece: string): Untagged {
  const reader = new TagReader(before)
  reader.read(before.held + piece)
  return { tags: reader.tags, text: reader.text }
}

/** What was held back and turned out to be no tag, now that the text has ended. */
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

  /** With the backticks at the text's end taken as all that come: as many as opened the code end it. */
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
// Everything that may follow a `<` is bounded, so nothing is held for long.
const tagBeginning =
  /^<\s{0,3}\/?\s{0,3}(?:[a-z][\w.:-]{0,45}|(?:[a-z][\w.-]{0,30}:)?(?:think|thinking|antthinking)\s[^<>]{0,100})?\/?$/i
