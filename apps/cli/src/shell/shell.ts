/** The surroundings of a command. A test can replace all of them. */
export interface Shell {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined }
  readonly output: Output
  readonly errors: Output
  /** Calls the listener at every Ctrl-C, unless a line is being edited. Returns a function that ends this. */
  onInterrupt(listener: () => void): () => void
}

/** A stream to print to. On a terminal, it knows its width in columns. */
export type Output = NodeJS.WritableStream & {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

/** Returns the shell of this process. */
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

/**
 * Says what happens when nobody reads the output of this process any more, as in "throughline replay … | head". A command
 * either goes on without output, or ends, and that is no error.
 */
export function whenReaderLeaves(outcome: 'go-on' | 'exit'): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', error => {
      if (!('code' in error) || error.code !== 'EPIPE') throw error
      if (outcome === 'exit') process.exit()
    })
  }
}

/** Returns whether a person types the input and reads the output. */
export function isInteractive({ input, output }: Shell): boolean {
  return input.isTTY === true && output.isTTY === true
}

/** Returns whether to print colours. See https://no-color.org. */
export function hasColours({ env, output }: Shell): boolean {
  return output.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
}
