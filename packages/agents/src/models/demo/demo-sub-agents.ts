import { defineAgent } from '../../definitions/define-agent.ts'
import type { SubAgent } from '../../delegation/sub-agent.ts'
import { demoAgentLine } from './demo-prompt.ts'

/** The agents that the demo model plays when it delegates. */
export function demoSubAgents(): readonly SubAgent[] {
  return [
    defineAgent({
      name: 'researcher',
      displayName: 'Researcher',
      description: 'Finds out about the weather, calculates with it, and has its results checked.',
      instructions: demoAgentLine('researcher'),
      tools: ['weather', 'calculator'],
      allowedSubAgents: ['checker'],
    }),
    defineAgent({
      name: 'checker',
      displayName: 'Checker',
      description: 'Checks a calculation and gives a verdict.',
      instructions: demoAgentLine('checker'),
    }),
    defineAgent({
      name: 'clumsy',
      displayName: 'Clumsy',
      description: 'Starts well, then its model breaks off: it shows what happens when an agent fails.',
      instructions: demoAgentLine('clumsy'),
    }),
  ]
}
