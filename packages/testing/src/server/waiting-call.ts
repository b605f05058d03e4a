import { type ToolFactory, toolFactory } from '@throughline/agents'
import { tool } from 'ai'
import { z } from 'zod'
import { calling, saying, scriptedModel } from '../agent/scripted-model.ts'
import { approvalIn } from '../http/approval-requests.ts'
import { ask } from '../http/chat-requests.ts'
import { SseBytes } from '../http/sse-bytes.ts'
import { type DelegationOptions, delegating } from './delegating-server.ts'
import { startTestServer } from './test-server.ts'

export interface WaitingOptions extends Partial<Omit<DelegationOptions, 'model'>> {
  readonly model?: ReturnType<typeof scriptedModel>
  readonly needsApproval?: NonNullable<ToolFactory['needsApproval']>
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Starts a server with the tool `remove`, which needs approval. By default the master calls it once and then says
 * "Done."
 */
export async function approvalServer(options: Omit<WaitingOptions, 'headers'> = {}) {
  const { removed, model, serverOptions } = asksApproval(options)
  const server = await startTestServer(serverOptions)
  return { server, removed, model, url: server.url }
}

/** Returns the options of such a server, and the list of what its tool has removed so far. */
export function asksApproval({
  needsApproval = true,
  tools = [],
  model = scriptedModel({ master: [[calling('remove', { what: 'all' })], [saying('Done.')]] }),
  ...options
}: Omit<WaitingOptions, 'headers'> = {}) {
  const removed: string[] = []
  const remove = tool({
    description: 'Removes things.',
    inputSchema: z.object({ what: z.string() }),
    async execute({ what }) {
      removed.push(what)
      return { removed: what }
    },
  })
  const allTools = [toolFactory('remove', remove, { needsApproval }), ...tools]
  return { removed, model, serverOptions: delegating({ model, tools: allTools, ...options }) }
}

/**
 * Starts a run, and waits until its call of `remove` asks for approval. Returns the run's stream, which is still
 * open.
 */
export async function waitingCall({ headers = {}, ...options }: WaitingOptions = {}) {
  const { server, removed, model } = await approvalServer(options)
  const stream = new SseBytes(await ask(server.url, { headers, form: '?subAgents=separate&approvals=wait' }))
  await stream.until('"type":"tool-approval-request"')
  await stream.until('"approvalId":')
  return {
    server,
    stream,
    removed,
    model,
    url: server.url,
    approvalId: approvalIn(stream.bytes),
    async [Symbol.asyncDispose]() {
      await stream[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}
