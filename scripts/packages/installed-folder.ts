import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { runCommand } from '../run-command.ts'

/** A folder outside the repository, in which packages are installed as people install them. */
export interface InstalledFolder extends AsyncDisposable {
  readonly path: string
  /** Runs a program of this text with a Node, and returns what it prints. */
  run(code: string, options?: { readonly node?: string; readonly name?: string }): Promise<string>
}

/** Makes an empty folder, and installs tarballs with npm. */
export async function installedFolder(tarballs: readonly string[]): Promise<InstalledFolder> {
  const path = await mkdtemp(join(tmpdir(), 'throughline-installed-'))
  // The programs must not find the sources of the repository.
  const { NODE_OPTIONS: _, ...env } = process.env
  await writeFile(join(path, 'package.json'), '{ "private": true, "type": "module" }')
  await runCommand(
    ['npm', 'install', '--silent', '--prefer-offline', '--no-audit', '--no-fund', ...tarballs],
    {
      cwd: path,
      env,
    },
  )
  return {
    path,
    async run(code, { node = process.execPath, name = 'example.ts' } = {}) {
      await writeFile(join(path, name), code)
      const { stdout } = await promisify(execFile)(node, [name], { cwd: path, env })
      return stdout
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}
