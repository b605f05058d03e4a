import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkProject } from '../../packages/create/src/create-project.ts'
import { main } from '../../packages/create/src/main.ts'
import { runCommand } from '../run-command.ts'
import { createFromTarballs } from './create-from-tarballs.ts'

// `npm run create -- ../my-app`: packs the packages of this clone, and makes a project that has them. After a release,
// `npm create throughline my-app` will make the same project with versions of the registry.

const root = fileURLToPath(new URL('../..', import.meta.url))

process.exitCode = await main(process.argv.slice(2), {
  async create(options) {
    // First: packing takes a minute.
    await checkProject(options)
    await runCommand(['npm', 'run', '--silent', 'pack:packages'], { cwd: root })
    return createFromTarballs({ ...options, tarballs: join(root, '.tmp/tarballs') })
  },
})
