import type { TestServer, TestServerOptions } from '@throughline/testing/server/test-server'
import type { Line, Return } from '../line.ts'
import type { ClientInUse } from './client-in-use.ts'
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
  /** Does what the person does, in the client. Resolves when the client shows the end, with how it came back. */
  act(page: ClientInUse, line: Line): Promise<Return | undefined>
  /** What the agent was given, run by run: the texts of the messages. */
  readonly given?: Given
  readonly shouldBeGiven?: Given
}

export type Given = readonly (readonly string[])[]

/** Does something, and waits for the answer to it. */
export async function exchange(page: ClientInUse, act: () => Promise<void>, words: string): Promise<void> {
  await act()
  await page.shows(words)
  await page.isIdle()
}
