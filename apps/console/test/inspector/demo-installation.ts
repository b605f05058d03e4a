import { createDemoModel, demoSubAgents, demoTools } from '@throughline/agents/demo'
import { defaultInstallation } from '@throughline/testing/server/default-installation'

/** Returns the options of a server with the demo model, which writes without pauses. */
export function demoInstallation() {
  const model = createDemoModel({ wordsPerSecond: Number.POSITIVE_INFINITY })
  return defaultInstallation(model, {
    // As on a server: the agents that people define may have it, too.
    defaultModel: model,
    subAgents: demoSubAgents(),
    tools: demoTools(),
  })
}
