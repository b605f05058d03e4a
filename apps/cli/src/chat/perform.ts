import type { ChatError } from '@throughline/client/chat-error'
import type { ChatSnapshot } from '@throughline/client/chat-snapshot'
import type { Chat } from '@throughline/client/create-chat'

/** An answer is being made, or something is on its way. */
export function isBusy(snapshot: ChatSnapshot): boolean {
  return snapshot.status !== 'ready' && !isCutOff(snapshot)
}

/** Nothing more will come: the server has refused us, and asking again would change nothing. */
export function isCutOff({ connection, error }: ChatSnapshot): boolean {
  return connection === 'lost' && error !== undefined && !error.isTemporary
}

/** Resolves with the first snapshot in which nothing is going on, which may be the present one. */
export function untilSettled(chat: Chat): Promise<ChatSnapshot> {
  return until(chat, snapshot => !isBusy(snapshot))
}

/** Stops the answer. One that has not begun yet is stopped when it has: the server knows of no other. */
export async function stopAnswer(chat: Chat): Promise<void> {
  const { status } = await until(chat, snapshot => snapshot.status === 'streaming' || !isBusy(snapshot))
  // What goes wrong with it is in the next snapshot.
  if (status === 'streaming') await chat.stop()
}

/** Does something that brings an answer, and waits for its end. Tells why a message could not be sent. */
export async function perform(chat: Chat, act: () => Promise<void>): Promise<ChatError | undefined> {
  const { unsent: before } = chat.getSnapshot()
  const changed = nextChange(chat)
  await Promise.all([act(), changed.then(() => untilSettled(chat))])
  const { unsent } = chat.getSnapshot()
  return [...unsent.values()].find(error => ![...before.values()].includes(error))
}

// What was done is not in the snapshot before the next frame, so a chat that looks settled may not be.
function nextChange(chat: Chat): Promise<void> {
  return new Promise(resolve => {
    const unsubscribe = chat.subscribe(() => {
      unsubscribe()
      resolve()
    })
  })
}

function until(chat: Chat, isReached: (snapshot: ChatSnapshot) => boolean): Promise<ChatSnapshot> {
  return new Promise(resolve => {
    const look = () => {
      const snapshot = chat.getSnapshot()
      if (!isReached(snapshot)) return
      unsubscribe()
      resolve(snapshot)
    }
    const unsubscribe = chat.subscribe(look)
    look()
  })
}
