import type { Plugin } from 'vite'

/** Leaves out the old formats of the fonts for formulas. Every browser that runs the page knows WOFF2. */
export function modernFonts(): Plugin {
  return {
    name: 'modern-fonts',
    enforce: 'pre',
    transform(code, id) {
      if (!id.includes('katex') || !/\.css(\?|$)/.test(id)) return undefined
      return code.replace(/,\s*url\([^)]+\.(?:woff|ttf)\)\s*format\([^)]+\)/g, '')
    },
  }
}
