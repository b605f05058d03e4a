import { z } from 'zod'

/** A tab of the page from which a message was sent. */
export const tabSchema = z.object({
  id: z.string().min(1).max(128),
  title: z.string().max(500).default(''),
  url: z.string().max(2_000).default(''),
  /** What the tab shows. In a `settings` tab, agents may do less. */
  kind: z.enum(['page', 'chat', 'settings']).default('page'),
})
/** A tab of the page from which a message was sent. */
export type Tab = z.infer<typeof tabSchema>

/**
 * Where the person was when they sent a message. The page says so, and a page can say anything. So it may only narrow what
 * agents may do, never widen it.
 */
export const requestContextSchema = z.object({
  workspaceId: z.string().max(128).optional(),
  /** The page of the application. Agents with `pageIds` are there on these pages only. */
  pageId: z.string().max(128).optional(),
  tabs: z.array(tabSchema).max(100).default([]),
  activeTabId: z.string().max(128).optional(),
})
/** Where the person was when they sent a message, as the page says. */
export type RequestContext = z.infer<typeof requestContextSchema>

/** The context of a message that was not sent from a page. */
export const noContext: RequestContext = { tabs: [] }

/** Returns the tab in which the person was, or `undefined` when it is not known. */
export function activeTabOf({ tabs, activeTabId }: RequestContext): Tab | undefined {
  return tabs.find(tab => tab.id === activeTabId)
}

/** How much agents may do, from least to most. */
export const modes = ['settings', 'chat', 'browse'] as const
/** How much agents may do. */
export type Mode = (typeof modes)[number]

/** Returns the mode of a request. It depends on the active tab. */
export function modeFrom(context: RequestContext): Mode {
  const tab = activeTabOf(context)
  if (tab?.kind === 'settings') return 'settings'
  return tab !== undefined && /^https?:/i.test(tab.url) ? 'browse' : 'chat'
}

/** Returns the narrower of two modes. A caller can give a sub-agent less freedom than it has, never more. */
export function narrowed(mode: Mode, wanted: Mode | undefined): Mode {
  if (wanted === undefined) return mode
  return modes.indexOf(wanted) < modes.indexOf(mode) ? wanted : mode
}
