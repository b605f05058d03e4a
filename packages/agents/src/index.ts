// The entry point `@throughline/agents`: what an application needs to make agents and tools.

/** @public */
export type { Agent, AgentRequest } from './agent/agent.ts'
/** @public */
export type { AgentEvent, FinishReason, MessageEnd, TokenCounts, ToolCall } from './agent/agent-event.ts'
/** @public */
export { type KeyedAgent, namedAgent } from './agent/named-agent.ts'
/** @public */
export {
  type AiSdkAgent,
  type AiSdkCall,
  type AiSdkFunction,
  type AiSdkResult,
  fromAiSdk,
} from './ai-sdk/from-ai-sdk.ts'
/** @public */
export { type ModelAgentOptions, modelAgent } from './ai-sdk/model-agent.ts'
/** @public */
export { type AgentDefinition, defineAgent } from './definitions/define-agent.ts'
/** @public */
/** @public */
export { MasterAgent, type MasterAgentOptions, SubAgent } from './delegation/base-agent.ts'
/** @public */
export type { Price, Prices, Rates } from './prices/price.ts'
/** @public */
export { type RemoteAgentOptions, type RemoteFormName, remoteAgent } from './remote/remote-agent.ts'
/** @public */
export { type AgentFrame, currentFrame } from './run/agent-frame.ts'
/** @public */
export { askApproval, askOutput } from './run/ask-person.ts'
/** @public */
export type { ApprovalDecision } from './run/desks.ts'
/** @public */
export { defaultLimits, type Limits } from './run/limits.ts'
/** @public */
export type { Mode } from './run/request-context.ts'
export { type ToolFactory, ToolFactoryRegistry, toolFactory } from './run/tool-factory-registry.ts'
export type { ToolWithModes } from './run/tool-problem.ts'
/** @public */
export type { ApprovalQuestion } from './run/wait-for-approval.ts'
/** @public */
export { NoOutput, type OutputQuestion } from './run/wait-for-output.ts'
/** @public */
export { toolSetOf } from './run/wrap-tool.ts'
/** @public */
/** @public */
export { type KeptPicture, keepPicture, type ToolContext, toolContext } from './tools/tool-context.ts'
