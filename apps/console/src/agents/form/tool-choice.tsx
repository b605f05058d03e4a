import { useState } from 'react'
import type { ToolItem } from '../agents-api.ts'
import { useAgentsWords } from '../agents-words.ts'
import { Badge } from '../badge.tsx'
import { type Choice, ChoiceList } from './choice-list.tsx'
import { FieldGroup, inputLook } from './field.tsx'

/** So many tools need a search. */
const manyTools = 8
/** An agent has this tool exactly when it may ask another agent. So nobody chooses it. */
const subAgentTool = 'subAgent'

interface Props {
  readonly tools: readonly ToolItem[]
  readonly chosen: readonly string[]
  readonly error: string | undefined
  readonly onChange: (chosen: readonly string[]) => void
}

/** The tools that an agent may use. A tool that was chosen and is gone stays in the list, so that it can be removed. */
export function ToolChoice({ tools, chosen, error, onChange }: Props) {
  const words = useAgentsWords()
  const [search, setSearch] = useState('')
  const gone = chosen.filter(key => key !== subAgentTool && !tools.some(tool => tool.key === key))
  const choices: readonly Choice[] = [
    ...gone.map(key => ({ value: key, label: key, badge: <Badge isBad text={words.goneTool} /> })),
    ...tools
      .filter(({ key }) => key !== subAgentTool)
      .map(({ key, description, needsApproval }) => ({
        value: key,
        label: key,
        text: description,
        badge: needsApproval ? <Badge text={words.asksFirst} /> : undefined,
      })),
  ]
  const wanted = search.trim().toLowerCase()
  const found = choices.filter(({ label, text = '' }) => `${label} ${text}`.toLowerCase().includes(wanted))
  return (
    <FieldGroup label={words.tools} hint={words.toolsHint} error={error}>
      {choices.length > manyTools && (
        <input
          type="search"
          aria-label={words.findTool}
          placeholder={words.findTool}
          value={search}
          onChange={event => setSearch(event.target.value)}
          className={`mb-2 ${inputLook}`}
        />
      )}
      {found.length === 0 ? (
        <p className="text-sm text-muted">{words.noToolFound}</p>
      ) : (
        <ChoiceList choices={found} chosen={chosen} onChange={onChange} />
      )}
    </FieldGroup>
  )
}
