/**
 * Where a server kills itself: the `count`-th time that it comes to `name`.
 *
 * Names in the thread of the database: `before-commit`, `after-commit`, and `insert-TABLE`, `update-TABLE` and
 * `delete-TABLE`, which are right before such a statement. Names in the main thread: `before-PORT.METHOD` and
 * `after-PORT.METHOD` of the store, such as `after-runs.claim`.
 */
export interface FailPoint {
  readonly name: string
  readonly count: number
}

const variable = 'THROUGHLINE_FAIL_POINT'

/** Sets the fail point of this process, and of the threads that it starts from now on. */
export function setFailPoint({ name, count }: FailPoint): void {
  process.env[variable] = `${name}:${count}`
}

/** Returns a function to call at every fail point. It ends the process with SIGKILL when the time has come. */
export function failPointFromEnv(): (name: string) => void {
  const [, name, digits] = /^(.+):(\d+)$/.exec(process.env[variable] ?? '') ?? []
  let left = Number(digits)
  return reached => {
    if (reached !== name) return
    left -= 1
    if (left === 0) process.kill(process.pid, 'SIGKILL')
  }
}
