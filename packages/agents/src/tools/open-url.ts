import { tool } from 'ai'
import { z } from 'zod'
import { currentFrame } from '../run/agent-frame.ts'
import type { ToolFactory } from '../run/tool-factory-registry.ts'

/** Tells the page to offer an address. The page opens it when the person clicks. */
export interface OpenUrlEvent {
  readonly type: 'open-url'
  readonly url: string
  readonly title: string
}

/** Offers a web page to the person. */
export const openUrlTool: ToolFactory = {
  key: 'open-url',
  description: 'Offers to open a web page beside the chat.',
  modes: ['chat', 'browse'],
  make: () =>
    tool({
      title: 'Open page',
      description: 'Offer the user to open a web page beside the chat. It opens only when the user clicks.',
      inputSchema: z.object({
        url: z.string().max(2_000).describe('An http or https address.'),
        title: z.string().max(200).optional().describe('What the page is.'),
      }),
      async execute({ url, title }) {
        const address = webAddress(url)
        const event: OpenUrlEvent = { type: 'open-url', url: address, title: title ?? address }
        await currentFrame().writer.write({ type: 'ui-event', data: event })
        return {
          ok: true,
          url: address,
          note: 'The page was offered to the user, who decides whether to open it.',
        }
      },
    }),
}

function webAddress(text: string): string {
  const url = URL.parse(text)
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return url.href
  throw new Error(`"${text.slice(0, 200)}" is not an http or https address.`)
}
