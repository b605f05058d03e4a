// `npm run changeset`: runs changesets, which notes what a release will say. Words after `--` are its own.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installLocked } from '../install-locked.ts'
import { runCommand } from '../run-command.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
await installLocked(join(root, 'release'))
await runCommand([join(root, 'release/node_modules/.bin/changeset'), ...process.argv.slice(2)], { cwd: root })
