import { onScopeDispose, type ShallowRef, shallowRef } from 'vue'

/** What a store shows now, for as long as the component is there. */
export function useSnapshot<Snapshot>(store: {
  readonly getSnapshot: () => Snapshot
  readonly subscribe: (listener: () => void) => () => void
}): Readonly<ShallowRef<Snapshot>> {
  const snapshot = shallowRef(store.getSnapshot())
  onScopeDispose(
    store.subscribe(() => {
      snapshot.value = store.getSnapshot()
    }),
  )
  return snapshot
}
