import { z } from 'zod'

const requestSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('start'),
    id: z.number(),
    program: z.string(),
    words: z.array(z.string()),
    user: z.object({ uid: z.number().optional(), gid: z.number().optional() }),
  }),
  z.object({ type: z.literal('signal'), id: z.number(), signal: z.enum(['SIGINT', 'SIGQUIT']) }),
])
const reportSchema = z.object({
  type: z.literal('ended'),
  id: z.number(),
  /** The end of what the server has printed. */
  output: z.string(),
})

/** What the keeper of Postgres servers is told: to start a server, or to send it a signal. */
export type KeeperRequest = z.infer<typeof requestSchema>
/** What the keeper says: that a server has ended. */
export type KeeperReport = z.infer<typeof reportSchema>

export function isKeeperRequest(value: unknown): value is KeeperRequest {
  return requestSchema.safeParse(value).success
}

export function isKeeperReport(value: unknown): value is KeeperReport {
  return reportSchema.safeParse(value).success
}
