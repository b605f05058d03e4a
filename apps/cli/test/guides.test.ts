import { execFile } from 'node:child_process'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))

test.each([
  ['add-an-agent', 0, { agents: ['reader'], tools: [], servers: [] }],
  ['add-an-agent', 1, { agents: ['doubler'], tools: [], servers: [] }],
  ['bring-your-agent', 0, { agents: ['support'], tools: [], servers: [] }],
  ['bring-your-agent', 1, { agents: ['support'], tools: [], servers: [] }],
  ['bring-your-agent', 2, { agents: ['support'], tools: [], servers: [] }],
  ['add-a-tool', 0, { agents: [], tools: ['cancel_order'], servers: [] }],
  ['add-a-tool', 1, { agents: [], tools: ['remember'], servers: [] }],
  ['add-a-tool', 2, { agents: [], tools: ['floor_plan'], servers: [] }],
  ['add-a-tool', 3, { agents: [], tools: [], servers: ['files', 'tickets'] }],
  ['remote-agents', 0, { agents: ['support'], tools: [], servers: [] }],
  ['users', 0, { agents: [], tools: [], servers: [] }],
  ['users', 1, { agents: [], tools: [], servers: [] }],
  ['configuration', 0, { agents: [], tools: [], servers: [] }],
])('the configuration in %s, block %i, is short and loads as it stands', async (guide, index, expected) => {
  const text = await readFile(join(root, 'docs/guides', `${guide}.md`), 'utf8')
  const code = text.split('```ts\n')[index + 1]?.split('```')[0] ?? ''
  expect(code.trimEnd().split('\n').length).toBeLessThan(20)
  expect(await load(code)).toEqual(expected)
})

/** Loads a configuration with Node alone, from a folder of its own. */
async function load(code: string): Promise<unknown> {
  await using folder = await temporaryFolder()
  await symlink(join(root, 'node_modules'), join(folder.path, 'node_modules'), 'dir')
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder.path, 'throughline.config.ts'), code)
  const program = `
    const { loadConfig } = await import(${JSON.stringify(new URL('../src/config/load-config.ts', import.meta.url).href)})
    const { agents = [], tools = {}, mcp = {} } = await loadConfig(process.cwd())
    const agentNames = Array.isArray(agents) ? agents.map(({ name }) => name) : Object.keys(agents)
    const names = { agents: agentNames, tools: Object.keys(tools), servers: Object.keys(mcp) }
    console.log(JSON.stringify(names))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: folder.path,
  })
  return JSON.parse(stdout)
}
