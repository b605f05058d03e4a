import { fillSentence, readServerSentence } from '@throughline/protocol/internal'
import { chineseSentences } from './chinese-sentences.ts'

/** Says a sentence of the server in Chinese. What somebody else has written stays as it is. */
export function ChineseSentence({ text }: { readonly text: string }) {
  const found = readServerSentence(text)
  return found === undefined ? text : fillSentence(chineseSentences[found.code], found.values)
}
