// `npm run release:publish`: publishes all packages to npm's registry, or the one in npm's settings. Needs `npm login`.
import { fileURLToPath } from 'node:url'
import { runCommand } from '../run-command.ts'
import { publishPackages } from './publish-packages.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

// What is published is what is committed.
await runCommand(['git', 'diff', '--exit-code', '--stat', 'HEAD'], { cwd: root })
await runCommand(['npm', 'whoami'], { cwd: root })
await runCommand(['npm', 'run', '--silent', 'build:packages'], { cwd: root })
await publishPackages(root)
