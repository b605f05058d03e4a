import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Returns how many of the objects are still reachable. Collects all garbage first, so it does not depend on when the
 * collector runs by itself.
 */
export async function countReachable(objects: readonly WeakRef<object>[]): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  // A WeakRef holds its object until the end of the turn in which it was made or read.
  await new Promise(resolve => setImmediate(resolve))
  collect()
  return objects.filter(object => object.deref() !== undefined).length
}
