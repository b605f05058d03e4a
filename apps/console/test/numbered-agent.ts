import type { Agent } from '@throughline/agents/agent'
import { textOf } from '@throughline/protocol/message'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'

export interface NumberedAgent {
  readonly agent: Agent
  /** What it was told each time it was asked, as texts. */
  readonly asked: readonly (readonly string[])[]
  /** Lets an answer end, whether it has begun or not. */
  letEnd(answer: number): void
}

/** An agent that counts its answers, from 1. In the middle of each it waits until it is let go. */
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

/** An answer of it on the page, when it has come to where it waits. */
export function half(answer: number): string {
  return `assistant: Answer ${answer} begins.`
}

/** An answer of it on the page, when it has ended. */
export function whole(answer: number): string {
  return `assistant: Answer ${answer} begins. Answer ${answer} ends.`
}
