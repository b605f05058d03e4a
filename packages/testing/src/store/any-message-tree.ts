import type { Message } from '@throughline/protocol'
import fc from 'fast-check'
import { answer, userMessage } from './store-rows.ts'

/** `link` says which earlier message it follows, or for which message a sub-agent wrote it. */
const anyMessage = fc.record({ kind: fc.constantFrom('next', 'branch', 'sub'), link: fc.nat(12) })

/** Any tree of messages `m0`, `m1` and so on, with branches. Sub-agents' messages stand behind the one they belong to. */
export const anyMessageTree: fc.Arbitrary<readonly Message[]> = fc
  .array(anyMessage, { minLength: 1, maxLength: 12 })
  .map(drawn => {
    let own = 0
    return drawn.map(({ kind, link }, index): Message => {
      if (kind === 'sub' && index > 0) {
        const parent = { messageId: `m${own + (link % (index - own))}`, toolCallId: 'call' }
        return { ...answer(`m${index}`, 'Sub'), metadata: link % 3 === 0 ? { agent: subAgent } : { parent } }
      }
      own = index
      const earlier = index === 0 || link % 5 === 0 ? '' : `m${link % index}`
      const metadata = kind === 'branch' ? { previousMessageId: earlier } : { senderName: 'Ada' }
      const message = index % 2 === 0 ? userMessage(`m${index}`) : answer(`m${index}`, 'Yes.', 'And no.')
      return { ...message, metadata }
    })
  })

const subAgent = { kind: 'sub' as const, name: 'sub', displayName: 'Sub', depth: 1, path: ['master', 'sub'] }
