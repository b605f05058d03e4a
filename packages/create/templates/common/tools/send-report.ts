import { tool } from 'ai'
import { z } from 'zod'

// A person has to approve each call: see `approvals` in throughline.config.ts.
export const sendReport = tool({
  title: 'Send report',
  description: 'Sends a report by mail.',
  inputSchema: z.object({
    to: z.string().describe('The address of the person who gets it.'),
    text: z.string().describe('What the report says.'),
  }),
  // This one only pretends. Send a real mail here.
  execute: async ({ to }) => ({ sent: true, to }),
})
