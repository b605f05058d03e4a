import {
  type ClientTool,
  clientToolSchema,
  type RequestContext,
  requestContextSchema,
} from '@throughline/agents/internal'
import { parseJson } from '@throughline/protocol/internal'
import { z } from 'zod'
import type { Sender } from './sender.ts'

/** Who asked, from where, and for which model: what agents and tools may know, and which tools they may use. */
export interface SavedRequest {
  readonly context: RequestContext
  readonly sender: Sender
  /** The name of the model that the person has chosen. */
  readonly model?: string | undefined
  /** Tools that the request brought. */
  readonly clientTools?: readonly ClientTool[] | undefined
}

const savedSchema = z.object({
  context: requestContextSchema,
  sender: z.object({
    displayName: z.string().optional(),
    roles: z.array(z.string()),
    permittedTools: z.array(z.string()).optional(),
  }),
  model: z.string().optional(),
  clientTools: z.array(clientToolSchema).optional(),
})

/** Returns a request as text, so that its run can go on after a crash with the same rights. */
export function requestText({ context, sender, model, clientTools = [] }: SavedRequest): string {
  const { displayName, roles, permittedTools } = sender
  const saved: z.input<typeof savedSchema> = {
    context,
    sender: { displayName, roles: [...roles], permittedTools: permittedTools && [...permittedTools] },
    model,
    ...(clientTools.length > 0 && { clientTools: [...clientTools] }),
  }
  return JSON.stringify(saved)
}

/** Returns the request of a text; `undefined` when there is no text, or one that cannot be read. */
export function requestFrom(text: string | undefined): SavedRequest | undefined {
  const { data } = savedSchema.safeParse(text === undefined ? undefined : parseJson(text))
  if (data === undefined) return undefined
  const { permittedTools } = data.sender
  return {
    context: data.context,
    sender: { ...data.sender, permittedTools: permittedTools && new Set(permittedTools) },
    model: data.model,
    clientTools: data.clientTools,
  }
}
