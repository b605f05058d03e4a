import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'

test('a program under node --watch can open a store: Node then sends messages of its own from the thread', async () => {
  await using folder = await temporaryFolder()
  const program = join(folder.path, 'program.mjs')
  await writeFile(
    program,
    `import { openStore } from ${JSON.stringify(import.meta.resolve('../../src/open/open-store.ts'))}
    const store = await openStore(${JSON.stringify(join(folder.path, 'data'))})
    await store.log.open('ada/chat')
    await store.close()
    console.log('closed')`,
  )
  const watcher = spawn(process.execPath, ['--watch', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
  for await (const line of createInterface(watcher.stdout)) {
    lines.push(line)
    // By then the program has ended, and the watcher waits for a change.
    if (/Completed|Failed/.test(line)) watcher.kill()
  }
  if (watcher.exitCode === null && watcher.signalCode === null) await once(watcher, 'exit')
  expect(lines).toContain('closed')
})
