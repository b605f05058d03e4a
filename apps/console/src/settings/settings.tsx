import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { notifiesAtFirst, switchNotifications } from './notifications.ts'
import { type Language, type Words, wordsOf } from './words.ts'

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

/** Provides the person's language and theme, which are stored in the browser. */
export function SettingsProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(firstLanguage)
  useEffect(() => {
    document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en'
    localStorage.setItem('throughline.language', language)
  }, [language])
  const [notifies, setNotifies] = useState(notifiesAtFirst)
  const settings = useMemo(
    () => ({
      language,
      words: wordsOf[language],
      toggleLanguage: () => setLanguage(language === 'zh' ? 'en' : 'zh'),
      toggleTheme,
      notifies,
      toggleNotifications: () => void switchNotifications(!notifies).then(setNotifies),
    }),
    [language, notifies],
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

function firstLanguage(): Language {
  const chosen = localStorage.getItem('throughline.language')
  if (chosen === 'en' || chosen === 'zh') return chosen
  return navigator.language.startsWith('zh') ? 'zh' : 'en'
}

function toggleTheme(): void {
  const isDark = document.documentElement.classList.toggle('dark')
  localStorage.setItem('throughline.theme', isDark ? 'dark' : 'light')
}
