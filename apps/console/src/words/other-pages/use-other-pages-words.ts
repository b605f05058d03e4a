import { type Language, useSettings } from '../../settings/settings.tsx'
import { type OtherPagesWords, otherPagesWordsInEnglish } from './en.ts'
import { otherPagesWordsInChinese } from './zh.ts'

const wordsOf: Readonly<Record<Language, OtherPagesWords>> = {
  en: otherPagesWordsInEnglish,
  zh: otherPagesWordsInChinese,
}

/** Returns the words of the pages that are not a chat, in the language of the person. */
export function useOtherPagesWords(): OtherPagesWords {
  return wordsOf[useSettings().language]
}
