// `npm run release:check`: packs all packages, installs the tarballs into an empty folder with npm alone, and runs there what
// the READMEs show. The clients run on Node 20, too.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { readEntryPoints } from '../entry-points.ts'
import { installLocked } from '../install-locked.ts'
import { type InstalledFolder, installedFolder } from '../packages/installed-folder.ts'
import { packInto } from '../packages/pack-into.ts'
import { readmeExample } from '../packages/readme-example.ts'
import { startInstalledServer } from '../packages/start-installed-server.ts'
import { publishedPackages } from '../published-packages.ts'
import { runCommand } from '../run-command.ts'
import { checkTypes } from './check-types.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

await main()

async function main(): Promise<void> {
  await installLocked(join(root, 'release'))
  await installLocked(join(root, 'release/types'))
  await runCommand(['npm', 'run', '--silent', 'build:packages'], { cwd: root })
  const tarballs = await mkdtemp(join(tmpdir(), 'throughline-tarballs-'))
  try {
    await using installed = await installedFolder(await packInto(tarballs, root))
    const [node] = oldNodes()
    await using server = await startInstalledServer(installed.path, node)
    await checkClientFile(server.url)
    for (const old of oldNodes()) await checkClients(installed, server.url, old)
    await checkOldNode(installed)
    await checkEntryPoints(installed)
    await checkExamples(installed, server.url)
    await checkDeclarations(installed)
  } finally {
    await rm(tarballs, { recursive: true, force: true })
  }
  console.log('Everything works as installed.')
}

/** Node 20, where npm has one for this machine. */
function oldNodes(): readonly string[] {
  const node = join(root, 'release/node_modules/node20/bin/node')
  if (existsSync(node)) return [node]
  console.log('There is no Node 20 for this machine on npm, so the clients were not tried with it.')
  return []
}

/** Pages that nobody builds load the client from here. */
async function checkClientFile(url: string): Promise<void> {
  const response = await fetch(`${url}/client.js`)
  expectSame('the client as one file, from the server', String(response.status), '200')
  await response.body?.cancel()
}

async function checkClients(installed: InstalledFolder, url: string, node: string): Promise<void> {
  const example = await readmeExample(join(root, 'packages/client'))
  const code = example?.code.replace('http://127.0.0.1:4000', url) ?? ''
  expectSame(
    'the client on Node 20',
    await installed.run(code, { node, name: 'client.mjs' }),
    example?.output,
  )
}

/** An old Node gets one sentence that says what it lacks. */
async function checkOldNode(installed: InstalledFolder): Promise<void> {
  const code = `import { createThroughline } from 'throughline'
await createThroughline({ data: 'old' }).catch(error => console.log(error.message))`
  for (const node of oldNodes()) {
    const { stdout } = await promisify(execFile)(node, ['--version'])
    const output = await installed.run(code, { node, name: 'old.mjs' })
    const sentence = `Throughline needs Node 24.15 or newer, and this is ${stdout.trim().slice(1)}.`
    if (!output.startsWith(sentence)) throw new Error(`Node 20 got no clear sentence, but:\n${output}`)
  }
}

async function checkEntryPoints(installed: InstalledFolder): Promise<void> {
  const specifiers = [...readEntryPoints(new URL(`file://${root}`)).keys()].filter(
    // These two need a framework, which is not installed here. The templates use them.
    name => !/client\/(react|vue)$/.test(name),
  )
  const code = `${specifiers.map(name => `await import('${name}')`).join('\n')}\nconsole.log('all')`
  expectSame('every entry point', await installed.run(code), 'all\n')
  const deep = `await import('@throughline/client/chat/create-chat').catch(error => console.log(error.code))`
  expectSame('a file that is no entry point', await installed.run(deep), 'ERR_PACKAGE_PATH_NOT_EXPORTED\n')
}

async function checkDeclarations({ path: folder }: InstalledFolder): Promise<void> {
  const compilers = join(root, 'release/types')
  const specifiers = [...readEntryPoints(new URL(`file://${root}`)).keys()]
  for (const name of await checkTypes({ folder, compilers, specifiers }))
    console.log(`✓ every declaration under ${name}`)
}

async function checkExamples(installed: InstalledFolder, url: string): Promise<void> {
  for (const { name, folder } of publishedPackages) {
    const example = await readmeExample(join(root, folder))
    if (example === undefined || example.code.includes('@throughline/testing')) continue
    const code = example.code.replace('http://127.0.0.1:4000', url)
    expectSame(`the example of ${name}`, await installed.run(code), example.output)
  }
}

function expectSame(what: string, actual: string, expected: string | undefined): void {
  if (actual !== expected) throw new Error(`${what}: expected\n${expected}\nbut got\n${actual}`)
  console.log(`✓ ${what}`)
}
