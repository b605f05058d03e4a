import type { MessageMetadata } from '../src/metadata.ts'

// Test only: what the writer of a random valid stream knows, see chunk-arbitrary.ts.

export interface Stream {
  step: number
  readonly open: { id: string; type: 'text' | 'reasoning'; step: number }[]
  readonly calls: Call[]
  /** At most one text and one reasoning part are open at a time: what a saved message can be resumed from. */
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
  /** Chooses among what is open. */
  readonly pick: number
  readonly id: string
  readonly flag: boolean
  readonly text: string
  readonly json: unknown
  readonly metadata: MessageMetadata
  readonly provider: { providerMetadata?: Record<string, Record<string, string>> }
}
