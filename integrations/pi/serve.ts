import { Agent, type AgentTool } from '@earendil-works/pi-agent-core'
import {
  createModels,
  type FauxResponseStep,
  fauxAssistantMessage,
  fauxProvider,
  fauxToolCall,
  type TSchema,
  Type,
} from '@earendil-works/pi-ai'
import { namedAgent } from '@throughline/agents'
import { type FromPiOptions, fromPi, type PiAgent } from '@throughline/agents/pi'
import type { Message } from '@throughline/protocol'
import { ask, loadAnswer } from '@throughline/testing/http/chat-requests'
import { startTestServer } from '@throughline/testing/server/test-server'

export { fauxAssistantMessage, fauxText, fauxThinking, fauxToolCall } from '@earendil-works/pi-ai'

type Tools = NonNullable<NonNullable<ConstructorParameters<typeof Agent>[0]['initialState']>['tools']>

/** Returns a function that makes an agent of pi whose model does this in its calls, one after the other. */
export function scripted(steps: FauxResponseStep[], tools: Tools = [weather]): () => PiAgent {
  const faux = fauxProvider({ provider: 'test', models: [{ id: 'scripted', reasoning: true }] })
  faux.setResponses(steps)
  const models = createModels()
  models.setProvider(faux.provider)
  return () =>
    new Agent({
      initialState: { systemPrompt: 'You are support.', model: faux.getModel(), tools },
      streamFn: models.streamSimple.bind(models),
    })
}

/** A model call that asks for a tool. */
export function calling(name: string, input: Parameters<typeof fauxToolCall>[1], id = name) {
  return fauxAssistantMessage(fauxToolCall(name, input, { id }), { stopReason: 'toolUse' })
}

export const weather = tool({
  name: 'weather',
  label: 'Weather',
  description: 'Tells the weather.',
  parameters: Type.Object({ city: Type.String() }),
  execute: async (_, { city }) => {
    if (city === 'Atlantis') throw new Error('There is no such city.')
    return { content: [{ type: 'text', text: `Clear in ${city}.` }], details: {} }
  },
})

/** A tool that says what it has removed. */
export function remover(removed: string[]) {
  return tool({
    name: 'remove',
    label: 'Remove',
    description: 'Removes something.',
    parameters: Type.Object({ what: Type.String() }),
    execute: async (_, { what }) => {
      removed.push(what)
      return { content: [{ type: 'text', text: 'Removed.' }], details: { removed: what } }
    },
  })
}

/** Lets the compiler take the type of the input from the schema. */
function tool<Schema extends TSchema>(own: AgentTool<Schema>): AgentTool<Schema> {
  return own
}

/** Starts a real server that has this agent. */
export function serve(makeAgent: () => PiAgent, options: FromPiOptions = {}) {
  return startTestServer({ agents: [namedAgent('support', fromPi(makeAgent, options))] })
}

/** Asks the agent on a server, and returns what the server has saved. */
export async function answerOf(makeAgent: () => PiAgent, options?: FromPiOptions): Promise<Message> {
  await using server = await serve(makeAgent, options)
  await (await ask(server.url)).text()
  return await loadAnswer(server.url)
}
