import type { Part, ToolPart } from '@throughline/protocol'
import { expect, test } from 'vitest'
import { groupParts } from '../src/parts/group-parts.ts'

const call = (toolCallId: string, type: ToolPart['type'] = 'tool-look'): ToolPart => ({
  type,
  toolCallId,
  state: 'output-available',
  output: 1,
})
const text = (said: string): Part => ({ type: 'text', text: said, state: 'done' })
const step: Part = { type: 'step-start' }
const thought: Part = { type: 'reasoning', text: 'Next.', state: 'done' }

/** Returns the indexes of the parts in each group. */
function outline(parts: readonly Part[]): readonly (readonly number[])[] {
  return groupParts(parts).map(group => group.map(({ index }) => index))
}

test('three calls in a row stay apart, four are one group', () => {
  expect(outline([call('a'), call('b'), call('c')])).toEqual([[0], [1], [2]])
  expect(outline([call('a'), call('b'), call('c'), call('d')])).toEqual([[0, 1, 2, 3]])
})

test('steps and ended thoughts between calls belong to the run, those after it do not', () => {
  const parts = [call('a'), step, thought, call('b'), step, call('c'), step, call('d'), step, thought]
  expect(outline(parts)).toEqual([[0, 1, 2, 3, 4, 5, 6, 7], [8], [9]])
})

test('text, a thought that is being written and a sub-agent end a run, and nothing is lost', () => {
  for (const end of [text('So.'), { ...thought, state: 'streaming' as const }, call('x', 'tool-subAgent')]) {
    const parts = [call('a'), call('b'), end, call('c'), call('d')]
    expect(outline(parts)).toEqual([[0], [1], [2], [3], [4]])
  }
})
