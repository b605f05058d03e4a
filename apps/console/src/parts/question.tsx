import { isRecord, outputFromText, questionText } from '@throughline/protocol'
import { type FormEvent, useId, useState } from 'react'
import { TextField } from '../controls/text-field.tsx'
import { useWords } from '../settings/settings.tsx'
import { useLaterWords } from '../words/later/use-later-words.ts'
import { useChatActions } from './chat-actions.tsx'
import { ValueView } from './value-view.tsx'

interface QuestionProps {
  readonly requestId: string
  readonly toolName: string
  readonly input: unknown
}

/** A call that asks a person something: the form of an MCP server, or the question with a field for the answer. */
export function QuestionToPerson({ requestId, toolName, input }: QuestionProps) {
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

/** A question of an MCP server: what it says, and the fields that a person fills in. */
interface ServerQuestion {
  readonly server: string
  readonly message: string
  readonly fields: readonly Field[]
}

interface Field {
  readonly name: string
  readonly schema: Readonly<Record<string, unknown>>
  readonly isRequired: boolean
}

/** Returns the question in the input of a call; `undefined` when it is another call. */
function questionIn(input: unknown): ServerQuestion | undefined {
  if (!isRecord(input) || !isRecord(input['requestedSchema'])) return undefined
  const { server, message, requestedSchema } = input
  const { properties, required } = requestedSchema
  if (typeof server !== 'string' || typeof message !== 'string' || !isRecord(properties)) return undefined
  const fields = Object.entries(properties).flatMap(([name, schema]) => {
    const isRequired = Array.isArray(required) && required.includes(name)
    return isRecord(schema) ? [{ name, schema, isRequired }] : []
  })
  return { server, message, fields }
}

const button = 'rounded-full px-4 py-1 disabled:opacity-40'
const plain = `${button} border border-line hover:border-accent`
const box = 'mt-1 w-full rounded-lg border border-line bg-page px-2 py-1'

interface FormProps {
  readonly requestId: string
  readonly question: ServerQuestion
}

/** The person sends values, declines, or closes the question without a decision. */
function QuestionForm({ requestId, question }: FormProps) {
  const words = useWords()
  const own = useLaterWords().question
  const { addToolOutput } = useChatActions()
  const [isSent, setIsSent] = useState(false)
  const reply = async (output: { readonly action: string; readonly content?: unknown }) => {
    setIsSent(true)
    await addToolOutput(requestId, { output })
    setIsSent(false)
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const content = valuesIn(new FormData(event.currentTarget), question.fields)
    void reply({ action: 'accept', content })
  }
  return (
    <form
      onSubmit={submit}
      aria-label={own.asks(question.server)}
      className="space-y-2.5 border-t border-line px-3 py-2.5"
    >
      <p className="font-medium">{own.asks(question.server)}</p>
      <p className="whitespace-pre-wrap break-words">{question.message}</p>
      {question.fields.map(field => (
        <FieldView key={field.name} field={field} />
      ))}
      <p className="text-sm text-muted">{own.warning}</p>
      <div className="flex flex-wrap gap-2">
        <button type="submit" disabled={isSent} className={`${button} bg-accent text-page`}>
          {own.send}
        </button>
        <button
          type="button"
          disabled={isSent}
          onClick={() => reply({ action: 'decline' })}
          className={plain}
        >
          {own.decline}
        </button>
        <button type="button" disabled={isSent} onClick={() => reply({ action: 'cancel' })} className={plain}>
          {words.cancel}
        </button>
      </div>
    </form>
  )
}

function FieldView({ field }: { readonly field: Field }) {
  const { name, schema, isRequired } = field
  const fieldId = useId()
  const { description } = schema
  const title = typeof schema['title'] === 'string' ? schema['title'] : name
  if (schema['type'] === 'boolean') {
    return (
      <label className="flex items-center gap-2">
        <input type="checkbox" name={name} defaultChecked={schema['default'] === true} /> {title}
      </label>
    )
  }
  if (schema['type'] === 'array') {
    return (
      <fieldset>
        <legend>{title}</legend>
        {choicesIn(schema['items']).map(({ value, label }) => (
          <label key={value} className="mr-4 inline-flex items-center gap-2">
            <input type="checkbox" name={name} value={value} defaultChecked={isDefault(schema, value)} />
            {label}
          </label>
        ))}
      </fieldset>
    )
  }
  return (
    <div>
      <label htmlFor={fieldId}>
        {title}
        {isRequired && ' *'}
      </label>
      {typeof description === 'string' && <p className="text-sm text-muted">{description}</p>}
      <Input field={field} fieldId={fieldId} />
    </div>
  )
}

function Input({ field: { name, schema, isRequired }, fieldId }: InputProps) {
  const choices = choicesIn(schema)
  const given = schema['default']
  const defaultValue = typeof given === 'string' || typeof given === 'number' ? given : ''
  if (choices.length > 0) {
    return (
      <select id={fieldId} name={name} required={isRequired} defaultValue={defaultValue} className={box}>
        <option value="" />
        {choices.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    )
  }
  const isNumber = schema['type'] === 'number' || schema['type'] === 'integer'
  return (
    <input
      id={fieldId}
      name={name}
      type={isNumber ? 'number' : (inputTypes[String(schema['format'])] ?? 'text')}
      step={schema['type'] === 'integer' ? 1 : 'any'}
      min={numberIn(schema['minimum'])}
      max={numberIn(schema['maximum'])}
      minLength={numberIn(schema['minLength'])}
      maxLength={numberIn(schema['maxLength'])}
      required={isRequired}
      defaultValue={defaultValue}
      className={box}
    />
  )
}

interface InputProps {
  readonly field: Field
  /** Its label names it. */
  readonly fieldId: string
}

const inputTypes: Readonly<Record<string, string>> = { email: 'email', uri: 'url', date: 'date' }

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function isDefault({ default: given }: Field['schema'], value: string): boolean {
  return Array.isArray(given) && given.includes(value)
}

interface Choice {
  readonly value: string
  readonly label: string
}

/** Returns what there is to choose from. It comes as a list of values, or of values with titles. */
function choicesIn(schema: unknown): readonly Choice[] {
  if (!isRecord(schema)) return []
  const { enum: values, oneOf, anyOf } = schema
  if (Array.isArray(values)) return values.map(value => ({ value: String(value), label: String(value) }))
  const titled = oneOf ?? anyOf
  if (!Array.isArray(titled)) return []
  return titled.filter(isRecord).map(({ const: value, title = value }) => {
    return { value: String(value), label: String(title) }
  })
}

function valuesIn(form: FormData, fields: readonly Field[]): Readonly<Record<string, unknown>> {
  const values = fields.flatMap<readonly [string, unknown]>(({ name, schema }) => {
    switch (schema['type']) {
      case 'boolean':
        return [[name, form.has(name)]]
      case 'array':
        return [[name, form.getAll(name)]]
      default: {
        const text = form.get(name)
        if (typeof text !== 'string' || text === '') return []
        return [[name, schema['type'] === 'string' ? text : Number(text)]]
      }
    }
  })
  return Object.fromEntries(values)
}
