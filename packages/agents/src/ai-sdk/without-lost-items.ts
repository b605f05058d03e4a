import {
  isRecord,
  isStepCutAt,
  isToolPart,
  type Message,
  type Part,
  type ToolPart,
} from '@throughline/protocol'

/**
 * Returns an answer without what its provider would refuse, because the model call that made it was cut off:
 * - reasoning without its signature, and reasoning after which nothing came,
 * - the ids of the provider's items: the provider stores no items of a call that was cut off,
 * - calls that the provider runs itself, and calls whose input never came in full.
 *
 * Steps that ended are left as they are. An answer that was not cut off is returned itself.
 */
export function withoutLostItems(message: Message): Message {
  const ends = endsOfCutSteps(message)
  if (ends.length === 0) return message
  const parts: Part[] = []
  let from = 0
  for (const end of ends) {
    const step = message.parts.slice(from, end)
    const start = step.findLastIndex(({ type }) => type === 'step-start') + 1
    parts.push(...step.slice(0, start), ...readableParts(step.slice(start)))
    from = end
  }
  return { ...message, parts: [...parts, ...message.parts.slice(from)] }
}

/** Returns the indexes after the last parts of the steps that were cut off. */
function endsOfCutSteps({ role, metadata, parts }: Message): readonly number[] {
  if (role !== 'assistant') return []
  const marks = parts.flatMap((part, index) => (isStepCutAt(part) ? [index] : []))
  return metadata?.status === 'interrupted' ? [...marks, parts.length] : marks
}

function readableParts(step: readonly Part[]): readonly Part[] {
  const readable = step.filter(isReadable)
  const lastSaid = readable.findLastIndex(part => part.type === 'text' || isToolPart(part))
  return readable.flatMap((part, index) =>
    part.type === 'reasoning' && index > lastSaid ? [] : [withoutItemIds(part)],
  )
}

function isReadable(part: Part): boolean {
  if (part.type === 'text') return part.text !== ''
  if (part.type === 'reasoning') return isSigned(part.providerMetadata)
  return !isToolPart(part) || (part.providerExecuted !== true && !isCutInput(part))
}

/** Returns whether a call was closed while its input came. It still has the text of the input. */
export function isCutInput({ state, input, rawInput }: ToolPart): boolean {
  return state === 'output-error' && (input === undefined || rawInput !== undefined)
}

// What Anthropic and Bedrock, Google, and OpenAI use to know their own reasoning again.
const signatures = ['signature', 'redactedData', 'thoughtSignature', 'reasoningEncryptedContent']

function isSigned(metadata: Readonly<Record<string, unknown>> | undefined): boolean {
  return Object.values(metadata ?? {}).some(
    fields => isRecord(fields) && signatures.some(name => Boolean(fields[name])),
  )
}

function withoutItemIds(part: Part): Part {
  if (isToolPart(part)) {
    const { callProviderMetadata, resultProviderMetadata } = part
    return {
      ...part,
      callProviderMetadata: withoutIds(callProviderMetadata),
      resultProviderMetadata: withoutIds(resultProviderMetadata),
    }
  }
  return 'providerMetadata' in part ? { ...part, providerMetadata: withoutIds(part.providerMetadata) } : part
}

type Metadata = NonNullable<ToolPart['callProviderMetadata']>

function withoutIds(metadata: Metadata | undefined): Metadata | undefined {
  if (metadata === undefined) return undefined
  return Object.fromEntries(
    Object.entries(metadata).map(([provider, { itemId: _, ...fields }]) => [provider, fields]),
  )
}
