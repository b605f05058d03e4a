import { sendJson } from './chat-requests.ts'

export interface Decision {
  readonly approved: boolean
  readonly reason?: string
}

export function decide(
  url: string,
  approvalId: string,
  decision: Decision,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return sendJson(`${url}/api/approvals/${approvalId}`, decision, { headers })
}

/** Returns the id of the first approval that these bytes of a stream ask for. */
export function approvalIn(bytes: Buffer): string {
  const [, id] = /"approvalId":"([^"]+)"/.exec(bytes.toString()) ?? []
  if (id === undefined) throw new Error('Nobody has asked for an approval.')
  return id
}
