import { type ChatId, isChatId, isRecord, type ListedChat } from '@throughline/protocol'
import { useEffect, useMemo, useState } from 'react'
import { callServer } from '../call-server.ts'

/** A chat that was found. */
export interface FoundChat {
  readonly chat: ListedChat
  /** A line of a message that contains the text. Missing when only the title contains it. */
  readonly excerpt?: string | undefined
}

export interface Search {
  readonly text: string
  setText(text: string): void
  /**
   * `off`: nothing is searched for. `searching`: the result is not there yet; what was found before may be shown.
   * `failed`: the server did not respond.
   */
  readonly status: 'off' | 'searching' | 'found' | 'failed'
  readonly found: readonly FoundChat[]
  /** Whether there may be more. */
  readonly isPartial: boolean
}

/** How long to wait for the next letter before the server is asked, in milliseconds. */
const typingMs = 200

const nothing = { text: '', found: [], isPartial: false, hasFailed: false }

/** Searches the titles and texts of all chats, as the person types. `chats` is the live list. */
export function useSearch(chats: readonly ListedChat[]): Search {
  const [text, setText] = useState('')
  const [result, setResult] = useState<Omit<Search, 'setText' | 'status'> & { hasFailed: boolean }>(nothing)
  const asked = text.trim()
  useEffect(() => {
    if (asked === '') return setResult(nothing)
    let isLatest = true
    const ask = async () => {
      const next = await searchServer(asked).catch(() => ({ found: [], isPartial: false, hasFailed: true }))
      if (isLatest) setResult({ hasFailed: false, ...next, text: asked })
    }
    const timer = setTimeout(ask, typingMs)
    return () => {
      isLatest = false
      clearTimeout(timer)
    }
  }, [asked])
  return useMemo(() => {
    const live = new Map<ChatId, ListedChat>(chats.map(chat => [chat.id, chat]))
    const found = result.found.map(each => ({ ...each, chat: live.get(each.chat.id) ?? each.chat }))
    const answered = result.hasFailed ? 'failed' : 'found'
    const status = asked === '' ? 'off' : result.text === asked ? answered : 'searching'
    return { text, setText, status, found, isPartial: result.isPartial }
  }, [text, asked, result, chats])
}

async function searchServer(text: string): Promise<Pick<Search, 'found' | 'isPartial'>> {
  const { chats, isComplete } = await callServer(
    'GET',
    `/api/chats?q=${encodeURIComponent(text.toWellFormed())}`,
  )
  return { found: chats.filter(isFound).map(foundFrom), isPartial: isComplete !== true }
}

type SentChat = ListedChat & { readonly excerpt?: string }

function isFound(value: unknown): value is SentChat {
  return isRecord(value) && isChatId(value['id'])
}

function foundFrom({ excerpt, ...chat }: SentChat): FoundChat {
  return { chat, excerpt }
}
