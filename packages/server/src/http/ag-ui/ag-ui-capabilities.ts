/**
 * What this server can do, as AG-UI's `AgentCapabilities`. AG-UI says what this object looks like, but not where a client
 * gets it from: `HttpAgent` does not ask for it.
 */
export const agUiCapabilities = {
  transport: { streaming: true, resumable: true },
  multiAgent: { supported: true, delegation: true },
  reasoning: { supported: true, streaming: true },
  humanInTheLoop: { supported: true, approvals: true, interrupts: true, approveWithEdits: false },
} as const
