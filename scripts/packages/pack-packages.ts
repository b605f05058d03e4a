// `npm run pack:packages`: builds all packages, and packs each as it would be published, into .tmp/tarballs.
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runCommand } from '../run-command.ts'
import { packInto } from './pack-into.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const tarballs = join(root, '.tmp/tarballs')

await rm(tarballs, { recursive: true, force: true })
await mkdir(tarballs, { recursive: true })
await runCommand(['npm', 'run', '--silent', 'build:packages'], { cwd: root })
for (const path of await packInto(tarballs, root)) console.log(path)
