import { join } from 'node:path'
import { inject } from 'vitest'
import { askLocator } from '../setup/serve-on-demand.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where a test worker asks for the folder of the bundled programs. */
    readonly programsLocator: string
  }
}

/** A program that was made by `bundle-process.ts`. */
export interface BundledProgram {
  readonly path: string
  /** The environment variables with which its processes share the code that they have compiled. */
  readonly env: Readonly<Record<string, string>>
}

/** Returns a program in one file. The first call of a test command makes these files. */
export async function bundledProgram(
  name: 'crash-process' | 'deadly-process' | 'throughline',
): Promise<BundledProgram> {
  const folder = String(await askLocator(inject('programsLocator')))
  return {
    path: join(folder, `${name}.mjs`),
    // A bundle uses some of Node's old modules where the packages have their own.
    env: { NODE_COMPILE_CACHE: join(folder, 'compiled'), NODE_NO_WARNINGS: '1' },
  }
}
