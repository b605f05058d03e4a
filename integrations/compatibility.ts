import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { succeeds } from '../scripts/run-command.ts'
import { type Figure, figuresIn, recordingTests, vitestResults } from './figures.ts'
import { withFigures } from './figures-block.ts'

// `npm run compatibility`: runs the tests with other people's programs, and writes how many have passed into
// docs/compatibility.md. Words after `--` are vitest's: then only the figures of those tests are new. With
// `--results FILE` nothing is run: the file is what vitest's JSON reporter has written.

const root = fileURLToPath(new URL('..', import.meta.url))
const page = join(root, 'docs/compatibility.md')

const words = process.argv.slice(2)
const given = words[0] === '--results' ? words.slice(1) : undefined
const figures = given === undefined ? await runTests(words) : await readAll(given)
if (figures === undefined) {
  console.error('The tests could not be run, so there are no figures. What is printed above says why.')
  process.exitCode = 1
} else {
  const today = new Date().toISOString().slice(0, 10)
  await writeFile(page, withFigures(await readFile(page, 'utf8'), figures, today))
  for (const { name, passed, all } of figures) console.log(`${name}: ${passed} of ${all}`)
}

/**
 * Runs the tests, and those with recordings of providers, which belong to `npm test`. Returns `undefined` when some could not
 * be run, because an installation or the compiler failed.
 */
async function runTests(only: readonly string[]): Promise<readonly Figure[] | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'throughline-figures-'))
  const results = [join(folder, 'integrations.json'), join(folder, 'recordings.json')] as const
  const json = (file: string) => ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const options = { cwd: root, stdio: 'inherit' } as const
  try {
    const commands = [[process.execPath, 'integrations/run.ts', ...only, ...json(results[0])]]
    if (only.length === 0)
      commands.push(['npm', 'exec', '--', 'vitest', 'run', ...recordingTests, ...json(results[1])])
    for (const command of commands) if (!(await succeeds(command, options))) process.exitCode = 1
    const written = results.slice(0, commands.length)
    return written.every(file => existsSync(file)) ? await readAll(written) : undefined
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function readAll(files: readonly string[]): Promise<readonly Figure[]> {
  const read = files.map(async file => vitestResults.parse(JSON.parse(await readFile(file, 'utf8'))))
  const testResults = (await Promise.all(read)).flatMap(each => each.testResults)
  return figuresIn({ testResults }, root)
}
