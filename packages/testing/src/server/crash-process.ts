import { appendFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { MasterAgent, SubAgent, toolContext, toolFactory } from '@throughline/agents'
import { subAgentTool } from '@throughline/agents/testing'
import { agentSystem, startServer } from '@throughline/server'
import { openStore } from '@throughline/store'
import { openPostgresStore } from '@throughline/store/testing'
import { tool } from 'ai'
import { pino } from 'pino'
import { z } from 'zod'
import { crashModel } from '../agent/crash-model.ts'
import { holdEnds } from '../faults/hold-ends.ts'
import { subAgent } from './delegating-server.ts'

// This program is a server that tests kill. The question names the scenario: see `crash-model.ts`. With --hang the model or
// the tool of the scenario never ends, so that the test can kill the process in the middle of it. Each request to the model
// goes into the file `prompts`, and each effect of a tool into the file `effects`, both in the data folder. With --database the
// rest is in a Postgres database, which several of these processes may share. With --page it serves the page in that folder.

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '' },
    database: { type: 'string' },
    hang: { type: 'boolean', default: false },
    'no-continue': { type: 'boolean', default: false },
    page: { type: 'string' },
    port: { type: 'string', default: '0' },
  },
})
const { data, database, hang } = values
const never = () => new Promise<never>(() => undefined)

function effectTool(
  key: string,
  { hangs, ...options }: { hangs: boolean; idempotent?: boolean; needsApproval?: boolean },
) {
  return toolFactory(
    key,
    tool({
      description: 'Has an effect.',
      inputSchema: z.object({ text: z.string() }),
      async execute({ text }) {
        appendFileSync(join(data, 'effects'), `${key} ${text} ${toolContext().idempotencyKey}\n`)
        if (hangs && hang) await never()
        return { done: text }
      },
    }),
    options,
  )
}

const model = crashModel({
  isHanging: hang,
  onPrompt: prompt => appendFileSync(join(data, 'prompts'), `${JSON.stringify(prompt)}\n`),
})
const store = database === undefined ? await openStore(data) : await openPostgresStore(database)
const server = await startServer({
  store: hang ? holdEnds(store) : store,
  agents: [new MasterAgent({ name: 'master', instructions: 'You are master.', model })],
  system: agentSystem({
    tools: [
      subAgentTool,
      effectTool('pay', { hangs: true }),
      effectTool('look', { hangs: true, idempotent: true }),
      effectTool('write', { hangs: false }),
      effectTool('remove', { hangs: false, needsApproval: true }),
    ],
    subAgents: [
      subAgent('worker', { tools: ['remove'] }),
      subAgent('lead', { tools: ['remove'], allowedSubAgents: ['worker'] }),
      new SubAgent({ name: 'loner', systemPrompt: 'You are loner.', continues: false }),
    ],
  }),
  continue: !values['no-continue'],
  logger: pino({ level: 'silent' }),
  port: Number(values.port),
  pageFolder: values.page,
})
// Node writes its cache of compiled code at the end of a process. This one is killed, so it writes the cache now.
flushCompileCache()
console.log(server.url)
