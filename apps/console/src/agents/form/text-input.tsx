import { Field, inputLook } from './field.tsx'

interface Props {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly hint?: string | undefined
  readonly error?: string | undefined
  readonly placeholder?: string | undefined
  readonly isReadOnly?: boolean
}

/** A field for one line of text. */
export function TextInput({ label, value, onChange, hint, error, placeholder, isReadOnly }: Props) {
  return (
    <Field label={label} hint={hint} error={error}>
      {ids => (
        <input
          {...ids}
          value={value}
          placeholder={placeholder}
          readOnly={isReadOnly}
          autoComplete="off"
          spellCheck={false}
          onChange={event => onChange(event.target.value)}
          className={inputLook}
        />
      )}
    </Field>
  )
}
