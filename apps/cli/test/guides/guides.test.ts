import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

/** Guide, code block, and what the configuration in it has. */
const configurations = [
  ['add-an-agent', 0, { agents: ['reader'], tools: [], servers: [] }],
  ['add-an-agent', 1, { agents: ['doubler'], tools: [], servers: [] }],
  ['bring-your-agent', 0, { agents: ['support'], tools: [], servers: [] }],
  ['bring-your-agent', 1, { agents: ['support'], tools: [], servers: [] }],
  ['bring-your-agent', 2, { agents: ['support'], tools: [], servers: [] }],
  ['add-a-tool', 0, { agents: [], tools: ['cancel_order'], servers: [] }],
  ['add-a-tool', 1, { agents: [], tools: ['remember'], servers: [] }],
  ['add-a-tool', 2, { agents: [], tools: ['floor_plan'], servers: [] }],
  ['mcp', 0, { agents: [], tools: [], servers: ['files', 'tickets'] }],
  ['mcp', 1, { agents: [], tools: [], servers: ['tickets'] }],
  ['crashes', 0, { agents: [], tools: ['send_invoice'], servers: [] }],
  ['crashes', 1, { agents: ['writer'], tools: [], servers: [] }],
  ['databases', 0, { agents: ['analyst'], tools: [], servers: [] }],
  ['databases', 1, { agents: [], tools: [], servers: [] }],
  ['remote-agents', 0, { agents: ['support'], tools: [], servers: [] }],
  ['share', 0, { agents: [], tools: [], servers: [] }],
  ['users', 0, { agents: [], tools: [], servers: [] }],
  ['users', 1, { agents: [], tools: [], servers: [] }],
  ['configuration', 0, { agents: [], tools: [], servers: [] }],
] as const

let loaded: readonly unknown[] = []

beforeAll(async () => {
  loaded = await loadAll(await Promise.all(configurations.map(([guide, block]) => codeIn(guide, block))))
})

test.each(configurations)(
  'the configuration in %s, block %i, is short and loads as it stands',
  async (guide, block, expected) => {
    const code = await codeIn(guide, block)
    expect(code.trimEnd().split('\n').length).toBeLessThan(20)
    expect(loaded[configurations.findIndex(each => each[0] === guide && each[1] === block)]).toEqual(expected)
  },
)

async function codeIn(guide: string, block: number): Promise<string> {
  const text = await readFile(join(root, 'docs/guides', `${guide}.md`), 'utf8')
  return text.split('```ts\n')[block + 1]?.split('```')[0] ?? ''
}

/** Loads each configuration with Node alone, from a folder of its own. One process does it: starting one takes a second. */
async function loadAll(codes: readonly string[]): Promise<readonly unknown[]> {
  await using folder = await temporaryFolder()
  await symlink(join(root, 'node_modules'), join(folder.path, 'node_modules'), 'dir')
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }')
  const folders = codes.map((_, index) => join(folder.path, `${index}`))
  for (const [index, path] of folders.entries()) {
    await mkdir(path)
    await writeFile(join(path, 'throughline.config.ts'), codes[index] ?? '')
  }
  const program = `
    const { loadConfig } = await import(${JSON.stringify(new URL('../../src/config/load-config.ts', import.meta.url).href)})
    const all = []
    for (const folder of ${JSON.stringify(folders)}) {
      const { agents = [], tools = {}, mcp = {} } = await loadConfig(folder)
      const agentNames = Array.isArray(agents) ? agents.map(({ name }) => name) : Object.keys(agents)
      all.push({ agents: agentNames, tools: Object.keys(tools), servers: Object.keys(mcp) })
    }
    console.log(JSON.stringify(all))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: folder.path,
  })
  return JSON.parse(stdout)
}
