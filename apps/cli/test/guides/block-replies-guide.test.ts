import { execFile } from 'node:child_process'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

test('the program in the guide about block replies prints what the guide says', async () => {
  const guide = await readFile(join(root, 'docs/guides/block-replies.md'), 'utf8')
  const [, program = '', printed = ''] =
    /```ts\n(\/\/ reply\.ts\n.*?)```\n\n```text\n(.*?)```/s.exec(guide) ?? []
  await using folder = await temporaryFolder()
  await symlink(join(root, 'node_modules'), join(folder.path, 'node_modules'), 'dir')
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder.path, 'reply.ts'), program)
  const args = ['--conditions=throughline-source', join(folder.path, 'reply.ts')]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder.path })
  expect(stdout).toBe(printed)
})
