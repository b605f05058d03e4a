import { type Language, useSettings } from '../../settings/settings.tsx'
import { type InspectorWords, inspectorWordsInEnglish } from './en.ts'
import { inspectorWordsInChinese } from './zh.ts'

const wordsOf: Readonly<Record<Language, InspectorWords>> = {
  en: inspectorWordsInEnglish,
  zh: inspectorWordsInChinese,
}

/** Returns the words of the inspector, in the language of the person. */
export function useInspectorWords(): InspectorWords {
  return wordsOf[useSettings().language]
}
