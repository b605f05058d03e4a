import type { LanguageModel } from 'ai'
import type { Agent } from './agent.ts'
import { defineAgent } from './define-agent.ts'
import { calculatorTool } from './tools/calculator.ts'
import { currentTimeTool } from './tools/current-time.ts'
import { weatherTool } from './tools/weather.ts'

/** The agent a fresh installation talks to. */
export function defaultAgent(
  model: LanguageModel,
  { examples }: { readonly examples?: readonly string[] } = {},
): Agent {
  return defineAgent({
    name: 'assistant',
    displayName: 'Assistant',
    description: 'Answers questions and uses a few tools.',
    instructions:
      'You are a helpful assistant. Answer in the language of the question, in Markdown where it helps. ' +
      'Use the tools you have when they give a better answer than memory; say so when a tool fails.',
    ...(examples === undefined ? {} : { examples }),
    model,
    tools: { current_time: currentTimeTool(), calculator: calculatorTool, weather: weatherTool },
  })
}
