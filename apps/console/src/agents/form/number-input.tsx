import { Field, inputLook } from './field.tsx'

interface Props {
  readonly label: string
  readonly value: string
  readonly range: { readonly min: number; readonly max: number; readonly step: number }
  readonly onChange: (value: string) => void
  readonly hint?: string | undefined
  readonly error?: string | undefined
}

/** A field for a number that may be left empty. */
export function NumberInput({ label, value, range, onChange, hint, error }: Props) {
  return (
    <Field label={label} hint={hint} error={error}>
      {ids => (
        <input
          {...ids}
          {...range}
          type="number"
          inputMode="decimal"
          value={value}
          onChange={event => onChange(event.target.value)}
          className={inputLook}
        />
      )}
    </Field>
  )
}
