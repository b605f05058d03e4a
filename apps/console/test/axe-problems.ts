import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** Returns everything that axe finds on the page as it is now: the rule, the element, and what to do. */
export async function axeProblems(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  // Without this, axe describes every element of every rule that is kept, which takes most of its time.
  return page.evaluate<readonly string[]>(
    `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + ': ' + target.join(' ') + ' ' + failureSummary)))`,
  )
}
