import { activeTabOf, type RequestContext } from './request-context.ts'

/** How freely agents may act, from least to most. */
export const modes = ['settings', 'chat', 'browse'] as const
export type Mode = (typeof modes)[number]

/** The mode a request comes in: what the active tab shows decides. */
export function modeFrom(context: RequestContext): Mode {
  const tab = activeTabOf(context)
  if (tab?.kind === 'settings') return 'settings'
  return tab !== undefined && /^https?:/i.test(tab.url) ? 'browse' : 'chat'
}

/** The narrower of two modes: whoever delegates can take freedom away, not give it. */
export function narrowed(mode: Mode, wanted: Mode | undefined): Mode {
  if (wanted === undefined) return mode
  return modes.indexOf(wanted) < modes.indexOf(mode) ? wanted : mode
}
