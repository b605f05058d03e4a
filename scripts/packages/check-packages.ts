// Part of `npm run check`: packs the built packages, and lets publint and "Are the types wrong?" look at them.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installLocked } from '../install-locked.ts'
import { runCommand } from '../run-command.ts'
import { packInto } from './pack-into.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
await installLocked(join(root, 'release'))
const folder = await mkdtemp(join(tmpdir(), 'throughline-packages-'))
try {
  const tool = (name: string) => join(root, 'release/node_modules/.bin', name)
  for (const tarball of await packInto(folder, root)) {
    await runCommand([tool('publint'), 'run', tarball, '--strict'])
    // The door for tests leads to sources, which are not published.
    const exclude = ['--exclude-entrypoints', 'testing']
    await runCommand([tool('attw'), tarball, '--profile', 'esm-only', '--quiet', ...exclude])
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
