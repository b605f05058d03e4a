import { messageMetadataSchema } from '@throughline/protocol'
import { z } from 'zod'
import { type End, failed, finished, type Item, type Seen, stopped, toldApart } from './seen.ts'

const mark = z.looseObject({ throughline: z.looseObject({ displayName: z.string() }) })
const partSchema = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  state: z.string().optional(),
  toolName: z.string().optional(),
  input: z.unknown().optional(),
  output: z.unknown().optional(),
  errorText: z.string().optional(),
  /** Where sub-agents stand inline, who wrote it. */
  providerMetadata: mark.optional(),
  toolMetadata: mark.optional(),
})
const answerSchema = z.looseObject({ metadata: messageMetadataSchema.optional(), parts: z.array(partSchema) })
type Part = z.infer<typeof partSchema>

/** AI SDK messages as a client holds them. `failure`: what the client itself says went wrong. */
export function seenIn(messages: readonly unknown[], failure?: string | undefined): Seen {
  const answers = messages.filter(isAnswer).map(message => answerSchema.parse(message))
  const masters = answers.filter(({ metadata }) => metadata?.agent?.kind !== 'sub')
  const [master] = masters
  if (master === undefined || masters.length > 1) throw new Error(`There are ${masters.length} answers.`)
  const items = answers.flatMap(({ metadata, parts }) => {
    const author = metadata?.agent?.kind === 'sub' ? metadata.agent.displayName : undefined
    return parts.flatMap(part => itemsOf(part).map(item => ({ name: author ?? nameOn(part), item })))
  })
  return { ...toldApart(items), end: endOf(master.metadata, failure) }
}

/** Who wrote a part that stands in another's answer. */
function nameOn({ providerMetadata, toolMetadata }: Part): string | undefined {
  return (providerMetadata ?? toolMetadata)?.throughline.displayName
}

function isAnswer(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'role' in message && message.role === 'assistant'
}

function endOf(metadata: z.infer<typeof messageMetadataSchema> = {}, failure: string | undefined): End {
  if (failure !== undefined) return failed(failure)
  switch (metadata.status) {
    case 'finished':
      return finished
    case 'stopped':
      return stopped
    case 'failed':
      return failed(metadata.statusText ?? '')
    default:
      return { status: 'broken off' }
  }
}

function itemsOf({ type, text = '', toolName, state, input, output, errorText }: Part): readonly Item[] {
  if (type === 'text') return [{ text }]
  if (type === 'reasoning') return [{ reasoning: text }]
  if (type !== 'dynamic-tool' && !type.startsWith('tool-')) return []
  const tool = toolName ?? type.slice('tool-'.length)
  if (state === 'output-available') return [{ tool, input, state: 'done', output }]
  if (state === 'output-error') return [{ tool, input, state: 'failed', output: errorText }]
  return [{ tool, input, state: 'open', output: undefined }]
}
