import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))

test('after an install, "node" in scripts is the Node that the project brings, whatever npm has linked', async () => {
  await using folder = await temporaryFolder()
  for (const path of ['apps/cli/bin', 'apps/cli/package.json', 'scripts', 'package.json'])
    await cp(join(root, path), join(folder.path, path), { recursive: true })
  const own = join(folder.path, `node_modules/node-${process.platform}-${process.arch}/bin/node`)
  await mkdir(join(own, '..'), { recursive: true })
  await writeFile(own, '#!/bin/sh\n')
  await chmod(own, 0o755)
  const link = join(folder.path, 'node_modules/.bin/node')
  // Twice: npm may have made the link itself.
  for (let times = 0; times < 2; times += 1) {
    await promisify(execFile)(process.execPath, [join(folder.path, 'scripts/link-own-node.js')])
    expect(await realpath(link)).toBe(await realpath(own))
  }
})
