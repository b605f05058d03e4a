import { type ToolFactory, toolFactory } from '@throughline/agents'
import { tool } from 'ai'
import { z } from 'zod'
import { calling, saying, scriptedModel } from '../agent/scripted-model.ts'
import { type DelegationOptions, delegating } from './delegating-server.ts'
import { startTestServer } from './test-server.ts'

export interface ClientToolOptions extends Partial<Omit<DelegationOptions, 'model'>> {
  readonly model?: ReturnType<typeof scriptedModel>
}

/** A tool that the server does not run: whoever shows the chat does. */
export const locate: ToolFactory = toolFactory(
  'locate',
  tool({ description: 'Returns where the user is.', inputSchema: z.object({ precise: z.boolean() }) }),
)

/** The default: the master looks up where the user is once, and then says "You are there." */
export function locatingModel() {
  return scriptedModel({
    master: [
      [saying('One moment.'), calling('locate', { precise: true }, 'where')],
      [saying('You are there.')],
    ],
  })
}

/** Returns the options of a server whose tool `locate` runs on the client's side. */
export function locating({ model = locatingModel(), tools = [], ...options }: ClientToolOptions = {}) {
  return { model, serverOptions: delegating({ model, tools: [locate, ...tools], ...options }) }
}

/** Starts such a server. */
export async function clientToolServer(options: ClientToolOptions = {}) {
  const { model, serverOptions } = locating(options)
  const server = await startTestServer(serverOptions)
  return { server, model, url: server.url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}
