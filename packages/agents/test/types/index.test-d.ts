import {
  type Agent,
  type AgentDefinition,
  type AgentEvent,
  type AgentFrame,
  type AgentRequest,
  type AiSdkAgent,
  type AiSdkCall,
  type AiSdkFunction,
  type AiSdkResult,
  type ApprovalDecision,
  type ApprovalQuestion,
  askApproval,
  askOutput,
  currentFrame,
  defaultLimits,
  defineAgent,
  type FinishReason,
  fromAiSdk,
  type KeptPicture,
  type KeyedAgent,
  keepPicture,
  type Limits,
  MasterAgent,
  type MasterAgentOptions,
  type MessageEnd,
  type Mode,
  type ModelAgentOptions,
  modelAgent,
  type NoOutput,
  namedAgent,
  type OutputQuestion,
  type Price,
  type Prices,
  type Rates,
  type RemoteAgentOptions,
  type RemoteFormName,
  remoteAgent,
  type SubAgent,
  type TokenCounts,
  type ToolCall,
  type ToolContext,
  type ToolFactory,
  ToolFactoryRegistry,
  type ToolWithModes,
  toolContext,
  toolFactory,
  toolSetOf,
} from '@throughline/agents'
import type { ChunkOf } from '@throughline/protocol'
import type { Tool, ToolSet } from 'ai'
import { expectTypeOf } from 'vitest'

expectTypeOf<Agent['run']>().toEqualTypeOf<(request: AgentRequest) => AsyncIterable<AgentEvent>>()
expectTypeOf<keyof Agent>().toEqualTypeOf<
  | 'allowedSubAgents'
  | 'continues'
  | 'description'
  | 'displayName'
  | 'examples'
  | 'isEnabled'
  | 'maxDepth'
  | 'maxSteps'
  | 'model'
  | 'name'
  | 'optionalToolKeys'
  | 'run'
  | 'toolKeys'
>()
expectTypeOf<keyof AgentRequest>().toEqualTypeOf<'answerSoFar' | 'countUsage' | 'messages' | 'signal'>()
expectTypeOf<AgentEvent['type']>().toEqualTypeOf<
  | 'content'
  | 'error'
  | 'file'
  | 'finish'
  | 'reasoning-delta'
  | 'reasoning-end'
  | 'response-done'
  | 'source'
  | 'step-end'
  | 'step-start'
  | 'text-delta'
  | 'text-end'
  | 'text-snapshot'
  | 'tool-approval-request'
  | 'tool-approval-response'
  | 'tool-call'
  | 'tool-call-invalid'
  | 'tool-denied'
  | 'tool-error'
  | 'tool-input-delta'
  | 'tool-input-start'
  | 'tool-output-request'
  | 'tool-progress'
  | 'tool-result'
  | 'ui-event'
>()
expectTypeOf<FinishReason>().toEqualTypeOf<NonNullable<ChunkOf<'finish'>['finishReason']>>()
expectTypeOf<keyof MessageEnd>().toEqualTypeOf<
  'finishReason' | 'isEmpty' | 'lastToolError' | 'status' | 'text' | 'type' | 'usage'
>()
expectTypeOf<keyof TokenCounts>().toEqualTypeOf<
  'cachedInputTokens' | 'inputTokens' | 'outputTokens' | 'reasoningTokens' | 'totalTokens'
>()
expectTypeOf<keyof ToolCall>().toEqualTypeOf<
  'dynamic' | 'input' | 'providerExecuted' | 'providerMetadata' | 'title' | 'toolCallId' | 'toolName'
>()
expectTypeOf<keyof AiSdkAgent>().toEqualTypeOf<'stream' | 'tools'>()
expectTypeOf<keyof AiSdkCall>().toEqualTypeOf<
  'abortSignal' | 'messages' | 'onLanguageModelCallEnd' | 'onStepStart'
>()
expectTypeOf<AiSdkFunction>().toEqualTypeOf<
  (call: AiSdkCall, request: AgentRequest) => AiSdkResult | PromiseLike<AiSdkResult>
