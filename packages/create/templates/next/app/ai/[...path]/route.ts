import { getThroughline } from '../../../throughline.ts'

// Everything below /ai is Throughline's: messages, streams, approvals, files.
async function handle(request: Request): Promise<Response> {
  const throughline = await getThroughline()
  return throughline.fetch(request)
}

export { handle as DELETE, handle as GET, handle as PATCH, handle as POST, handle as PUT }
