import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createThroughline } from 'throughline'
import config from '../throughline.config.ts'

const data = await mkdtemp(join(tmpdir(), 'assistant-test-'))
// An empty environment has no key, so the scripted demo model answers: the same in every run, without a network.
const throughline = await createThroughline({ ...config, data, env: {} })
after(async () => {
  await throughline.close()
  await rm(data, { recursive: true })
})

test('the assistant looks up the weather and tells it', async () => {
  const chat = { ownerId: 'local', chatId: 'test' }
  const { runId } = await throughline.send({ ...chat, text: 'What is the weather in Lisbon?' })
  let tool = ''
  let text = ''
  for await (const { chunk } of throughline.follow({ ...chat, runId })) {
    if (chunk.type === 'tool-input-available') tool = chunk.toolName
    if (chunk.type === 'text-delta') text += chunk.delta
  }
  assert.equal(tool, 'weather')
  assert.match(text, /Lisbon it is sunny at 21 °C/)
})
