import type { ReactNode } from 'react'
import { addressOf } from '../base-path.ts'
import { useWords } from '../settings/settings.tsx'

interface Props {
  readonly examples: readonly string[]
  readonly onChoose: (text: string) => void
  /** Drawn above the examples. */
  readonly children: ReactNode
}

/** A chat before its first message. */
export function Welcome({ examples, onChoose, children }: Props) {
  const words = useWords()
  return (
    <section className="mt-[10vh] text-center">
      <img src={addressOf('/icon.svg')} alt="" className="mx-auto size-14" />
      <h2 className="mt-5 text-2xl font-semibold tracking-tight">{words.welcome}</h2>
      <p className="mx-auto mt-2 max-w-md text-muted">{words.welcomeText}</p>
      {children}
      <ul className="mx-auto mt-8 grid max-w-xl gap-2 sm:grid-cols-2">
        {examples.map(example => (
          <li key={example}>
            <button
              type="button"
              onClick={() => onChoose(example)}
              className="h-full w-full rounded-2xl border border-line bg-raised px-4 py-3 text-left text-sm hover:border-accent"
            >
              {example}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
