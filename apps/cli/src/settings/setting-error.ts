/** Thrown when the environment or the configuration cannot work. The message says what to do. */
export class SettingError extends Error {
  override readonly name = 'SettingError'
  /** The variable, or the file. */
  readonly setting: string
  /** What is wrong, and what to do. */
  readonly problem: string

  constructor(setting: string, problem: string) {
    super(`${setting}: ${problem}`)
    this.setting = setting
    this.problem = problem
  }
}
