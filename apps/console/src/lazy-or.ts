import { type ComponentType, type LazyExoticComponent, lazy } from 'react'

/** Returns a component that is loaded when it is first drawn. If it cannot be loaded, the other one is drawn in its place. */
export function lazyOr<Props>(
  load: () => Promise<ComponentType<Props>>,
  other: ComponentType<Props>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({ default: await load().catch(() => other) }))
}
