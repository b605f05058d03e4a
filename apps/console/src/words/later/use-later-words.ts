import { type Language, useSettings } from '../../settings/settings.tsx'
import { type LaterWords, laterWordsInEnglish } from './en.ts'
import { laterWordsInChinese } from './zh.ts'

const wordsOf: Readonly<Record<Language, LaterWords>> = {
  en: laterWordsInEnglish,
  zh: laterWordsInChinese,
}

/** Returns the words of what is loaded when a person first needs it, in the language of the person. */
export function useLaterWords(): LaterWords {
  return wordsOf[useSettings().language]
}
