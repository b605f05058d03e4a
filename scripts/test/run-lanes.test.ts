import { expect, test } from 'vitest'
import { runLanes, type Step } from '../checks/run-lanes.ts'

const node = (name: string, code: string): Step => ({ name, command: `node -e "${code}"` })

test('every check runs, and what failed is summed up with its output', async () => {
  const printed: string[] = []
  const failed = await runLanes(
    [
      [node('fails', "console.log('what is wrong'); process.exit(1)"), node('runs anyhow', '')],
      [
        node('is fine', "console.log('nobody needs this')"),
        { ...node('says it', 'console.log(143)'), isShown: true },
      ],
    ],
    { maxLanes: 1, print: line => printed.push(line.replace(/\d+\.\d s/, '0 s')) },
  )
  expect(failed).toEqual(['fails'])
  expect(printed).toEqual([
    'FAILED fails (0 s)',
    'what is wrong',
    'ok     runs anyhow (0 s)',
    'ok     is fine (0 s)',
    'ok     says it (0 s)',
    '143',
  ])
})

test('what needs a check that failed does not run, and counts as failed', async () => {
  const printed: string[] = []
  const lane = [{ ...node('build', 'process.exit(2)'), isNeeded: true }, node('size', '')]
  const failed = await runLanes([lane], { maxLanes: 2, print: line => printed.push(line) })
  expect(failed).toEqual(['build', 'size (needs: build)'])
  expect(printed).toHaveLength(2)
})