>()
expectTypeOf<keyof AiSdkResult>().toEqualTypeOf<'responseMessages' | 'stream'>()
expectTypeOf(fromAiSdk).toEqualTypeOf<
  (source: AiSdkAgent | AiSdkFunction, options?: Omit<KeyedAgent, 'run'>) => KeyedAgent
>()
expectTypeOf<keyof ModelAgentOptions>().toEqualTypeOf<
  | 'description'
  | 'displayName'
  | 'instructions'
  | 'maxSilenceMs'
  | 'maxSteps'
  | 'model'
  | 'name'
  | 'refusedTools'
  | 'tools'
>()
expectTypeOf(modelAgent).toEqualTypeOf<(options: ModelAgentOptions) => Agent>()
expectTypeOf<keyof AgentDefinition>().toEqualTypeOf<
  | 'allowedSubAgents'
  | 'description'
  | 'displayName'
  | 'instructions'
  | 'maxDepth'
  | 'maxSteps'
  | 'model'
  | 'name'
  | 'tools'
>()
expectTypeOf(defineAgent).toEqualTypeOf<(definition: AgentDefinition) => SubAgent>()
expectTypeOf(MasterAgent).constructorParameters.toEqualTypeOf<[options: MasterAgentOptions]>()
expectTypeOf<keyof MasterAgent>().toEqualTypeOf<
  | 'allowedSubAgents'
  | 'buildAgent'
  | 'continues'
  | 'definition'
  | 'description'
  | 'displayName'
  | 'examples'
  | 'getTools'
  | 'isEnabled'
  | 'maxDepth'
  | 'maxSteps'
  | 'model'
  | 'name'
  | 'optionalToolKeys'
  | 'run'
  | 'systemPrompt'
  | 'toolKeys'
>()
expectTypeOf<keyof MasterAgentOptions>().toEqualTypeOf<
  | 'allowedSubAgents'
  | 'description'
  | 'displayName'
  | 'examples'
  | 'instructions'
  | 'maxDepth'
  | 'model'
  | 'name'
  | 'toolKeys'
>()
expectTypeOf<keyof SubAgent>().toEqualTypeOf<
  | 'allowedSubAgents'
  | 'buildAgent'
  | 'continues'
  | 'definition'
  | 'description'
  | 'displayName'
  | 'examples'
  | 'getTools'
  | 'isEnabled'
  | 'maxDepth'
  | 'maxSteps'
  | 'model'
  | 'name'
  | 'optionalToolKeys'
  | 'run'
  | 'systemPrompt'
  | 'toolKeys'
>()
expectTypeOf<keyof KeyedAgent>().toEqualTypeOf<
  | 'allowedSubAgents'
  | 'continues'
  | 'description'
  | 'displayName'
  | 'examples'
  | 'isEnabled'
  | 'maxDepth'
  | 'maxSteps'
  | 'model'
  | 'name'
  | 'optionalToolKeys'
  | 'run'
  | 'toolKeys'
>()
expectTypeOf(namedAgent).toEqualTypeOf<(key: string, agent: KeyedAgent) => Agent>()
expectTypeOf<keyof Price>().toEqualTypeOf<'cachedInput' | 'input' | 'later' | 'long' | 'output'>()
expectTypeOf<Prices>().toEqualTypeOf<Readonly<Record<string, Price>>>()
expectTypeOf<keyof Rates>().toEqualTypeOf<'cachedInput' | 'input' | 'output'>()
expectTypeOf<keyof RemoteAgentOptions>().toEqualTypeOf<
  | 'body'
  | 'description'
  | 'displayName'
  | 'examples'
  | 'form'
  | 'headers'
  | 'maxSilenceMs'
  | 'name'
  | 'reconnectMs'
  | 'url'
