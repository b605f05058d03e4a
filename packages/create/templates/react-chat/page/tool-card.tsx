import { type ToolPart, toolInput, toolNameOf } from '@throughline/client'
import type { ReactNode } from 'react'

interface ToolCardProps {
  part: ToolPart
  /** What sub-agents say while they work for this call. */
  children: ReactNode
  approve(approvalId: string, isApproved: boolean): unknown
}

/** A tool call: its state, its input and its output. If a person has to approve it, two buttons. */
export function ToolCard({ part, approve, children }: ToolCardProps) {
  const { state, approval } = part
  return (
    <section className="tool" data-state={state}>
      <h3>
        {part.title ?? toolNameOf(part)} <span className="hint">{stateTexts[state]}</span>
      </h3>
      <Value value={toolInput(part)} />
      {state === 'approval-requested' && approval !== undefined && (
        <div className="buttons">
          <button type="button" onClick={() => approve(approval.id, true)}>
            Approve
          </button>
          <button type="button" className="quiet" onClick={() => approve(approval.id, false)}>
            Deny
          </button>
        </div>
      )}
      {children}
      {state === 'output-available' && <Value value={part.output} />}
      {state === 'output-error' && <p role="alert">{part.errorText}</p>}
    </section>
  )
}

const stateTexts: Record<ToolPart['state'], string> = {
  'input-streaming': 'is being called',
  'input-available': 'is running',
  'approval-requested': 'waits for you',
  'approval-responded': 'is running',
  'output-available': 'is done',
  'output-error': 'has failed',
  'output-denied': 'was not allowed',
}

function Value({ value }: { value: unknown }) {
  if (value === undefined) return null
  return <pre>{typeof value === 'string' ? value : asJson(value)}</pre>
}

/** On one line if it is short. */
function asJson(value: unknown): string {
  const line = JSON.stringify(value)
  return line.length <= 60 ? line : JSON.stringify(value, null, 2)
}
