import { tool } from 'ai'
import { z } from 'zod'
import { currentFrame } from '../run/agent-frame.ts'
import { activeTabOf } from '../run/request-context.ts'
import type { ToolFactory } from '../run/tool-factory-registry.ts'

/** Returns the tab in which the person is. */
export const currentTabTool: ToolFactory = {
  key: 'getCurrentTab',
  description: 'Tells which tab the user is looking at.',
  idempotent: true,
  make: () =>
    tool({
      title: 'Current tab',
      description: 'Which tab the user had in front when they sent their message.',
      inputSchema: z.object({}),
      execute: async () =>
        activeTabOf(currentFrame().run.context) ?? { note: 'The page told nothing about tabs.' },
    }),
}

/** Returns the tabs that the person has open. */
export const tabsTool: ToolFactory = {
  key: 'getTabs',
  description: 'Lists the tabs the user has open.',
  idempotent: true,
  make: () =>
    tool({
      title: 'Tabs',
      description: 'The tabs the user had open when they sent their message.',
      inputSchema: z.object({}),
      execute: async () => ({ tabs: currentFrame().run.context.tabs }),
    }),
}
