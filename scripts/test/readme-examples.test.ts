import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createDemoModel, demoSubAgents, demoTools } from '@throughline/agents/demo'
import { defaultInstallation } from '@throughline/testing/server/default-installation'
import { startTestServer } from '@throughline/testing/server/test-server'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { readmeExample } from '../packages/readme-example.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const packages = readdirSync(join(root, 'packages'))

test.each(packages)('the example in the README of packages/%s prints what the README says', async name => {
  const { code = '', output } = (await readmeExample(join(root, 'packages', name))) ?? {}
  await using server = await startTestServer(
    defaultInstallation(createDemoModel(), { tools: demoTools(), subAgents: demoSubAgents() }),
  )
  expect(await run(code.replace('http://127.0.0.1:4000', server.url))).toBe(output)
})

/** Runs a program with Node alone, from a folder of its own, and returns what it prints. */
async function run(code: string): Promise<string> {
  await using folder = await temporaryFolder()
  await symlink(join(root, 'node_modules'), join(folder.path, 'node_modules'), 'dir')
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder.path, 'example.ts'), code)
  const { stdout } = await promisify(execFile)(process.execPath, ['example.ts'], {
    cwd: folder.path,
    // What the program leaves behind goes with the folder.
    env: { ...process.env, TMPDIR: folder.path },
  })
  return stdout
}
