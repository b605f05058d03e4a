import { type ReactNode, useId } from 'react'

interface FieldProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly error?: string | undefined
  /** Draws the control. It gets the ids that connect it with its label and its texts. */
  readonly children: (ids: FieldIds) => ReactNode
}

interface FieldIds {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': boolean
}

/** One field of a form: above it its label and what is wrong with it, below it a hint. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {label}
      </label>
      <FieldError id={`${id}-error`} error={error} />
      {children({
        id,
        'aria-describedby': textIds(id, { hint, error }),
        'aria-invalid': error !== undefined,
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="mt-1 text-sm text-muted">
          {hint}
        </p>
      )}
    </div>
  )
}

interface GroupProps extends Omit<FieldProps, 'children'> {
  readonly children: ReactNode
}

/** Several controls under one heading. */
export function FieldGroup({ label, hint, error, children }: GroupProps) {
  const id = useId()
  return (
    <fieldset aria-describedby={textIds(id, { hint, error })} className="min-w-0">
      <legend className="text-sm font-medium">{label}</legend>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-sm text-muted">
          {hint}
        </p>
      )}
      <FieldError id={`${id}-error`} error={error} />
      <div className="mt-2">{children}</div>
    </fieldset>
  )
}

/** Returns the ids of the texts that are shown with a field. */
function textIds(id: string, { hint, error }: Pick<FieldProps, 'hint' | 'error'>): string | undefined {
  const ids = [error !== undefined && `${id}-error`, hint !== undefined && `${id}-hint`].filter(Boolean)
  return ids.length === 0 ? undefined : ids.join(' ')
}

function FieldError({ id, error }: { readonly id: string; readonly error: string | undefined }) {
  if (error === undefined) return null
  return (
    <p id={id} role="alert" className="mb-1 text-sm text-danger">
      {error}
    </p>
  )
}

/** The look of a field to write in. 16 px text: otherwise a phone zooms into the page. */
export const inputLook =
  'w-full min-w-0 rounded-xl border border-line bg-raised px-3 py-2 text-base aria-invalid:border-danger read-only:bg-panel read-only:text-muted'

interface TextInputProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly hint?: string | undefined
  readonly error?: string | undefined
  readonly placeholder?: string | undefined
  readonly isReadOnly?: boolean
}

/** A field for one line of text. */
export function TextInput({ label, value, onChange, hint, error, placeholder, isReadOnly }: TextInputProps) {
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

interface NumberInputProps {
  readonly label: string
  readonly value: string
  readonly range: { readonly min: number; readonly max: number; readonly step: number }
  readonly onChange: (value: string) => void
  readonly hint?: string | undefined
  readonly error?: string | undefined
}

/** A field for a number that may be left empty. */
export function NumberInput({ label, value, range, onChange, hint, error }: NumberInputProps) {
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
