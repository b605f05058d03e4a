import { pad } from '../text/fit.ts'
import type { Paint } from '../text/look.ts'
import { plainText } from '../text/plain-text.ts'
import type { Result } from './check.ts'

/** Returns the lines for one check: what it is about, and what it has found. */
export function resultLines({ check, outcome }: Result, paint: Paint): string {
  const head = `${pad(check.name, 20)} ${check.title}`
  switch (outcome.type) {
    case 'passed':
      return `${paint('good', '✓')} ${head} ${paint('faint', `(${plainText(outcome.saw)})`)}`
    case 'skipped':
      return `${paint('warning', '–')} ${head}\n    not checked: ${plainText(outcome.reason)}`
    case 'failed':
      return [
        `${paint('bad', '✗')} ${head}`,
        `    expected  ${plainText(outcome.expected)}`,
        `    came      ${plainText(outcome.came)}`,
        `    to do     ${outcome.advice}`,
      ].join('\n')
  }
}

/** How many checks passed, failed and were skipped. */
export interface Totals {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export function totalsOf(results: readonly Result[]): Totals {
  const count = (type: string) => results.filter(({ outcome }) => outcome.type === type).length
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
}

/** Returns the last line. */
export function totalsLine({ passed, failed, skipped }: Totals, paint: Paint): string {
  const parts = [
    paint('good', `${passed} passed`),
    failed > 0 ? paint('bad', `${failed} failed`) : '0 failed',
    skipped > 0 ? paint('warning', `${skipped} not checked`) : '0 not checked',
  ]
  return `${parts.join(', ')}.`
}

/** Returns a result for machines. */
export function resultJson({ check: { name, title }, outcome: { type, ...found } }: Result) {
  return { name, title, result: type, ...found }
}
