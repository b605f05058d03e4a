// The entry point `@throughline/agents/internal`: what the server and the command need to run agents. It may change with every
// version.

export { modelName } from './ai-sdk/ai-sdk-events.ts'
export { titleFromModel } from './ai-sdk/title-from-model.ts'
export { closeCutMessage, openCalls } from './continuation/close-cut-message.ts'
export { continueAgent, type EarlierWork } from './continuation/continue-agent.ts'
export { delegationResults } from './continuation/cut-sub-agent.ts'
export { type DatabaseConfig, databaseIssue } from './databases/database-config.ts'
export { databaseTools, writeKeyOf } from './databases/database-tools.ts'
export { promptVariables } from './definitions/prompt-template.ts'
export {
  DefinedSubAgent,
  type FindModel,
  type ModelSpec,
  type SubAgentDefinition,
  type SubAgentFields,
  subAgentDefinitionSchema,
  subAgentFieldsSchema,
} from './definitions/sub-agent-definition.ts'
export {
  type DefinitionError,
  definitionWarnings,
  type Surroundings,
  validateDefinition,
} from './definitions/validate-definition.ts'
export { describeUnreadable } from './errors/describe-failure.ts'
export { errorFacts } from './errors/error-facts.ts'
export { type HideSecrets, hideSecrets, secretsIn } from './errors/hide-secrets.ts'
export { McpKeyConflict, mcpKeyPrefix } from './mcp/mcp-keys.ts'
export { type McpServer, mcpServerIssue } from './mcp/mcp-server.ts'
export { type McpProblem, mcpTools } from './mcp/mcp-tools.ts'
export { McpSignInFailed } from './mcp/oauth/sign-in-errors.ts'
export type { McpSignInStore } from './mcp/oauth/sign-in-record.ts'
export type { PersonalLinks } from './mcp/personal-links.ts'
export { segment } from './message/segment.ts'
export { segmentsOf } from './message/segments-of.ts'
export { closeSteps, stepDataSchema, stepsIn } from './message/steps.ts'
export { knownKeys, type ModelChoice, modelFromEnv, modelNamed, modelWithParams } from './model-from-env.ts'
export { ModelSettingError } from './models/provider-models.ts'
export { ModelThread } from './models/thread/model-thread.ts'
export { builtInPrices } from './prices/built-in-prices.ts'
export type { ApprovalDecision, ApprovalDesk, GivenOutput, OutputDesk } from './run/desks.ts'
export { type CutMessage, openMasterFrame } from './run/open-frame.ts'
export { noContext, type RequestContext, requestContextSchema } from './run/request-context.ts'
export { type AgentOutcome, runAgent } from './run/run-agent.ts'
export {
  noCounts,
  type RunCounts,
  type RunScope,
  SubAgentRegistry,
  type SubAgentSource,
} from './run/run-scope.ts'
export { RunLeft, RunStopped } from './run/run-stopped.ts'
export {
  type ClientTool,
  clientToolFactory,
  clientToolSchema,
  subAgentToolKey,
} from './run/tool-factory-registry.ts'
export { toolProblem } from './run/tool-problem.ts'
export { UsageLedger } from './run/usage-ledger.ts'
export { defaultTools } from './tools/default-tools.ts'
export { sniffPicture } from './values/sniff-picture.ts'
export { SearchSettingError } from './web/web-search-tool.ts'
