import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { createFromTarballs } from '../packages/create-from-tarballs.ts'
import { publishedPackages } from '../published-packages.ts'

test('a project of a clone brings all packages along, so that npm needs no registry for them', async () => {
  await using folder = await temporaryFolder()
  const tarballs = join(folder.path, 'tarballs')
  await mkdir(tarballs)
  const needed = publishedPackages.map(({ name }) => name).filter(name => name !== 'create-throughline')
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
  for (const name of needed) await writeFile(join(tarballs, fileName(name, version)), name)

  const project = await createFromTarballs({ folder: join(folder.path, 'my-app'), tarballs })
  const { dependencies } = JSON.parse(await readFile(join(project.folder, 'package.json'), 'utf8'))
  const brought = await readdir(join(project.folder, 'throughline-packages'))
  expect(brought.toSorted()).toEqual(['README.md', ...needed.map(name => fileName(name, version))].toSorted())
  for (const name of needed)
    expect(dependencies[name]).toBe(`file:throughline-packages/${fileName(name, version)}`)
})

test('npm run create refuses a folder that is not empty before it builds anything', async () => {
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const run = promisify(execFile)(process.execPath, ['scripts/packages/create-project.ts', 'docs'], {
    cwd: root,
  })
  await expect(run).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('not empty'),
  })
})

function fileName(name: string, version: string): string {
  return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`
}
