import { LogError } from '@throughline/log'

/** Returns whether an append was refused because another process has the run now. */
export function isFenced(error: unknown): boolean {
  return error instanceof LogError && error.code === 'fenced'
}
