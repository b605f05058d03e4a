import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { unpackPackages } from './unpack-packages.ts'

const guide = new URL('../../docs/guides/next.md', import.meta.url)
/** Not in the folder of another application: there Next would find its configuration. */
const folder = fileURLToPath(new URL('.tmp/app', import.meta.url))
const program = fileURLToPath(new URL('node_modules/next/dist/bin/next', import.meta.url))

/** Returns the command that runs Next with these words. */
export function nextCommand(...words: readonly string[]): readonly [string, ...string[]] {
  return [process.execPath, program, ...words]
}

/**
 * Makes an application of the files in docs/guides/next.md, and builds it. It has the route of that page a second time
 * below `/ai`, where all hosts have it, and a page of its own. Returns its folder.
 */
export async function makeApp(): Promise<string> {
  await rm(folder, { recursive: true, force: true })
  const files = filesIn(await readFile(guide, 'utf8'))
  const route = files.get('app/api/[...throughline]/route.ts') ?? ''
  await writeFiles({
    ...Object.fromEntries(files),
    'package.json': '{ "type": "module", "private": true }',
    'app/ai/[...throughline]/route.ts': route,
    'app/route.ts': "export const GET = () => new Response('own page')",
  })
  await unpackPackages(join(folder, 'node_modules'))
  const [node, ...words] = nextCommand('build')
  await promisify(execFile)(node, words, {
    cwd: folder,
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' },
  })
  return folder
}

/** Returns the blocks of code whose first line is the name of a file. */
function filesIn(page: string): ReadonlyMap<string, string> {
  const blocks = [...page.matchAll(/^```[jt]s\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)]
  return new Map(blocks.map(([, path = '', code = '']) => [path, code]))
}

async function writeFiles(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content)
  }
}
