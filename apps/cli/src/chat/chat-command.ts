import { text as readText } from 'node:stream/consumers'
import { createChat } from '@throughline/client'
import { type ChatId, createId, idRule, isChatId } from '@throughline/protocol'
import { CommandError } from '../command-error.ts'
import { readOptions } from '../options.ts'
import { type ServerAddress, serverAddress, serverOptions } from '../server-address.ts'
import { hasColours, isInteractive, type Shell } from '../shell.ts'
import { painter } from '../text/look.ts'
import { askOnce } from './ask-once.ts'
import { converse, type OpenChat } from './converse.ts'
import { chosenAgent, serverAgents } from './server-agents.ts'

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
