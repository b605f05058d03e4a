import {
  closedCallOf,
  isRecord,
  type Message,
  type OutputSource,
  type ToolPart,
  toolNameOf,
} from '@throughline/protocol'

/** Where a tool call, or the work of a sub-agent, stands. The first four go on; the others are ends. */
export type Stage =
  | 'preparing'
  | 'waiting'
  | 'waiting-for-app'
  | 'running'
  | 'done'
  | 'failed'
  | 'denied'
  | 'refused'
  | 'empty'
  | 'limit'
  | 'stopped'
  | 'cut'
  | 'unknown'

/** Returns whether a call, or a sub-agent, is still at work or waits for a person. */
export function isGoingOn(stage: Stage): boolean {
  return ['preparing', 'waiting', 'waiting-for-app', 'running'].includes(stage)
}

/**
 * Returns the stage of a call. `isLive` says that its message is still being written: otherwise nothing goes on. `asks` says
 * whose output the call asked for, if it did.
 */
export function stageOf(part: ToolPart, isLive: boolean, asks?: OutputSource): Stage {
  switch (part.state) {
    case 'output-error':
      return closedCallOf(part)?.type ?? 'failed'
    case 'output-denied':
      return closedCallOf(part)?.type ?? 'denied'
    case 'output-available':
      if (part.preliminary !== true) return 'done'
      return isLive ? 'running' : 'cut'
    case 'input-streaming':
      return isLive ? 'preparing' : 'cut'
    case 'approval-requested':
      return isLive ? 'waiting' : 'cut'
    case 'input-available':
    case 'approval-responded':
      if (!isLive) return 'cut'
      return asks === undefined ? 'running' : asks === 'person' ? 'waiting' : 'waiting-for-app'
  }
}

/** Returns whether a message is still being written. */
export function isBeingWritten({ metadata }: Message): boolean {
  return metadata?.status === 'streaming'
}

/** Returns whether a call asks for a sub-agent. */
export function isDelegation(part: ToolPart): boolean {
  return toolNameOf(part) === 'subAgent'
}

/** Returns the stage of a delegation. `message` is the sub-agent's, if it has begun; `isCallerLive` is about the caller's. */
export function stageOfDelegation(
  part: ToolPart,
  message: Message | undefined,
  isCallerLive: boolean,
): Stage {
  const { status, isEmpty } = message?.metadata ?? {}
  switch (status) {
    case 'streaming':
      return 'running'
    case 'finished':
      if (part.state === 'output-error') return stageOf(part, isCallerLive)
      return isEmpty === true || delegationRefusal(part)?.code === 'EMPTY' ? 'empty' : 'done'
    case 'failed':
    case 'stopped':
    case 'limit':
      return status
    case 'interrupted':
      return 'cut'
    case undefined: {
      const code = delegationRefusal(part)?.code
      if (code === undefined) return stageOf(part, isCallerLive)
      return code === 'INTERRUPTED' ? 'cut' : 'refused'
    }
  }
}

/** Returns why a delegation did not succeed, as its caller's model reads it; `undefined` when it did, or goes on. */
export function delegationRefusal({
  output,
}: ToolPart): { readonly code: string; readonly message: string } | undefined {
  if (!isRecord(output) || output['ok'] !== false) return undefined
  return { code: String(output['code']), message: String(output['message']) }
}
