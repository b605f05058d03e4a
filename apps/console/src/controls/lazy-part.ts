import { type ComponentType, type LazyExoticComponent, lazy } from 'react'

/**
 * Returns a component whose code is loaded when it is first shown. If the code cannot be loaded, because the server is
 * away, nothing is shown in its place. The rest of the page goes on.
 */
export function lazyPart<Props>(load: () => Promise<ComponentType<Props>>) {
  return lazyOr<Props>(load, Nothing)
}

function Nothing() {
  return null
}

/** Returns a component that is loaded when it is first drawn. If it cannot be loaded, the other one is drawn in its place. */
export function lazyOr<Props>(
  load: () => Promise<ComponentType<Props>>,
  other: ComponentType<Props>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({ default: await load().catch(() => other) }))
}
