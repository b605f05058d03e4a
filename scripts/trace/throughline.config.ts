// The installation whose walks are traced: a model with a tool that a person approves, a sub-agent, an agent that waits, and Telegram.
import { tool } from 'ai'
import { defineAgent, defineConfig, telegramChannel } from 'throughline'
import { z } from 'zod'
import { heldAgent } from './held-agent.ts'

const { TELEGRAM_BOT_TOKEN: token, TELEGRAM_API_ROOT: apiRoot } = process.env

const cancelOrder = tool({
  description: 'Cancels an order.',
  inputSchema: z.object({ order: z.string() }),
  execute: async ({ order }) => ({ cancelled: order }),
})

export default defineConfig({
  titles: false,
  agents: {
    held: heldAgent,
    reader: defineAgent({
      name: 'reader',
      displayName: 'Reader',
      description: 'Reads.',
      instructions: 'Read what you are given.',
    }),
  },
  tools: { cancel_order: cancelOrder },
  approvals: { cancel_order: true },
  channels: { telegram: { channel: telegramChannel({ token, apiRoot, allowUsers: 'everybody' }) } },
})
