import { outputFromText, questionText } from '@throughline/protocol'
import { useState } from 'react'
import { useChatActions } from '../chat-actions.tsx'
import { useWords } from '../settings/settings.tsx'
import { TextField } from '../text-field.tsx'
import { QuestionForm, questionIn } from './question-form.tsx'
import { ValueView } from './value-view.tsx'

interface QuestionProps {
  readonly requestId: string
  readonly toolName: string
  readonly input: unknown
}

/** A call that asks a person something: the form of an MCP server, or the question with a field for the answer. */
export function Question({ requestId, toolName, input }: QuestionProps) {
  const question = toolName === 'elicitation' ? questionIn(input) : undefined
  if (question !== undefined) return <QuestionForm requestId={requestId} question={question} />
  return <QuestionField requestId={requestId} input={input} />
}

function QuestionField({ requestId, input }: Omit<QuestionProps, 'toolName'>) {
  const words = useWords()
  const { addToolOutput } = useChatActions()
  const [text, setText] = useState('')
  const [isSent, setIsSent] = useState(false)
  const question = questionText(input)
  const send = async () => {
    if (text.trim() === '') return
    setIsSent(true)
    await addToolOutput(requestId, { output: outputFromText(text.trim()) })
    // If the answer was taken, the log brings the next state of the call, and this field is gone.
    setIsSent(false)
  }
  return (
    <form
      aria-label={words.answerNeeded}
      className="space-y-2.5 border-t border-line px-3 py-2.5"
      onSubmit={event => {
        event.preventDefault()
        void send()
      }}
    >
      <p className="whitespace-pre-wrap font-medium">{question}</p>
      {typeof input === 'object' && input !== null && Object.keys(input).length > 1 && (
        <ValueView label={words.input} value={input} />
      )}
      <div className="rounded-2xl border border-line px-3 py-1.5">
        <TextField text={text} label={words.yourAnswer} onChange={setText} onEnter={() => void send()} />
      </div>
      <button
        type="submit"
        disabled={isSent || text.trim() === ''}
        className="rounded-full bg-accent px-4 py-1 text-page disabled:opacity-40"
      >
        {words.answer}
      </button>
    </form>
  )
}
