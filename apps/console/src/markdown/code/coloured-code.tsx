import type { StreamParser } from '@codemirror/streamparser'
import { memo, use, useEffect, useReducer, useRef } from 'react'
import { type ColouredLine, colourCode, noColours } from './colour-code.ts'
import { loadLanguage } from './languages.ts'
import { type CodeProps, PlainCode } from './plain-code.tsx'

/** How long one animation frame may colour code. The rest is coloured in the next ones. */
const maxMsPerFrame = 4

// `use` needs the same promise each time.
const parsers = new Map<string, Promise<StreamParser<unknown> | undefined>>()

/** Draws code with colours. Suspends until the parser of the language is loaded. */
export function ColouredCode({ language, pieces }: CodeProps & { readonly language: string }) {
  const parser = use(parserOf(language))
  if (parser === undefined) return <PlainCode pieces={pieces} />
  return <Coloured key={language} parser={parser} pieces={pieces} />
}

function parserOf(language: string): Promise<StreamParser<unknown> | undefined> {
  const known = parsers.get(language) ?? loadLanguage(language)
  parsers.set(language, known)
  return known
}

interface ColouredProps extends CodeProps {
  readonly parser: StreamParser<unknown>
}

function Coloured({ parser, pieces }: ColouredProps) {
  const known = useRef(noColours)
  const [, goOn] = useReducer((count: number) => count + 1, 0)
  const endAt = performance.now() + maxMsPerFrame
  known.current = colourCode(pieces, known.current, { parser, isTimeUp: () => performance.now() > endAt })
  const { groups, open, rest } = known.current
  useEffect(() => {
    if (rest === '') return
    const frame = requestAnimationFrame(goOn)
    return () => cancelAnimationFrame(frame)
  }, [rest])
  return (
    <>
      {groups.map((lines, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: groups are only added at the end, so an index never changes
        <Group key={index} lines={lines} />
      ))}
      {(open.length > 0 || rest !== '') && (
        <span className="block">
          <Line line={open} />
          {rest}
        </span>
      )}
    </>
  )
}

const Group = memo(function Group({ lines }: { readonly lines: readonly ColouredLine[] }) {
  return (
    <span className="block">
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines are only added at the end
        <Line key={index} line={line} />
      ))}
    </span>
  )
})

const Line = memo(function Line({ line }: { readonly line: ColouredLine }) {
  return line.map(({ text, kind }, index) =>
    kind === undefined ? (
      text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no other name
      <span key={index} className={`code-${kind}`}>
        {text}
      </span>
    ),
  )
})
