import { RunStopped } from '@throughline/agents/run-stopped'
import { logName } from '@throughline/log/log-store'
import type { Run } from '@throughline/store/runs'
import { busyMove, type OnBusy } from './busy-move.ts'
import type { ChatViewers } from './chat-viewers.ts'
import type { RunnerOptions } from './runner.ts'

interface RunUnderWay {
  readonly run: Run
  readonly stop: AbortController
  readonly ended: Promise<unknown>
}

/** Resolves when a run that is in a message's way has ended. Interrupts it when that is what the message asks for. */
export async function makeWay(
  { store, approvals }: Pick<RunnerOptions, 'store' | 'approvals'>,
  { run, stop, ended }: RunUnderWay,
  { onBusy, viewers }: { readonly onBusy: OnBusy; readonly viewers: ChatViewers },
): Promise<void> {
  const move = busyMove(onBusy, {
    isAsking: approvals.isAsking(run),
    isInChannel: (await store.channelChats.get(run.ownerId, run.chatId)) !== undefined,
  })
  // A client's leaving may be noticed after its next message has come: then the message waits until it is.
  if (move === 'wait-while-viewed')
    await Promise.race([ended, viewers.untilNobody(logName(run.ownerId, run.chatId))])
  if (move !== 'wait') stop.abort(interruptedByMessage())
  await ended
}

export function interruptedByMessage(): RunStopped {
  return new RunStopped('stopped', 'Interrupted by a new message.')
}
