import { type OutputRequest, type ToolPart, toolNameOf } from '@throughline/protocol'
import { Suspense } from 'react'
import { ReloadNote } from '../controls/error-boundary.tsx'
import { lazyOr } from '../controls/lazy-part.ts'
import { useWords } from '../settings/settings.tsx'
import { ValueView } from './value-view.tsx'

// Loaded when a call waits: most chats are read and written without that.
const ApprovalForm = lazyOr(async () => (await import('./approval-form.tsx')).ApprovalForm, ReloadNote)
const QuestionToPerson = lazyOr(async () => (await import('./question.tsx')).QuestionToPerson, ReloadNote)

interface Props {
  readonly part: ToolPart
  readonly input: unknown
  /** Whose output the call waits for, if it waits for one. */
  readonly request: OutputRequest | undefined
  /** Whether the call waits for a person, who then sees its input even when the card is closed. */
  readonly isWaiting: boolean
  readonly isOpen: boolean
}

/** What is inside the card of a tool call: the question for approval, and input and output. */
export function ToolInside({ part, input, request, isWaiting, isOpen }: Props) {
  const words = useWords()
  return (
    <>
      {isWaiting && part.state === 'approval-requested' && part.approval !== undefined && (
        <Suspense fallback={null}>
          <ApprovalForm id={part.approval.id} input={input} />
        </Suspense>
      )}
      {isWaiting && part.state !== 'approval-requested' && request !== undefined && (
        <Suspense fallback={null}>
          <QuestionToPerson requestId={request.requestId} toolName={toolNameOf(part)} input={input} />
        </Suspense>
      )}
      {isOpen && (
        <div className="space-y-3 border-t border-line px-3 py-2.5">
          {!isWaiting && <ValueView label={words.input} value={input} />}
          {part.output !== undefined && (
            <ValueView
              label={part.preliminary === true ? words.partialOutput : words.output}
              value={part.output}
            />
          )}
        </div>
      )}
    </>
  )
}
