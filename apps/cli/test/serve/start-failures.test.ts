import { once } from 'node:events'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { describe, expect, test } from 'vitest'
import { run } from '../../src/main.ts'
import { fakeTerminal } from '../fake-terminal.ts'
import { startProgram } from '../start-program.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const quiet = { PORT: '0', THROUGHLINE_LOG: 'silent' }

describe('a server that cannot start says why in one sentence, and ends with 1:', () => {
  test('the port is taken', async () => {
    await using folder = await temporaryFolder()
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    const port = typeof address === 'object' && address !== null ? String(address.port) : ''
    const env = { ...quiet, PORT: port, THROUGHLINE_DATA: folder.path }
    expect(await failureOf(env)).toBe(
      `PORT: port ${port} of 127.0.0.1 is taken by another program. Stop that one, or set PORT to another port.`,
    )
    other.close()
  })

  test('the address is not one of this machine', async () => {
    await using folder = await temporaryFolder()
    const env = { ...quiet, THROUGHLINE_DATA: folder.path, HOST: '192.0.2.1', THROUGHLINE_TOKENS: tokens }
    expect(await refusalOf(env)).toMatch(/^HOST: "192\.0\.2\.1" is not an address of this machine\. Use /)
  })

  test('others could get in without a token', async () => {
    await using folder = await temporaryFolder()
    const env = { ...quiet, THROUGHLINE_DATA: folder.path, HOST: '0.0.0.0' }
    expect(await refusalOf(env)).toMatch(
      /^HOST: 0\.0\.0\.0 lets others in, .*Set THROUGHLINE_TOKENS=user:token/,
    )
  })

  test('the data folder is a file', async () => {
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'data')
    await writeFile(file, '')
    const expected = `THROUGHLINE_DATA: ${file} is a file. Name a folder.`
    expect(await refusalOf({ ...quiet, THROUGHLINE_DATA: file })).toBe(expected)
  })

  test('the data folder is in a file', async () => {
    await using folder = await temporaryFolder()
    await writeFile(join(folder.path, 'file'), '')
    const data = join(folder.path, 'file', 'data')
    const expected = `THROUGHLINE_DATA: ${data} cannot be a folder, because a part of its path is a file. Name another one.`
    expect(await refusalOf({ ...quiet, THROUGHLINE_DATA: data })).toBe(expected)
  })

  // Nobody can write here, root included.
  test.each([
    ['cannot be made', '/sys/throughline'],
    ['is read-only', '/proc/self'],
  ])('the data folder %s', async (_, data) => {
    const expected = `THROUGHLINE_DATA: ${data} cannot be written. Give this user the right to write there, or name another folder.`
    expect(await refusalOf({ ...quiet, THROUGHLINE_DATA: data })).toBe(expected)
  })

  test('the database file is not a file', async () => {
    await using folder = await temporaryFolder()
    await mkdir(join(folder.path, 'throughline.sqlite'))
    const expected = `THROUGHLINE_DATA: ${folder.path} cannot be written. Give this user the right to write there, or name another folder.`
    expect(await refusalOf({ ...quiet, THROUGHLINE_DATA: folder.path })).toBe(expected)
  })

  test('the data is damaged', async () => {
    await using folder = await temporaryFolder()
    await writeFile(join(folder.path, 'throughline.sqlite'), 'This is no database.'.repeat(100))
    expect(await failureOf({ ...quiet, THROUGHLINE_DATA: folder.path })).toMatch(
      /^THROUGHLINE_DATA: the database in \S+ cannot be opened: file is not a database\. /,
    )
  })
})

const tokens = 'ada:a-token-of-some-length'

