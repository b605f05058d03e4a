import type { StateInline } from 'markdown-it'

// Letters and punctuation of Chinese, Japanese and Korean.
const cjk =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3001-\u303f\uff01-\uffee]/u

/**
 * Returns a parser state in which `**` beside a Chinese, Japanese or Korean character may begin and end emphasis. By CommonMark,
 * `**说明：**文字` stays as it is written: it expects a space where these languages have none.
 */
export function friendlyToCjk(State: typeof StateInline): typeof StateInline {
  return class extends State {
    override scanDelims(start: number, canSplitWord: boolean) {
      const scanned = super.scanDelims(start, canSplitWord)
      const before = this.src[start - 1] ?? ' '
      const after = this.src[start + scanned.length] ?? ' '
      if (!canSplitWord || !cjk.test(before + after)) return scanned
      return {
        ...scanned,
        can_open: scanned.can_open || /\S/.test(after),
        can_close: scanned.can_close || /\S/.test(before),
      }
    }
  }
}
