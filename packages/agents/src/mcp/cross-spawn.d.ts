// The package comes without types.
declare module 'cross-spawn' {
  import type { ChildProcess, SpawnOptions } from 'node:child_process'

  /** Like `spawn` of Node. On Windows it can also start scripts such as `npx`. */
  export default function spawn(command: string, args: string[], options: SpawnOptions): ChildProcess
}