>()
expectTypeOf<RemoteFormName>().toEqualTypeOf<'ai-sdk' | 'openai' | 'ag-ui' | 'throughline'>()
expectTypeOf(remoteAgent).toEqualTypeOf<(options: RemoteAgentOptions) => Agent>()
expectTypeOf<keyof AgentFrame>().toEqualTypeOf<
  | 'agent'
  | 'allowedSubAgents'
  | 'callId'
  | 'counts'
  | 'delegated'
  | 'earlierApproval'
  | 'ledger'
  | 'maxDepth'
  | 'messageId'
  | 'mode'
  | 'model'
  | 'run'
  | 'signal'
  | 'toolKeys'
  | 'writer'
>()
expectTypeOf(currentFrame).toEqualTypeOf<() => AgentFrame>()
expectTypeOf<keyof ApprovalDecision>().toEqualTypeOf<'approved' | 'reason'>()
expectTypeOf(askApproval).toEqualTypeOf<(call: ApprovalQuestion) => Promise<ApprovalDecision>>()
expectTypeOf(askOutput).toEqualTypeOf<(options: OutputQuestion) => Promise<unknown>>()
expectTypeOf(defaultLimits).toEqualTypeOf<Limits>()
expectTypeOf<keyof Limits>().toEqualTypeOf<
  | 'defaultDepth'
  | 'maxApprovalMs'
  | 'maxCallWaitMs'
  | 'maxChildMs'
  | 'maxChildrenPerAgent'
  | 'maxChildrenPerRun'
  | 'maxDeaths'
  | 'maxDefinedOutputTokens'
  | 'maxDepth'
  | 'maxHistoryBytes'
  | 'maxHistoryMessages'
  | 'maxOutputBytes'
  | 'maxRunMs'
  | 'maxRunToolOutputBytes'
  | 'maxSteps'
  | 'maxTokens'
  | 'maxToolOutputBytes'
  | 'maxToolOutputChars'
>()
expectTypeOf<Mode>().toEqualTypeOf<'settings' | 'chat' | 'browse'>()
expectTypeOf<keyof ToolFactory>().toEqualTypeOf<
  'description' | 'idempotent' | 'key' | 'make' | 'modes' | 'needsApproval'
>()
expectTypeOf(ToolFactoryRegistry).constructorParameters.toEqualTypeOf<[factories: Iterable<ToolFactory>]>()
expectTypeOf<keyof ToolFactoryRegistry>().toEqualTypeOf<'effectiveKeys' | 'factories' | 'find' | 'has'>()
expectTypeOf(toolFactory).toEqualTypeOf<
  (
    key: string,
    tool: ToolWithModes,
    options?: Pick<ToolFactory, 'modes' | 'needsApproval' | 'idempotent'>,
  ) => ToolFactory
>()
expectTypeOf<Tool>().toExtend<ToolWithModes>()
expectTypeOf<ToolWithModes['modes']>().toEqualTypeOf<readonly Mode[] | undefined>()
expectTypeOf(toolSetOf).toEqualTypeOf<(frame: AgentFrame) => ToolSet>()
expectTypeOf<keyof ApprovalQuestion>().toEqualTypeOf<'input' | 'toolCallId' | 'toolName'>()
expectTypeOf<NoOutput>().toExtend<Error>()
expectTypeOf<keyof NoOutput>().toEqualTypeOf<'cause' | 'message' | 'name' | 'stack'>()
expectTypeOf<keyof OutputQuestion>().toEqualTypeOf<'from' | 'input' | 'toolCallId' | 'toolName'>()
expectTypeOf<keyof KeptPicture>().toEqualTypeOf<'height' | 'mediaType' | 'picture' | 'width'>()
expectTypeOf(keepPicture).toEqualTypeOf<(bytes: Uint8Array) => Promise<KeptPicture>>()
expectTypeOf<keyof ToolContext>().toEqualTypeOf<
  | 'agent'
  | 'chatId'
  | 'idempotencyKey'
  | 'messageId'
  | 'mode'
  | 'now'
  | 'ownerId'
  | 'runId'
  | 'sendToPage'
  | 'signal'
  | 'tab'
  | 'tabs'
  | 'toolCallId'
  | 'workspaceId'
>()
expectTypeOf(toolContext).toEqualTypeOf<() => ToolContext>()
