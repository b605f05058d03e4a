// The entry point `@throughline/agents/openai-agents`: agents that were made with the OpenAI Agents SDK.

/** @public */
export { type FromOpenAIAgentsOptions, fromOpenAIAgents } from './openai-agents/from-openai-agents.ts'
/** @public */
export type { OpenAIAgent, OpenAIRunner } from './openai-agents/streamed-run.ts'
