import { tool } from 'ai'
import { z } from 'zod'
import { type ToolFactory, toolFactory } from '../../run/tool-factory-registry.ts'
import { weatherTool } from './weather.ts'

/** Returns the tools of the demo model. Their results are invented, so a real model must not have them. */
export function demoTools(): readonly ToolFactory[] {
  return [
    toolFactory('weather', weatherTool),
    toolFactory('send_report', sendReportTool, { needsApproval: true }),
  ]
}

const sendReportTool = tool({
  title: 'Send report',
  description: 'Pretends to send a report by mail, after a person has approved it. Nothing is really sent.',
  inputSchema: z.object({
    to: z.string().min(1).max(200).describe('Who shall get it.'),
    text: z.string().min(1).max(10_000).describe('What it says.'),
  }),
  execute: ({ to }) => ({ sent: true, to }),
})
