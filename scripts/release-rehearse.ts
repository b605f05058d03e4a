// `npm run release:rehearse`: does everything that a release does, with a registry on this machine. Builds and publishes all
// packages, installs them from there into an empty folder, starts the server and asks it something.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { installedFolder } from './installed-folder.ts'
import { startLocalRegistry } from './local-registry.ts'
import { publishPackages } from './publish-packages.ts'
import { readmeExample } from './readme-example.ts'
import { runCommand } from './run-command.ts'
import { startInstalledServer } from './start-installed-server.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

await runCommand(['npm', 'run', '--silent', 'build:packages'], { cwd: root })
const { stdout: upstream } = await promisify(execFile)('npm', ['config', 'get', 'registry'])
await using registry = await startLocalRegistry(root, upstream.trim())
await publishPackages(root, registry.env)
// What a release that failed halfway does: nothing is published twice.
await publishPackages(root, registry.env)

await using installed = await installedFolder(['throughline', '@throughline/client'], registry.env)
await using server = await startInstalledServer(installed.path)
const example = await readmeExample(join(root, 'packages/client'))
const said = await installed.run(example?.code.replace('http://127.0.0.1:4000', server.url) ?? '')
if (said !== example?.output) throw new Error(`The installed server said:\n${said}`)
console.log('The release would work: published, installed, started, and asked.')
