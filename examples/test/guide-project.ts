import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createServer, defaultClientConditions } from 'vite'

export interface GuideProjectOptions {
  /** The names of the guides. */
  readonly guides: readonly string[]
  /** Takes the place of the server's address in the guides. */
  readonly serverUrl: string
  /** Changes the code of a file as a guide tells people to change it. */
  readonly edit?: (code: string) => string
}

export interface GuideProject extends AsyncDisposable {
  /** The address of Vite's development server. */
  readonly url: string
}

const root = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Writes the files of guides into a folder of their own, and starts Vite's development server there. A file is a code
 * block whose first line is a comment with the file's name. With two files of the same name, the first one counts.
 */
export async function startGuideProject({
  guides,
  serverUrl,
  edit = code => code,
}: GuideProjectOptions): Promise<GuideProject> {
  await using stack = new AsyncDisposableStack()
  // Inside the repository, so that Vite finds the packages. A package.json of its own gives it a cache of its own.
  await mkdir(join(root, '.tmp'), { recursive: true })
  const folder = await mkdtemp(join(root, '.tmp/guide-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const texts = await Promise.all(guides.map(readGuide))
  const files = filesOf(texts.join('\n'))
  files.set('package.json', '{ "private": true, "type": "module" }')
  for (const [name, code] of files)
    await writeFile(join(folder, name), edit(code).replaceAll('http://127.0.0.1:4000', serverUrl))
  const vite = await createServer({
    root: folder,
    configFile: join(folder, 'vite.config.ts'),
    logLevel: 'error',
    // The packages of this repository are used as sources: nothing has to be built first.
    resolve: { conditions: ['throughline-source', ...defaultClientConditions] },
    server: { port: 0, host: '127.0.0.1' },
  })
  stack.defer(() => vite.close())
  await vite.listen()
  const [url = ''] = vite.resolvedUrls?.local ?? []
  const kept = stack.move()
  return { url, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** Returns the text of a guide. */
export function readGuide(name: string): Promise<string> {
  return readFile(join(root, `docs/guides/${name}.md`), 'utf8')
}

/** Returns the code blocks that name a file, by name. */
function filesOf(text: string): Map<string, string> {
  const blocks = text.matchAll(/```[a-z]+\n(?:\/\/|<!--) ([a-z.-]+)(?: -->)?\n(.*?)```/gs)
  const files = new Map<string, string>()
  for (const [, name = '', code = ''] of blocks) if (!files.has(name)) files.set(name, code)
  return files
}
