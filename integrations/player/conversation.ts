import type { TestServer, TestServerOptions } from '@throughline/testing/server/test-server'
import type { Line, Return } from '../../packages/server/test/compatibility/line.ts'
import type { ClientPage } from './client-page.ts'
import type { Transcript } from './transcript.ts'

/** What a person and an agent do together, and what there is to see in the end. */
export interface Conversation {
  readonly whole: Transcript
  start(options: StageOptions): Promise<Stage>
}

export type StageOptions = Pick<TestServerOptions, 'pageFolder'>

export interface Stage {
  /** With the agent in it. Whoever starts the stage disposes it. */
  readonly server: TestServer
  /** Does what the person does, on the page. Resolves when the page shows the end; says how a client came back. */
  act(page: ClientPage, line: Line): Promise<Return | undefined>
  /** What the agent was given, run by run: the texts of the messages. */
  readonly given?: Given
  readonly shouldBeGiven?: Given
}

export type Given = readonly (readonly string[])[]

/** Does something, and waits for the answer to it. */
export async function exchange(page: ClientPage, act: () => Promise<void>, words: string): Promise<void> {
  await act()
  await page.shows(words)
  await page.isIdle()
}
