import { subAgentTool } from '../delegation/sub-agent-tool.ts'
import { type ToolFactory, toolFactory } from '../run/tool-factory-registry.ts'
import { webFetchTool } from '../web/web-fetch-tool.ts'
import { webSearchFromEnv } from '../web/web-search-tool.ts'
import { calculatorTool } from './calculator.ts'
import { currentTimeTool } from './current-time.ts'
import { openUrlTool } from './open-url.ts'
import { currentTabTool, tabsTool } from './tabs.ts'
import { toolContext } from './tool-context.ts'

/** The options of the tools that come with Throughline. All of them may be left out. */
export interface DefaultToolsOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Hosts that agents may reach although their addresses are not public. */
  readonly allowHosts?: readonly string[]
}

/** Returns the tools that come with Throughline. `web_search` is one of them only when `env` has a search service. */
export function defaultTools({
  env = {},
  allowHosts = [],
}: DefaultToolsOptions = {}): readonly ToolFactory[] {
  const search = webSearchFromEnv(env)
  return [
    toolFactory('current_time', currentTimeTool({ now: () => toolContext().now() }), { idempotent: true }),
    toolFactory('calculator', calculatorTool, { idempotent: true }),
    toolFactory('web_fetch', webFetchTool({ allowHosts }), { idempotent: true }),
    ...(search === undefined ? [] : [toolFactory('web_search', search, { idempotent: true })]),
    openUrlTool,
    currentTabTool,
    tabsTool,
    subAgentTool,
  ]
}
