import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
// Without comments.
const read = (path: string) => readFileSync(new URL(path, root), 'utf8').replace(/^\s*# .*$/gm, '')

test.each(['.github/workflows/check.yml', '.ci/run'])('%s runs only scripts that exist', path => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'))
  const called = [...read(path).matchAll(/\bnpm (?:run(?: --silent)? )?(ci|[a-z][a-z:]*)/g)].map(
    ([, name = '']) => name,
  )
  expect(called).toContain('test')
  expect(called.filter(name => name !== 'ci' && scripts[name] === undefined)).toEqual([])
})

test('the workflow runs everything that .ci/run does', () => {
  const workflow = read('.github/workflows/check.yml')
  const commands = read('.ci/run')
    .split('\n')
    .filter(line => line.startsWith('npm '))
  expect(commands.length).toBeGreaterThan(3)
  for (const command of commands) expect(workflow).toContain(`- run: ${command.replace(/ > .*/, '')}`)
})

test('CODEOWNERS names only files and folders that exist', () => {
  const paths = read('.github/CODEOWNERS').match(/^\/\S+/gm) ?? []
  expect(paths.length).toBeGreaterThan(0)
  expect(paths.filter(path => !existsSync(new URL(`.${path}`, root)))).toEqual([])
})
