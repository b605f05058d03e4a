import { useEffect } from 'react'

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
