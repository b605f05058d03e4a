import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { publishedPackages } from '../published-packages.ts'

test.each(publishedPackages)('npm pack in $folder refuses, and says what to do', async ({ folder }) => {
  const cwd = fileURLToPath(new URL(`../../${folder}`, import.meta.url))
  const packed = promisify(execFile)('npm', ['pack', '--dry-run'], {
    cwd,
    shell: process.platform === 'win32',
  })
  await expect(packed).rejects.toMatchObject({ stderr: expect.stringContaining('npm run pack:packages') })
})
