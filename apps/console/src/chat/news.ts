import type { ChatSnapshot } from '@throughline/client'
import { isToolPart, type Message, type ToolPart, toolNameOf } from '@throughline/protocol'
import type { AnnouncerWords } from './announcer-words.ts'
import { type Cursor, cursorAt, finishedSentences, textStart } from './finished-sentences.ts'

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
export function createNews(): (shown: Shown, words: AnnouncerWords) => readonly string[] {
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
function newsOf(message: Message, said: Said, words: AnnouncerWords): readonly string[] {
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

function newsOfCall(part: ToolPart, { calls }: Said, words: AnnouncerWords): readonly string[] {
  const { toolCallId, state } = part
  if (calls.get(toolCallId) === state) return []
  calls.set(toolCallId, state)
  if (state === 'approval-requested') return [words.approvalNeeded(toolNameOf(part))]
  return state === 'output-error' ? [words.toolFailed(toolNameOf(part))] : []
}

/** Returns how an answer has ended. Of a failed one nothing: the page shows it as an alert, which is read anyway. */
function endOf({ metadata }: Message, words: AnnouncerWords): readonly string[] {
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
