import { text as readText } from 'node:stream/consumers'
import { asChatError, type Chat, createChat, errorFrom } from '@throughline/client'
import { type ChatId, createId, idRule, isChatId, isRecord } from '@throughline/protocol'
import { CommandError, readOptions } from '../shell/command.ts'
import { type ServerAddress, serverAddress, serverOptions } from '../shell/server-address.ts'
import { hasColours, isInteractive, type Shell } from '../shell/shell.ts'
import { painter } from '../text/look.ts'
import { inOneLine } from '../text/plain-text.ts'
import { converse, type OpenChat } from './converse.ts'
import { LineEditor } from './line-editor.ts'
import { isCutOff, perform, stopAnswer, untilSettled } from './perform.ts'
import { promptAnswer, promptApproval } from './prompts.ts'
import type { View } from './render-chat.ts'
import { type Reader, Screen, type ScreenOptions } from './screen.ts'

/**
 * Talks to a server. Sends its words, or its piped input, as one message; without these, a person types messages.
 * Returns the exit code.
 */
export async function chatCommand(words: readonly string[], shell: Shell): Promise<number> {
  const { values, positionals } = readOptions('chat', words, {
    ...serverOptions,
    chat: { type: 'string' },
    agent: { type: 'string' },
  })
  const address = serverAddress(values, shell.env)
  const chatId = values.chat === undefined ? undefined : checkedId(values.chat)
  const message = await messageFrom(positionals, shell)
  const agents = await serverAgents(address)
  const agent = chosenAgent(agents, values.agent?.normalize('NFC'))
  const view = { agents, paint: painter(hasColours(shell)) }
  const open = (id?: ChatId) => openChat(id, address, values.agent)
  if (message !== undefined) return askOnce(message, { shell, view, ...open(chatId) })
  const greeting = `${agent?.displayName ?? 'An agent'} at ${address.url}. /help lists the commands, Ctrl-D leaves.`
  return converse({ shell, view, greeting, first: open(chatId), newChat: () => open() })
}

/** Returns a chat that is not open yet. With an id the chat may exist already; without one it is new. */
function openChat(
  known: ChatId | undefined,
  { url, headers }: ServerAddress,
  agent: string | undefined,
): OpenChat {
  const id = known ?? createId(isChatId, 'chat')
  const isNew = known === undefined
  return { id, chat: createChat({ chatId: id, isNew, url, headers: () => headers, agent }) }
}

/** Returns the one message to send; `undefined` when a person types at the terminal. */
async function messageFrom(words: readonly string[], shell: Shell): Promise<string | undefined> {
  if (words.length > 0) return words.join(' ')
  if (isInteractive(shell)) return undefined
  const message = (await readText(shell.input)).trim()
  if (message === '') throw new CommandError('There is nothing to send: the input is empty.')
  return message
}

function checkedId(id: string): ChatId {
  if (isChatId(id)) return id
  throw new CommandError(`--chat: "${id}" is no chat id. ${idRule}.`)
}

/** An agent as the server lists it. */
interface ServerAgent {
  readonly name: string
  readonly displayName: string
}

/**
 * Returns the agents of a server; the first one answers by default. Throws a `CommandError` when it cannot be reached.
 */
async function serverAgents({ url, headers }: ServerAddress): Promise<readonly ServerAgent[]> {
  const response = await ask(`${url}/api/agents`, headers)
  if (response.status === 401)
    throw new CommandError(`${url} needs a token. Give it with THROUGHLINE_TOKEN or --token.`)
  if (!response.ok) throw new CommandError(`${url}: ${(await errorFrom(response)).message}`)
  const body: unknown = await response.json().catch(() => undefined)
  const agents = isRecord(body) ? body['agents'] : undefined
  if (Array.isArray(agents)) return agents.filter(isServerAgent)
  throw new CommandError(`${url} is no Throughline server. Name another one with --url.`)
}

/**
 * Returns the agent with a name; the first one when no name is given. A name such as `user::Ann` stands for a person.
 * Throws a `CommandError` when there is no such agent.
 */
