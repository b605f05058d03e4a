import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ask, loadChat, stop } from '@throughline/testing/http/chat-requests'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

test.each(['node:http', 'Express 5', 'Fastify 5', 'Hono'])(
  'the example for %s answers, resumes, stops, and ends with the process',
  async section => {
    await using folder = await exampleFolder(section)
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
      expect(await (await ask(`${origin}/ai`)).text()).toContain('This is message 1 of our chat.')
      const { messages, position } = await loadChat(`${origin}/ai`)
      expect(messages).toMatchObject([
        { role: 'user' },
        { role: 'assistant', metadata: { status: 'finished' } },
      ])
      const resumed = await fetch(`${origin}/ai/api/chat/chat/stream`, {
        headers: { 'last-event-id': position },
      })
      expect(await resumed.text()).toBe('retry: 1000\n\ndata: [DONE]\n\n')
      expect(await (await stop(`${origin}/ai`)).json()).toEqual({ result: 'already-ended' })
    } finally {
      child.kill('SIGTERM')
    }
    expect(await exited).toEqual([0, null])
  },
)

test('the example for a cron job prints what the guide says', async () => {
  await using folder = await exampleFolder('From a cron job or a webhook')
  const { stdout } = await promisify(execFile)(process.execPath, ['example.ts'], { cwd: folder.path })
  expect(stdout).toBe(folder.output)
})

/** Makes a folder with the code of one section of the guide, and with the agent of the guide. */
async function exampleFolder(section: string) {
  const guide = await readFile(join(root, 'docs/guides/embed.md'), 'utf8')
  const sections = new Map(guide.split('\n## ').map(text => [text.split('\n', 1)[0] ?? '', text]))
  const block = (name: string, language: string) =>
    sections.get(name)?.split(`\`\`\`${language}\n`)[1]?.split('```')[0] ?? ''
  const folder = await temporaryFolder()
  await symlink(join(root, 'node_modules'), join(folder.path, 'node_modules'), 'dir')
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder.path, 'support.ts'), block('An agent', 'ts'))
  await writeFile(join(folder.path, 'example.ts'), block(section, 'ts'))
  return { ...folder, output: block(section, 'text') }
}

async function untilReady({ stdout }: ChildProcess): Promise<void> {
  let output = ''
  for await (const piece of stdout ?? []) {
    output += piece
    if (output.includes('ready')) return
  }
  throw new Error(`The example has ended: ${output}`)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
