import { encodeSse } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { piecesOf } from '../pieces.ts'
import { isOfRun } from '../run-entries.ts'
import type { RunForm } from '../run-form.ts'
import { type CompletionOptions, CompletionProjection } from './completion-projection.ts'
import { openAiTransport } from './open-ai-transport.ts'

const done = Buffer.from(encodeSse({ data: '[DONE]' }))

/** The answer as a stream of chat completion chunks. It ends where the run waits for calls of the client, and stays open while it waits for approvals. */
export function completionForm(run: Run, options: CompletionOptions): RunForm {
  const projection = new CompletionProjection(run, options)
  return {
    transport: openAiTransport,
    readsWholeRun: true,
    encode: entries =>
      piecesOf(
        entries
          .filter(entry => isOfRun(entry, run))
          .flatMap(entry => projection.write(entry))
          .map(chunk => encodeSse({ data: JSON.stringify(chunk) })),
      ),
    end: [done],
    waiting: { isVisible: ({ kind }) => kind === 'output', encode: () => [done] },
  }
}
