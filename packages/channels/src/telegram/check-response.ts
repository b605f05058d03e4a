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
 * Checks the response to a call before grammY reads it. The Bot API may leave out the description of an error, and a proxy
 * in between may respond with any JSON. After this check an error has a code, a description and parameters.
 */
export const checkResponse: Transformer = async (call, method, payload, signal) => {
  const response = await call(method, payload, signal)
  const { success: isError, data } = apiError.safeParse(response)
  if (isError) return { ...data, parameters: withoutMissing(data.parameters) }
  if (isSuccess(response)) return response
  // It is not known whether the same call would fail again.
  throw new ChannelError('unavailable', `What responded to ${method} is not Telegram's Bot API.`)
}

function isSuccess(response: unknown): boolean {
  return typeof response === 'object' && response !== null && 'ok' in response && response.ok === true
}

function withoutMissing({ retry_after, migrate_to_chat_id }: z.infer<typeof apiError>['parameters']) {
  return {
    ...(retry_after !== undefined && { retry_after }),
    ...(migrate_to_chat_id !== undefined && { migrate_to_chat_id }),
  }
}
