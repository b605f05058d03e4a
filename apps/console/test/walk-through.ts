import type { Locator, Page } from 'playwright-core'

/** Called with the page in each state, and with the name of the state. */
export type Look = (state: string) => Promise<void>

/**
 * Brings the page into the states of a chat and of the list of chats, one after the other. The server must have the demo
 * model. Finds everything by its structure, so it works in every language. `walkPages`, `walkComposer` and
 * `walkShare` have the others.
 */
export async function walkThrough(page: Page, url: string, look: Look): Promise<void> {
  await page.goto(url)
  await page.locator('#messages h2').waitFor()
  await look('a new chat')
  await walkAnswers(page, look)
  await walkInspector(page, look)
  await walkList(page, look)
  await page.goto(`${url}/nowhere`)
  await page.locator('h1').waitFor()
  await look('an unknown address')
  await page.goto(`${url}/chats/nowhere`)
  await page.locator('main a').waitFor()
  await look('an unknown chat')
}

/** Sends a message by the button, because Enter begins a new line on a phone. */
export async function say(page: Page, text: string): Promise<void> {
  await page.locator('[data-shortcut=write]').fill(text)
  await page.locator('form:has([data-shortcut=write]) [type=submit]').click()
}

async function walkAnswers(page: Page, look: Look): Promise<void> {
  const said = ['markdown', 'rich', 'think', 'tools', 'fail', 'delegate', 'error', 'approve']
  for (const [index, text] of said.entries()) {
    await say(page, text)
    const answer = page.locator('article[data-role=assistant]').nth(index)
    if (text === 'approve') await answer.getByRole('alertdialog').waitFor()
    else await answer.and(page.locator('[data-status=finished], [data-status=failed]')).waitFor()
    // What is folded is a state, too.
    const folded = answer.locator('[aria-expanded=false]')
    while ((await folded.count()) > 0) await folded.first().click()
    if (text === 'rich') await untilDrawn(answer)
    await look(`the answer to "${text}"`)
  }
}

/** Waits for what is loaded after the text: formulas, a diagram, and the colours of code. */
async function untilDrawn(answer: Locator): Promise<void> {
  for (const drawn of [
    '.katex',
    'figure [data-picture] img',
    'pre .code-keyword',
    '[data-text] ~ ol, .prose ~ ol',
  ])
    await answer.locator(drawn).first().waitFor()
}

async function walkInspector(page: Page, look: Look): Promise<void> {
  await page.keyboard.press('Alt+KeyI')
  const tabs = page.getByRole('tab')
  await tabs.first().waitFor()
  await page.locator('aside [role=option]').first().click()
  await look('the log in the inspector')
  for (const number of [1, 2]) {
    await tabs.nth(number).click()
    await page
      .locator(number === 1 ? '[data-lane]' : '[data-replay]')
      .first()
      .waitFor()
    await look(`tab ${number + 1} of the inspector`)
  }
  await page.keyboard.press('Escape')
  await tabs.first().waitFor({ state: 'detached' })
}

async function walkList(page: Page, look: Look): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.keyboard.type('markdown')
  await page.locator('nav mark').first().waitFor()
  await look('the results of a search')
  await page.keyboard.press('Escape')
  await page.locator('[data-row-menu]').first().click()
  await page.getByRole('menuitem').first().waitFor()
  await look('the menu of a chat')
  await page.getByRole('menuitem').nth(1).click()
  await page.locator('[data-row] input').waitFor()
  await look('the field to rename a chat')
  await page.keyboard.press('Escape')
}
