// The rest of the module is no part of the layer.
export { loopUtilization } from '../../../../packages/store/src/memory/give-memory-back.ts'

/** Leaves it to V8 when garbage is collected. */
export function giveMemoryBack(): () => void {
  return () => undefined
}
