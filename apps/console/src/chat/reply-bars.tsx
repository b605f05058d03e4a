import { asChatError, type ChatError, type ChatSnapshot } from '@throughline/client'
import type { ChatId, Message } from '@throughline/protocol'
import { type ChatBody, isChatBody, isTakeOver } from '@throughline/protocol/internal'
import { Hand, type LucideIcon, MessagesSquare, PenLine, Undo2, UserRound } from 'lucide-react'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { ErrorText } from '../errors/error-text.tsx'
import { callServer, tellServer } from '../server/call-server.ts'
import { useWords } from '../settings/settings.tsx'

/** Names the channel of a chat, and lets a person write there in place of the agent. */
export function ChannelBar({ channel }: { readonly channel: ChatChannel }) {
  const words = useWords()
  const { name, isTakenOver, failure, takeOver } = channel
  if (name === undefined) return null
  return (
    <Bar
      icon={MessagesSquare}
      text={words.inChannel(name)}
      failure={failure}
      buttonIcon={isTakenOver ? Undo2 : Hand}
      button={isTakenOver ? words.giveBack : words.takeOver}
      onClick={() => takeOver(!isTakenOver)}
    >
      {isTakenOver && <strong className="ml-2 font-medium text-ink">{words.youAnswer}</strong>}
    </Bar>
  )
}

export interface ChatChannel {
  /** The name of the chat's channel; `undefined` when it has none. */
  readonly name: string | undefined
  /** Whether a person writes in place of the agent. */
  readonly isTakenOver: boolean
  /** Why the person's last action here has failed. */
  readonly failure: ChatError | undefined
  takeOver(isOn: boolean): Promise<void>
  /** Sends a text to the person in the channel. Returns whether the server has taken it. */
  reply(text: string): Promise<boolean>
}

/**
 * Returns the channel of a chat, and whether a person has taken over. Loads this again when a run begins or ends,
 * because others may take over too. Loads nothing before the chat has its first message: until then it may not exist.
 */
export function useChannel(
  chatId: ChatId,
  { status, messages }: Pick<ChatSnapshot, 'status' | 'messages'>,
): ChatChannel {
  const [known, setKnown] = useState<Pick<ChatBody, 'channel' | 'takenOverBy'>>({})
  const [failure, setFailure] = useState<ChatError>()
  const address = `/api/chats/${encodeURIComponent(chatId)}`
  const isEmpty = messages.length === 0
  // How often this page has learned more than a request knows that is under way.
  const news = useRef(0)
  useEffect(() => {
    let isCurrent = true
    const newsBefore = news.current
    if (isEmpty || status === 'loading' || status === 'submitted') return
    callServer(isChatBody, 'GET', address).then(
      chat => isCurrent && news.current === newsBefore && setKnown(chat),
      // A chat that does not exist yet has no channel.
      () => undefined,
    )
    return () => {
      isCurrent = false
    }
  }, [address, status, isEmpty])

  /** Returns whether the work was done. */
  const attempt = useCallback(async (work: () => Promise<void>) => {
    try {
      setFailure(undefined)
      await work()
      return true
    } catch (error) {
      setFailure(asChatError(error))
      return false
    }
  }, [])
  const takeOver = useCallback(
    async (on: boolean) => {
      await attempt(async () => {
        const { takenOverBy } = await callServer(isTakeOver, 'POST', `${address}/take-over`, { on })
        news.current += 1
        setKnown(({ channel }) => ({ channel, takenOverBy }))
      })
    },
    [attempt, address],
  )
  const reply = useCallback(
    (text: string) => attempt(() => tellServer('POST', `${address}/reply`, { text })),
    [attempt, address],
  )
  const { channel: name, takenOverBy } = known
  return { name, isTakenOver: takenOverBy !== undefined, failure, takeOver, reply }
}

/** Says that the message is for a person, and lets that person reply here. */
export function PersonBar({ person }: { readonly person: AskedPerson }) {
  const words = useWords()
  const { name, isReplying, failure, setReplying } = person
  if (name === undefined) return null
  return (
    <Bar
      icon={UserRound}
      text={isReplying ? words.youSpeakAs(name) : words.waitsFor(name)}
      failure={failure}
      buttonIcon={isReplying ? Undo2 : PenLine}
      button={isReplying ? words.writeAsYourself : words.answerAs(name)}
      onClick={() => setReplying(!isReplying)}
    />
  )
}

interface AskedPerson {
  /** The person that the last message is for; `undefined` when it is for an agent. */
  readonly name: string | undefined
  /** Whether the next text is sent as a reply of this person. */
  readonly isReplying: boolean
  /** Why the last reply could not be sent. */
  readonly failure: ChatError | undefined
  setReplying(isReplying: boolean): void
  /** Returns whether the server has taken the text. */
  reply(text: string): Promise<boolean>
}

/** Returns the person that the last message is for. That person may use this page, and reply here. */
export function usePerson(chatId: ChatId, messages: readonly Message[]): AskedPerson {
  const name = askedName(messages)
  // Kept by name: replying as one person does not mean replying as the next one.
  const [speaker, setSpeaker] = useState<string>()
  const [failure, setFailure] = useState<ChatError>()
  return {
    name,
    isReplying: name !== undefined && speaker === name,
    failure,
    setReplying: isReplying => setSpeaker(isReplying ? name : undefined),
    async reply(text) {
      try {
        setFailure(undefined)
        await tellServer('POST', `/api/chats/${encodeURIComponent(chatId)}/reply`, { text })
        return true
      } catch (error) {
        setFailure(asChatError(error))
        return false
      }
    },
  }
}

function askedName(messages: readonly Message[]): string | undefined {
  const { communicationType, channel, receiverName } =
    messages.findLast(({ role }) => role === 'user')?.metadata ?? {}
  // A message from a channel is not for a person of this page. Whoever has taken over the chat replies there.
  return communicationType === 'user-to-user' && channel === undefined ? receiverName : undefined
}

interface BarProps {
  readonly icon: LucideIcon
  readonly text: string
  /** Why the person's last action here has failed. */
  readonly failure: ChatError | undefined
  readonly buttonIcon: LucideIcon
  /** What stands on the button. */
  readonly button: string
  readonly onClick: () => void
  /** Stands behind the text. */
  readonly children?: ReactNode
}

/** What both bars look like. */
function Bar({ icon: Icon, text, failure, buttonIcon: ButtonIcon, button, onClick, children }: BarProps) {
  return (
    <div className="flex items-center gap-2 border-b border-line bg-panel px-4 py-1.5 text-sm text-muted">
      <Icon size={15} className="shrink-0" />
      <span className="min-w-0 flex-1 truncate">
        {text}
        {failure !== undefined && (
          <span role="alert" className="ml-2 text-danger">
            <ErrorText error={failure} />
          </span>
        )}
        {children}
      </span>
      <button
        type="button"
        onClick={onClick}
        className="flex shrink-0 items-center gap-1.5 rounded-full border border-line bg-raised px-3 py-0.5 text-ink hover:border-accent"
      >
        <ButtonIcon size={14} /> {button}
      </button>
    </div>
  )
}
