import type { Transformer } from 'grammy'
import { z } from 'zod'
import { ChannelError } from '../channel.ts'

const apiError = z.object({
  ok: z.literal(false),
  error_code: z.int(),
  description: z.string().catch(''),
  parameters: z
    .object({
      retry_after: z.number().min(0).optional().catch(undefined),
      migrate_to_chat_id: z.int().optional().catch(undefined),
    })
    .catch({}),
})

/**
 * Checks what answers a call before anybody reads it. The Bot API may leave the description of an error out, and a
 * proxy in between may answer with any JSON. After this, an error has a code, a description and parameters.
 */
export const checkAnswer: Transformer = async (call, method, payload, signal) => {
  const answer = await call(method, payload, signal)
  const { success: isError, data } = apiError.safeParse(answer)
  if (isError) return { ...data, parameters: withoutMissing(data.parameters) }
  if (isSuccess(answer)) return answer
  // Nobody knows whether the same call would fail again.
  throw new ChannelError('unavailable', `What answered ${method} is not Telegram's Bot API.`)
}

function isSuccess(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'ok' in answer && answer.ok === true
}

function withoutMissing({ retry_after, migrate_to_chat_id }: z.infer<typeof apiError>['parameters']) {
  return {
    ...(retry_after !== undefined && { retry_after }),
    ...(migrate_to_chat_id !== undefined && { migrate_to_chat_id }),
  }
}
