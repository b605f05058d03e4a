import type { Page } from 'playwright-core'
import { type Look, say } from './walk-through.ts'

const definition = {
  displayName: 'Writer',
  description: 'Writes.',
  // So long that its preview is scrolled.
  systemPrompt: 'You are {{agentName}}.\n'.repeat(40),
}

/** Brings the page into the states that are not a chat: the agents, the settings and the status of the server. */
export async function walkPages(page: Page, url: string, look: Look): Promise<void> {
  await page.request.put(`${url}/api/agents/w-1`, { data: definition })
  await walkAgents(page, url, look)
  await walkDefinition(page, url, look)
  await page.goto(`${url}/settings`)
  await page.locator('main [type=radio]').first().waitFor({ state: 'attached' })
  await look('the settings')
  await page.goto(`${url}/status`)
  await page.locator('main dl').waitFor()
  await page.locator('main svg[role=img]').waitFor()
  await look('the status of the server')
}

async function walkAgents(page: Page, url: string, look: Look): Promise<void> {
  await page.goto(`${url}/agents`)
  await page.locator('[data-graph] button').first().waitFor()
  await look('all agents, and the graph')
  await page.goto(`${url}/agents/researcher`)
  await page.locator('main dl').waitFor()
  await look('an agent in code')
  await page.goto(`${url}/agents/nobody`)
  await page.locator('main p').waitFor()
  await look('an unknown agent')
}

async function walkDefinition(page: Page, url: string, look: Look): Promise<void> {
  await page.goto(`${url}/agents/~new`)
  await page.locator('main form [type=submit]').click()
  await page.locator('main form [aria-invalid=true]').first().waitFor()
  await look('the form of a new agent, with errors')
  await page.goto(`${url}/agents/w-1`)
  await page.locator('[data-preview]').waitFor()
  // The form then has changes, and the page asks before it is left.
  page.on('dialog', dialog => dialog.accept())
  await page.locator('main form [type=radio]').last().check()
  const folded = page.locator('main details:not([open]) summary')
  while ((await folded.count()) > 0) await folded.first().click()
  await look('the form of an agent')
  await page.locator('main header button[aria-pressed]').click()
  await say(page, 'Hello')
  await page.locator('article[data-status=finished]').waitFor()
  await look('an agent that is tried')
}
