import type { Language, Words } from './words.ts'

/** A language and its words. */
export interface Spoken {
  readonly language: Language
  readonly words: Words
}

/** Loads the words of the person's language, before anything is drawn. Returns English when that fails. */
export async function loadFirstWords(): Promise<Spoken> {
  try {
    return await loadWords(firstLanguage())
  } catch {
    return loadWords('en')
  }
}

/** Loads the words of a language. Each language is a script of its own. */
export async function loadWords(language: Language): Promise<Spoken> {
  switch (language) {
    case 'en':
      return { language, words: (await import('./words.ts')).english }
    case 'zh':
      return { language, words: (await import('./chinese-words.ts')).chinese }
    default:
      return language satisfies never
  }
}

// public/before-paint.js chooses in the same way.
function firstLanguage(): Language {
  const chosen = localStorage.getItem('throughline.language')
  if (chosen === 'en' || chosen === 'zh') return chosen
  return navigator.language.startsWith('zh') ? 'zh' : 'en'
}
