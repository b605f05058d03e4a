// The package comes without types.
declare module 'cross-spawn' {
  import type { ChildProcess, SpawnOptions } from 'node:child_process'

  /** Like Node's own, and on Windows it also starts what is a script there, such as `npx`. */
  export default function spawn(command: string, args: string[], options: SpawnOptions): ChildProcess
}
