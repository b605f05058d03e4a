import { onScopeDispose, type ShallowRef, shallowRef } from 'vue'

/** Returns the snapshot of a store as a ref. It changes until the component is unmounted. */
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