function chosenAgent(agents: readonly ServerAgent[], name: string | undefined): ServerAgent | undefined {
  const found = name === undefined ? agents[0] : agents.find(agent => agent.name === name)
  if (found !== undefined || name === undefined) return found
  if (name.startsWith('user::')) return { name, displayName: name.slice('user::'.length) }
  throw new CommandError(
    `There is no agent "${name}". The server has ${agents.map(agent => agent.name).join(', ')}.`,
  )
}

async function ask(address: string, headers: ServerAddress['headers']): Promise<Response> {
  try {
    return await fetch(address, { headers })
  } catch (error) {
    const { origin } = new URL(address)
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ''
    throw new CommandError(
      `${origin} cannot be reached${cause || `: ${asChatError(error).message}`}. Start a server with "throughline serve", or name another one with --url.`,
    )
  }
}

function isServerAgent(value: unknown): value is ServerAgent {
  return isRecord(value) && typeof value['name'] === 'string' && typeof value['displayName'] === 'string'
}

/** What asking one question needs. */
interface QuestionOptions {
  readonly shell: Shell
  readonly view: Omit<View, 'columns'>
  readonly chat: Chat
}

/**
 * Sends one message, and prints the answer. Returns the exit code: 0 when the answer is complete, otherwise 1 or 130.
 */
async function askOnce(text: string, { shell, view, chat }: QuestionOptions): Promise<number> {
  const left = Promise.withResolvers<void>()
  let interruptCount = 0
  const interrupt = () => {
    interruptCount += 1
    // The first Ctrl-C stops the answer and waits for its end. The second one does not wait.
    if (interruptCount > 1 || chat.status === 'loading') left.resolve()
    else void stopAnswer(chat)
  }
  const unlisten = shell.onInterrupt(interrupt)
  try {
    const reader = readerAt(shell, interrupt)
    const isFinished = await Promise.race([left.promise, sendAndPrint(text, { shell, view, chat, reader })])
    if (interruptCount > 0) return interruptedCode
    return isFinished === true ? 0 : 1
  } finally {
    unlisten()
    chat.close()
  }
}

// The exit code that shells use for a program that SIGINT has ended.
const interruptedCode = 130

/** Sends the message and prints its answer. Returns whether the answer is complete. */
async function sendAndPrint(
  text: string,
  options: ScreenOptions & { readonly chat: Chat },
): Promise<boolean> {
  const { chat } = options
  chat.open()
  const loaded = await untilSettled(chat)
  if (isCutOff(loaded)) throw new CommandError(loaded.error?.message ?? 'The chat cannot be loaded.')
  // Earlier messages of the chat are not printed.
  using screen = new Screen(options)
  screen.skip()
  screen.typed(text)
  const refusal = await perform(chat, () => chat.send(text))
  if (refusal !== undefined) {
    screen.note(`Not sent: ${refusal.message}`)
    return false
  }
  const last = chat.messages.findLast(({ metadata }) => metadata?.parent === undefined)
  const { status, communicationType } = last?.metadata ?? {}
  // A message to a person gets no answer here. It only has to be delivered.
  return status === 'finished' || (last?.role === 'user' && communicationType === 'user-to-user')
}

/**
 * Without a terminal nobody can approve a tool call, or answer a question. Then every call is denied, and gets no answer,
 * because waiting would never end.
 */
function readerAt(shell: Shell, onInterrupt: () => void): Reader {
  return {
    write: write => write(),
    hold: () => {},
    release: () => {},
    async decide(request, signal) {
      if (isInteractive(shell)) {
        using editor = new LineEditor(shell, { onInterrupt })
        return await promptApproval(editor, request, signal)
      }
      shell.errors.write(`${request.toolName} was not allowed: nobody is here to approve it.\n`)
      return { approved: false, reason: 'nobody is there to approve it' }
    },
    async answer({ question }, signal) {
      if (isInteractive(shell)) {
        using editor = new LineEditor(shell, { onInterrupt })
        return await promptAnswer(editor, signal)
      }
      shell.errors.write(`${inOneLine(question)}: nobody is here to answer this.\n`)
      return { errorText: 'Nobody is there to answer.' }
    },
  }
}
