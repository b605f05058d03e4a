import type { Agent } from '@throughline/agents'
import { textOf } from '@throughline/protocol'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'

export interface NumberedAgent {
  readonly agent: Agent
  /** The texts that the agent got, for each time it was asked. */
  readonly asked: readonly (readonly string[])[]
  /** Lets an answer end, even if it has not begun yet. */
  letEnd(answer: number): void
}

/** An agent that numbers its answers from 1. It waits in the middle of each until the test lets it end. */
export function numberedAgent(): NumberedAgent {
  const asked: string[][] = []
  const gates = new Map<number, PromiseWithResolvers<void>>()
  const gate = (answer: number) => {
    const known = gates.get(answer) ?? Promise.withResolvers<void>()
    gates.set(answer, known)
    return known
  }
  const agent = scriptedAgent('assistant', async function* ({ messages }) {
    asked.push(messages.map(textOf))
    const answer = asked.length
    yield say(`Answer ${answer} begins. `)
    await gate(answer).promise
    yield say(`Answer ${answer} ends.`)
    yield finish
  })
  return { agent, asked, letEnd: answer => gate(answer).resolve() }
}

/** Returns the text of an answer on the page up to the point where the agent waits. */
export function half(answer: number): string {
  return `assistant: Answer ${answer} begins.`
}

/** Returns the text of an answer on the page after its end. */
export function whole(answer: number): string {
  return `assistant: Answer ${answer} begins. Answer ${answer} ends.`
}
