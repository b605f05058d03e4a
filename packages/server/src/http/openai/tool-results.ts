import type { GivenOutput } from '@throughline/agents/internal'
import { type OwnerId, outputFromText, ProblemError } from '@throughline/protocol'
import type { FoundApproval, Run } from '@throughline/store'
import { findWait } from '../../stream/find-wait.ts'
import type { Services } from '../request/context.ts'
import { outputTooLarge } from '../request/problems.ts'
import type { ConversationMessage } from './conversation.ts'

/** A run that goes on with the results of calls that its client has made. */
export interface GoingOn {
  readonly run: Run
  /** The client has everything up to this entry. */
  readonly after: number
}

interface Result {
  readonly id: string
  readonly text: string
}

/**
 * Gives a run the results of calls with which a request ends, and returns where the run goes on. Returns `undefined` for a
 * request that does not end with results. Throws when there is no such call, or when it does not wait any more.
 *
 * The id of a call is that of its record. So the run is found also for clients that name no chat.
 */
export async function giveResults(
  services: Services,
  ownerId: OwnerId,
  messages: readonly ConversationMessage[],
): Promise<GoingOn | undefined> {
  const results = resultsAtEnd(messages)
  if (results.length === 0) return undefined
  const { store } = services
  const records = await Promise.all(results.map(({ id }) => recordOf(services, ownerId, id)))
  const [first] = records
  const run = first && (await store.runs.get(ownerId, first.runId))
  if (run === undefined || records.some(({ runId }) => runId !== run.id))
    throw notFound(results[0]?.id ?? '', 'All results of a request must be for calls of one answer.')
  const wait = await findWait(store.log, run, {
    open: new Set(),
    hasCall: (messageId, toolCallId) =>
      records.some(record => record.messageId === messageId && record.toolCallId === toolCallId),
    // The server's own calls are not shown to these clients.
    hasEnd: () => true,
  })
  if (wait === undefined) throw notFound(results[0]?.id ?? '')
  for (const { id, text } of results)
    await giveOne(services, { ownerId, id }, { type: 'output', output: outputFromText(text) })
  return { run, after: wait.after.seq }
}

/** Returns the results with which a list of messages or items ends. */
function resultsAtEnd(messages: readonly ConversationMessage[]): readonly Result[] {
  const all = messages.map(resultIn)
  return all.slice(all.lastIndexOf(undefined) + 1).flatMap(result => result ?? [])
}

function resultIn({
  type,
  role,
  tool_call_id,
  call_id,
  content,
  output,
}: ConversationMessage): Result | undefined {
  if (type === 'function_call_output' && call_id !== undefined) return { id: call_id, text: textOf(output) }
  if (role === 'tool' && tool_call_id !== undefined) return { id: tool_call_id, text: textOf(content) }
  return undefined
}

/** A result is a text, or a list of parts with texts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map(part => (typeof part?.text === 'string' ? part.text : '')).join('')
}

async function recordOf({ store }: Services, ownerId: OwnerId, id: string): Promise<FoundApproval> {
  const found = await store.approvals.find(ownerId, id)
  if (found === undefined || found.kind === 'approval') throw notFound(id)
  return found
}

async function giveOne(
  services: Services,
  call: { readonly ownerId: OwnerId; readonly id: string },
  given: GivenOutput,
): Promise<void> {
  const result = await services.outputs.give(call, given)
  switch (result) {
    case 'given':
      return
    case 'too-large':
      throw outputTooLarge(services)
    case 'not-found':
      throw notFound(call.id)
    case 'other':
    case 'over':
      throw new ProblemError(
        409,
        'tool_call_not_waiting',
        result === 'other'
          ? `The call ${JSON.stringify(call.id)} has got another result already. Only the first one counts.`
          : `Nobody waits for the result of ${JSON.stringify(call.id)} any more: its time is over, or its answer has ended. Ask again.`,
      )
  }
}

function notFound(id: string, more = 'Send the ids of the calls as you got them.'): ProblemError {
  return new ProblemError(
    404,
    'tool_call_not_found',
    `There is no call ${JSON.stringify(id.slice(0, 128))} that waits for its result. ${more}`,
  )
}
