import type { TestBrowser } from '@throughline/testing/browser/browser'
import { half, type NumberedAgent, numberedAgent } from './numbered-agent.ts'
import { type Console, openConsole, send, untilShown } from './open-console.ts'

/** Opens the page and asks it a question. Its answer has begun, and waits until the test lets it end. */
export async function openMidAnswer(
  chromium: Pick<TestBrowser, 'browser'>,
): Promise<Console & Pick<NumberedAgent, 'letEnd'>> {
  const { agent, letEnd } = numberedAgent()
  const opened = await openConsole(chromium, { agents: [agent] })
  await opened.page.goto(opened.server.url)
  await send(opened.page, 'Question')
  await untilShown(opened.page, ['user: Question', half(1)])
  return { ...opened, letEnd }
}
