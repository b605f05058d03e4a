import { sseTransport, type TransportBytes } from '../transport-bytes.ts'

/**
 * Streams begin without `retry:`. OpenAI's client for Python takes it for an event, and fails because it has no data. These
 * clients do not connect again by themselves anyway.
 */
export const openAiTransport: TransportBytes = { ...sseTransport, opening: new Uint8Array() }
