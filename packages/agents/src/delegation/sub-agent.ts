import { BaseAgent } from './base-agent.ts'

/**
 * An agent that other agents can delegate to. Make one with `defineAgent`, or extend this class to change its
 * `systemPrompt`, `getTools` or `buildAgent`.
 */
export class SubAgent extends BaseAgent {}
