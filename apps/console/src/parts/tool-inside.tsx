import { type ToolPart, toolNameOf } from '@throughline/protocol'
import { useWords } from '../settings/settings.tsx'
import { Approval } from './approval.tsx'
import { QuestionForm, questionIn } from './question-form.tsx'
import { ValueView } from './value-view.tsx'

interface Props {
  readonly part: ToolPart
  readonly input: unknown
  /** Whether the call waits for a person, who then sees its input even when the card is closed. */
  readonly isWaiting: boolean
  readonly isOpen: boolean
}

/** What is inside the card of a tool call: the question for approval, and input and output. */
export function ToolInside({ part, input, isWaiting, isOpen }: Props) {
  const words = useWords()
  const question = questionIn(toolNameOf(part), input)
  return (
    <>
      {isWaiting &&
        part.approval !== undefined &&
        (question === undefined ? (
          <Approval id={part.approval.id} input={input} />
        ) : (
          <QuestionForm id={part.approval.id} question={question} />
        ))}
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
