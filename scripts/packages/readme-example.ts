import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface ReadmeExample {
  readonly code: string
  /** What the example prints. */
  readonly output: string
}

/** Returns the example in the README of a package: a block of TypeScript, and the block with its output. */
export async function readmeExample(folder: string): Promise<ReadmeExample | undefined> {
  const readme = await readFile(join(folder, 'README.md'), 'utf8')
  const [, code, output] = /```ts\n(.*?)```\n\n```text\n(.*?)```/s.exec(readme) ?? []
  return code === undefined || output === undefined ? undefined : { code, output }
}
