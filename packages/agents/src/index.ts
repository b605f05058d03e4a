// The entry point `@throughline/agents`: what an application needs to make agents and tools.

/** @public */
export type { Agent, AgentRequest } from './agent.ts'
/** @public */
export type { AgentEvent, FinishReason, MessageEnd, TokenCounts, ToolCall } from './agent-event.ts'
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
export { MasterAgent, type MasterAgentOptions } from './delegation/master-agent.ts'
/** @public */
export { SubAgent } from './delegation/sub-agent.ts'
/** @public */
export { type KeyedAgent, namedAgent } from './named-agent.ts'
/** @public */
export type { Price, Prices, Rates } from './prices/price.ts'
/** @public */
export { type RemoteAgentOptions, type RemoteFormName, remoteAgent } from './remote/remote-agent.ts'
/** @public */
export { type AgentFrame, currentFrame } from './run/agent-frame.ts'
/** @public */
export type { ApprovalDecision } from './run/approval-desk.ts'
/** @public */
export { askApproval, askOutput } from './run/ask-person.ts'
/** @public */
export { defaultLimits, type Limits } from './run/limits.ts'
/** @public */
export type { Mode } from './run/mode.ts'
export { type ToolFactory, ToolFactoryRegistry, toolFactory } from './run/tool-factory-registry.ts'
export type { ToolWithModes } from './run/tool-problem.ts'
/** @public */
export { toolSetOf } from './run/tool-set.ts'
/** @public */
export type { ApprovalQuestion } from './run/wait-for-approval.ts'
/** @public */
export { NoOutput, type OutputQuestion } from './run/wait-for-output.ts'
/** @public */
export { type KeptPicture, keepPicture } from './tools/keep-picture.ts'
/** @public */
export { type ToolContext, toolContext } from './tools/tool-context.ts'
