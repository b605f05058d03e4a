import type { Language } from '../../settings/words.ts'

const english = {
  diagram: 'Diagram',
  source: 'Source',
  wrong: 'This diagram cannot be drawn. This is its source.',
}

const chinese: typeof english = {
  diagram: '图表',
  source: '源码',
  wrong: '无法绘制此图表，这是它的源码。',
}

/** The words of diagrams, which are loaded with the first diagram. */
export const diagramWords: Readonly<Record<Language, typeof english>> = { en: english, zh: chinese }
