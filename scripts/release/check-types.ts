// Part of `npm run release:check`: compiles a program that imports every entry point of the packed packages, with
// `skipLibCheck: false`, under each version of TypeScript in release/types.
import { execFile } from 'node:child_process'
import { copyFile, cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'

const manifest = z.object({ dependencies: z.record(z.string(), z.string()) })

export interface TypesToCheck {
  /** The folder in which the packages are installed. */
  readonly folder: string
  /** The folder with the versions of TypeScript, and what is installed of others' types. */
  readonly compilers: string
  /** The entry points, such as `throughline/demo`. */
  readonly specifiers: readonly string[]
}

/** Resolves to the names of the versions. Throws when a declaration of ours does not compile under one of them. */
export async function checkTypes({
  folder,
  compilers,
  specifiers,
}: TypesToCheck): Promise<readonly string[]> {
  const code = specifiers.map((name, index) => `export * as entry${index} from '${name}'\n`).join('')
  await writeFile(join(folder, 'consumer.ts'), code)
  await copyFile(join(compilers, 'consumer.tsconfig.json'), join(folder, 'tsconfig.json'))
  // The types of Node and of the frameworks, which an application has. What is installed there already stays.
  await cp(join(compilers, 'node_modules'), join(folder, 'node_modules'), {
    recursive: true,
    force: false,
    filter: path => !/node_modules\/(@typescript|typescript-|\.)/.test(path),
  })
  const { dependencies } = manifest.parse(JSON.parse(await readFile(join(compilers, 'package.json'), 'utf8')))
  const names = Object.keys(dependencies).filter(name => name.startsWith('typescript-'))
  for (const name of names) {
    const errors = await errorsOf(join(compilers, 'node_modules', name, 'bin/tsc'), folder)
    if (errors.length > 0)
      throw new Error(`Our declarations do not compile under ${dependencies[name]}:\n${errors.join('\n')}`)
  }
  return names
}

/** Packages of others have mistakes of their own, such as `ai` under TypeScript 5.4. Ours must have none. */
async function errorsOf(tsc: string, cwd: string): Promise<readonly string[]> {
  const output = await promisify(execFile)(process.execPath, [tsc, '-p', '.', '--pretty', 'false'], {
    cwd,
  }).then(
    ({ stdout }) => stdout,
    (error: unknown) => (error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error)),
  )
  const errors = output.split('\n').filter(line => /error TS\d+/.test(line))
  return errors.filter(line => !/^node_modules\/(?!@throughline\/|throughline\/)/.test(line))
}
