import type { ChatId } from '@throughline/protocol'
import type { DefinitionBody } from '@throughline/protocol/internal'
import { useState } from 'react'
import { type AgentsOverview, removeDefinition } from '../../agents/agents-api.ts'
import type { PageRoute } from '../../navigation/route.ts'
import { useOtherPagesWords } from '../../words/other-pages/use-other-pages-words.ts'
import { AgentPage } from './agent-page.tsx'
import type { AgentDraft } from './form/agent-draft.ts'
import { AgentForm } from './form/agent-form.tsx'
import { refusalText } from './form/field-errors.ts'
import { useAgentForm } from './form/use-agent-form.ts'

interface Props {
  readonly overview: AgentsOverview
  /** What is edited; `undefined` for a new definition. */
  readonly definition: DefinitionBody | undefined
  /** What the form begins with. */
  readonly initial: AgentDraft
  readonly onMenu: () => void
  readonly onGo: (route: PageRoute) => void
  readonly onTrial: (chatId: ChatId | undefined) => void
  readonly onLeave: (mayLeave: () => boolean) => () => void
  /** Called after the server has changed something. */
  readonly onChange: () => Promise<void>
  readonly onCopy: (draft: AgentDraft) => void
}

/** The page on which a definition is made and changed. */
export function DefinitionPage(props: Props) {
  const { overview, definition, initial, onMenu, onGo, onTrial, onLeave, onChange, onCopy } = props
  const words = useOtherPagesWords().agents
  const [hasFailed, setHasFailed] = useState(false)
  const form = useAgentForm({
    initial,
    definition,
    onLeave,
    async onSaved({ name, workspaceId }) {
      await onChange()
      if (definition === undefined) onGo({ page: 'agents', name, workspaceId })
    },
  })
  const { saved } = form
  const agent = overview.agents.find(
    each => saved !== undefined && each.name === saved.name && each.workspaceId === saved.workspaceId,
  )
  const remove = async () => {
    if (saved === undefined || !confirm(words.confirmRemove(saved.displayName))) return
    try {
      await removeDefinition(saved)
    } catch {
      setHasFailed(true)
      return
    }
    form.discard()
    await onChange()
    onGo({ page: 'agents' })
  }
  const warnings = saved?.warnings ?? []
  return (
    <AgentPage
      title={saved?.displayName ?? words.newAgent}
      agent={agent}
      isChanged={form.isChanged}
      onMenu={onMenu}
      onGo={onGo}
      onTrial={onTrial}
      onCopy={saved && (() => onCopy({ ...form.draft, name: words.copyOf(saved.name) }))}
      onRemove={saved && remove}
    >
      {hasFailed && (
        <p role="alert" className="bg-danger-soft px-4 py-2 text-sm text-danger">
          {words.removeFailed}
        </p>
      )}
      {warnings.length > 0 && (
        <ul className="bg-danger-soft px-4 py-2 text-sm text-danger">
          {warnings.map(warning => (
            <li key={warning.message}>{refusalText(warning, words)}</li>
          ))}
        </ul>
      )}
      <AgentForm form={form} overview={overview} />
    </AgentPage>
  )
}
