import { launchBrowser } from '@throughline/testing/browser/browser'
import { expect, test } from 'vitest'
import { answers, openConsole, send } from '../open-console.ts'
import { harmfulMarkup } from './harmful-markup.ts'
import { savePayloadChat } from './save-payload-chat.ts'
import { watchHarm } from './watch-harm.ts'

/** Texts that cost a careless parser, or the layout of a browser, more than they are worth. */
const texts: readonly string[] = [
  `${'>'.repeat(2_000)}x`,
  `${'> '.repeat(500)}x`,
  `${'- '.repeat(500)}x`,
  Array.from({ length: 200 }, (_, depth) => `${' '.repeat(depth * 2)}- x`).join('\n'),
  '['.repeat(20_000),
  '![a]('.repeat(5_000),
  '[a][b]'.repeat(3_000),
  '*a **b '.repeat(5_000),
  '_'.repeat(20_000),
  '`'.repeat(20_001),
  '~~~'.repeat(5_000),
  '<'.repeat(20_000),
  '<a '.repeat(5_000),
  '&#x'.repeat(10_000),
  '\\('.repeat(5_000),
  '$'.repeat(10_001),
  '$$x'.repeat(3_001),
  `$${'{'.repeat(3_000)}x${'}'.repeat(3_000)}$`,
  `$$${'\\frac{1}{'.repeat(500)}x${'}'.repeat(500)}$$`,
  `\`\`\`mermaid\ngraph TD\n${'A-->B\n'.repeat(3_000)}\`\`\``,
  `\`\`\`js\n${'('.repeat(20_000)}\n\`\`\``,
  `\`\`\`js\n${'a'.repeat(200_000)}\n\`\`\``,
  '[^1]'.repeat(3_000),
  `${'|a'.repeat(500)}\n${'|-'.repeat(500)}\n${'|b'.repeat(500)}`,
  'a'.repeat(300_000),
  'https://leak.example/'.repeat(3_000),
  `a${'\u0301'.repeat(20_000)}`,
  '\u202e'.repeat(10_000),
  '\u200d'.repeat(20_000),
]

test('very long and deeply nested texts leave the page usable', async () => {
  await using chromium = await launchBrowser()
  await using opened = await openConsole(chromium, {})
  const { page, server } = opened
  const harm = await watchHarm(page, server.url)
  for (const [number, text] of texts.entries()) {
    await savePayloadChat(server.store, `heavy-${number}`, [{ number, text, address: text.slice(0, 10_000) }])
    await page.goto(`${server.url}/chats/heavy-${number}`)
    await expect.poll(() => page.locator('main article').count()).toBe(2)
    expect([number, harm, await harmfulMarkup(page)]).toEqual([number, [], []])
  }
  await page.goto(server.url)
  await send(page, 'Are you there?')
  await answers(page).getByText('The sky is clear.').waitFor()
})
