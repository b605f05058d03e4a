import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { serveOnDemand } from './serve-on-demand.ts'

const execute = promisify(execFile)
const bundleProgram = fileURLToPath(new URL('../server/bundle-process.ts', import.meta.url))

/**
 * Runs once per test command. The first test that starts one of the programs that tests kill has them bundled. Returns a
 * function that removes the bundle.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'throughline-programs-'))
  const locator = await serveOnDemand(async () => {
    await execute(process.execPath, [bundleProgram, folder])
    return folder
  })
  project.provide('programsLocator', locator.url)
  return async () => {
    await locator.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}
