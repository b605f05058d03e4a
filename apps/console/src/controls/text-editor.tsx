import { TextField } from './text-field.tsx'

interface Props {
  readonly text: string
  readonly label: string
  /** What stands on the two buttons. */
  readonly cancel: string
  readonly submit: string
  /** Whether the text can be submitted now. The button is not `disabled`: it keeps the focus. */
  readonly canSubmit: boolean
  /** The sizes of the box, of the row of buttons, and of a button. */
  readonly look: { readonly box: string; readonly row: string; readonly button: string }
  readonly onChange: (text: string) => void
  /** Called also when the text cannot be submitted. */
  readonly onSubmit: () => void
  readonly onCancel: () => void
}

/** The field in which a person edits a text, in the place of the text. Escape cancels it, as the button below does. */
export function TextEditor({ text, label, cancel, submit, canSubmit, look, ...on }: Props) {
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        on.onSubmit()
      }}
      className={`border border-line bg-raised focus-within:border-accent ${look.box}`}
    >
      <div className="flex">
        <TextField
          text={text}
          label={label}
          takesFocus
          onChange={on.onChange}
          onEnter={on.onSubmit}
          onEscape={on.onCancel}
        />
      </div>
      <div className={`flex justify-end gap-2 ${look.row}`}>
        <button
          type="button"
          onClick={on.onCancel}
          className={`rounded-full border border-line hover:border-accent ${look.button}`}
        >
          {cancel}
        </button>
        <button
          type="submit"
          aria-disabled={!canSubmit}
          className={`rounded-full bg-accent text-page aria-disabled:cursor-default aria-disabled:opacity-35 ${look.button}`}
        >
          {submit}
        </button>
      </div>
    </form>
  )
}
