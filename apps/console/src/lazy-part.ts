import { type ComponentType, lazy } from 'react'

/**
 * Returns a component whose code is loaded when it is first shown. If the code cannot be loaded, because the server is
 * away, nothing is shown in its place. The rest of the page goes on.
 */
export function lazyPart<Props>(load: () => Promise<ComponentType<Props>>) {
  return lazy<ComponentType<Props>>(async () => ({ default: await load().catch(() => Nothing) }))
}

function Nothing() {
  return null
}
