import type { MessageMetadata } from '../src/message/metadata.ts'

// Test only: what the writer of a random valid stream knows, see chunk-arbitrary.ts.

export interface Stream {
  step: number
  readonly open: { id: string; type: 'text' | 'reasoning'; step: number }[]
  readonly calls: Call[]
  /** At most one text part and one reasoning part are open at a time. A saved message can be continued only then. */
  readonly isRestorable: boolean
}

export interface Call {
  readonly id: string
  readonly toolName: string
  readonly isDynamic: boolean
  readonly step: number
  readonly input: unknown
  /** The input's text that has not been sent yet. */
  unsent: string
  state: 'streaming' | 'called' | 'asked' | 'allowed' | 'refused' | 'running' | 'ended'
}

/** The random values of one move. */
export interface Choice {
  /** Chooses one of the open parts or calls. */
  readonly pick: number
  readonly id: string
  readonly flag: boolean
  readonly text: string
  readonly json: unknown
  readonly metadata: MessageMetadata
  readonly provider: { providerMetadata?: Record<string, Record<string, string>> }
}
