import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

/**
 * Runs once per test command. Makes a folder for the temporary files of the browsers that tests share. Those browsers end
 * with the processes of the tests, which have no time to tidy up. So this does: it returns a function that removes the
 * folder.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'throughline-browsers-'))
  project.provide('browserFolder', folder)
  return () => rm(folder, { recursive: true, force: true, maxRetries: 10 })
}
