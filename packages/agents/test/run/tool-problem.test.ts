import { tool } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type ToolFactory, ToolFactoryRegistry, toolFactory } from '../../src/run/tool-factory-registry.ts'

const dropDb = tool({ description: 'Drops it.', inputSchema: z.object({}), execute: async () => ({}) })

test('a tool with modes is given in these modes only, wherever they are written', () => {
  const inTool = toolFactory('drop_db', { ...dropDb, modes: ['chat'] })
  const inOptions = toolFactory('drop_db', dropDb, { modes: ['chat'] })
  for (const factory of [inTool, inOptions]) {
    const registry = new ToolFactoryRegistry([factory])
    expect([...registry.effectiveKeys({ keys: ['*'], mode: 'chat' })]).toEqual(['drop_db'])
    for (const mode of ['settings', 'browse'] as const)
      expect(registry.effectiveKeys({ keys: ['*'], mode }).size).toBe(0)
  }
})

test.each([
  [{ mode: ['chat'] }, {}, 'The tool "drop_db": there is no option "mode". Did you mean "modes"?'],
  [{ modes: ['chatt'] }, {}, 'The tool "drop_db": there is no mode "chatt". Did you mean "chat"?'],
  [{ modes: 'chat' }, {}, 'modes must be a list of one or more of settings, chat, browse.'],
  [{}, { needApproval: true }, 'there is no option "needApproval". Did you mean "needsApproval"?'],
  [{}, { modes: [] }, 'modes must be a list of one or more of settings, chat, browse.'],
  [{ modes: ['chat'] }, { modes: ['browse'] }, 'both the tool and the options have modes.'],
  [{ needsApproval: 'yes' }, {}, 'needsApproval must be true, false or a function.'],
])('a tool with %j and the options %j is refused', (more, options, problem) => {
  // As a configuration in JavaScript has them.
  const untyped = JSON.parse(JSON.stringify({ more, options }))
  expect(() => toolFactory('drop_db', { ...dropDb, ...untyped.more }, untyped.options)).toThrow(problem)
})

test('a factory with an option that does not exist is refused', () => {
  const factory: ToolFactory = { ...toolFactory('drop_db', dropDb), ...JSON.parse('{"idempotant":true}') }
  expect(() => new ToolFactoryRegistry([factory])).toThrow(
    'there is no option "idempotant". Did you mean "idempotent"?',
  )
})

test('what libraries note on a tool for themselves is no option', () => {
  const noted = { ...dropDb, _meta: { from: 'a library' } }
  expect(toolFactory('drop_db', noted).key).toBe('drop_db')
})
