import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { matrix, type Row } from './matrix.ts'

/** How many tests of one foreign client, agent, server or proxy have passed. */
export interface Figure {
  /** The folder in `integrations/`, or what the tests are about when they need no folder. */
  readonly name: string
  readonly passed: number
  readonly all: number
}

/** What vitest's JSON reporter writes. */
export const vitestResults = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(z.object({ ancestorTitles: z.array(z.string()), status: z.string() })),
    }),
  ),
})

const rows: Readonly<Record<string, Row>> = matrix
const folder = fileURLToPath(new URL('.', import.meta.url))

/** Tests whose names do not begin with the name of their folder. `undefined`: they are about none. */
const named: readonly (readonly [path: string, name: string])[] = [
  ['integrations/workflow-transport.test.ts', 'ai-sdk-workflow'],
  ['integrations/sdk-parameter.test.ts', 'ai-sdk-5-first'],
  ['integrations/three-nodes.test.ts', 'proxies'],
  ['integrations/dev-servers.test.ts', 'development servers'],
  ['packages/server/test/compatibility/', 'clients of this repository'],
  ['packages/agents/test/ai-sdk/bypass/recorded-events.test.ts', 'recordings of providers'],
  ['packages/server/test/remote/openai-service.test.ts', 'recordings of providers'],
]

/** Files outside of `integrations/` and of its vitest configuration that are counted too. */
export const recordingTests = named.flatMap(([path, name]) =>
  name === 'recordings of providers' ? [path] : [],
)

/** The folders in `integrations/`. */
export function integrationFolders(): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries
    .filter(each => each.isDirectory() && !/^(node_modules|\.)/.test(each.name))
    .map(({ name }) => name)
}

/** Counts the tests in results of vitest, by what they are about. Tests that are about nobody else's program are left out. */
export function figuresIn(results: z.infer<typeof vitestResults>, root: string): readonly Figure[] {
  const counted = new Map<string, Figure>()
  for (const { name: path, assertionResults } of results.testResults) {
    for (const { ancestorTitles, status } of assertionResults) {
      const name = nameOf(path.replace(root, ''), ancestorTitles[0])
      if (name === undefined) continue
      const { passed, all } = counted.get(name) ?? { passed: 0, all: 0 }
      counted.set(name, { name, passed: passed + (status === 'passed' ? 1 : 0), all: all + 1 })
    }
  }
  return [...counted.values()]
}

/** Returns what a test is about: a folder, or another name. */
function nameOf(path: string, title = ''): string | undefined {
  if (path === 'integrations/matrix.test.ts') return rows[title]?.folder
  if (path.startsWith('integrations/') && integrationFolders().includes(title)) return title
  const known = named.find(([begin]) => path.startsWith(begin))
  if (known !== undefined) return known[1]
  const [, rest = ''] = /^integrations\/(.*)/.exec(path) ?? []
  // `openai-agents` is not a test of `openai`.
  return integrationFolders()
    .filter(each => rest.startsWith(`${each}/`) || rest.startsWith(`${each}.`) || rest.startsWith(`${each}-`))
    .toSorted((one, other) => other.length - one.length)[0]
}

const packageFile = z.object({ dependencies: z.record(z.string(), z.string()).default({}) })

/** Packages that a folder only needs beside the one that is tested. */
const besides = /^(@types\/.*|react|react-dom|zod|typescript|svelte|vite|rxjs|tslib)$/

/** Returns the packages of a folder with their versions, as they are installed for the tests. */
export function versionsIn(name: string): string {
  const path = `${folder}${name}/package.json`
  if (!existsSync(path)) return ''
  const { dependencies } = packageFile.parse(JSON.parse(readFileSync(path, 'utf8')))
  const all = Object.entries(dependencies)
  const told = all.filter(([each]) => !besides.test(each))
  // A folder with nothing else is about the framework itself.
  return (told.length === 0 ? all : told).map(([each, version]) => `\`${each}\` ${version}`).join(', ')
}
