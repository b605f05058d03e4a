import { asChatError, type ChatError } from '@throughline/client'
import { useEffect, useState } from 'react'
import { callServer } from '../call-server.ts'

/** A link to a copy of a chat. */
export interface ShareLink {
  readonly key: string
  /** Below the base path of the server. */
  readonly path: string
  /** In ISO format. */
  readonly createdAt: string
  readonly messageCount: number
}

export interface Links {
  /** Newest first; `undefined` until they are loaded. */
  readonly links: readonly ShareLink[] | undefined
  /** What the person did last, when it has worked. */
  readonly done: 'created' | 'stopped' | undefined
  readonly problem: ChatError | undefined
  /** Whether the server is at work. */
  readonly isBusy: boolean
  create(): void
  stop(key: string): void
}

/** The links of a chat, and the ways to make and to end one. */
export function useLinks(chatId: string): Links {
  const address = `/api/chats/${chatId}/share`
  const [links, setLinks] = useState<readonly ShareLink[]>()
  const [done, setDone] = useState<Links['done']>()
  const [problem, setProblem] = useState<ChatError>()
  const [isBusy, setIsBusy] = useState(false)
  useEffect(() => {
    let isGone = false
    callServer('GET', address).then(
      // A link may have been made meanwhile.
      body => isGone || setLinks((made = []) => made.reduceRight(withLink, body.links)),
      error => isGone || setProblem(asChatError(error)),
    )
    return () => {
      isGone = true
    }
  }, [address])

  const attempt = async (work: () => Promise<void>) => {
    setIsBusy(true)
    setProblem(undefined)
    setDone(undefined)
    try {
      await work()
    } catch (error) {
      setProblem(asChatError(error))
    }
    setIsBusy(false)
  }
  return {
    links,
    done,
    problem,
    isBusy,
    create: () =>
      void attempt(async () => {
        const made: ShareLink = await callServer('POST', address, {})
        // An unchanged chat keeps the link that it has.
        setLinks((known = []) => withLink(known, made))
        setDone('created')
      }),
    stop: key =>
      void attempt(async () => {
        await stopSharing(`${address}/${key}`)
        setLinks((known = []) => without(known, key))
        setDone('stopped')
      }),
  }
}

async function stopSharing(address: string): Promise<void> {
  try {
    await callServer('DELETE', address)
  } catch (error) {
    // Another tab may have stopped it before, or the response to an earlier attempt got lost.
    if (asChatError(error).code !== 'share-not-found') throw error
  }
}

function withLink(links: readonly ShareLink[], link: ShareLink): readonly ShareLink[] {
  return [link, ...without(links, link.key)]
}

function without(links: readonly ShareLink[], key: string): readonly ShareLink[] {
  return links.filter(link => link.key !== key)
}
