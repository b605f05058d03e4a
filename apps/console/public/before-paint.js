// The theme is set before the first paint, so that a dark page never flashes white.
const chosen = localStorage.getItem('throughline.theme')
const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
document.documentElement.classList.toggle('dark', isDark)

// The words of each language are a script of their own. The build writes their addresses into the page. Loading begins
// here, beside the main script, which needs the words before it draws anything.
const language = localStorage.getItem('throughline.language') ?? navigator.language
const name = language.startsWith('zh') ? 'zh' : 'en'
const words = document.querySelector(`meta[name="throughline-words-${name}"]`)
if (words !== null) {
  const link = document.createElement('link')
  link.rel = 'modulepreload'
  link.href = words.content
  document.head.append(link)
}
