import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { ask, loadChat, stop } from '@throughline/testing/http/chat-requests'
import { expect, test } from 'vitest'
import { guideExample } from './guide-example.ts'

/** Registers the test of a server in docs/guides/embed.md. `modules` is a folder with packages that only it imports. */
export function exampleTest(section: string, modules?: string): void {
  test(`the example for ${section} answers, resumes, stops, and ends with the process`, async () => {
    await using folder = await guideExample(section, modules)
    const port = await freePort()
    const child = spawn(process.execPath, ['example.ts'], {
      cwd: folder.path,
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(child, 'exit')
    try {
      await untilReady(child)
      const origin = `http://localhost:${port}`
      expect(await (await fetch(origin)).text()).toBe('My application')
      await expectAnswers(`${origin}/ai`)
    } finally {
      child.kill('SIGTERM')
    }
    expect(await exited).toEqual([0, null])
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

/** Goes on reading afterwards: a process that prints to a closed pipe fails, and one that nobody reads stops. */
function untilReady({ stdout }: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let output = ''
  stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text
    if (output.includes('ready')) resolve()
  })
  stdout?.once('end', () => reject(new Error(`The example has ended: ${output}`)))
  return promise
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
