import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Agent, AgentEvent, AgentRequest } from '@throughline/agents'
import { textOf } from '@throughline/protocol'
import { startServer } from '@throughline/server'
import { openStore } from '@throughline/store'
import { pino } from 'pino'
import { serveBench } from './child.ts'
import { deltasOf, isScript, type Script } from './delta-source.ts'

// The whole server as it is deployed: runs, a durable log on disk with fsync, saved messages, HTTP.
const folder = await mkdtemp(join(tmpdir(), 'throughline-bench-'))
const store = await openStore(folder)
const agent: Agent = { name: 'script', displayName: 'Script', run: request => play(scriptOf(request)) }
const server = await startServer({ store, agents: [agent], logger: pino({ level: 'silent' }), port: 0 })

serveBench(server.url, {
  async close() {
    await server.close()
    await store.close()
    await rm(folder, { recursive: true })
  },
})

function scriptOf({ messages }: AgentRequest): Script {
  const last = messages.at(-1)
  const word = last === undefined ? '' : textOf(last)
  if (!isScript(word)) throw new RangeError(`There is no script "${word}".`)
  return word
}

async function* play(script: Script): AsyncGenerator<AgentEvent> {
  yield { type: 'step-start' }
  const call = { toolCallId: 'call', toolName: 'write_file' } as const
  if (script === 'tool-input') {
    yield { type: 'tool-input-start', ...call }
    const texts: string[] = []
    for await (const text of deltasOf(script)) {
      texts.push(text)
      yield { type: 'tool-input-delta', toolCallId: call.toolCallId, text }
    }
    yield { type: 'tool-call', ...call, input: JSON.parse(texts.join('')) }
    yield { type: 'tool-result', ...call, input: undefined, output: 'written' }
  } else {
    for await (const text of deltasOf(script)) yield { type: 'text-delta', text }
  }
  yield { type: 'step-end' }
  yield { type: 'finish', finishReason: 'stop' }
}
