import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openConsole, send } from './open-console.ts'

declare global {
  interface Window {
    violations: string[]
  }
}

const formulas = {
  colour: '\\color{#ff0000}{x}',
  background: '\\colorbox{#00ff00}{$x$}',
  frame: '\\fcolorbox{#0000ff}{#ffff00}{$x$}',
  rule: '\\rule{3em}{2em}',
  bold: '\\pmb{x}',
  size: '{\\Huge x}',
  raised: 'x\\raisebox{1em}{$y$}',
  root: '\\sqrt{\\cancel{x}} \\angl{n} \\phase{30}',
  matrix: '\\left[\\begin{array}{c|c} 1 & 2 \\\\ \\hline 3 & 4 \\end{array}\\right] \\tag{1}',
}

test('formulas have their colours and sizes although the policy forbids inline style, and nothing of it is reported', async () => {
  const text = Object.values(formulas)
    .map(tex => `$$\n${tex}\n$$\n\n`)
    .join('')
  const agent = scriptedAgent('assistant', [say(text), finish])
  await using chromium = await sharedBrowser()
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.addInitScript(() => {
    window.violations = []
    addEventListener('securitypolicyviolation', ({ violatedDirective, sourceFile }) =>
      window.violations.push(`${violatedDirective} ${sourceFile}`),
    )
  })
  await page.goto(server.url)
  await send(page, 'Formulas')
  await expect.poll(() => page.locator('.katex-display').count()).toBe(Object.keys(formulas).length)

  expect(await styled(page, 'colour', 'color')).toContain('rgb(255, 0, 0)')
  expect(await styled(page, 'background', 'backgroundColor')).toContain('rgb(0, 255, 0)')
  expect(await styled(page, 'frame', 'backgroundColor')).toContain('rgb(255, 255, 0)')
  expect(await styled(page, 'frame', 'borderTopColor')).toContain('rgb(0, 0, 255)')
  expect(await styled(page, 'bold', 'textShadow')).toContainEqual(expect.stringContaining('px'))
  const rule = await formula(page, 'rule').locator('.katex-rule').boundingBox()
  const letter = await formula(page, 'colour').locator('.mathnormal').boundingBox()
  const large = await formula(page, 'size').locator('.mathnormal').boundingBox()
  expect((rule?.width ?? 0) / (rule?.height ?? 1)).toBeCloseTo(1.5, 1)
  expect((large?.width ?? 0) / (letter?.width ?? 1)).toBeGreaterThan(2)
  const [base, raised] = await formula(page, 'raised')
    .locator('.mathnormal')
    .evaluateAll(all => all.map(each => each.getBoundingClientRect().bottom))
  expect(base).toBeGreaterThan(raised ?? 0)
  // A screen reader still has the MathML of each.
  expect(await page.locator('.katex-mathml annotation').allTextContents()).toEqual(Object.values(formulas))
  expect(await page.evaluate(() => window.violations)).toEqual([])
})

function formula(page: Page, name: keyof typeof formulas) {
  return page.locator('.katex-display').nth(Object.keys(formulas).indexOf(name)).locator('.katex-html')
}

/** Returns the values that a style has in the visible part of a formula. */
function styled(
  page: Page,
  name: keyof typeof formulas,
  style: 'color' | 'backgroundColor' | 'borderTopColor' | 'textShadow',
): Promise<readonly string[]> {
  return formula(page, name)
    .locator('span')
    .evaluateAll((all, key) => all.map(each => getComputedStyle(each)[key]), style)
}
