// The entry point `throughline/openai-agents`: agents that were made with the OpenAI Agents SDK.

/** @public */
export {
  type FromOpenAIAgentsOptions,
  fromOpenAIAgents,
  type OpenAIAgent,
  type OpenAIRunner,
} from '@throughline/agents/openai-agents'
