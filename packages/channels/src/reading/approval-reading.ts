import { type Entry, type OutputRequest, outputRequestIn, questionText } from '@throughline/protocol'
import type { ApprovalInLog } from './reply-part.ts'

/** How many characters of a call's arguments, as JSON, are kept for the channel. */
const maxInputChars = 10_000
const maxInputDepth = 100

/** Finds the tool calls of one run that wait for a person, and what becomes of them. Includes those of sub-agents. */
export class ApprovalReading {
  readonly #agents = new Map<string, string>()
  readonly #openCalls = new Map<string, { readonly toolName: string; readonly input: unknown }>()
  readonly #waiting = new Map<string, ApprovalInLog>()
  /** The requests of the calls that ask a question. */
  readonly #questions = new Map<string, string>()

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
        return this.#end(messageId, chunk)
      case 'data-output-request':
        return this.#askQuestion(messageId, outputRequestIn(chunk))
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

  /** A question is shown once, also when the run asks again after a crash. */
  #askQuestion(messageId: string, request: OutputRequest | undefined): ApprovalInLog | undefined {
    if (request?.from !== 'person' || this.#waiting.has(request.requestId)) return undefined
    const { toolCallId, requestId: approvalId } = request
    const asked = this.#ask(messageId, { approvalId, toolCallId })
    if (asked === undefined) return undefined
    const call = this.#openCalls.get(callKey(messageId, toolCallId))
    const question = { ...asked, question: questionText(call?.input) }
    this.#waiting.set(approvalId, question)
    this.#questions.set(callKey(messageId, toolCallId), approvalId)
    return question
  }

  /** A call has ended. If it asked a question, nobody waits for the answer any more. */
  #end(
    messageId: string,
    chunk: { readonly toolCallId: string; readonly preliminary?: boolean | undefined },
  ): ApprovalInLog | undefined {
    if (chunk.preliminary === true) return undefined
    const key = callKey(messageId, chunk.toolCallId)
    this.#openCalls.delete(key)
    const asked = this.#waiting.get(this.#questions.get(key) ?? '')
    if (asked === undefined) return undefined
    this.#questions.delete(key)
    this.#waiting.delete(asked.id)
    return { ...asked, outcome: { approved: true } }
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
