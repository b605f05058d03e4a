import { mcpProgram, startMcpHttpServer } from '@throughline/testing/mcp/mcp-servers'
import { expect, test } from 'vitest'
import { type McpTools, mcpTools } from '../../src/mcp/mcp-tools.ts'
import { LineReader } from '../../src/mcp/program-transport.ts'

const megabyte = 1024 * 1024
const tools = ['*']

test('a program that prints fifty megabytes on one line is cut off by name, and started again by the next call', async () => {
  const reported: string[] = []
  const report = ({ message }: { readonly message: string }) => void reported.push(message)
  await using mcp = await open({ files: { ...mcpProgram(), tools } }, report)
  const before = await call(mcp, 'files_pid')
  await expect(call(mcp, 'files_large', { bytes: 50 * megabyte })).rejects.toMatchObject({
    code: 'mcp-too-large',
    message: expect.stringContaining('"files" sent more than 32 MB in one message'),
  })
  expect(reported).toEqual([expect.stringContaining('32 MB')])
  expect(await call(mcp, 'files_pid')).not.toEqual(before)
})

test('a program that never ends its line is cut off at the start too', async () => {
  const flood = 'const text = "x".repeat(1e6); (function write() { process.stdout.write(text, write) })()'
  const endless = { command: process.execPath, args: ['-e', flood], tools: ['look'] }
  await using mcp = await open({ endless })
  expect(mcp.problems).toEqual([{ server: 'endless', message: expect.stringContaining('32 MB') }])
})

test('a large answer of a program comes through whole, however it is cut into pieces', async () => {
  await using mcp = await open({ files: { ...mcpProgram(), tools } })
  expect(await call(mcp, 'files_large', { bytes: 20 * megabyte })).toBe('x'.repeat(20 * megabyte))
})

test('noise of a program, and an answer that nobody waits for, break nothing', async () => {
  const { command, args } = mcpProgram()
  const noise = 'Starting…\n{"jsonrpc":"2.0","id":999,"result":{"__proto__":{"x":1}}}\n'
  const program = `process.stdout.write(${JSON.stringify(noise)}); import(${JSON.stringify(args[0])})`
  await using mcp = await open({ files: { command, args: ['-e', program], tools } })
  expect(mcp.problems).toEqual([])
  expect(await call(mcp, 'files_echo', { text: 'hi' })).toBe('echo: hi')
})

test('a server at an address that answers with fifty megabytes is cut off by name', async () => {
  await using http = await startMcpHttpServer()
  await using mcp = await open({ web: { url: http.url, tools } })
  await expect(call(mcp, 'web_large', { bytes: 50 * megabyte })).rejects.toMatchObject({
    code: 'mcp-too-large',
  })
  expect(await call(mcp, 'web_echo', { text: 'hi' })).toBe('echo: hi')
})

test('lines are found wherever the pieces are cut, and no piece is looked at twice', () => {
  const text = 'one\r\ntwo é 🙂\n\nthree\nrest'
  const bytes = Buffer.from(text)
  for (let size = 1; size <= bytes.length; size += 1) {
    const reader = new LineReader(1_000)
    const lines: string[] = []
    for (let start = 0; start < bytes.length; start += size) {
      lines.push(...reader.read(bytes.subarray(start, start + size)))
    }
    expect(lines).toEqual(['one', 'two é 🙂', '', 'three'])
  }
})

test('a line that is too long is refused as soon as it is', () => {
  const reader = new LineReader(10)
  expect([...reader.read(Buffer.from('0123456789\n01234'))]).toEqual(['0123456789'])
  expect(() => [...reader.read(Buffer.from('567890'))]).toThrow('10')
})

async function open(
  servers: Parameters<typeof mcpTools>[0],
  report?: (problem: { readonly message: string }) => void,
): Promise<McpTools & AsyncDisposable> {
  const mcp = await mcpTools(servers, report === undefined ? {} : { report })
  return { ...mcp, [Symbol.asyncDispose]: () => mcp.close() }
}

async function call({ tools: all }: McpTools, key: string, input: unknown = {}): Promise<unknown> {
  const execute = all.find(each => each.key === key)?.make().execute
  if (execute === undefined) throw new TypeError(`There is no tool "${key}".`)
  return execute(input, { toolCallId: 'call', messages: [], context: {} })
}
