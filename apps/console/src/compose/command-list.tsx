import { isChatBody } from '@throughline/protocol/internal'
import { type RefObject, useEffect, useId, useState } from 'react'
import { callServer } from '../server/call-server.ts'
import { useWords } from '../settings/settings.tsx'
import { useLaterWords } from '../words/later/use-later-words.ts'
import { type Command, type CommandActions, commandsFor, type OnKey } from './commands.ts'

interface Props {
  /** What is in the field. */
  readonly text: string
  readonly actions: CommandActions
  /** Gets the function that takes the keys of the field while the list is shown. */
  readonly keys: RefObject<OnKey | undefined>
  readonly onText: (text: string) => void
}

/** The commands that fit what a person types, above the field. Shows nothing when none fits: then it is a message. */
export function CommandList({ text, actions, keys, onText }: Props) {
  const words = useLaterWords().compose
  const pageWords = useWords()
  const id = useId()
  const [closedFor, setClosedFor] = useState<string>()
  const [chosen, setChosen] = useState(0)
  const commands = closedFor === text ? [] : commandsFor(text, actions.agents)
  const at = Math.min(chosen, commands.length - 1)
  const [failedFor, setFailedFor] = useState<string>()

  const run = ({ name, agent }: Command) => {
    // A command that needs a name is completed first.
    if (name === 'agent' && agent === undefined) return onText('/agent ')
    if (name === 'export' || name === 'export json') return void save(name)
    onText('')
    if (agent === undefined) press(name)
    else actions.chooseAgent(agent.name)
  }
  const save = async (name: 'export' | 'export json') => {
    try {
      const { exportChat } = await import('../chats/export/export-chat.ts')
      const chat = await callServer(isChatBody, 'GET', `/api/chats/${actions.chatId}`)
      await exportChat(chat, name === 'export' ? 'markdown' : 'json', pageWords)
      onText('')
    } catch {
      setFailedFor(text)
    }
  }

  useEffect(() => {
    keys.current = ({ key, shiftKey }) => {
      const command = commands[at]
      if (command === undefined) return false
      if (key === 'ArrowDown') setChosen((at + 1) % commands.length)
      else if (key === 'ArrowUp') setChosen((at + commands.length - 1) % commands.length)
      else if (key === 'Escape') setClosedFor(text)
      else if (key === 'Tab' && !shiftKey)
        onText(command.name === 'agent' ? `${command.text} ` : command.text)
      else if (key === 'Enter' && !shiftKey) run(command)
      else return false
      return true
    }
    return () => {
      keys.current = undefined
    }
  })
  if (failedFor === text)
    return (
      <p role="alert" className="px-3 py-1 text-sm text-danger">
        {words.exportFailed}
      </p>
    )
  if (commands.length === 0) return null
  return (
    <div
      role="listbox"
      aria-label={words.commands}
      className="absolute inset-x-0 bottom-full z-10 mb-2 max-h-72 overflow-y-auto rounded-2xl border border-line bg-raised p-1.5 shadow-lg"
    >
      {commands.map((command, index) => (
        <button
          key={command.text}
          id={`${id} ${command.text}`}
          type="button"
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          onPointerMove={() => setChosen(index)}
          onClick={() => run(command)}
          className="flex min-h-10 w-full items-baseline gap-3 rounded-xl px-3 py-2 text-left text-sm aria-selected:bg-panel"
        >
          <kbd className="shrink-0 font-mono">{command.text}</kbd>
          <span className="min-w-0 truncate text-muted">
            {command.agent === undefined ? words[command.name] : command.agent.displayName}
          </span>
        </button>
      ))}
    </div>
  )
}

/** A command does what a button of the page does. Where there is no such button, there is nothing to do. */
function press(name: string): void {
  document.querySelector<HTMLElement>(`[data-shortcut=${name}]`)?.click()
}
