import { ask, loadChat, stop } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { startGuideProgram } from '@throughline/testing/server/guide-program'
import { expect, test } from 'vitest'
import { guideExample } from './guide-example.ts'

/** Registers the test of a server in docs/guides/embed.md. `modules` is a folder with packages that only it imports. */
export function exampleTest(section: string, modules?: string): void {
  test(`the example for ${section} answers, resumes, stops, and ends with its streams at a signal`, async () => {
    await using folder = await guideExample(section, modules)
    await using example = await startGuideProgram(folder.path, 'example.ts')
    expect(await (await fetch(example.origin)).text()).toBe('My application')
    await expectAnswers(`${example.origin}/ai`)
    // A stream that is open, and a connection that is kept, do not hold the process up.
    await using log = new SseBytes(await fetch(`${example.origin}/ai/api/chats/chat/log`))
    await log.until('"finish"')
    expect(await example.end('SIGTERM')).toEqual([0, null])
    await log.rest()
  })
}

/** Asks the agent of the guide, resumes after its answer, and stops it. */
export async function expectAnswers(url: string): Promise<void> {
  expect(await (await ask(url)).text()).toContain('This is message 1 of our chat.')
  const { messages, position } = await loadChat(url)
  expect(messages).toMatchObject([{ role: 'user' }, { role: 'assistant', metadata: { status: 'finished' } }])
  const resumed = await fetch(`${url}/api/chat/chat/stream`, { headers: { 'last-event-id': position } })
  expect(await resumed.text()).toBe('retry: 1000\n\ndata: [DONE]\n\n')
  expect(await (await stop(url)).json()).toEqual({ result: 'already-ended' })
}
