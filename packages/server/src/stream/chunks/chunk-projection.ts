import { type Chunk, type Entry, withoutStepUsage } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import type { Projection } from '../run-form.ts'

/** What becomes of sub-agents' chunks: each is put in a chunk that stock clients ignore, or it is left out. */
export type ApartSubAgents = 'separate' | 'hidden'

/** The chunks of a run as stock clients read them: those of the answer, with or without those of sub-agents. */
export function chunkProjection(run: Pick<Run, 'answerId'>, subAgents: ApartSubAgents): Projection<Chunk> {
  return {
    write: ({ messageId, chunk: logged }: Entry) => {
      const chunk = withoutStepUsage(logged)
      if (messageId === run.answerId) return [chunk]
      if (subAgents === 'hidden') return []
      return [{ type: 'data-sub-agent', id: messageId, transient: true, data: chunk }]
    },
  }
}
