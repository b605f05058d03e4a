import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import type { Words } from '../words/first/en.ts'
import { notifiesAtFirst, switchNotifications } from './notifications.ts'
import { type Theme, useTheme } from './theme.ts'

/** The languages of the page. Each has a catalogue in every folder of `words`. */
export type Language = 'en' | 'zh'

interface Settings {
  readonly words: Words
  readonly language: Language
  /** Changes the language once its words are loaded. When they cannot be loaded, it stays as it is. */
  setLanguage(language: Language): void
  readonly theme: Theme
  setTheme(theme: Theme): void
  /** Whether notifications are on. They can only be switched on by the person, never by the page. */
  readonly notifies: boolean
  toggleNotifications(): void
}

export const SettingsContext = createContext<Settings | undefined>(undefined)

interface Props {
  /** The language to begin with. */
  readonly first: Spoken
  readonly children: ReactNode
}

/** Provides the person's language and theme, which are stored in the browser. */
export function SettingsProvider({ first, children }: Props) {
  const [{ language, words }, setSpoken] = useState(first)
  useEffect(() => {
    document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en'
    localStorage.setItem('throughline.language', language)
  }, [language])
  const [theme, setTheme] = useTheme()
  const [notifies, setNotifies] = useState(notifiesAtFirst)
  const settings = useMemo(
    () => ({
      language,
      words,
      setLanguage: (next: Language) => void loadWords(next).then(setSpoken, () => {}),
      theme,
      setTheme,
      notifies,
      toggleNotifications: () => void switchNotifications(!notifies).then(setNotifies),
    }),
    [language, words, theme, setTheme, notifies],
  )
  return <SettingsContext value={settings}>{children}</SettingsContext>
}

export function useSettings(): Settings {
  const settings = useContext(SettingsContext)
  if (settings === undefined) throw new Error('useSettings needs a SettingsProvider around it.')
  return settings
}

export function useWords(): Words {
  return useSettings().words
}

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
async function loadWords(language: Language): Promise<Spoken> {
  switch (language) {
    case 'en':
      return { language, words: (await import('../words/first/en.ts')).firstWordsInEnglish }
    case 'zh':
      return { language, words: (await import('../words/first/zh.ts')).firstWordsInChinese }
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
