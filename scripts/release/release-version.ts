// `npm run release:version`: gives all packages the next version, writes their changelogs, and updates the lock file.
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installLocked } from '../install-locked.ts'
import { runCommand } from '../run-command.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

// The next release is tried against the code of this one.
await runCommand([process.execPath, join(root, 'scripts/release/record-store.ts')], { cwd: root })
await installLocked(join(root, 'release'))
await runCommand([join(root, 'release/node_modules/.bin/changeset'), 'version'], { cwd: root })
// Changesets also writes changelogs for packages that nobody installs.
for (const folder of ['packages/testing', 'apps/console', 'bench', 'examples'])
  await rm(join(root, folder, 'CHANGELOG.md'), { force: true })
await runCommand(['npm', 'install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'], {
  cwd: root,
})
const { version } = JSON.parse(await readFile(join(root, 'apps/cli/package.json'), 'utf8'))
console.log(`The next version is ${version}. Read the changelogs, then commit.`)
