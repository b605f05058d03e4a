import type { Chat } from '@throughline/client'
import type { Shell } from '../shell/shell.ts'
import { LineEditor } from './line-editor.ts'
import { isChatBusy, isCutOff, perform, stopAnswer, untilSettled } from './perform.ts'
import { promptAnswer, promptApproval } from './prompts.ts'
import type { View } from './render-chat.ts'
import { Screen } from './screen.ts'

/** What a conversation in a terminal needs. */
interface ConversationOptions {
  readonly shell: Shell
  readonly view: Omit<View, 'columns'>
  /** Printed once, above the first prompt. */
  readonly greeting: string
  /** The chat to begin with. */
  readonly first: OpenChat
  readonly newChat: () => OpenChat
}

/** A chat and its id. */
export interface OpenChat {
  readonly id: string
  readonly chat: Chat
}

/** Lets a person talk with an agent until they leave. Returns the exit code. */
export async function converse(options: ConversationOptions): Promise<number> {
  const conversation = new Conversation(options)
  return conversation.run()
}

class Conversation {
  readonly #options: ConversationOptions
  readonly #editor: LineEditor
  readonly #left = Promise.withResolvers<void>()
  #chat: Chat
  #chatId: string
  #screen: Screen
  #isStopping = false

  constructor(options: ConversationOptions) {
    this.#options = options
    this.#editor = new LineEditor(options.shell, {
      onInterrupt: () => this.#interrupt(),
      onEarlyLine: line => this.#takeEarly(readTyped(line)),
      onEnd: this.#left.resolve,
    })
    this.#chatId = options.first.id
    this.#chat = options.first.chat
    this.#screen = this.#show(this.#chat)
  }

  async run(): Promise<number> {
    this.#screen.note(this.#options.greeting)
    for (;;) {
      await Promise.race([untilSettled(this.#chat), this.#left.promise])
      if (isCutOff(this.#chat.getSnapshot())) return this.#leave(1)
      this.#isStopping = false
      this.#screen.leaveBlankLine()
      const line = await this.#editor.readLine(this.#options.view.paint('name', 'You › '))
      if (line === undefined) return this.#leave(0)
      // `#take` waits for the whole answer. A person who leaves does not have to wait for that.
      await Promise.race([this.#take(readTyped(line)), this.#left.promise])
    }
  }

  async #take(line: TypedLine): Promise<void> {
    switch (line.type) {
      case 'say':
        this.#screen.typed(line.text)
        return this.#perform(() => this.#chat.send(line.text))
      case 'edit':
        return this.#edit(line.text)
      case 'again':
        this.#screen.entered()
        if (!hasQuestion(this.#chat)) return this.#screen.note('There is no message to answer again.')
        return this.#perform(() => this.#chat.regenerate())
      case 'new':
        this.#screen.entered()
        return this.#beginAnew()
      case 'stop':
        this.#screen.entered()
        return this.#screen.note('There is nothing to stop.')
      case 'quit':
        return this.#editor.close()
      case 'help':
      case 'unknown':
        this.#screen.entered()
        return this.#explain(line)
      case 'nothing':
        return
    }
  }

  /** Handles a line that was typed while an answer is being written. Returns false when the line has to wait. */
  #takeEarly(line: TypedLine): boolean {
    switch (line.type) {
      case 'stop':
        this.#interrupt()
        return true
      case 'quit':
        this.#editor.close()
        return true
      case 'help':
      case 'unknown':
      case 'nothing':
        this.#explain(line)
        return true
      default:
        return false
    }
  }

  #explain(line: TypedLine): void {
    if (line.type === 'help') for (const each of commandList.split('\n')) this.#screen.note(each)
    if (line.type === 'unknown') this.#screen.note(`There is no command /${line.word}. /help lists them.`)
  }

  async #edit(text: string): Promise<void> {
    this.#screen.typed(text)
    const last = this.#chat.messages.findLast(({ role }) => role === 'user')
    if (last === undefined) return this.#screen.note('There is no message to edit.')
    return this.#perform(() => this.#chat.edit(last.id, text))
  }

  async #perform(act: () => Promise<void>): Promise<void> {
    const refusal = await perform(this.#chat, act)
    if (refusal !== undefined) this.#screen.note(`Not sent: ${refusal.message}`)
  }

  #beginAnew(): void {
    this.#screen.close()
    this.#chat.close()
    const { id, chat } = this.#options.newChat()
    this.#chatId = id
    this.#chat = chat
    this.#screen = this.#show(chat)
    this.#screen.note('A new chat.')
  }

  #show(chat: Chat): Screen {
    const editor = this.#editor
    const { shell, view } = this.#options
    const screen = new Screen({
      chat,
      shell,
      view,
      reader: {
        decide: (request, signal) => promptApproval(editor, request, signal),
        answer: (_, signal) => promptAnswer(editor, signal),
        write: write => editor.write(write),
        hold: () => editor.hold(),
        release: () => {
          screen.leaveBlankLine()
          editor.release()
        },
      },
    })
    chat.open()
    return screen
  }

  /** Ctrl-C stops the answer. The second time, or without an answer, it leaves. */
  #interrupt(): void {
    if (!isChatBusy(this.#chat.getSnapshot()) || this.#isStopping) return this.#editor.close()
    this.#isStopping = true
    void stopAnswer(this.#chat)
  }

  #leave(code: number): number {
    const snapshot = this.#chat.getSnapshot()
    this.#screen.close()
    this.#editor.close()
    this.#chat.close()
    if (snapshot.messages.length > 0) {
      const goesOn = isChatBusy(snapshot) ? 'The answer goes on without you. ' : ''
      this.#options.shell.errors.write(`${goesOn}Come back with: throughline chat --chat ${this.#chatId}\n`)
    }
    return code
  }
}

function hasQuestion({ messages }: Chat): boolean {
  return messages.some(({ role }) => role === 'user')
}

/** What a person wants with a line at the prompt. */
type TypedLine =
  | { readonly type: 'nothing' }
  | { readonly type: 'say'; readonly text: string }
  | { readonly type: 'edit'; readonly text: string }
  | { readonly type: 'help' | 'new' | 'again' | 'stop' | 'quit' }
  | { readonly type: 'unknown'; readonly word: string }

/** The help text of the prompt. */
const commandList = `/again       ask for another answer to the last message
/edit TEXT   send TEXT in place of the last message
/stop        stop the answer, like Ctrl-C
/new         begin a new chat
/help        this list
/quit        leave, like Ctrl-D; an answer goes on without you`

/** Reads a line. A slash and one word is a command. Anything else, such as a path, is a message. */
export function readTyped(line: string): TypedLine {
  const text = line.trim()
  if (text === '') return { type: 'nothing' }
  // A line that begins with a space is never a command.
  const [, word = '', rest = ''] = line.startsWith('/') ? (/^\/([a-z]+)(?:\s+(.*))?$/i.exec(text) ?? []) : []
  switch (word) {
    case '':
      return { type: 'say', text }
    case 'edit':
      return rest === '' ? { type: 'unknown', word: 'edit without a text' } : { type: 'edit', text: rest }
    case 'help':
    case 'new':
    case 'again':
    case 'stop':
    case 'quit':
      return { type: word }
    default:
      return { type: 'unknown', word }
  }
}
