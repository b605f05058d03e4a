import type { AgentChat } from '@throughline/client/react'
import { type RefObject, useMemo, useRef } from 'react'
import type { ChosenAgent, ChosenModel } from '../agents/agent-choice.tsx'
import type { Draft } from '../compose/use-draft.ts'
import { goOnMetadata, goOnText } from '../messages/go-on.ts'
import type { MessageGroup } from '../messages/group-answers.ts'
import type { MessageActions } from '../parts/chat-actions.tsx'

interface Options {
  readonly chat: AgentChat
  /** The messages, as they are at any time. */
  readonly groups: RefObject<readonly MessageGroup[]>
  readonly draft: Draft
  readonly agents: ChosenAgent
  readonly models: ChosenModel
  /** Called when an agent is asked for something. `name` is missing when it is the agent of the chat. */
  readonly onAsk: (name?: string) => void
  readonly onInspect: (messageId: string) => void
}

/**
 * Returns what can be done with the messages of a chat. It is the same object until a choice of the person changes it:
 * otherwise every message would be drawn again with each chunk.
 */
export function useMessageActions({ chat, groups, agents, models, ...options }: Options): MessageActions {
  const { onAsk, onInspect } = options
  const { addToolOutput, approve, deleteMessage, discard, edit, regenerate, retry, send, showVersion } = chat
  const { agent, sent } = agents
  const agentName = agent?.name
  const model = models.sent
  const latestDraft = useRef(options.draft)
  latestDraft.current = options.draft
  const asked: Pick<MessageActions, 'edit' | 'goOn' | 'regenerate'> = useMemo(
    () => ({
      edit(messageId, text) {
        onAsk()
        // The new version goes to the same person, when the message was for a person.
        const before = messageIn(groups, messageId)?.metadata
        const isForPerson = before?.communicationType === 'user-to-user'
        const to = isForPerson ? { agent: `user::${before?.receiverName ?? ''}` } : { agent: sent, model }
        return edit(messageId, text, to)
      },
      goOn({ metadata }) {
        onAsk(metadata?.senderName)
        const name = metadata?.agent?.name
        const text = goOnText(groups.current.map(({ message }) => message))
        return send(text, {
          agent: name,
          model: name === agentName ? model : undefined,
          metadata: goOnMetadata,
        })
      },
      regenerate(messageId) {
        const metadata = messageId === undefined ? undefined : messageIn(groups, messageId)?.metadata
        onAsk(metadata?.senderName)
        // The choice is for the agent of the chat, which need not be the one that has answered.
        const isSame = metadata?.agent?.name === agentName
        return regenerate(messageId, { model: isSame ? model : undefined })
      },
    }),
    [agentName, edit, groups, model, onAsk, regenerate, send, sent],
  )
  return useMemo(
    () => ({
      ...asked,
      addToolOutput,
      approve,
      deleteMessage,
      discard,
      inspect: onInspect,
      retry,
      showVersion,
      takeBack(messageId) {
        const message = messageIn(groups, messageId)
        discard(messageId)
        if (message !== undefined) latestDraft.current.takeBack(message)
      },
    }),
    [addToolOutput, approve, asked, deleteMessage, discard, groups, onInspect, retry, showVersion],
  )
}

function messageIn(groups: Options['groups'], messageId: string) {
  return groups.current.find(({ message }) => message.id === messageId)?.message
}
