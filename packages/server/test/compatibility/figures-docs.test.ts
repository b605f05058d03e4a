import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { figuresIn, integrationFolders, versionsIn } from '../../../../integrations/figures.ts'
import { rowsIn, withFigures } from '../../../../integrations/figures-block.ts'
import { fromRoot } from './docs-tables.ts'

const page = await readFile(fromRoot('docs/compatibility.md'), 'utf8')

test('the figures in the docs name every folder of integrations, in the versions that are installed', () => {
  const rows = rowsIn(page)
  for (const folder of integrationFolders()) expect(page).toContain(`\`${folder}\``)
  for (const { name, versions } of rows) expect(versions).toBe(versionsIn(name))
})

test('a figure in the docs has its numbers and its day, or says that it was not run', () => {
  for (const { passed, day } of rowsIn(page)) {
    const isRun = /^\d+ of \d+$/.test(passed)
    expect(isRun ? day : passed).toMatch(isRun ? /^20\d\d-\d\d-\d\d$/ : /^not run yet$/)
  }
})

test('new figures replace those of the same tests, and leave the others', () => {
  const test = (title: string, status: string) => ({ ancestorTitles: [title], status })
  const results = {
    testResults: [
      {
        name: '/repo/integrations/matrix.test.ts',
        assertionResults: [test('CopilotKit', 'passed'), test('CopilotKit', 'failed')],
      },
      { name: '/repo/integrations/openai-agents-guide.test.ts', assertionResults: [test('', 'passed')] },
      { name: '/repo/bench/test/load/runs.test.ts', assertionResults: [test('', 'passed')] },
    ],
  }
  const figures = figuresIn(results, '/repo/')
  expect(figures).toEqual([
    { name: 'copilotkit', passed: 1, all: 2 },
    { name: 'openai-agents', passed: 1, all: 1 },
  ])
  const changed = rowsIn(withFigures(page, figures, '2030-01-02'))
  const isNew = (name: string) => figures.some(figure => figure.name === name)
  expect(changed.filter(({ name }) => isNew(name))).toMatchObject([
    { name: 'copilotkit', passed: '1 of 2', day: '2030-01-02' },
    { name: 'openai-agents', passed: '1 of 1', day: '2030-01-02' },
  ])
  expect(changed.filter(({ name }) => !isNew(name))).toEqual(rowsIn(page).filter(({ name }) => !isNew(name)))
})
