import type { Chat } from '@throughline/client'
import { CommandError } from '../command-error.ts'
import { isInteractive, type Shell } from '../shell.ts'
import { inOneLine } from '../text/plain-text.ts'
import { askApproval, askQuestion } from './ask-person.ts'
import { LineEditor } from './line-editor.ts'
import { isCutOff, perform, stopAnswer, untilSettled } from './perform.ts'
import type { View } from './render-chat.ts'
import { type Reader, Screen, type ScreenOptions } from './screen.ts'

/** What asking one question needs. */
export interface QuestionOptions {
  readonly shell: Shell
  readonly view: Omit<View, 'columns'>
  readonly chat: Chat
}

/**
 * Sends one message, and prints the answer. Returns the exit code: 0 when the answer is complete, otherwise 1 or 130.
 */
export async function askOnce(text: string, { shell, view, chat }: QuestionOptions): Promise<number> {
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
        return await askApproval(editor, request, signal)
      }
      shell.errors.write(`${request.toolName} was not allowed: nobody is here to approve it.\n`)
      return { approved: false, reason: 'nobody is there to approve it' }
    },
    async answer({ question }, signal) {
      if (isInteractive(shell)) {
        using editor = new LineEditor(shell, { onInterrupt })
        return await askQuestion(editor, signal)
      }
      shell.errors.write(`${inOneLine(question)}: nobody is here to answer this.\n`)
      return { errorText: 'Nobody is there to answer.' }
    },
  }
}
