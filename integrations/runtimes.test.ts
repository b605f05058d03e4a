import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { ask, loadAnswer } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { describe, expect, test } from 'vitest'
import { conformance } from '../apps/cli/test/conformance/conformance-run.ts'

// The packages as they are published, in other runtimes than Node.

const folder = fileURLToPath(new URL('runtimes/', import.meta.url))

const runtimes = [
  { name: 'Bun', scope: '@oven', program: 'bin/bun', words: [] },
  { name: 'Deno', scope: '@deno', program: 'deno', words: ['run', '-A'] },
] as const
type Runtime = (typeof runtimes)[number]

const hosts = runtimes.flatMap(runtime => [
  { ...runtime, way: 'handle', server: 'node:http' },
  { ...runtime, way: 'fetch', server: `${runtime.name}.serve` },
])

describe.each(hosts)('in $name, with $server', runtime => {
  test('a server passes every check of the conformance command', async () => {
    await using folder = await temporaryFolder()
    await using host = await startHost(runtime, folder.path)
    const checked = await conformance(host.url, '--quick')
    expect(checked.names('failed')).toEqual([])
    // No tokens, no HTTPS, no wait for a heartbeat.
    expect(checked.names('skipped')).toEqual([
      'stream/http-version',
      'owner/no-token',
      'owner/other-token',
      'heartbeat/idle',
    ])
  })

  test('an answer that a kill cut off keeps its text, and the server closes cleanly', async () => {
    await using folder = await temporaryFolder()
    await using killed = await startHost(runtime, folder.path)
    const stream = new SseBytes(await ask(killed.url))
    await stream.until('written')
    await killed.end('SIGKILL')
    await stream[Symbol.asyncDispose]()
    await using host = await startHost(runtime, folder.path)
    const answer = await loadAnswer(host.url)
    expect(answer.metadata).toMatchObject({ status: 'interrupted' })
    expect(JSON.stringify(answer.parts)).toContain('Every answer is written')
    expect(await (await fetch(`${host.url}/health`)).json()).toEqual({ status: 'ok' })
    expect(await host.end('SIGTERM')).toEqual({ code: 0, last: 'closed' })
  })
})

test.each(runtimes)('in $name, a thread that gives memory back lives on', async runtime => {
  const { child, lines } = await start(runtime, ['give-memory-back.ts'])
  const [code] = await once(child, 'close')
  expect({ code, lines }).toEqual({ code: 0, lines: ['lives on'] })
})

async function startHost(runtime: Runtime & { readonly way: string }, folder: string) {
  const { child, lines, said } = await start(runtime, ['host.ts', folder, runtime.way])
  const exited = once(child, 'close')
  let isOver = false
  void exited.finally(() => {
    isOver = true
  })
  const urlIn = () => lines.find(line => line.startsWith('http'))
  await expect.poll(() => urlIn() !== undefined || isOver).toBe(true)
  const url = urlIn()
  if (url === undefined) throw new Error(`${runtime.name} did not start:\n${said()}`)
  return {
    url,
    async end(signal: 'SIGTERM' | 'SIGKILL') {
      child.kill(signal)
      await exited
      return { code: child.exitCode, last: lines.at(-1) }
    },
    async [Symbol.asyncDispose]() {
      if (!isOver) child.kill('SIGKILL')
      await exited
    },
  }
}

/** Starts a program of the folder in a runtime. `lines` grows with what it prints. */
async function start({ scope, program, words }: Runtime, [script, ...rest]: readonly [string, ...string[]]) {
  const scoped = join(folder, 'node_modules', scope)
  const [build = ''] = await readdir(scoped)
  // Without the sources of the packages: they are used as they are published.
  const { NODE_OPTIONS: _, ...env } = process.env
  const child = spawn(join(scoped, build, program), [...words, join(folder, script), ...rest], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  createInterface(child.stdout).on('line', line => lines.push(line))
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  return { child, lines, said: () => errors }
}
