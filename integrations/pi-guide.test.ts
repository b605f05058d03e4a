import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { textOf } from '@throughline/protocol'
import { ask, loadAnswer, submit } from '@throughline/testing/http/chat-requests'
import { startRecordedProvider } from '@throughline/testing/provider/recorded-provider'
import { expect, test } from 'vitest'
import { startProgram } from '../apps/cli/test/start-program.ts'
import { serveGuide } from './serve-guide.ts'

const recorded = (turn: 1 | 2) =>
  ({ type: 'recording', name: `anthropic.text-tool-text.${turn}`, style: 'anthropic' }) as const

test('the agent of the guide answers on a server, with its tool', async () => {
  await using provider = await startRecordedProvider([recorded(1), recorded(2)])
  const redirect = fileURLToPath(new URL('pi/redirect-provider.ts', import.meta.url))
  const env = {
    NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${redirect}`,
    ANTHROPIC_API_KEY: 'key',
    PROVIDER_URL: provider.url,
  }
  await using server = await serveGuide({ guide: 'pi', block: 0, env })
  await (await ask(server.url, { text: 'How is Lisbon?' })).text()
  const answer = await loadAnswer(server.url)
  expect(answer.parts).toContainEqual(
    expect.objectContaining({
      type: 'tool-weather',
      state: 'output-available',
      output: expect.objectContaining({ details: { city: 'Lisbon', sky: 'clear', degrees: 21 } }),
    }),
  )
  expect(textOf(answer)).toContain('21度')
  expect(answer.metadata).toMatchObject({
    status: 'finished',
    agent: { name: 'support', displayName: 'Support' },
  })
  expect(Object.keys(answer.metadata?.usage?.byModel ?? {})).toEqual(['anthropic:claude-sonnet-4-5'])
})

test('an answer whose process was killed goes on, with the results that there were', async () => {
  const parent = fileURLToPath(new URL('pi/.tmp', import.meta.url))
  await mkdir(parent, { recursive: true })
  const folder = await mkdtemp(join(parent, 'crash-'))
  try {
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    const config = await readFile(new URL('pi/crash.config.ts', import.meta.url), 'utf8')
    await writeFile(join(folder, 'throughline.config.ts'), config.replace('./serve.ts', '../../serve.ts'))
    const first = await serve(folder, { HANG: '1' })
    await submit(first.url)
    await expect.poll(async () => JSON.stringify(await loadAnswer(first.url))).toContain('Clear in Oslo.')
    first.program.signal('SIGKILL')
    await first.program.ended
    const second = await serve(folder)
    await expect
      .poll(async () => (await loadAnswer(second.url)).metadata?.status, { timeout: 60_000 })
      .toBe('finished')
    // The instructions, the question, the call and its result.
    expect(textOf(await loadAnswer(second.url))).toBe('It is clear, after 4 messages.')
    second.program.signal('SIGTERM')
    await second.program.ended
  } finally {
    await rm(folder, { recursive: true })
  }
}, 120_000)

async function serve(cwd: string, env: Readonly<Record<string, string>> = {}) {
  const program = startProgram(['serve'], { PORT: '0', THROUGHLINE_LOG: 'warn', ...env }, { cwd })
  const [, url = ''] = /listens at (\S+)/.exec(await program.until(' with the model')) ?? []
  return { program, url }
}
