import type { ChatError } from '@throughline/client'
import { chineseError } from './chinese-errors.ts'

/** Says in Chinese what went wrong, and shows the server's own text as a detail. */
export function ChineseErrorText({ error }: { readonly error: Pick<ChatError, 'code' | 'message'> }) {
  const text = chineseError(error.code)
  return (
    <>
      {text}{' '}
      <span lang="en" className={text === undefined ? '' : 'text-xs opacity-80'}>
        {error.message}
      </span>
    </>
  )
}
