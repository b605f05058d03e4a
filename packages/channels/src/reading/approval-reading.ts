import type { Entry } from '@throughline/protocol'
import type { ApprovalInLog } from '../cutting/reply-part.ts'

/** How many characters of a call's arguments, as JSON, are kept for the channel. */
const maxInputChars = 10_000
const maxInputDepth = 100

/** Finds the tool calls of one run that wait for a person, and what becomes of them. Includes those of sub-agents. */
export class ApprovalReading {
  readonly #agents = new Map<string, string>()
  readonly #openCalls = new Map<string, { readonly toolName: string; readonly input: unknown }>()
  readonly #waiting = new Map<string, ApprovalInLog>()

  read({ messageId, chunk }: Pick<Entry, 'messageId' | 'chunk'>): ApprovalInLog | undefined {
    switch (chunk.type) {
      case 'start': {
        const { agent } = chunk.messageMetadata ?? {}
        if (agent?.kind === 'sub') this.#agents.set(messageId, agent.displayName)
        return undefined
      }
      case 'tool-input-available': {
        // The name and not the title: a person decides about the tool, and a title could be misleading.
        const { toolCallId, toolName, input } = chunk
        this.#openCalls.set(callKey(messageId, toolCallId), { toolName, input })
        return undefined
      }
      case 'tool-output-available':
      case 'tool-output-error':
      case 'tool-output-denied':
        this.#openCalls.delete(callKey(messageId, chunk.toolCallId))
        return undefined
      case 'tool-approval-request':
        return this.#ask(messageId, chunk)
      case 'tool-approval-response':
        return this.#settle(chunk)
      default:
        return undefined
    }
  }

  #ask(
    messageId: string,
    { approvalId: id, toolCallId }: { readonly approvalId: string; readonly toolCallId: string },
  ): ApprovalInLog | undefined {
    const call = this.#openCalls.get(callKey(messageId, toolCallId))
    if (call === undefined) return undefined
    const agent = this.#agents.get(messageId)
    const approval = { id, toolName: call.toolName, ...inputOf(call.input), agent }
    this.#waiting.set(id, approval)
    return approval
  }

  #settle(response: {
    readonly approvalId: string
    readonly approved: boolean
    readonly reason?: string | undefined
  }): ApprovalInLog | undefined {
    const { approvalId: id, approved, reason } = response
    const asked = this.#waiting.get(id)
    this.#waiting.delete(id)
    return asked && { ...asked, outcome: { approved, reason } }
  }
}

function inputOf(input: unknown): Pick<ApprovalInLog, 'input' | 'isInputCut'> {
  const json = jsonOf(input)
  const kept = json?.slice(0, maxInputChars).toWellFormed() ?? ''
  return { input: kept, isInputCut: kept !== json || isDeep(kept) }
}

/** Whether JSON is nested so deeply that parsing it and writing it again could fail. */
function isDeep(json: string): boolean {
  let depth = 0
  for (const [mark] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[{\]}]/g)) {
    if (mark === '[' || mark === '{') depth += 1
    if (mark === ']' || mark === '}') depth -= 1
    if (depth > maxInputDepth) return true
  }
  return false
}

function jsonOf(input: unknown): string | undefined {
  try {
    return JSON.stringify(input) ?? 'null'
  } catch {
    // The input is nested too deeply for JSON. The person who decides is told that something is not shown.
    return undefined
  }
}

function callKey(messageId: string, toolCallId: string): string {
  return `${messageId} ${toolCallId}`
}
