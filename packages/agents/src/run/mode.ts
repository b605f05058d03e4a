import { activeTabOf, type RequestContext } from './request-context.ts'

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
