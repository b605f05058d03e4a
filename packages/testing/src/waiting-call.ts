import { type ToolFactory, toolFactory } from '@throughline/agents/tools/tool-factory-registry'
import { tool } from 'ai'
import { z } from 'zod'
import { approvalIn } from './approval-requests.ts'
import { ask } from './chat-requests.ts'
import { type DelegationOptions, startDelegation } from './delegating-server.ts'
import { calling, saying, scriptedModel } from './scripted-model.ts'
import { SseBytes } from './sse-bytes.ts'

export interface WaitingOptions extends Partial<DelegationOptions> {
  readonly needsApproval?: NonNullable<ToolFactory['needsApproval']>
  readonly headers?: Readonly<Record<string, string>>
}

/** A server with the tool `remove`, which waits for a person. By default the master calls it once, and then says "Done." */
export async function approvalServer({
  needsApproval = true,
  tools = [],
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
  const model = scriptedModel({ master: [[calling('remove', { what: 'all' })], [saying('Done.')]] })
  const server = await startDelegation({
    model,
    tools: [toolFactory('remove', remove, { needsApproval }), ...tools],
    ...options,
  })
  return { server, removed, model, url: server.url }
}

/** A run that has come to a call of `remove`, which waits, and a stream that stays open meanwhile. */
export async function waitingCall({ headers = {}, ...options }: WaitingOptions = {}) {
  const { server, removed, model } = await approvalServer(options)
  const stream = new SseBytes(await ask(server.url, { headers, form: '?approvals=wait' }))
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
