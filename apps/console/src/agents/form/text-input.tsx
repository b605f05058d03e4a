import { Field, inputLook } from './field.tsx'

interface Props {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly hint?: string | undefined
  readonly error?: string | undefined
  readonly placeholder?: string | undefined
  readonly isReadOnly?: boolean
  /** Values that the browser offers while the person writes. */
  readonly offers?: readonly string[]
}

/** A field for one line of text. */
export function TextInput({ label, value, onChange, hint, error, placeholder, isReadOnly, offers }: Props) {
  return (
    <Field label={label} hint={hint} error={error}>
      {ids => (
        <>
          <input
            {...ids}
            value={value}
            placeholder={placeholder}
            readOnly={isReadOnly}
            list={offers && `${ids.id}-offers`}
            autoComplete="off"
            spellCheck={false}
            onChange={event => onChange(event.target.value)}
            className={inputLook}
          />
          {offers && (
            <datalist id={`${ids.id}-offers`}>
              {offers.map(offer => (
                <option key={offer} value={offer} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  )
}
