import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { loadWords, type Spoken } from './load-words.ts'
import { notifiesAtFirst, switchNotifications } from './notifications.ts'
import type { Language, Words } from './words.ts'

interface Settings {
  readonly words: Words
  readonly language: Language
  toggleLanguage(): void
  toggleTheme(): void
  /** Whether notifications are on. They can only be switched on by the person, never by the page. */
  readonly notifies: boolean
  toggleNotifications(): void
}

const SettingsContext = createContext<Settings | undefined>(undefined)

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
  const [notifies, setNotifies] = useState(notifiesAtFirst)
  const settings = useMemo(
    () => ({
      language,
      words,
      toggleLanguage: () => {
        // When the words cannot be loaded, the language stays as it is.
        loadWords(language === 'zh' ? 'en' : 'zh').then(setSpoken, () => {})
      },
      toggleTheme,
      notifies,
      toggleNotifications: () => void switchNotifications(!notifies).then(setNotifies),
    }),
    [language, words, notifies],
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

function toggleTheme(): void {
  const isDark = document.documentElement.classList.toggle('dark')
  localStorage.setItem('throughline.theme', isDark ? 'dark' : 'light')
}
