import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startProgram } from '../apps/cli/test/start-program.ts'

export interface GuideConfiguration {
  /** The name of the guide in docs/guides, which is also the folder of its packages here. */
  readonly guide: string
  /** Which code block of the guide is the configuration, counted from 0. */
  readonly block: number
  readonly env?: Readonly<Record<string, string>>
}

/** Starts `throughline serve` with a configuration as it stands in a guide. */
export async function serveGuide({ guide, block, env = {} }: GuideConfiguration) {
  const text = await readFile(new URL(`../docs/guides/${guide}.md`, import.meta.url), 'utf8')
  const code = text.split('```ts\n')[block + 1]?.split('```')[0] ?? ''
  // Inside the folder of the foreign packages, so that they are found. Our own are found in the repository above.
  const parent = fileURLToPath(new URL(`${guide}/.tmp`, import.meta.url))
  await mkdir(parent, { recursive: true })
  const folder = await mkdtemp(join(parent, 'guide-'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, 'throughline.config.ts'), code)
  const server = startProgram(['serve'], { PORT: '0', THROUGHLINE_LOG: 'warn', ...env }, { cwd: folder })
  const [, url = ''] = /listens at (\S+)/.exec(await server.until(' with the model')) ?? []
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.signal('SIGTERM')
      await server.ended
      await rm(folder, { recursive: true })
    },
  }
}
