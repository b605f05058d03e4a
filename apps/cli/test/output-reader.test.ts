import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { compileCacheEnv } from '@throughline/testing/server/compile-cache'
import { freePort } from '@throughline/testing/server/free-port'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'

const program = fileURLToPath(new URL('../bin/throughline.js', import.meta.url))

test('a server goes on when nobody reads what it prints', async () => {
  await using folder = await temporaryFolder()
  const port = await freePort()
  const child = spawn(process.execPath, [program, 'serve'], {
    env: { ...compileCacheEnv(), PORT: String(port), THROUGHLINE_DATA: folder.path },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close')
  child.stdout.destroy()
  child.stderr.destroy()
  expect(await firstStatus(child, `http://127.0.0.1:${port}/api/chats`)).toBe(200)
  child.kill('SIGTERM')
  await closed
  expect(child.exitCode).toBe(0)
})

/** Returns the status of the first response. While the server does not listen yet, it asks again. */
async function firstStatus(child: ChildProcess, url: string): Promise<number> {
  while (child.exitCode === null && child.signalCode === null) {
    const response = await fetch(url).catch(() => undefined)
    if (response !== undefined) return response.status
    await setTimeout(20)
  }
  throw new Error(`The server has ended: ${child.exitCode ?? child.signalCode}.`)
}
