import { execFile } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const config = `import { defineConfig } from 'throughline'
export default defineConfig({
  mcp: { a: { command: 'none', tools: ['b_c'] }, a_b: { command: 'none', tools: ['c'] } },
})`

test('a server whose MCP tools would share a key does not start, and says why in one sentence', async () => {
  await using folder = await temporaryFolder()
  await symlink(join(root, 'node_modules'), join(folder.path, 'node_modules'), 'dir')
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder.path, 'throughline.config.ts'), config)
  const program = join(root, 'apps/cli/bin/throughline.js')
  const started = promisify(execFile)(process.execPath, [program, 'serve'], {
    cwd: folder.path,
    env: { PORT: '0', THROUGHLINE_DATA: join(folder.path, 'data') },
  })
  await expect(started).rejects.toMatchObject({
    code: 1,
    stderr:
      'throughline.config.ts: mcp: The tool "b_c" of the MCP server "a" would have the key "a_b_c", which belongs to the server "a_b". Rename one of the servers.\n',
  })
})
