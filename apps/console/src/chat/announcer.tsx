import type { ChatSnapshot } from '@throughline/client'
import { isToolPart, type Message, type ToolPart, toolNameOf } from '@throughline/protocol'
import { useEffect, useMemo, useState } from 'react'
import { useWords } from '../settings/settings.tsx'
import type { Words } from '../words/first/en.ts'

/** How many lines stay in the page. A screen reader has read the others long ago. */
const maxLines = 30

/**
 * Tells people who do not see the page what happens in a chat: every sentence of an answer when it is complete, what
 * waits for them, what failed, and the end of the answer.
 */
export function Announcer({ chat }: { readonly chat: ChatSnapshot }) {
  const { announced } = useWords()
  const news = useMemo(createNews, [])
  const [lines, setLines] = useState<readonly Line[]>([])
  const { messages, status } = chat
  useEffect(() => {
    const texts = news({ messages, status }, announced)
    if (texts.length === 0) return
    setLines(known => {
      const next = (known.at(-1)?.number ?? 0) + 1
      return [...known, ...texts.map((text, index) => ({ number: next + index, text }))].slice(-maxLines)
    })
  }, [news, messages, status, announced])
  return (
    <div role="log" aria-live="polite" className="sr-only">
      {lines.map(({ number, text }) => (
        <p key={number}>{text}</p>
      ))}
    </div>
  )
}

interface Line {
  readonly number: number
  readonly text: string
}

/** Only the last answers can still change, apart from edits, which are not announced. */
const watchedCount = 3

type Shown = Pick<ChatSnapshot, 'messages' | 'status'>

/** What was said of a message. */
interface Said {
  /** How far each text part was said, by the number of the part. */
  readonly cursors: Map<number, Cursor>
  /** What was said of each tool call, by the call's id. */
  readonly calls: Map<string, ToolPart['state']>
  status: string | undefined
}

/**
 * Returns a function that gets every state of a chat, and returns what is new in it, as sentences. What is there when
 * the chat is loaded is not new, and neither is an older version of an answer that the person looks at.
 */
export function createNews(): (shown: Shown, words: Words['announced']) => readonly string[] {
  const known = new Map<string, Said>()
  let before: ChatSnapshot['status'] = 'loading'
  return ({ messages, status }, words) => {
    const isNew = before === 'submitted' || before === 'streaming'
    if (status === 'loading') return []
    before = status
    const news: string[] = []
    // The messages of sub-agents stand behind the answer that asked them. They may be many.
    const answers = messages.filter(({ role, metadata }) => role === 'assistant' && !metadata?.parent)
    for (const message of answers.slice(-watchedCount)) {
      const said = known.get(message.id) ?? (isNew ? nothingSaid() : allSaid(message))
      known.set(message.id, said)
      news.push(...newsOf(message, said, words))
    }
    return news
  }
}

function nothingSaid(): Said {
  return { cursors: new Map(), calls: new Map(), status: undefined }
}

/** For a message of which only what comes from now on is new. */
function allSaid({ parts, metadata }: Message): Said {
  const said: Said = { ...nothingSaid(), status: metadata?.status }
  parts.forEach((part, index) => {
    if (part.type === 'text') said.cursors.set(index, cursorAt(part.text, part.text.length))
    else if (isToolPart(part)) said.calls.set(part.toolCallId, part.state)
  })
  return said
}

/** Returns what is new in a message, and remembers that it was said. */
function newsOf(message: Message, said: Said, words: Words['announced']): readonly string[] {
  const news: string[] = []
  const status = message.metadata?.status
  message.parts.forEach((part, index) => {
    if (part.type === 'text') {
      const isWhole = part.state === 'done' || status !== 'streaming'
      const { sentences, cursor } = finishedSentences(
        part.text,
        said.cursors.get(index) ?? textStart,
        isWhole,
      )
      said.cursors.set(index, cursor)
      news.push(...sentences)
    } else if (isToolPart(part)) news.push(...newsOfCall(part, said, words))
  })
  if (status !== said.status) news.push(...endOf(message, words))
  said.status = status
  return news
}

