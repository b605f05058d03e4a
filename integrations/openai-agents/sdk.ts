// The SDK as an application has it. The tests beside this folder cannot import it themselves: it is installed here.
export { Agent, type AgentInputItem, hostedMcpTool, OpenAIProvider, Runner, tool } from '@openai/agents'
export { z } from 'zod'
