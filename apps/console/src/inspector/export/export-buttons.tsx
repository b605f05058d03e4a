import type { ChatId, Entry } from '@throughline/protocol'
import { Download, FlaskConical } from 'lucide-react'
import { IconButton } from '../../icon-button.tsx'
import { saveFile } from '../../save-file.ts'
import { useInspectorWords } from '../inspector-words.ts'
import { jsonLines, runFixture } from './export-log.ts'

interface Props {
  readonly chatId: ChatId
  readonly entries: readonly Entry[]
  /** Whether the entries are one answer. Only one answer can be a fixture. */
  readonly isAnswer: boolean
}

/** Saves what is looked at: as lines of JSON, and an answer also as a fixture for tests. */
export function ExportButtons({ chatId, entries, isAnswer }: Props) {
  const words = useInspectorWords()
  const [first] = entries
  const name = isAnswer ? `${chatId}-${first?.seq ?? 0}` : chatId
  return (
    <>
      <IconButton
        icon={Download}
        label={words.saveLines}
        onClick={() => save(`${name}.jsonl`, jsonLines(entries))}
      />
      {isAnswer && (
        <IconButton
          icon={FlaskConical}
          label={words.saveFixture}
          onClick={() => save(`${name}.run.json`, runFixture(entries))}
        />
      )}
    </>
  )
}

function save(name: string, text: string): void {
  saveFile(name, new Blob([text], { type: 'application/octet-stream' }))
}
