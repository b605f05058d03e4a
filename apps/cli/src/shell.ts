/** What a command has around it, so that a test can be all of it. */
export interface Shell {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined }
  readonly output: Output
  readonly errors: Output
  /** Calls the listener at every Ctrl-C, as long as no line is being edited. Answers how to end that. */
  onInterrupt(listener: () => void): () => void
}

export type Output = NodeJS.WritableStream & {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

export function processShell(env: Shell['env']): Shell {
  return {
    env,
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
    onInterrupt(listener) {
      process.on('SIGINT', listener)
      return () => process.off('SIGINT', listener)
    },
  }
}

/** Ends with whoever reads the output: "throughline replay … | head" is no error. */
export function exitWithReader(): void {
  process.stdout.on('error', error => {
    if ('code' in error && error.code === 'EPIPE') process.exit()
    throw error
  })
}

/** Whether a person sits at both ends. */
export function isInteractive({ input, output }: Shell): boolean {
  return input.isTTY === true && output.isTTY === true
}

/** See https://no-color.org. */
export function hasColours({ env, output }: Shell): boolean {
  return output.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
}
