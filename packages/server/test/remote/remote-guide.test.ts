import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { encodeSse } from '@throughline/protocol/sse'
import { ask, loadAnswer } from '@throughline/testing/http/chat-requests'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { linesOf, startSseService } from './remote-service.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

test('the server in the guide runs as it stands, and lets the service answer', async () => {
  const guide = await readFile(join(root, 'docs/guides/remote-agents.md'), 'utf8')
  const code =
    guide
      .split('```ts\n')
      .find(block => block.startsWith('// server.ts'))
      ?.split('```')[0] ?? ''
  await using folder = await temporaryFolder()
  await symlink(join(root, 'node_modules'), join(folder.path, 'node_modules'), 'dir')
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder.path, 'server.ts'), code)
  const chunk = { type: 'text-delta', id: '0', delta: 'The old endpoint answers.' }
  await using service = await startSseService(
    [JSON.stringify(chunk), '[DONE]'].map(data => encodeSse({ data })),
  )
  const program = spawn(process.execPath, ['server.ts'], {
    cwd: folder.path,
    env: { ...process.env, SUPPORT_URL: service.url, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [url] = await once(createInterface(program.stdout), 'line')
    await (await ask(url)).text()
    expect(linesOf(await loadAnswer(url))).toEqual(['The old endpoint answers.'])
  } finally {
    program.kill('SIGKILL')
    await once(program, 'exit')
  }
})