function newsOfCall(part: ToolPart, { calls }: Said, words: Words['announced']): readonly string[] {
  const { toolCallId, state } = part
  if (calls.get(toolCallId) === state) return []
  calls.set(toolCallId, state)
  if (state === 'approval-requested') return [words.approvalNeeded(toolNameOf(part))]
  return state === 'output-error' ? [words.toolFailed(toolNameOf(part))] : []
}

/** Returns how an answer has ended. Of a failed one nothing: the page shows it as an alert, which is read anyway. */
function endOf({ metadata }: Message, words: Words['announced']): readonly string[] {
  switch (metadata?.status) {
    case 'finished':
      return [metadata.isEmpty === true ? words.emptyAnswer : words.answerEnded]
    case 'stopped':
    case 'interrupted':
    case 'limit':
      return [words[metadata.status]]
    default:
      return []
  }
}

/** How far a text was read. */
interface Cursor {
  readonly position: number
  /** The mark with which the block of code at this position began; `undefined` outside of code. */
  readonly fence: string | undefined
}

interface Read {
  /** The sentences that are complete. */
  readonly sentences: readonly string[]
  /** Where the rest begins. */
  readonly cursor: Cursor
}

export const textStart: Cursor = { position: 0, fence: undefined }

/** A longer text without an end is said in pieces, in characters. */
const maxSentenceChars = 1_000
/** If more than this comes at once, only the end of it is said, in characters. */
const maxChars = 10_000

const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' })

/**
 * Returns the sentences after a position of a text that is still growing. A Western sentence is complete when something
 * follows it: the point in "3.14" ends nothing. A Chinese sentence is complete with its mark, and a line with its end.
 * `isWhole` says that nothing more will follow. Marks of Markdown are left out, and so is code.
 */
export function finishedSentences(text: string, { position, fence }: Cursor, isWhole: boolean): Read {
  if (text.length - position > maxChars)
    return finishedSentences(text, cursorAt(text, text.length - maxChars), isWhole)
  if (fence !== undefined) return afterCode(text, { position, fence }, isWhole)
  const rest = text.slice(position)
  // Most deltas end no sentence.
  const isCut = isWhole || rest.length > maxSentenceChars
  if (!isCut && !/[.!?…。！？\n]/.test(rest)) return { sentences: [], cursor: { position, fence } }
  const sentences: string[] = []
  let end = position
  for (const { segment, index } of segmenter.segment(rest)) {
    const isLast = index + segment.length === rest.length
    if (isLast && !isCut && !/([。！？][”’」』）]*|\n)$/.test(segment)) break
    end = position + index + segment.length
    const [, opened] = /^ {0,3}(```+|~~~+)/.exec(segment) ?? []
    const isLineStart = position + index === 0 || text[position + index - 1] === '\n'
    if (opened !== undefined && isLineStart) {
      const after = afterCode(text, { position: end, fence: opened }, isWhole)
      return { ...after, sentences: [...sentences, ...after.sentences] }
    }
    const plain = withoutMarks(segment)
    if (/[\p{L}\p{N}]/u.test(plain)) sentences.push(plain)
  }
  return { sentences, cursor: { position: end, fence: undefined } }
}

/** Returns the cursor for a position up to which nothing is to be said. Reads all of the text before it. */
export function cursorAt(text: string, position: number): Cursor {
  const marks = [...text.slice(0, position).matchAll(/^ {0,3}(```+|~~~+)/gm)].map(([, mark]) => mark)
  return { position, fence: marks.length % 2 === 0 ? undefined : marks.at(-1) }
}

/** Returns what follows a block of code, of which nothing is said. */
function afterCode(text: string, { position, fence = '' }: Cursor, isWhole: boolean): Read {
  const rest = text.slice(position)
  const found = new RegExp(`^ {0,3}${fence}[ \\t]*(\\n|$)`, 'm').exec(rest)
  // Without an end of the line, more may follow the mark.
  if (found !== null && (found[1] === '\n' || isWhole)) {
    const end = position + found.index + found[0].length
    return finishedSentences(text, { position: end, fence: undefined }, isWhole)
  }
  return { sentences: [], cursor: { position: position + rest.lastIndexOf('\n') + 1, fence } }
}

function withoutMarks(sentence: string): string {
  return sentence
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s*(#{1,6}|>|[-*+]|\d+[.)])\s+/, '')
    .replace(/[*_`~|]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