describe('a configuration that cannot be read is named with its place:', () => {
  test.each([
    ['a mistake in its syntax', 'export default {\n  agents: [,\n}}', /^throughline\.config\.ts, line \d: /],
    [
      'types that Node cannot take away',
      'enum Agents { One }\nexport default {}',
      /^throughline\.config\.ts, line 1: .*enum/,
    ],
    [
      'an error that it throws',
      'const secret = undefined\n\nthrow new Error("There is no secret.")',
      'throughline.config.ts, line 3: There is no secret.',
    ],
    ['something else that it throws', 'throw "No secret"', 'throughline.config.ts: No secret.'],
    [
      'a package that it lacks',
      'import "left-pad-of-mine"',
      /^throughline\.config\.ts: .*left-pad-of-mine.* Install it\./,
    ],
    [
      'nothing that it exports',
      'export const config = {}',
      'throughline.config.ts: it has no default export. Write "export default defineConfig({ … })".',
    ],
  ])('%s', async (_, code, expected) => {
    await using folder = await temporaryFolder()
    await writeFile(join(folder.path, 'throughline.config.ts'), code)
    const failure = await failureOf(
      { ...quiet, THROUGHLINE_DATA: join(folder.path, 'data') },
      { cwd: folder.path },
    )
    expect(failure).toMatch(expected)
  })
})

describe('a repository in which nothing is installed', () => {
  test('says what to do', async () => {
    await using folder = await copiedCommand(['bin', 'src', 'tsconfig.build.json'])
    const failure = await failureOf(quiet, { program: join(folder.path, 'apps/cli/bin/throughline.js') })
    expect(failure).toMatch(
      /^Throughline needs the package "\S+", which is not installed\. Run "npm ci" or "npm install" again\.$/,
    )
  })

  test('says what to do when Node is too old, too', async () => {
    await using folder = await copiedCommand(['bin'])
    const program = join(folder.path, 'apps/cli/bin/throughline.js')
    expect(await failureOf(quiet, { program, nodeOptions: asOldNode })).toMatch(
      /^Throughline needs Node 24\.15 or newer, and this is 20\.20\.2\. Install it from \S+\. On Linux .* brings one\.$/,
    )
  })
})

describe('on a Node that is too old, the command runs again with the one that the project brings,', () => {
  test('with the same words, output and end', async () => {
    const { code, output, errors } = await startProgram(['help', 'dance'], {}, { nodeOptions: asOldNode })
      .ended
    expect({ code, output }).toEqual({ code: 1, output: '' })
    expect(errors).toContain('There is no command "dance".')
  })

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('and passes %s on', async signal => {
    await using folder = await temporaryFolder()
    const env = { ...quiet, THROUGHLINE_DATA: folder.path }
    const server = startProgram(['serve'], env, { nodeOptions: asOldNode })
    await server.until('Throughline listens at')
    server.signal(signal)
    expect(await server.ended).toMatchObject({ errors: '', code: 0 })
  })

  test('and leaves nothing behind when it is killed', async () => {
    await using folder = await temporaryFolder()
    const env = { ...quiet, THROUGHLINE_DATA: folder.path }
    const server = startProgram(['serve'], env, { nodeOptions: asOldNode })
    await server.until('Throughline listens at')
    server.signal('SIGKILL')
    // The two processes share the output, so it is closed when both have ended.
    expect(await server.ended).toMatchObject({ signal: 'SIGKILL' })
  })
})

/** Pretends to be an old Node. The command only looks at the version before it starts another Node. */
const asOldNode = [
  '--import',
  'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.20.2"}})',
]

/** Returns why the command fails in a process of its own. */
async function failureOf(
  env: Readonly<Record<string, string>>,
  options: Parameters<typeof startProgram>[2] = {},
): Promise<string> {
  const { code, output, errors } = await startProgram(['serve'], env, options).ended
  expect({ code, output: output.replace(/^The page is not built.*\n/, '') }).toEqual({ code: 1, output: '' })
  return sentenceIn(errors)
}

/** Returns why the command fails in this process, which is much faster to test. */
async function refusalOf(env: Readonly<Record<string, string>>): Promise<string> {
  const terminal = fakeTerminal(env)
  expect(await run(['serve'], terminal.shell)).toBe(1)
  return sentenceIn(terminal.text)
}

function sentenceIn(errors: string): string {
  expect(errors.endsWith('\n')).toBe(true)
  const sentence = errors.slice(0, -1)
  expect(sentence).not.toContain('\n')
  return sentence
}

/** The command in a folder with no node_modules in it or above it. */
async function copiedCommand(parts: readonly string[]) {
  const folder = await temporaryFolder()
  for (const part of parts) {
    await cp(join(root, 'apps/cli', part), join(folder.path, 'apps/cli', part), { recursive: true })
  }
  await cp(join(root, 'apps/cli/package.json'), join(folder.path, 'apps/cli/package.json'))
  return folder
}
