import { useEffect, useState } from 'react'

/** `system`: light or dark as the person's system is, also when that changes. */
export type Theme = 'light' | 'dark' | 'system'

// public/before-paint.js reads the same key before the first paint.
const key = 'throughline.theme'

/** Returns the theme that the person has chosen, and a function that chooses another one. */
export function useTheme() {
  const [theme, setTheme] = useState<Theme>(chosenTheme)
  useEffect(() => {
    localStorage.setItem(key, theme)
    const system = matchMedia('(prefers-color-scheme: dark)')
    const show = () => {
      const isDark = theme === 'dark' || (theme === 'system' && system.matches)
      document.documentElement.classList.toggle('dark', isDark)
    }
    show()
    system.addEventListener('change', show)
    return () => system.removeEventListener('change', show)
  }, [theme])
  return [theme, setTheme] as const
}

/** Returns whether the page is dark now. */
export function isDark(): boolean {
  return document.documentElement.classList.contains('dark')
}

function chosenTheme(): Theme {
  const chosen = localStorage.getItem(key)
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system'
}

/**
 * Gives the bars of the browser, or of the installed page, the colour of the page. Without this they follow the system
 * only, also when the person has chosen light or dark here.
 */
export function useThemeColour(): void {
  useEffect(() => {
    const apply = () => {
      const colour = getComputedStyle(document.body).backgroundColor
      for (const meta of document.querySelectorAll('meta[name=theme-color]'))
        meta.setAttribute('content', colour)
    }
    apply()
    // The theme is a class of the root element.
    const watch = new MutationObserver(apply)
    watch.observe(document.documentElement, { attributeFilter: ['class'] })
    return () => watch.disconnect()
  }, [])
}
