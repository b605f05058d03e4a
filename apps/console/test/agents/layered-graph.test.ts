import { expect, test } from 'vitest'
import { type DelegatingAgent, layeredGraph } from '../../src/pages/agents/delegation-graph.tsx'

const agent = (name: string, allowedSubAgents: readonly string[] = []): DelegatingAgent => {
  return { name, answersPeople: false, isSubAgent: true, allowedSubAgents }
}
const master = (name: string, allowedSubAgents: readonly string[]): DelegatingAgent => {
  return { name, answersPeople: true, isSubAgent: false, allowedSubAgents }
}
const placesOf = (agents: readonly DelegatingAgent[]) =>
  layeredGraph(agents).nodes.map(({ name, column, row }) => `${name} ${column}.${row}`)
const arrowsOf = (agents: readonly DelegatingAgent[]) =>
  layeredGraph(agents).edges.map(({ from, to }) => `${from} → ${to}`)

test('an agent stands one column behind the last of those that name it', () => {
  const agents = [
    master('assistant', ['editor', 'checker']),
    agent('editor', ['writer']),
    agent('writer', ['checker']),
    agent('checker'),
  ]
  expect(placesOf(agents)).toEqual(['assistant 0.0', 'editor 1.0', 'writer 2.0', 'checker 3.0'])
  expect(layeredGraph(agents)).toMatchObject({ columns: 4, rows: 1 })
  expect(
    layeredGraph(agents).edges.find(({ to, from }) => to === 'checker' && from === 'assistant')?.span,
  ).toBe(3)
})

test('an agent that may ask everybody has arrows to the next column only, and none to itself or to a master', () => {
  const agents = [master('assistant', ['*']), agent('editor', ['writer']), agent('writer'), agent('alone')]
  expect(arrowsOf(agents)).toEqual(['assistant → editor', 'assistant → alone', 'editor → writer'])
  expect(placesOf(agents)).toEqual(['assistant 0.0', 'editor 1.0', 'writer 2.0', 'alone 1.1'])
})

test('a circle is drawn, and ends', () => {
  const agents = [agent('one', ['two']), agent('two', ['one'])]
  expect(arrowsOf(agents)).toEqual(['one → two', 'two → one'])
  const spans = layeredGraph(agents).edges.map(({ span }) => Math.sign(span))
  expect(spans.toSorted()).toEqual([-1, 1])
})

test('a name that nobody has gets no arrow, and no agents are an empty picture', () => {
  expect(arrowsOf([agent('one', ['later'])])).toEqual([])
  expect(layeredGraph([])).toMatchObject({ nodes: [], edges: [], rows: 0 })
})
