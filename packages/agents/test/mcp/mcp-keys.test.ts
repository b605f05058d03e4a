import { mcpProgram } from '@throughline/testing/mcp/mcp-servers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assertDistinctKeys, keyTools, McpKeyConflict, mcpKey } from '../../src/mcp/mcp-keys.ts'
import { mcpTools } from '../../src/mcp/mcp-tools.ts'

const program = (...tools: readonly string[]) => ({ ...mcpProgram(), tools })

test.each([
  [
    'a tool of one server with the key of another',
    { a: ['b_c'], a_b: ['c'] },
    ['"a"', '"b_c"', '"a_b"', '"a_b_c"'],
  ],
  ['the same, the other way round', { a_b: ['c'], a: ['b_c'] }, ['"a"', '"b_c"', '"a_b"']],
  ['a key of a server whose tools are not known', { a: ['b_c'], a_b: ['*'] }, ['"a"', '"b_c"', '"a_b"']],
  [
    'two servers with names that are one in a key',
    { 'my files': ['x'], 'my.files': ['y'] },
    ['"my files"', '"my.files"'],
  ],
  ['two tools with names that are one in a key', { a: ['x.y', 'x/y'] }, ['"x.y"', '"x/y"', '"a_x_y"']],
])(
  'a configuration with %s is refused before anything is started, and both are named',
  async (_, lists, named) => {
    const servers = Object.fromEntries(
      Object.entries(lists).map(([name, tools]) => [name, program(...tools)]),
    )
    const error = await mcpTools(servers).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(McpKeyConflict)
    for (const name of named) expect(String(error)).toContain(name)
  },
)

test.each([
  [{ github: ['search'], github_enterprise: ['search'] }],
  [{ a: ['b'], a_b: ['c'] }],
  [{ a: ['*'], a_: ['*'] }],
  [{ a: ['x.y'], b: ['x_y'] }],
])('a configuration whose keys differ is taken: %o', lists => {
  const servers = Object.fromEntries(Object.entries(lists).map(([name, tools]) => [name, { tools }]))
  expect(() => assertDistinctKeys(servers)).not.toThrow()
})

test('under a star, a tool with the key of another server is left out and told about, whoever is there', () => {
  const servers = ['a', 'a_b']
  const { byKey, problems } = keyTools({ server: 'a', tools: ['b_c', 'd'], servers })
  expect([...byKey]).toEqual([['a_d', 'd']])
  expect(problems).toEqual([expect.stringContaining('belongs to the server "a_b"')])
  expect([...keyTools({ server: 'a_b', tools: ['c'], servers }).byKey]).toEqual([['a_b_c', 'c']])
})

test('under a star, the tool whose name is the key has it, in whatever order the server lists them', () => {
  for (const tools of [
    ['x.y', 'x_y'],
    ['x_y', 'x.y'],
  ]) {
    const { byKey, problems } = keyTools({ server: 'a', tools, servers: ['a'] })
    expect([...byKey]).toEqual([['a_x_y', 'x_y']])
    expect(problems).toHaveLength(1)
  }
})

const name = fc.string({ unit: fc.constantFrom('a', 'b', '_', '.', '-'), minLength: 1, maxLength: 70 })

test('no two tools ever have the same key', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(name, { maxLength: 4 }),
      fc.uniqueArray(name, { maxLength: 6 }),
      (servers, tools) => {
        const isRefused = () =>
          assertDistinctKeys(Object.fromEntries(servers.map(each => [each, { tools: [] }])))
        try {
          isRefused()
        } catch {
          return
        }
        const keys = servers.flatMap(server => [...keyTools({ server, tools, servers }).byKey.keys()])
        expect(new Set(keys).size).toBe(keys.length)
        for (const key of keys) expect(key).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
      },
    ),
  )
})

test('a key that needs no change is the server’s and the tool’s name', () => {
  expect(mcpKey('files', 'read_text_file')).toBe('files_read_text_file')
})
