import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { compileCacheEnv } from '@throughline/testing/server/compile-cache'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { selfSignedCertificate } from '../../../../packages/agents/test/web/testing/self-signed-certificate.ts'
import { startProgram } from '../start-program.ts'
import { startSlowServer } from './conformance-run.ts'
import { startMeddlingProxy } from './meddling-proxy.ts'

test.each([
  [true, 0, '✓ stream/http-version  Browsers get HTTP/2 (h2)'],
  [false, 1, '    came      http/1.1\n'],
])('over HTTPS, with HTTP/2 %j, the command ends with %j', async (hasHttp2, code, expected) => {
  await using server = await startSlowServer()
  await using folder = await temporaryFolder()
  const certificate = selfSignedCertificate('localhost')
  const path = join(folder.path, 'certificate.pem')
  await writeFile(path, certificate.cert)
  await using proxy = await startMeddlingProxy(server.url, { tls: { ...certificate, hasHttp2 } })
  const program = startProgram(['conformance', proxy.url, '--only', 'stream'], { NODE_EXTRA_CA_CERTS: path })
  const ended = await program.ended
  expect(ended).toMatchObject({ code, errors: '', output: expect.stringContaining(expected) })
  expect(ended.output).toContain(`6 checks of ${proxy.url}, with 1 question to the agent "assistant".\n`)
})

test('Ctrl-C ends the command with 130, and its chats are deleted', async () => {
  await using server = await startSlowServer()
  const program = startProgram(['conformance', server.url, '--message', 'Write a long text.'])
  const chats = async () => (await fetch(`${server.url}/api/chats`)).json()
  await expect.poll(chats).toMatchObject({ chats: { length: 1 } })
  program.signal('SIGINT')
  expect(await program.ended).toMatchObject({ code: 130, errors: '' })
  expect(await chats()).toEqual({ chats: [] })
})

test('the checks are made, and their chats deleted, when nobody reads the output', async () => {
  await using server = await startSlowServer()
  const command = fileURLToPath(new URL('../../bin/throughline.js', import.meta.url))
  const line = `"${process.execPath}" "${command}" conformance ${server.url} --only answer | head -n 1`
  const env = { ...compileCacheEnv(), PATH: process.env['PATH'] }
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', line], { env })
  expect({ stdout, stderr }).toEqual({
    stdout: `1 check of ${server.url}, with 1 question to the agent "assistant".\n`,
    stderr: '',
  })
  expect(await (await fetch(`${server.url}/api/chats`)).json()).toEqual({ chats: [] })
})
