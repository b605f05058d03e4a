import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { ToolMessage } from '@langchain/core/messages'
import {
  Annotation,
  type BaseCheckpointSaver,
  Command,
  END,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph'
import { createReactAgent, ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt'
import { createAgent, humanInTheLoopMiddleware, tool } from 'langchain'
import { z } from 'zod'

export { AIMessage } from '@langchain/core/messages'
export { interrupt, MemorySaver } from '@langchain/langgraph'
export { createAgent, ToolNode, tool }

export const weather = tool(
  async ({ city }: { city: string }) => {
    if (city === 'Atlantis') throw new Error('There is no such city.')
    return { city, sky: 'clear' }
  },
  { name: 'weather', description: 'Tells the weather.', schema: z.object({ city: z.string() }) },
)

const prompt = 'You are support.'
const tools = [weather]

/** The same agent, built in the ways that people build it. */
export const forms = [
  ['an agent of createAgent', (model: BaseChatModel) => createAgent({ model, tools, systemPrompt: prompt })],
  ['a graph of createReactAgent', (model: BaseChatModel) => createReactAgent({ llm: model, tools, prompt })],
  ['a StateGraph', (model: BaseChatModel) => stateGraph(model)],
  ['a graph with a subgraph', nestedGraph],
] as const

export function stateGraph(model: BaseChatModel, toolNode = new ToolNode(tools)) {
  return new StateGraph(MessagesAnnotation)
    .addNode('model', async ({ messages }) => ({
      messages: [await model.invoke([{ role: 'system', content: prompt }, ...messages])],
    }))
    .addNode('tools', toolNode)
    .addEdge(START, 'model')
    .addConditionalEdges('model', toolsCondition, ['tools', END])
    .addEdge('tools', 'model')
    .compile()
}

function nestedGraph(model: BaseChatModel) {
  return new StateGraph(MessagesAnnotation)
    .addNode('support', stateGraph(model))
    .addEdge(START, 'support')
    .addEdge('support', END)
    .compile()
}

type State = typeof MessagesAnnotation.State
type Update = Partial<State> | Promise<Partial<State>>

export function oneNode(node: (state: State) => Update, checkpointer?: BaseCheckpointSaver) {
  return new StateGraph(MessagesAnnotation)
    .addNode('node', node)
    .addEdge(START, 'node')
    .addEdge('node', END)
    .compile(checkpointer === undefined ? {} : { checkpointer })
}

/** Two models that work at the same time. */
export function twoNodes(one: BaseChatModel, two: BaseChatModel) {
  return new StateGraph(MessagesAnnotation)
    .addNode('one', async ({ messages }) => ({ messages: [await one.invoke(messages)] }))
    .addNode('two', async ({ messages }) => ({ messages: [await two.invoke(messages)] }))
    .addEdge(START, 'one')
    .addEdge(START, 'two')
    .addEdge('one', END)
    .addEdge('two', END)
    .compile()
}

/** The types of this middleware do not allow TypeScript's `exactOptionalPropertyTypes`, so they are left out. */
export function approving(interruptOn: Readonly<Record<string, boolean>>) {
  return Reflect.apply(humanInTheLoopMiddleware, undefined, [{ interruptOn }])
}

const handoff = tool(
  (_input, { toolCallId }: { toolCallId: string }) => {
    const message = new ToolMessage({ content: 'Handed over.', tool_call_id: toolCallId })
    return new Command({ graph: Command.PARENT, goto: 'second', update: { messages: [message] } })
  },
  { name: 'handoff', description: 'Hands over.' },
)

/** An agent in a subgraph that can hand over to an agent in another one. */
export function twoAgents(first: BaseChatModel, second: BaseChatModel) {
  return new StateGraph(MessagesAnnotation)
    .addNode('first', stateGraph(first, new ToolNode([handoff])), { ends: ['second', END] })
    .addNode('second', stateGraph(second))
    .addEdge(START, 'first')
    .compile()
}

/** A graph that keeps plain objects as its messages. Its first node writes, and its second one returns what it was given. */
export function plainNodes(write: (messages: readonly object[]) => object[]) {
  return new StateGraph(Annotation.Root({ messages: Annotation<object[]> }))
    .addNode('writer', ({ messages }) => ({ messages: write(messages) }))
    .addNode('reader', ({ messages }) => ({ messages }))
    .addEdge(START, 'writer')
    .addEdge('writer', 'reader')
    .addEdge('reader', END)
    .compile()
}
