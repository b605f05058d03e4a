import type { Seen } from './seen.ts'

/**
 * Asks the one question of every scenario, in the chat `chat`. Resolves when the agent may begin: the question is on
 * its way, and a client that must be there in time is there.
 */
export type Client = (asked: Asked) => Promise<Reading>

export interface Asked {
  /** Where the server is, as the client knows it. */
  readonly url: string
  /** Asks for sub-agents in the answer, as far as the client's form has that. */
  readonly subAgents?: 'inline' | undefined
}

/** A client that reads an answer. Disposing it closes its connections. */
export interface Reading extends AsyncDisposable {
  /** Resolves when the client shows these words. */
  shows(words: string): Promise<void>
  /** Stops the answer, where the client can; otherwise it is stopped with a request beside it. */
  stop?(): Promise<void>
  /** Allows the call that waits, where a person can do that in the client; otherwise it is done with a request beside it. */
  approve?(approvalId: string): Promise<void>
  /** Reads on after the line was cut; without it the client does so by itself, or never. */
  comeBack?(): Promise<void>
  /** Resolves with what the client shows when it takes the answer for ended. */
  seen(): Promise<Seen>
}

export const chatId = 'chat'
export const questionText = '里斯本的天气怎么样？ 🌍'

/** The question as an AI SDK message. */
export const question = {
  id: 'question',
  role: 'user' as const,
  parts: [{ type: 'text' as const, text: questionText }],
}
