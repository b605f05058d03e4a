import type { Chat, ChatError, ChatSnapshot } from '@throughline/client'

/** Returns whether an answer is being written, or something is being sent or loaded. */
export function isChatBusy(snapshot: ChatSnapshot): boolean {
  return snapshot.status !== 'ready' && !isCutOff(snapshot)
}

/** Returns whether nothing more will come: the server has refused, and trying again would not help. */
export function isCutOff({ connection, error }: ChatSnapshot): boolean {
  return connection === 'lost' && error !== undefined && !error.isTemporary
}

/** Resolves with the first snapshot that is not busy. That may be the present one. */
export function untilSettled(chat: Chat): Promise<ChatSnapshot> {
  return until(chat, snapshot => !isChatBusy(snapshot))
}

/** Stops the answer. Waits until it has begun, because the server cannot stop it before. */
export async function stopAnswer(chat: Chat): Promise<void> {
  const { status } = await until(chat, snapshot => snapshot.status === 'streaming' || !isChatBusy(snapshot))
  // If this fails, the next snapshot has the error.
  if (status === 'streaming') await chat.stop()
}

/**
 * Does something that leads to an answer, and waits for its end. Returns the error of a message that could not be sent.
 */
export async function perform(chat: Chat, act: () => Promise<void>): Promise<ChatError | undefined> {
  const { unsent: before } = chat.getSnapshot()
  const changed = nextChange(chat)
  await Promise.all([act(), changed.then(() => untilSettled(chat))])
  const { unsent } = chat.getSnapshot()
  return [...unsent.values()].find(error => ![...before.values()].includes(error))
}

// An action is in the snapshot only after the next animation frame. Until then the chat may wrongly look settled.
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
